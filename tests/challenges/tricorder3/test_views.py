"""What page and report show of a scorecard: the numbers are the card's, and every block can be drawn."""

from dataclasses import replace
from pathlib import Path

import pytest

import scoring
from scoring.challenges.tricorder3.views import views
from scoring.core.views import Choice, Figure, Panels, Table
from scoring.presentation.figures.number_format import points, share, span
from tests.support.blocks import captions, every
from tests.support.lesion_tables import CLASSES, IDS, predictions, truth

CHALLENGE = scoring.load_challenge("tricorder3")
GOLDEN = Path(__file__).parents[2] / "golden" / "tricorder3"


def scored(name: str, **options):
    cases = CHALLENGE.read_truth(GOLDEN / name / "truth.csv")
    found = CHALLENGE.read_predictions(GOLDEN / name / "predictions.csv", cases)
    return CHALLENGE.score(cases, found, resamples=60, **options)


@pytest.fixture(scope="module")
def card():
    return scored("05-all-classes-300", model_size_mib=73.456789)


@pytest.fixture(scope="module")
def shown(card):
    return views(card)


def table(shown, key: str) -> Table:
    return next(block for block in every(shown) if isinstance(block, Table) and block.key == key)


def figure(shown, section: str, question: str) -> Figure:
    from scoring.presentation.figures.theme import LIGHT

    found = [block for block in every(shown) if isinstance(block, Figure)]
    return next(block for block in found if block.build(LIGHT).layout.meta["question"] == question)


def test_sections_are_those_of_the_page(shown):
    assert [section.name for section in shown.sections] == [
        *("Points", "Risk", "Classes", "Curves", "Calibration", "Subgroups", "Preflight"),
    ]
    assert shown.section("Nowhere") is None


def test_the_headline_is_the_score_with_its_parts(card, shown):
    head = shown.headline
    assert head.score.value == points(card.score)
    assert head.score.below == span(card.intervals["score"], 1, 100)
    facts = {fact.name: fact for fact in head.facts}
    for name, key in (("Accuracy", "accuracy"), ("Weighted F1", "weighted_f1")):
        assert facts[name].value == share(card.metrics[key])
        assert facts[name].below == span(card.intervals[key], 3)
        assert facts[name].better == "higher"
    assert facts["Ceiling"].value == points(card.more["best_possible_score"])
    assert facts["Efficiency"].below == "73.46 MiB"
    assert f"**{card.score!r}**" in head.strip.caption
    assert "45 × 0.523333 + 45 × 0.492696 + 10 × 0.765432" in head.strip.caption


def test_every_number_of_every_class_is_in_the_table(card, shown):
    rows = table(shown, "classes").rows
    assert sorted(rows["class"]) == sorted(card.per_class)
    for place, name in enumerate(rows["class"]):
        for key, value in card.per_class[name].items():
            if key != "risk":
                assert rows[key][place] == value, (name, key)


def test_points_won_and_lost_add_up(card, shown):
    parts = table(shown, "parts").rows
    assert sum(parts["of"]) == pytest.approx(100)
    assert sum(parts["won"]) == pytest.approx(100 * card.score, abs=1e-3)
    lost = figure(shown, "Points", "Where were the points lost?").data
    assert lost["points lost"] == sorted(lost["points lost"], reverse=True)
    assert sum(lost["points lost"]) == pytest.approx(
        sum(100 * e["score_lost"] for e in card.per_class.values())
    )


def test_matrices_are_those_of_the_card(card, shown):
    cells = next(block for block in every(shown) if isinstance(block, Choice) and block.key == "cells")
    for name, block in cells.options.items():
        data, labels = block.data, card.confusion_matrix["labels"]
        assert name in ("counts", "shares")
        assert [[data[c][k] for c in labels] for k in range(len(labels))] == card.confusion_matrix["counts"]
    risks = figure(shown, "Risk", "Which risk groups were confused?").data
    groups = card.more["risk_matrix"]["labels"]
    assert [list(row) for row in zip(*(risks[g] for g in groups), strict=True)] == card.more["risk_matrix"][
        "counts"
    ]


def test_cancers_called_benign_are_counted(card, shown):
    missed = [c for c in card.cases if (c["truth_risk"], c["predicted_risk"]) == ("malignant", "benign")]
    rows = table(shown, "missed").rows
    assert sum(rows["missed"]) == len(missed)
    assert sum(rows["n"]) == sum(c["truth_risk"] == "malignant" for c in card.cases)
    assert any(f"**{len(missed)} of {sum(rows['n'])}** malignant" in words for words in captions(shown))


def test_there_is_a_curve_for_each_class(card, shown):
    panels = [block for block in every(shown) if isinstance(block, Panels)]
    assert [len(block.panels) for block in panels] == [11, 11]
    auc = {share(entry["auc"]) for entry in card.per_class.values()}
    assert {panel.title.rsplit("**", 2)[1] for panel in panels[0].panels} == auc


def test_every_number_of_every_group_is_there(card, shown):
    rows = table(shown, "slices").rows
    for place, (kind, group) in enumerate(zip(rows["by"], rows["group"], strict=True)):
        for key, value in card.more["slices"][kind][group].items():
            assert rows[key][place] == value


def test_a_class_without_a_case_is_said_before_the_score_is_read():
    cases = CHALLENGE.read_truth(truth(IDS, [CLASSES[0]] * len(IDS)))
    card = CHALLENGE.score(cases, CHALLENGE.read_predictions(predictions(IDS), cases), resamples=0)
    (note,) = views(card).headline.notes
    assert "10 classes without a case" in note.text


def test_names_of_strangers_are_escaped(card):
    hostile = "<b>**x**"
    renamed = replace(
        card,
        per_class={hostile if k == "MEL" else k: {**v, "support": 0} for k, v in card.per_class.items()},
        confusion_matrix={
            "labels": [hostile if k == "MEL" else k for k in card.confusion_matrix["labels"]],
            "counts": card.confusion_matrix["counts"],
        },
    )
    shown = views(renamed)
    titles = [p.title for block in every(shown) if isinstance(block, Panels) for p in block.panels]
    for words in (*captions(shown), *titles, *(note.text for note in shown.headline.notes)):
        assert hostile not in words
