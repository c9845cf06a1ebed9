"""Sentences about a comparison: who leads, how certain that is, which differences the data can resolve. Plain
text; names are not escaped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.comparison.compare import Comparison
from scoring.comparison.scale import Scale
from scoring.statistics.options import FEW_UNITS, UNITS_OF_COMPARISON
from scoring.statistics.replicate_comparison import SWAP

RULE = """Teams are ranked by the rule of the challenge: by the official score, or by an order of its own
(weighted ranks). Chance alters no rank. Beside the ranks stands what chance could do: one paired bootstrap
gives every team the same resampled test sets and recomputes the official score of each. A unit is what is
resampled: a case, or all cases of a patient or lesion.

| word | what it means |
|---|---|
| told apart | from 50 units on, the simultaneous 95% interval over all pairs (max-t) does not contain 0 and \
the adjusted p is at most 0.05. From 20 to 49, exchanging the predictions of two teams in random units \
seldom gives such a difference in any pair (swap test). Below 20 units nobody is told apart. A team that \
fails rarely and badly escapes both tests |
| tied for first | no other team is told apart from it and better |
| could hold ranks 2 to 4 | one team is told apart and better; all but four, or fewer, are told apart and \
worse |
| share of resamples won | how often a resample put the team first; it favours whoever leads on these cases, \
and is no chance of being best |
| adjusted p | over all pairs (paired bootstrap t with Holm, or the swap test): testing the winner alone \
against the rest is invalid, since the data chose the winner |
"""
NAMED = 4
"""Teams that a sentence names before it says "and N more"."""

TEAMS_OF_OPTIMISM = 12
"""Teams from which on, with `FEW_UNITS` units or more, "likely too high by" was within 15 % in simulations
(docs/statistics.md)."""


def by_score(found: Comparison) -> bool:
    """Return whether teams are ordered by the score, not by another quantity of the challenge's own order."""
    return found.own_ranking is None or not found.own_ranking.name


def order(found: Comparison) -> str:
    """Return what orders the teams, as a sentence."""
    if found.own_ranking is not None:
        return found.own_ranking.words
    return "Teams are ordered by the official score."


def tied(found: Comparison) -> tuple[str, ...]:
    """Return the teams that could be first, best first; empty without replicates.

    By score these are the teams that no other is certainly better than; in another order, those whose range
    of places begins with the first.
    """
    flags: Sequence[bool] = found.result.tied_for_first or ()
    return tuple(name for name, is_tied in zip(found.scored, flags, strict=False) if is_tied)


def tie(found: Comparison) -> str:
    """Return what is said of the teams that `tied` names."""
    return "tied for first" if by_score(found) else "could be first"


def band(found: Comparison) -> int:
    """Return how many of the first places are held by teams that could be first; 0 where one is alone."""
    level = tied(found)
    first = next((place for place, name in enumerate(found.scored) if name not in level), len(found.scored))
    return first if first > 1 else 0


def standing(found: Comparison) -> str:
    """Return who leads, and who is not separated from the leader; never a probability of being best."""
    names, level = found.scored, tied(found)
    if not names:
        return "No team has a score on this test set."
    leader = names[0]
    if len(names) == 1:
        return f"{leader} is the only team with a score."
    if not by_score(found):
        return _standing_in_own_order(found)
    if not level:
        return f"{leader} is ranked first. {untold(found)}"
    if leader not in level:
        return (
            f"{leader} is ranked first by the order of the challenge; by score, {_listed(level)} "
            f"{'are' if len(level) > 1 else 'is'} tied for first."
        )
    others = [name for name in level if name != leader]
    if others:
        return (
            f"{leader} is ranked first, tied with {_listed(others)}: on these cases nobody can say "
            f"which of the {len(level)} is best."
        )
    if all(one.separated for one in leader_differences(found)):
        return f"{leader} is ranked first and told apart from every other team."
    return f"{leader} is ranked first, and is the only team that no other is certainly better than."


def _standing_in_own_order(found: Comparison) -> str:
    """Return who leads in an order that does not go by the score, who could lead it, and who has the highest
    score."""
    leader, name = found.scored[0], found.own_ranking.name if found.own_ranking else ""
    others = [team for team in tied(found) if team != leader]
    if found.result.rank_intervals is None:
        chance = untold(found)
    elif others:
        chance = f"On other cases like these, {_listed(others)} could be first as well."
    else:
        chance = "No other team's 95% range of places reaches the first."
    highest = max(found.scored, key=lambda team: found.cards[team].score or 0.0)
    score = (
        "It has the highest score too."
        if highest == leader
        else f"The highest score is that of {highest}, ranked {found.ranks[highest]}."
    )
    return f"{leader} is ranked first by {name}. {chance} {score}"


def untold(found: Comparison) -> str:
    """Return why nothing is said of chance; "" where something is."""
    result, source = found.result, found.provenance
    if result.test is not None or len(found.scored) < 2:
        return ""
    if not source["resamples"]:
        return "Without replicates nothing is said of chance."
    if source["n_units"] < UNITS_OF_COMPARISON:
        few = "is" if source["n_units"] == 1 else "are"
        return f"{units(source)} {few} too few to tell teams apart: that takes {UNITS_OF_COMPARISON}."
    return (
        f"Nobody is told apart: below {FEW_UNITS} units there is no such test where one unit decides "
        "whether the score is defined, or of this kind of score."
    )


