"""The figures of page and report, and the sections of the report."""

from scoring import report
from scoring.challenges.hecktor2026 import figures
from scoring.figures.theme import DARK, LIGHT
from tests.challenges.hecktor2026.eight import ROWS, TOLD
from tests.support import patients


def test_every_drawing_is_drawn_and_has_numbers_of_one_length(card):
    made = [
        figures.raincloud(card),
        figures.pairs(card),
        figures.kaplan_meier(card),
        *(figures.confusion(card, kind) for kind in "TN"),
    ]
    made += [
        draw(card, structure)
        for draw in (figures.dice_by_volume, figures.volumes)
        for structure in ("gtvp", "gtvn")
    ]
    for drawing in made:
        for theme in (LIGHT, DARK):
            assert drawing.build(theme).layout.meta["question"].endswith("?")
        assert len({len(column) for column in drawing.numbers.values()}) == 1
        assert " n = " in f" {drawing.caption}"


def test_the_report_has_its_own_sections_and_says_what_it_holds(card):
    said = report.html(card)
    assert "keep it from anyone who must not see that" in said
    for question in (
        "How well does each patient&#x27;s mask fit?",
        "Which N stage is taken for which?",
        "Who relapsed in each third of the risk?",
        "Does it work everywhere?",
    ):
        assert question in said


def test_a_report_of_a_truth_that_lacks_things_leaves_them_out():
    bare = [{"PatientID": row["PatientID"], "T_stage": row["T_stage"]} for row in ROWS]
    said = report.html(patients.card(patients.truth_folder(bare), patients.submission_folder(TOLD)))
    assert "Which T stage is taken for which?" in said
    for question in (
        "mask fit?",
        "Which N stage",
        "relapse earlier?",
        "comparable pairs?",
        "work everywhere?",
    ):
        assert question not in said
