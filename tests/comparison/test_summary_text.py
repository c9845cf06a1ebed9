"""What is said of chance, held against the numbers that it rests on."""

from dataclasses import replace

import pytest

from scoring.comparison import score_units, summary_text
from scoring.comparison.compare import compare_cards
from scoring.comparison.score_units import Scale
from scoring.comparison.summary_text import leader_differences
from tests.support.teams import LESIONS, lesion_teams, risk_teams

POINTS = score_units.of(LESIONS)


@pytest.fixture(scope="module")
def close():
    return lesion_teams(2, 60, (1, 1.02, 1.01, 0.1), resamples=300)


def with_flags(found, flags):
    return replace(found, result=replace(found.result, tied_for_first=list(flags)))


def test_the_tied_are_named_and_nobody_is_called_best(close):
    level = [name for name, is_tied in zip(close.scored, close.result.tied_for_first, strict=True) if is_tied]
    assert 1 < len(level) < 4
    words = summary_text.leaders(close)
    assert words.startswith(f"{close.scored[0]} is ranked first, tied with {', '.join(level[1:])}:")
    assert f"which of the {len(level)} is best" in words
    assert summary_text.tied(close) == tuple(level)
    assert summary_text.band(close) == len(level)


def test_no_words_promise_a_chance_of_being_best(close):
    said = " ".join(
        (
            summary_text.leaders(close),
            summary_text.gap(close, POINTS),
            summary_text.method(close),
            summary_text.RULE,
        )
    ).lower()
    assert "probab" not in said
    assert said.count("chance of being best") == said.count("no chance of being best")


def test_a_gap_of_scores_is_no_number_of_scores(close):
    gap = summary_text.gap(close, Scale(1, 3, 3, "score"))
    assert " score " not in gap
    assert "points of 100" in summary_text.gap(close, POINTS)


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
    assert summary_text.band(with_flags(close, flags)) == band


def test_a_leader_by_another_order_is_not_called_tied(close):
    names = close.scored
    words = summary_text.leaders(with_flags(close, (False, True, False, False)))
    assert words == (
        f"{names[0]} is ranked first by the order of the challenge; by score, {names[1]} is tied for first."
    )


def test_alone_in_front():
    found = lesion_teams(4, 300, (6, 0.2, 0.1), resamples=200)
    assert summary_text.leaders(found) == "a is ranked first and told apart from every other team."
    assert summary_text.band(found) == 0


def test_one_team_and_no_replicates():
    assert (
        summary_text.leaders(lesion_teams(4, 30, (1,), resamples=100)) == "a is the only team with a score."
    )
    silent = lesion_teams(4, 30, (2, 1), resamples=0)
    assert (
        summary_text.leaders(silent)
        == f"{silent.scored[0]} is ranked first. The cases were not resampled, so chance cannot be assessed."
    )
    assert summary_text.gap(silent, POINTS) == ""
    assert summary_text.rank_interval(silent, 0) == ""
    assert summary_text.method(silent) == "n = 30, not resampled."


def test_the_gap_is_that_of_the_comparison(close):
    gap = close.result.resolvable_gap
    words = summary_text.gap(close, POINTS)
    assert words == (
        f"With 60 cases like these, the test detects a true difference of {100 * gap['all_pairs']:.2f} "
        "points of 100 in about half of all test sets, and a true difference of "
        f"{100 * gap['all_pairs_80']:.2f} points of 100 in four of five. These values hold if all pairs are "
        "compared. For a single pair that was chosen beforehand, the differences are "
        f"{100 * gap['one_pair']:.2f} and {100 * gap['one_pair_80']:.2f}."
    )
    assert summary_text.method(close) == (
        "n = 60, paired bootstrap: 300 resamples of 60 cases, seed 0. Teams are told apart by the swap test."
    )


def test_two_teams_are_one_pair():
    words = summary_text.gap(lesion_teams(4, 60, (2, 1), resamples=100), POINTS)
    assert words.startswith("With 60 cases like these, the test detects a true difference of ")
    assert words.endswith(" in four of five.")


def test_few_units_tell_nobody_apart():
    few = lesion_teams(4, 19, (3, 2, 0.5), resamples=100)
    assert few.result.test is few.as_dict()["provenance"]["pairs_test"] is None
    assert summary_text.leaders(few).endswith(
        "is ranked first. 19 cases are too few to tell teams apart: 20 are needed."
    )
    assert (summary_text.gap(few, POINTS), summary_text.caveat(few), summary_text.optimism(few, POINTS)) == (
        "",
        "",
        "",
    )
    assert summary_text.method(few) == "n = 19, paired bootstrap: 100 resamples of 19 cases, seed 0."
    pair = few.as_dict()["pairs"][0]
    assert {
        pair[key] for key in ("interval", "p_value", "p_adjusted", "simultaneous_interval", "separated")
    } == {None}


