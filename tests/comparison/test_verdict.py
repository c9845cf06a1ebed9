"""What is said of chance, held against the numbers that it rests on."""

from dataclasses import replace

import pytest

from scoring.comparison import scale, verdict
from scoring.comparison.scale import Scale
from tests.support.teams import LESIONS, lesion_teams

POINTS = scale.of(LESIONS)


@pytest.fixture(scope="module")
def close():
    return lesion_teams(2, 60, (1, 1.02, 1.01, 0.1), resamples=300)


def with_flags(found, flags):
    return replace(found, result=replace(found.result, tied_for_first=list(flags)))


def test_the_tied_are_named_and_nobody_is_called_best(close):
    level = [name for name, is_tied in zip(close.scored, close.result.tied_for_first, strict=True) if is_tied]
    assert 1 < len(level) < 4
    words = verdict.standing(close)
    assert words.startswith(f"{close.scored[0]} is ranked first, tied with {', '.join(level[1:])}:")
    assert f"which of the {len(level)} is best" in words
    assert verdict.tied(close) == tuple(level)
    assert verdict.band(close) == len(level)


def test_no_words_promise_a_chance_of_being_best(close):
    said = " ".join(
        (verdict.standing(close), verdict.gap(close, POINTS), verdict.method(close), verdict.RULE)
    ).lower()
    assert "probab" not in said
    assert said.count("chance of being best") == said.count("no chance of being best")


@pytest.mark.parametrize(
    ("flags", "band"),
    [
        ((True,) * 4, 4),
        ((True, True, False, False), 2),
        ((True, False, False, True), 0),
        ((False, True, True, True), 0),
    ],
)
def test_the_band_is_of_first_places_only(close, flags, band):
    assert verdict.band(with_flags(close, flags)) == band


def test_a_leader_by_another_order_is_not_called_tied(close):
    names = close.scored
    words = verdict.standing(with_flags(close, (False, True, False, False)))
    assert words == (
        f"{names[0]} is ranked first by the order of the challenge; by score, {names[1]} is tied for first."
    )


def test_alone_in_front():
    found = lesion_teams(4, 300, (6, 0.2, 0.1), resamples=200)
    assert verdict.standing(found) == "a is ranked first and told apart from every other team."
    assert verdict.band(found) == 0


def test_one_team_and_no_replicates():
    assert verdict.standing(lesion_teams(4, 30, (1,), resamples=100)) == "a is the only team with a score."
    silent = lesion_teams(4, 30, (2, 1), resamples=0)
    assert (
        verdict.standing(silent)
        == f"{silent.scored[0]} is ranked first. Without replicates nothing is said of chance."
    )
    assert verdict.gap(silent, POINTS) == ""
    assert verdict.rank_interval(silent, 0) == ""
    assert verdict.method(silent) == "n = 30, no replicates."


def test_the_gap_is_that_of_the_comparison(close):
    gap = close.result.resolvable_gap
    words = verdict.gap(close, POINTS)
    assert f"With these 60 cases a gap under {100 * gap['all_pairs']:.2f} points of 100" in words
    assert words.endswith(f"under {100 * gap['one_pair']:.2f}.")
    assert verdict.method(close) == "n = 60, paired bootstrap over 60 cases, B = 300, seed 0."


def test_two_teams_are_one_pair():
    words = verdict.gap(lesion_teams(4, 60, (2, 1), resamples=100), POINTS)
    assert words.startswith("With these 60 cases a gap under ")
    assert words.endswith(" points of 100 cannot be told from chance.")


@pytest.mark.parametrize(
    ("pair", "words"), [([1, 1], "1"), ([1, 4], "1 to 4"), ([1.5, 3], "1.5 to 3"), (None, "")]
)
def test_places_in_words(pair, words):
    assert verdict.places(pair) == words


def test_scales():
    assert Scale(100, 2, 1, "points of 100") == POINTS
    assert (POINTS.words(0.82871), POINTS.number(-0.01, sign=True), POINTS.span([0.1, 0.25])) == (
        "82.87 points of 100",
        "−1.00",
        "10.0 to 25.0",
    )
    own = Scale(1, 3, 3, "score")
    assert (own.words(0.7331), own.words(None), own.span(None), own.scaled(None)) == (
        "score 0.733",
        "score –",
        "–",
        None,
    )
    assert POINTS.scaled([0.5, 1]) == [50, 100]
