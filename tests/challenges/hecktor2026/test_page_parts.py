"""What page and report say beside the scorecard, restated in plain loops over its cases and label maps."""

import numpy as np
import pytest

from scoring import report
from scoring.challenges.hecktor2026 import drawings, summary
from scoring.challenges.hecktor2026 import patients as of_patients
from scoring.figures.look import DARK, LIGHT
from tests.support import patients
from tests.support.patients import CHALLENGE, labels

ROWS = [
    {
        "PatientID": f"P{i}",
        "T_stage": f"T{1 + i % 4}",
        "N_stage": f"N{i % 4}",
        "Relapse": int(i < 6),
        "RFS": 10 + i,
        "CenterID": "AB"[i % 2],
    }
    for i in range(8)
]
TRUE = {f"P{i}": labels(*found) for i, found in enumerate([(1, 1, 2), (1, 2, 2), (), (1, 1), (2, 2), (0, 0, 1), (1, 2)])}
GUESS = {f"P{i}": labels(*found) for i, found in enumerate([(1, 2, 2), (1, 2, 2), (), (0, 0, 1), (1, 2), (0, 0, 1)])}
TOLD = [{"PatientID": f"P{i}", "T_stage": "T2" if i else None, "N_stage": f"N{i % 4}", "risk": None if i == 3 else i % 5} for i in range(8)]
TRUTH, SUBMISSION = patients.truth_folder(ROWS, TRUE), patients.submission_folder(TOLD, GUESS)


@pytest.fixture(scope="module")
def read():
    truth = CHALLENGE.read_truth(TRUTH)
    return truth, CHALLENGE.read_predictions(SUBMISSION, truth)


@pytest.fixture(scope="module")
def card(read):
    return CHALLENGE.score(*read, resamples=20)


def test_parts_add_up_to_the_score(card):
    parts = summary.parts(card)
    assert [(part.name, part.weight) for part in parts] == [("Segmentation", 0.25), ("Staging", 0.35), ("Prognosis", 0.4)]
    assert sum(part.won for part in parts) == pytest.approx(card.score)
    assert all(part.won == part.weight * part.value for part in parts)


def test_what_lacks_is_counted_by_kind(card):
    found = summary.lacking(card)
    assert {words: n for words, n in found.items() if n} == {"missing mask": 1, "missing T stage": 1, "missing score": 1}


def test_the_credit_of_empty_masks_is_what_the_score_loses_when_they_count_nothing(read, card):
    without = CHALLENGE.score(*read, empty_masks="zero", resamples=0)
    assert summary.credit_of_empty(card) == pytest.approx(card.score - without.score)
    assert summary.credit_of_empty(without) == 0


def test_pairs_are_counted_once_each(card):
    told = {row["PatientID"]: row["risk"] for row in TOLD}
    expected = dict.fromkeys(("concordant", "tied", "discordant", "missing"), 0)
    for i in ROWS:
        for j in ROWS:
            if i["Relapse"] and (i["RFS"] < j["RFS"] or (i["RFS"] == j["RFS"] and not j["Relapse"])):
                first, second = told[i["PatientID"]], told[j["PatientID"]]
                kind = (
                    "missing"
                    if None in (first, second)
                    else "concordant"
                    if first > second
                    else "tied"
                    if first == second
                    else "discordant"
                )
                expected[kind] += 1
    assert summary.pairs(card) == expected


@pytest.mark.parametrize(
    ("columns", "option", "expected"),
    [
        (("risk",), "auto", ("risk", "risk", "time", False)),
        (("RFS",), "auto", ("time", "time", "risk", False)),
        (("risk",), "time", ("risk", "time", "risk", True)),
        (("risk", "RFS"), "time", ("time", "time", "risk", True)),
        ((), "auto", None),
    ],
)
def test_the_direction_names_the_column_and_its_reading(columns, option, expected):
    truth = CHALLENGE.read_truth(TRUTH)
    told = CHALLENGE.read_predictions(
        patients.submission_folder([{"PatientID": "P1", "T_stage": "T1", **dict.fromkeys(columns, 1)}]), truth
    )
    found = summary.direction(CHALLENGE.score(truth, told, prognosis_direction=option, resamples=0), told)
    assert found == (None if expected is None else summary.Direction(*expected))


@pytest.mark.parametrize(("structure", "label"), [("gtvp", 1), ("gtvn", 2)])
def test_every_patient_with_a_mask_is_above_zero_or_empty(card, structure, label):
    found = of_patients.spread(card, structure)
    for i, (patient, true) in enumerate(TRUE.items()):
        guess = GUESS.get(patient, labels())
        kind = (
            "empty"
            if not (true == label).any() and not (guess == label).any()
            else "above"
            if ((true == label) & (guess == label)).any()
            else "zero"
        )
        assert [i in group for group in (found.above, found.zero, found.empty)] == [kind == name for name in ("above", "zero", "empty")]
    assert 7 not in (*found.above, *found.zero, *found.empty)


def test_voxels_of_a_patient_are_each_counted_where_they_belong(read):
    for i in range(len(ROWS)):
        found = of_patients.volumes(*read, i)
        if f"P{i}" not in TRUE:
            assert found == ()
            continue
        true, guess = TRUE[f"P{i}"].ravel(), GUESS.get(f"P{i}", labels()).ravel()
        for volumes, wanted in zip(found, ((1, 2), (1,), (2,)), strict=True):
            inside, told = np.isin(true, wanted), np.isin(guess, wanted)
            right, renamed = (inside & told & (true == guess)).sum(), ((true > 0) & (guess > 0) & (true != guess) & (inside | told)).sum()
            apart = 0 if len(wanted) == 1 else renamed
            counts = right, told.sum() - right - apart, inside.sum() - right - apart, renamed
            assert (volumes.right, volumes.spurious, volumes.missed, volumes.renamed) == pytest.approx(
                [n * patients.VOXEL_ML for n in counts]
            )


def test_every_drawing_is_drawn_and_has_numbers_of_one_length(card):
    made = [drawings.raincloud(card), drawings.pairs(card), drawings.kaplan_meier(card), *(drawings.confusion(card, kind) for kind in "TN")]
    made += [draw(card, structure) for draw in (drawings.dice_by_volume, drawings.volumes) for structure in ("gtvp", "gtvn")]
    for drawing in made:
        for look in (LIGHT, DARK):
            assert drawing.build(look).layout.meta["question"].endswith("?")
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
    for question in ("mask fit?", "Which N stage", "relapse earlier?", "comparable pairs?", "work everywhere?"):
        assert question not in said