def caveat(found: Comparison) -> str:
    """Return what the test of few units cannot see; "" for other tests."""
    if found.result.test != SWAP:
        return ""
    return (
        f"With {units(found.provenance)} teams are told apart by exchanging their predictions in random "
        "units. A team that fails rarely and badly escapes this."
    )


@dataclass(frozen=True)
class Lead:
    """How far the first team is ahead of the second, in what orders them.

    Attributes:
        over: The second team.
        value: The lead, with its sign.
        below: Its interval, or what it is made of.
        explain: What that means.
    """

    over: str
    value: str
    below: str
    explain: str


def lead(found: Comparison, scale: Scale) -> Lead | None:
    """Return the lead over the second team; None for fewer than two teams with a score."""
    if len(found.scored) < 2:
        return None
    leader, second = found.scored[:2]
    pair = found.result.pairs[0]
    points = scale.number(pair.difference, sign=True)
    interval = scale.span(pair.simultaneous_interval, sign=True) if pair.simultaneous_interval else ""
    if found.own_ranking is None or by_score(found):
        return Lead(second, points, interval, "Simultaneous 95% interval over all pairs")
    name, values = found.own_ranking.name, found.own_ranking.values
    return Lead(
        second,
        f"{values[second] - values[leader]:.2f}",
        f"{name} {values[leader]:.2f}, then {values[second]:.2f}",
        f"In {name}s, small is good. The difference of the scores is {points}"
        f"{f', simultaneous 95% interval {interval}' if interval else ''}; it does not decide the order",
    )


def assumed(found: Comparison) -> str:
    """Return for how many teams the size of the model is assumed, "" for none: "efficiency assumed for 11 of
    16 teams"."""
    number = len(found.size_assumed)
    teams = f"{number} of {len(found.scored)} team{'s' * (len(found.scored) > 1)}"
    return f"{found.spec.size.part} assumed for {teams}" if number and found.spec.size else ""


def assumption(found: Comparison) -> str:
    """Return what assuming a model's size means, as a sentence; "" where none is assumed."""
    if not found.size_assumed or found.spec.size is None:
        return ""
    known = len(found.size_assumed) < len(found.scored)
    return (
        f"The size of these models is unknown, so they count as {found.spec.size.limits_mib[0]:g} MiB or "
        f"less, which costs nothing: {_listed(found.size_assumed)}."
        f"{' Teams with a known size may lose points to them.' if known else ''}"
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


def gap(found: Comparison, scale: Scale) -> str:
    """Return which differences these data cannot separate from chance; "" without replicates."""
    known = found.result.resolvable_gap
    if known is None:
        return ""
    words = (
        f"With {units(found.provenance)} like these, a true gap of {scale.number(known['all_pairs'])} "
        f"{scale.unit} is told from chance in about half of all test sets, and one of "
        f"{scale.number(known['all_pairs_80'])} in four of five"
    )
    if len(found.result.pairs) == 1:
        return f"{words}."
    return (
        f"{words}, when all pairs are looked at; for one pair named beforehand these are "
        f"{scale.number(known['one_pair'])} and {scale.number(known['one_pair_80'])}."
    )


def optimism(found: Comparison, scale: Scale) -> str:
    """Return how much too high the leader's score likely is, with one digit; "" where nothing is known, the
    order does not go by the score, or teams or units are too few for the estimate to be within 15 %."""
    value = found.result.winner_optimism
    few = len(found.scored) < TEAMS_OF_OPTIMISM or found.provenance["n_units"] < FEW_UNITS
    if not by_score(found) or not value or few:
        return ""
    return scale.rough(value)


def method(found: Comparison) -> str:
    """Return n, unit, replicates and seed."""
    source = found.provenance
    n = next(iter(found.cards.values())).n_cases
    if not source["resamples"]:
        return f"n = {n}, no replicates."
    if source["n_units"] == 1:
        return f"n = {n}, one unit: nothing to resample."
    words = (
        f"n = {n}, paired bootstrap over {units(source)}, B = {source['resamples']}, seed {source['seed']}"
    )
    return f"{words}; told apart by the swap test." if found.result.test == SWAP else f"{words}."


def units(provenance: Mapping[str, Any]) -> str:
    """Return how many units are resampled."""
    number, unit = provenance["n_units"], provenance["unit"]
    several = "s" * (number != 1)
    return f"{number} case{several}" if unit == "case" else f"{number} unit{several} ({unit})"


def places(pair: Sequence[float] | None) -> str:
    """Return a rank interval as text: "1", "2 to 4"; "" where there is none."""
    if pair is None:
        return ""
    low, high = (f"{value:g}" for value in pair)
    return low if low == high else f"{low} to {high}"


def rank_interval(found: Comparison, place: int) -> str:
    """Return the rank interval of the team at a place of `scored`; "" without replicates."""
    return places(found.result.rank_intervals[place] if found.result.rank_intervals else None)


@dataclass(frozen=True)
class LeaderDifference:
    """A team's score less the first one's: simultaneous interval, Holm's p; None without replicates."""

    team: str
    difference: float
    simultaneous_interval: list[float] | None
    separated: bool | None
    p_adjusted: float | None


def leader_differences(found: Comparison) -> tuple[LeaderDifference, ...]:
    """Return the differences of all other scored teams, best first."""
    return tuple(
        LeaderDifference(
            found.scored[pair.b],
            -pair.difference,
            _turned(pair.simultaneous_interval),
            pair.separated,
            pair.p_adjusted,
        )
        for pair in found.result.pairs
        if pair.a == 0
    )


def _turned(interval: list[float] | None) -> list[float] | None:
    return None if interval is None else [-end for end in reversed(interval)]
