"""The cases of a class, restated case by case."""

import pytest

from scoring.comparison.classes import members
from scoring.core.scorecard import Official, ScoreCard
from tests.support.teams import lesion_teams


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
            (one.case, one.called) == (team.cases[one.index]["case"], team.cases[one.index]["predicted"])
            for one in found
        )


def test_nuclei_images_in_which_the_class_occurs():
    found = members(
        card({"case": "r1", "f1": {"tumor": 0.8}}, {"case": "r2", "f1": {"tumor": 0.3, "other": 1.0}}),
        "tumor",
    )
    assert [(one.case, one.value, one.called) for one in found] == [("r2", 0.3, None), ("r1", 0.8, None)]


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
    assert [(one.value, one.called) for one in members(team, "T2")] == [(0.0, "T3"), (0.0, None)]
    assert [(one.value, one.called) for one in members(team, "N0")] == [(1.0, "N0"), (1.0, "N0")]
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
