"""Cases as the grid lists them: what each costs, which are wanted, and in which order."""

import numpy as np
import pytest

import scoring
from scoring.challenges import samples
from scoring.comparison import score_units
from scoring.comparison.case_list import ANY, CaseFilter, captions, case_list, chosen
from tests.support.visits import sample_card

ISIC = scoring.load_challenge("isic")


@pytest.fixture(scope="module")
def card():
    return sample_card("isic", "lyra")


def balanced_accuracy(truth, called) -> float:
    """Mean of the recalls of the categories that occur."""
    return float(np.mean([np.mean(called[truth == k] == k) for k in np.unique(truth)]))


def test_points_lost_are_what_the_score_would_gain_without_the_lesion(card):
    cases = case_list(ISIC, card)
    truth, called, units = (card.arrays[name] for name in ("truth", "predicted", "units"))
    whole = balanced_accuracy(truth, called)
    assert whole == pytest.approx(card.score)
    for place in range(0, card.n_cases, 7):
        rest = units != units[place]
        gain = score_units.of(ISIC).factor * (balanced_accuracy(truth[rest], called[rest]) - whole)
        assert cases.lost[place] == pytest.approx(gain, abs=1e-9)
    assert cases.unit == "of the score"


@pytest.mark.parametrize("order", ["points lost", "score", "case"])
@pytest.mark.parametrize("result", ["all", "mistakes", "right"])
@pytest.mark.parametrize(("truth", "called"), [(ANY, ANY), ("MEL", ANY), ("NV", "MEL"), (ANY, "NV")])
def test_the_wanted_cases_are_those_and_stand_in_the_wanted_order(card, truth, called, result, order):
    cases = case_list(ISIC, card)
    places = chosen(cases, CaseFilter(result, truth, called, (), None, order)).tolist()
    expected = [
        i
        for i, row in enumerate(card.cases)
        if truth in (ANY, row["truth"])
        and called in (ANY, row["predicted"])
        and (result == "all" or row["correct"] == (result == "right"))
    ]
    assert sorted(places) == expected
    scores = [card.cases[i]["truth_score"] for i in places]
    if order == "case":
        assert places == expected
    elif order == "score":
        assert scores == sorted(scores)
    else:
        keys = [(-cases.lost[i], card.cases[i]["truth_score"]) for i in places]
        assert keys == sorted(keys)


def test_groups_and_scores_narrow_the_choice():
    challenge, card = scoring.load_challenge("tricorder3"), sample_card("tricorder3", "aurora")
    cases = case_list(challenge, card)
    groups = ("gender: female", "truth risk: malignant")
    places = chosen(cases, CaseFilter(groups=groups, scores=(0.2, 0.6)))
    expected = {
        i
        for i, row in enumerate(card.cases)
        if row["gender"] == "female" and row["truth_risk"] == "malignant" and 0.2 <= row["truth_score"] <= 0.6
    }
    assert set(places.tolist()) == expected
    assert 0 < len(expected) < 60
    assert not len(chosen(cases, CaseFilter(scores=(2.0, 3.0))))


def test_fixed_and_broken_are_told_against_an_earlier_run(card):
    before = sample_card("isic", "juno")
    cases = case_list(ISIC, card, before)
    pairs = [(old["correct"], new["correct"]) for old, new in zip(before.cases, card.cases, strict=True)]
    for result, pair in (("fixed", (False, True)), ("broken", (True, False))):
        places = chosen(cases, CaseFilter(result))
        assert sorted(places.tolist()) == [i for i, both in enumerate(pairs) if both == pair]
        assert len(places)
    other = sample_card(
        "isic",
        next(iter(list(samples.test_sets("isic").values())[1].submissions)),
        list(samples.test_sets("isic"))[1],
    )
    assert case_list(ISIC, card, other).changed is None


def test_a_caption_says_truth_call_and_costs(card):
    cases = case_list(ISIC, card)
    for place, (mark, call, numbers) in zip(range(9), captions(cases, np.arange(9)), strict=True):
        row = card.cases[place]
        assert mark == ("right" if row["correct"] else "wrong")
        assert call == f"{row['truth']} → {row['predicted']}"
        assert numbers.startswith(f"{row['truth_score']:.3f} · ")


def test_cases_without_classes_have_numbers_alone():
    cases = case_list(scoring.load_challenge("puma"), sample_card("puma", "sirius"))
    assert {(mark, call) for mark, call, _ in captions(cases, np.arange(8))} == {("", "")}
    places = chosen(cases, CaseFilter())
    assert (np.diff(cases.right[places]) >= 0).all()
