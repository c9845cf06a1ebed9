"""Direction and range of a number, and where a challenge declares them."""

import math

import pytest

from scoring.challenges import load_challenge
from scoring.common.direction_and_range import COUNT, LOSS, SHARE, Quantity


@pytest.mark.parametrize(
    ("quantity", "best", "worst", "words"),
    [
        (SHARE, 1, 0, "from 0 to 1"),
        (LOSS, 0, math.inf, "0 or more"),
        (Quantity("higher", (-1, 1)), 1, -1, "from -1 to 1"),
        (Quantity("lower", (-math.inf, 3)), -math.inf, 3, "3 or less"),
        (Quantity("lower", (-math.inf, math.inf)), -math.inf, math.inf, "any number"),
    ],
)
def test_ends_and_words(quantity, best, worst, words):
    assert (quantity.best, quantity.worst, quantity.words) == (best, worst, words)
    assert quantity.is_bounded == all(map(math.isfinite, (best, worst)))


@pytest.mark.parametrize("quantity", [SHARE, LOSS])
def test_order_and_improvement_follow_the_direction(quantity):
    good, bad = (0.75, 0.25) if quantity.better == "higher" else (0.25, 0.75)
    assert sorted([bad, None, good, math.nan], key=quantity.order)[-2:] == [bad, good]
    assert quantity.improves(good, bad)
    assert quantity.improves(good, bad, 0.4)
    assert not quantity.improves(good, bad, 0.5)
    assert not quantity.improves(bad, good)
    assert not quantity.improves(good, good)
    assert quantity.improves(bad, None)


@pytest.mark.parametrize("wrong", [("more", (0, 1)), ("higher", (1, 0)), ("lower", (0, math.nan))])
def test_a_direction_or_range_that_is_none_is_refused(wrong):
    with pytest.raises(ValueError, match=r"better is|a range goes"):
        Quantity(*wrong)


def test_a_challenge_says_which_metrics_are_no_shares():
    scoring = load_challenge("melanoma").scoring
    assert scoring.quantity() == scoring.quantity("accuracy") == scoring.quantity("f1/MEL") == SHARE
    assert scoring.quantity("log_loss") == scoring.quantity("log_loss/MEL") == LOSS
    assert load_challenge("puma").scoring.quantity("n_truth") == COUNT
