"""Class by team, restated from the scorecards; differences from replicates drawn again."""

import numpy as np
import pytest

import scoring
from scoring.challenges import samples
from scoring.comparison import class_measures
from scoring.comparison.class_measures import members
from scoring.core.scorecard import Official, ScoreCard
from tests.support.lesion_tables import CLASSES
from tests.support.plain_intervals import difference_t
from tests.support.teams import lesion_teams


@pytest.fixture(scope="module")
def found():
    return lesion_teams(2, 90, (0.5, 1.5, 3), resamples=60, seed=4)


def test_the_matrix_is_that_of_the_cards(found):
    table = class_measures.matrix(found)
    assert (table.classes, set(table.measures), table.teams) == (CLASSES, {"f1"}, tuple(found.cards))
    for k, name in enumerate(CLASSES):
        rows = [card.per_class[name] for card in found.cards.values()]
        assert table.support[k] == rows[0]["support"]
        assert table.values[k].tolist() == [row["f1"] for row in rows]


def test_differences_of_two_teams_restated(found):
    a, b = list(found.cards)[:2]
    truth = found.cards[a].arrays["truth"]

    def f1(labels: np.ndarray, k: int, weights: np.ndarray) -> float:
        hits = weights[(truth == k) & (labels == k)].sum()
        either = weights[truth == k].sum() + weights[labels == k].sum()
        return 2 * hits / either if either else 0.0

    for k, row in enumerate(class_measures.differences(found, a, b)):
        labels = [found.cards[name].arrays["predicted"] for name in (a, b)]
        ones, without = np.ones(90), 1 - np.eye(90)
        left_out = [np.array([f1(of, k, kept) for kept in without]) for of in labels]
        assert (row.name, row.measure) == (CLASSES[k], "f1")
        assert row.difference == pytest.approx(f1(labels[0], k, ones) - f1(labels[1], k, ones))
        expected = difference_t(row.difference, *left_out, int((truth == k).sum()))
        assert row.interval == (expected and pytest.approx(expected, abs=1e-7))


def test_stages_and_structures_have_measures_of_their_own():
    sample = next(iter(samples.test_sets("hecktor2026").values()))
    challenge = scoring.load_challenge("hecktor2026")
    truth = challenge.read_truth(sample.path)
    sent = {
        name: challenge.read_predictions(sample.submissions[name].path, truth)
        for name in list(sample.submissions)[:2]
    }
    compared = scoring.compare(challenge, truth, sent, resamples=20)
    table = class_measures.matrix(compared)
    assert dict(zip(table.classes, table.measures, strict=True)) == {
        name: "mean_dice" if name.startswith("GTV") else "recall" for name in table.classes
    }
    assert {"T2", "N1", "GTVp", "GTVn"} <= set(table.classes)
    assert all(
        row.interval
        for row in class_measures.differences(compared, *compared.cards)
        if row.name.startswith("GTV")
    )


def card(*rows) -> ScoreCard:
    return ScoreCard("x", None, {}, {}, len(rows), rows, (), {}, official=Official(True, None))


def test_labelled_cases_wrong_ones_first():
    team = lesion_teams(1, 80, (1,), resamples=0).cards["a"]
    for name in team.per_class:
        found = members(team, name)
        assert {one.index for one in found} == {i for i, row in enumerate(team.cases) if row["truth"] == name}
        assert [one.value for one in found] == sorted(
            float(team.cases[one.index]["correct"]) for one in found
        )
        assert all(
            (one.case, one.label) == (team.cases[one.index]["case"], team.cases[one.index]["predicted"])
            for one in found
        )


def test_nuclei_images_in_which_the_class_occurs():
    found = members(
        card({"case": "r1", "f1": {"tumor": 0.8}}, {"case": "r2", "f1": {"tumor": 0.3, "other": 1.0}}),
        "tumor",
    )
    assert [(one.case, one.value, one.label) for one in found] == [("r2", 0.3, None), ("r1", 0.8, None)]


def test_patients_by_stage_and_structure():
    patient = {
        "case": "p1",
        "t_truth": "T2",
        "t_prediction": "T3",
        "n_truth": "N0",
        "n_prediction": "N0",
        "dice_gtvp": 0.7,
        "dice_gtvn": None,
    }
    other = {**patient, "case": "p2", "t_prediction": None, "dice_gtvp": 0.2, "dice_gtvn": 0.9}
    team = card(patient, other)
    assert [(one.value, one.label) for one in members(team, "T2")] == [(0.0, "T3"), (0.0, None)]
    assert [(one.value, one.label) for one in members(team, "N0")] == [(1.0, "N0"), (1.0, "N0")]
    assert [one.case for one in members(team, "GTVp")] == ["p2", "p1"]
    assert [(one.case, one.value) for one in members(team, "GTVn")] == [("p2", 0.9), ("p1", None)]


@pytest.mark.parametrize("name", ["T1", "unheard of", ""])
def test_no_case_of_such_a_class(name):
    assert (
        members(
            card(
                {"case": "p1", "t_truth": "T2", "t_prediction": "T1", "n_truth": "N0", "n_prediction": "N0"}
            ),
            name,
        )
        == ()
    )
