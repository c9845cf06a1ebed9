"""What page and report show of a scorecard: its numbers, in blocks that can be drawn."""

import pytest
from markupsafe import escape

from scoring.challenges.hecktor2026 import patients, summary, views
from scoring.core.views import Choice, Facts, Figure, SideBySide, Table, Text
from scoring.presentation import html
from scoring.presentation.figures.number_format import decimal, share, span
from scoring.presentation.figures.theme import LIGHT
from tests.challenges.hecktor2026.eight import GUESS, ROWS, TOLD, TRUE
from tests.support import patients as folders
from tests.support.payloads import PAYLOADS


def blocks(card):
    """All blocks of a card's sections, those inside others too."""
    return list(flat([block for section in views.views(card).sections for block in section.blocks]))


def flat(entries):
    for entry in entries:
        match entry:
            case SideBySide():
                yield from flat([block for column in entry.columns for block in column])
            case Choice():
                yield from flat(entry.options.values())
            case _:
                yield entry


def table(card, key):
    return next(block for block in blocks(card) if isinstance(block, Table) and block.key == key)


def questions(card):
    return {
        block.build(LIGHT).layout.meta["question"] if isinstance(block, Figure) else block.question
        for block in blocks(card)
    } - {""}


def test_points_that_are_patients_carry_their_names(card):
    names = {row["case"] for row in card.cases}
    marked = [block for block in blocks(card) if isinstance(block, Figure) and block.cases]
    assert len(marked) == 5
    for figure in marked:
        carried = [
            point[0]
            for trace in figure.build(LIGHT).data
            if trace.customdata is not None
            for point in trace.customdata
        ]
        assert carried
        assert set(carried) <= names


def test_the_headline_says_score_parts_and_arithmetic(card):
    head, m = views.headline(card), card.metrics
    assert head.score.value == share(card.score)
    assert head.score.below == span(card.intervals["score"], 3)
    assert head.facts[0].value == share(m["unweighted_score"])
    assert f"**{card.score!r}**" in head.strip.caption
    (cards,), (unusable,) = head.parts, head.notes
    for part, (text,) in zip(summary.parts(card), cards.columns, strict=True):
        assert f"**{share(part.value)}**" in text.text
        assert f"× {part.weight:.2f} = **{decimal(part.won, 4)}**" in text.text
        assert span(card.intervals[part.metric], 3) in text.text
    for metric in ("dice_gtvp", "dice_gtvn", "balanced_accuracy_t", "balanced_accuracy_n", "c_index_flipped"):
        assert any(f"**{share(m[metric])}**" in text.text for (text,) in cards.columns)
    for words in ("1 missing mask", "1 missing T stage", "1 missing score"):
        assert f"▲ {words}]" in unusable.text
    assert f"{decimal(summary.credit_of_empty(card), 4)} of the score" in unusable.text


def test_tables_hold_the_numbers_of_the_card(card):
    for kind in "TN":
        found = table(card, f"recall_{kind}").rows
        for stage, support, predicted, recall in zip(
            *(found[k] for k in ("stage", "support", "predicted", "recall")), strict=True
        ):
            entry = card.per_class[stage]
            assert (support, predicted, recall) == (entry["support"], entry["predicted"], entry["recall"])
    centers, per_center = table(card, "centers").rows, card.more["per_center"]
    for place, center in enumerate(centers["center"]):
        for key, values in centers.items():
            assert key == "center" or values[place] == per_center[center][key]
    structures = table(card, "structures").rows
    for name in ("GTVp", "GTVn"):
        written = dict(zip(structures["what"], structures[name], strict=True))
        entry = card.per_class[name]
        assert written["pooled over all voxels ↑"] == share(entry["dice_agg"])
        assert written["empty in both"] == str(entry["n_both_empty"])
        assert written["95% interval"] == span(card.intervals[f"dice_{name.lower()}"], 2)
    thirds = table(card, "thirds").rows
    assert list(zip(thirds["name"], thirds["n"], thirds["events"], strict=True)) == [
        (group["name"], group["n"], group["events"]) for group in card.more["survival"]["groups"]
    ]


@pytest.mark.parametrize("by", views.WORST)
def test_the_worst_come_first_and_their_rows_are_those_of_the_card(card, by):
    found, rows = patients.worst(card, by), table(card, f"worst_{by}").rows
    assert rows["case"] == [entry.case for entry in found]
    for key, values in rows.items():
        for value, entry in zip(values, found, strict=True):
            assert value == (entry.value if key == "value" else card.cases[entry.index][key])


def test_nodes_are_said_where_they_were_counted(read, card):
    def nodes(of):
        return [
            f for block in blocks(of) if isinstance(block, Facts) for f in block.facts if "Nodes" in f.name
        ]

    assert nodes(card) == []
    counted = folders.CHALLENGE.score(*read, lesions=True, resamples=0)
    assert [fact.value for fact in nodes(counted)] == [
        decimal(counted.metrics["gtvn_count_error"], 2),
        share(counted.metrics["gtvn_detection_f1"]),
    ]


def test_one_patient_in_numbers(read, card):
    for index, row in enumerate(card.cases):
        volumes = patients.volumes(*read, index)
        found = patients.patient(card, index, volumes)
        tables = [block for block in found if isinstance(block, Table)]
        assert bool(tables) is (row["mask"] != "no-truth")
        for entry in tables:
            assert entry.rows["missed"] == [volume.missed for volume in volumes]
            assert entry.rows["dice"] == [None, row["dice_gtvp"], row["dice_gtvn"]]
        facts = {fact.name: fact.value for block in found if isinstance(block, Facts) for fact in block.facts}
        assert facts["T stage"] == (row["t_truth"] or "–")
        assert facts["Center"] == row["center"]
        named = [card.cases[i]["case"] for i in patients.discordant_with(card, index)]
        lines = [block.text for block in found if isinstance(block, Text)]
        assert [all(name in line for name in named) for line in lines] == [True] * bool(named)


def test_figures_count_their_patients_and_the_report_says_what_it_holds(card):
    figures = [block for block in blocks(card) if isinstance(block, Figure)]
    assert len(figures) == 9
    assert all(" n = " in f" {figure.caption}" for figure in figures)
    assert "contain the truth of every patient" in html.html(card)


def test_a_truth_that_lacks_things_has_no_blocks_of_them():
    bare = [{"PatientID": row["PatientID"], "T_stage": row["T_stage"]} for row in ROWS]
    card = folders.card(folders.truth_folder(bare), folders.submission_folder(TOLD))
    shown = questions(card)
    assert "Which T stages are confused?" in shown
    for words in ("mask fit?", "Which N stage", "relapse earlier?", "comparable pairs?", "each center?"):
        assert not [question for question in shown if words in question]
    notes = [block.text for block in blocks(card) if isinstance(block, Text) and block.kind == "note"]
    assert len(notes) == 3
    assert "**undefined**" in views.headline(card).strip.caption
    assert all(note in html.html(card) for note in notes)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_hostile_names_are_text_in_the_report(payload):
    name = " ".join(payload.split())
    rows = [{**row, "CenterID": name} for row in ROWS]
    card = folders.card(folders.truth_folder(rows, TRUE), folders.submission_folder(TOLD, GUESS))
    written = html.html(card)
    assert escape(next(iter(card.more["per_center"]))) in written
    assert "<" not in name or name not in written