def test_a_test_set_of_one_case_is_told_in_a_sentence():
    one = lesion_teams(4, 1, (3, 2), resamples=100)
    assert summary_text.leaders(one).endswith("1 case is too few to tell teams apart: 20 are needed.")
    assert summary_text.method(one) == "n = 1 in one unit: nothing to resample."
    assert {
        tuple(team[key] or ()) for team in one.as_dict()["teams"] for key in ("interval", "rank_interval")
    } == {()}


def test_from_20_units_on_the_swap_test_speaks_and_names_its_limit():
    some = lesion_teams(4, 30, (3, 2, 0.1), resamples=200)
    assert some.result.test == some.as_dict()["provenance"]["pairs_test"] == "swap"
    assert summary_text.untold(some) == ""
    assert summary_text.caveat(some) == (
        "On 30 cases, the swap test compares two teams: it exchanges their predictions in random units. The "
        "test is wrong more often if a team fails rarely but badly, because these failures can be missing "
        "from a test set. In a category with few cases, teams of different skill can give equal answers. "
        "The test is corrected for this, so it finds fewer differences."
    )
    assert summary_text.method(some).endswith("seed 0. Teams are told apart by the swap test.")
    blind = replace(some, result=replace(some.result, test=None, tied_for_first=None, rank_intervals=None))
    assert "No difference is tested: no test is valid" in summary_text.leaders(blind)


@pytest.mark.parametrize(
    ("value", "words"), [(0.0333, "3"), (0.00712, "0.7"), (0.123, "10"), (0.00096, "0.1")]
)
def test_too_high_has_one_digit_and_needs_twelve_teams(close, value, words):
    found = replace(close, result=replace(close.result, winner_optimism=value))
    assert summary_text.optimism(found, POINTS) == ""
    cards = {f"{name}{copy}": card for name, card in close.cards.items() for copy in "abcd"}
    many, few = (
        replace(found, cards=cards, provenance={**found.provenance, "n_units": number})
        for number in (100, 99)
    )
    assert summary_text.optimism(many, POINTS) == words
    assert summary_text.optimism(few, POINTS) == ""


@pytest.mark.parametrize(
    ("units", "noises", "resamples", "words"),
    [
        (1, (1, 2), 50, "1 case is too few to tell teams apart: 20 are needed."),
        (19, (1, 2), 50, "19 cases are too few to tell teams apart: 20 are needed."),
        (30, (1, 2), 0, "The cases were not resampled, so chance cannot be assessed."),
    ],
)
def test_what_cannot_be_held_has_a_sentence(units, noises, resamples, words):
    found = lesion_teams(3, units, noises, resamples=resamples)
    assert summary_text.untold(found) == words
    assert [pair.separated for pair in found.result.pairs] == [None]


def test_copies_are_tied_and_named():
    of_two = lesion_teams(3, 40, (1, 1), resamples=50)
    card = of_two.cards["a"]
    copies = compare_cards(LESIONS, {"a": card, "b": card, "c": card})
    assert [(pair.difference, pair.p_adjusted, pair.separated) for pair in copies.result.pairs] == [
        (0, 1, False)
    ] * 3
    assert summary_text.leaders(copies) == (
        "a is ranked first, tied with b, c: these cases do not show which of the 3 is best."
    )
    assert summary_text.gap(copies, POINTS) == ""
    assert "identical-submissions" in {finding.code for finding in copies.findings}


@pytest.mark.parametrize(
    ("pair", "words"), [([1, 1], "1"), ([1, 4], "1 to 4"), ([1.5, 3], "1.5 to 3"), (None, "")]
)
def test_places_in_words(pair, words):
    assert summary_text.places(pair) == words


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


NOISES = (0.2, 0.25, 0.5, 0.9)


@pytest.fixture(scope="module")
def found():
    return risk_teams(1, 120, NOISES, resamples=200)


def test_every_team_against_the_first(found):
    rows = leader_differences(found)
    pairs = found.as_dict()["pairs"]
    assert [row.team for row in rows] == list(found.scored[1:])
    for row, pair in zip(rows, pairs[: len(rows)], strict=True):
        assert (pair["a"], pair["b"]) == (found.scored[0], row.team)
        assert (row.difference, row.p_adjusted, row.separated) == (
            -pair["difference"],
            pair["p_adjusted"],
            pair["separated"],
        )
        assert row.difference == pytest.approx(
            found.cards[row.team].score - found.cards[found.scored[0]].score
        )
        assert row.simultaneous_interval == [
            -pair["simultaneous_interval"][1],
            -pair["simultaneous_interval"][0],
        ]


def test_without_replicates_there_is_no_interval():
    bare = risk_teams(1, 30, NOISES, resamples=0)
    assert [row.simultaneous_interval for row in leader_differences(bare)] == [None, None, None]
