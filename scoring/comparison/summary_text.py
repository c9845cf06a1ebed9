"""Sentences about a comparison: who leads, how certain this is, and which differences the data can detect.
The text is plain; names are not escaped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.common.text import stopped
from scoring.comparison.compare import Comparison
from scoring.comparison.score_units import Scale
from scoring.statistics.interval_options import UNITS_OF_COMPARISON
from scoring.statistics.replicate_comparison import SWAP

TOLD_APART = (
    "the swap test exchanges the predictions of two teams in random units; at most 5% of the exchanges give "
    "a difference this large in any pair of teams"
)
RULE = f"""Teams are ranked by the challenge's rule: the official score, or an order by ranks. \
The ranks do not take chance into account, but the intervals beside the ranks do: a paired bootstrap draws \
the same resampled test sets for every team, and computes the official score on each of them again. \
Units are resampled: a unit is a case, or all cases of a patient or lesion.

| word | what it means |
|---|---|
| told apart | {TOLD_APART}. Below 20 units no difference is tested. The test can miss a team that fails \
rarely but badly |
| tied for first | no other team is shown to be better |
| possible ranks 2 to 4 | one team is shown to be better; of the remaining teams, all \
but two are shown to be worse |
| share of resamples won | share of the resamples in which the team was first. It favours the leader on \
these cases, and does not show how likely the team is to be the best |
| adjusted p | p adjusted for all pairs of teams: a test of the winner alone against the rest is invalid, \
because the same data chose the winner |
"""
NAMED = 4
"""Number of teams that a sentence names before "and N more"."""

TEAMS_OF_OPTIMISM, UNITS_OF_OPTIMISM = 12, 100
"""Minimum number of teams and of units for the sentence that the leader's score is "likely too high by" a
value. With these numbers, the value was on average within 15 % of the truth in simulations
(docs/statistics.md)."""


def by_score(comparison: Comparison) -> bool:
    """Return whether the score orders the teams, and not another quantity that the challenge defines."""
    return comparison.own_ranking is None or not comparison.own_ranking.name


def order(comparison: Comparison) -> str:
    """Return a sentence that says how the teams are ordered."""
    if comparison.own_ranking is not None:
        return comparison.own_ranking.words
    return "Teams are ordered by the official score."


def decides(comparison: Comparison) -> str:
    """Return a caption about the ranks: that they depend only on the score, if they do, and what the ranks
    beside them mean."""
    held = "Beside each rank are the ranks that the team could also have by chance."
    if not by_score(comparison):
        return held if comparison.result.rank_intervals else ""
    return f"Ranks depend only on the score. {held}"


def tied(comparison: Comparison) -> tuple[str, ...]:
    """Return the teams that could be first, best first; empty without replicates.

    If the score orders the teams, no other team is shown to be better than one of these. If another rule
    orders the teams, the rank intervals of these teams begin with 1.
    """
    flags: Sequence[bool] = comparison.result.tied_for_first or ()
    return tuple(name for name, is_tied in zip(comparison.scored, flags, strict=False) if is_tied)


def tie(comparison: Comparison) -> str:
    """Return the words for the teams in `tied`: "tied for first", or "could be first" if the score does not
    order the teams."""
    return "tied for first" if by_score(comparison) else "could be first"


def band(comparison: Comparison) -> int:
    """Return how many teams at the head of the ranking could be first, counted up to the first team that
    could not; 0 if this is only one team."""
    level = tied(comparison)
    first = next(
        (index for index, name in enumerate(comparison.scored) if name not in level), len(comparison.scored)
    )
    return first if first > 1 else 0


def leaders(comparison: Comparison) -> str:
    """Return a text that names the leader and the teams that the test does not separate from the leader. The
    text gives no probability of being the best."""
    names, level = comparison.scored, tied(comparison)
    if not names:
        return "No team has a score on this test set."
    leader = names[0]
    if len(names) == 1:
        return f"{leader} is the only team with a score."
    if not by_score(comparison):
        return _standing_in_own_order(comparison)
    if not level:
        return f"{leader} is ranked first. {untold(comparison)}"
    if leader not in level:
        return (
            f"{leader} is ranked first by the order of the challenge; by score, {_listed(level)} "
            f"{'are' if len(level) > 1 else 'is'} tied for first."
        )
    others = [name for name in level if name != leader]
    if others:
        return (
            f"{leader} is ranked first, tied with {_listed(others)}: these cases do not show which of the "
            f"{len(level)} is best."
        )
    if all(difference.separated for difference in leader_differences(comparison)):
        return f"{leader} is ranked first and told apart from every other team."
    return f"{leader} is ranked first. For every other team, at least one team is shown to be better."


def _standing_in_own_order(comparison: Comparison) -> str:
    """Return sentences for an order that does not follow the score: who leads, who could be first, and who
    has the best score."""
    leader, name = comparison.scored[0], comparison.own_ranking.name if comparison.own_ranking else ""
    others = [team for team in tied(comparison) if team != leader]
    if comparison.result.rank_intervals is None:
        chance = untold(comparison)
    elif others:
        chance = f"On other cases like these, {_listed(others)} could be first as well."
    else:
        chance = "No other team's 95% range of ranks includes rank 1."
    quantity = comparison.quantity()
    best = max(comparison.scored, key=lambda team: quantity.order(comparison.cards[team].score))
    score = (
        f"{leader} also has the {quantity.superlative} score."
        if best == leader
        else f"The {quantity.superlative} score belongs to {best}, which has rank {comparison.ranks[best]}."
    )
    return f"{leader} is ranked first by {name}. {chance} {score}"


def untold(comparison: Comparison) -> str:
    """Return a text that says why it is unknown whether differences are due to chance; "" if it is known."""
    result, source = comparison.result, comparison.provenance
    if result.test is not None or len(comparison.scored) < 2:
        return ""
    if any(card.is_bare for card in comparison.cards.values()):
        return (
            "No difference can be tested, because the scores came without the test set and the replicates "
            "that a test needs."
        )
    if not source["resamples"]:
        return "The cases were not resampled, so chance cannot be assessed."
    if source["n_units"] < UNITS_OF_COMPARISON:
        few = "is" if source["n_units"] == 1 else "are"
        return f"{units(source)} {few} too few to tell teams apart: {UNITS_OF_COMPARISON} are needed."
    return (
        "No difference is tested: no test is valid for this kind of score, or a single unit decides "
        "whether the score is defined."
    )


def caveat(comparison: Comparison) -> str:
    """Return a text about the limits of the swap test (permutation test) with rare categories; "" for other
    tests."""
    if comparison.result.test != SWAP:
        return ""
    limit = (
        f"On {units(comparison.provenance)}, the swap test compares two teams: it exchanges their "
        "predictions in random units. The test is wrong more often if a team fails rarely but badly, "
        "because these failures can be missing from a test set."
    )
    if comparison.spec.categories is None:
        return limit
    return (
        f"{limit} In a category with few cases, teams of different skill can give equal answers. The test is "
        "corrected for this, so it finds fewer differences."
    )


@dataclass(frozen=True)
class Lead:
    """The lead of the first team over the second, in the quantity that orders them.

    Attributes:
        over: The second team.
        value: The lead, with its sign.
        below: Text below the value: the interval of the lead, or the parts of the score that make it up.
    """

    over: str
    value: str
    below: str
    explain: str


def lead(comparison: Comparison, scale: Scale) -> Lead | None:
    """Return the lead over the second team; None with fewer than two scored teams."""
    if len(comparison.scored) < 2:
        return None
    leader, second = comparison.scored[:2]
    pair = comparison.result.pairs[0]
    points = scale.number(pair.difference, sign=True)
    interval = scale.span(pair.simultaneous_interval, sign=True) if pair.simultaneous_interval else ""
    if comparison.own_ranking is None or by_score(comparison):
        explain = "95% interval that holds for all pairs of teams at once"
        if scale.better == "higher":
            return Lead(second, points, interval, explain)
        turned = _turned(pair.simultaneous_interval)
        interval = scale.span(turned, sign=True) if turned else ""
        return Lead(
            second,
            f"{scale.number(-pair.difference, sign=True)} lower",
            interval,
            f"{explain}. Lower is better: the lead is how much lower the score is",
        )
    name, values = comparison.own_ranking.name, comparison.own_ranking.values
    return Lead(
        second,
        f"{values[second] - values[leader]:.2f}",
        f"{name} {values[leader]:.2f}, then {values[second]:.2f}",
        f"A smaller {name} is better. The difference of the scores is "
        f"{points}{f', 95% interval {interval} (simultaneous)' if interval else ''}; this difference does "
        "not decide the order",
    )


def assumed(comparison: Comparison) -> str:
    """Return for how many teams the model size is assumed, such as "efficiency assumed for 11 of 16 teams";
    "" for none."""
    number = len(comparison.size_assumed)
    teams = f"{number} of {len(comparison.scored)} team{'s' * (len(comparison.scored) > 1)}"
    return f"{comparison.spec.size.part} assumed for {teams}" if number and comparison.spec.size else ""


def assumption(comparison: Comparison) -> str:
    """Return a sentence about what an assumed model size does to the scores; "" if no size is assumed."""
    if not comparison.size_assumed or comparison.spec.size is None:
        return ""
    known = len(comparison.size_assumed) < len(comparison.scored)
    return (
        "The size of these models is unknown, so they lose no points for it, like models of "
        f"{comparison.spec.size.limits_mib[0]:g} MiB or less: "
        f"{stopped(_listed(comparison.size_assumed))}"
        f"{' Teams whose model size is known may lose points for it.' if known else ''}"
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


def gap(comparison: Comparison, scale: Scale) -> str:
    """Return sentences that say which true differences the test detects in half, and in four of five, of all
    test sets of this size; "" if the teams were not tested."""
    known = comparison.result.resolvable_gap
    if known is None:
        return ""
    unit = f" {scale.unit}" if scale.factor != 1 else ""
    sentence = (
        f"With {units(comparison.provenance)} like these, the test detects a true difference of "
        f"{scale.number(known['all_pairs'])}{unit} in about half of all test sets, and a true difference of "
        f"{scale.number(known['all_pairs_80'])}{unit} in four of five"
    )
    if len(comparison.result.pairs) == 1:
        return f"{sentence}."
    return (
        f"{sentence}. These values hold if all pairs are compared. For a single pair that was chosen "
        f"beforehand, the differences are {scale.number(known['one_pair'])} and "
        f"{scale.number(known['one_pair_80'])}."
    )


def optimism(comparison: Comparison, scale: Scale) -> str:
    """Return by how much the leader's score is probably too good, as a number with one significant digit.

    The result is "" if the value is unknown, if the score does not order the teams, or if there are too few
    teams or units to know it within 15 %.
    """
    value = comparison.result.winner_optimism
    few = len(comparison.scored) < TEAMS_OF_OPTIMISM or comparison.provenance["n_units"] < UNITS_OF_OPTIMISM
    if not by_score(comparison) or not value or few:
        return ""
    return scale.rough(value)


def sentences(comparison: Comparison, scale: Scale) -> list[str]:
    """Return sentences about the leader and about chance, without repetition."""
    much, leading = optimism(comparison, scale), leaders(comparison)
    chance = untold(comparison)
    found = (
        leading,
        "" if chance in leading else chance,
        caveat(comparison),
        gap(comparison, scale),
        f"The leader's score is likely about {much} too {scale.too}: the best team was chosen on the same "
        "data." * bool(much),
    )
    return [sentence for sentence in found if sentence]


def method(comparison: Comparison) -> str:
    """Return the number of cases, the unit, the replicates and the seed as text."""
    source = comparison.provenance
    n = next(iter(comparison.cards.values())).n_cases
    if not source["resamples"]:
        return f"n = {n}, not resampled."
    if source["n_units"] == 1:
        return f"n = {n} in one unit: nothing to resample."
    sentence = (
        f"n = {n}, paired bootstrap: {source['resamples']} resamples of {units(source)}, seed "
        f"{source['seed']}"
    )
    tested = " Teams are told apart by the swap test." if comparison.result.test == SWAP else ""
    return f"{sentence}.{tested}"


def units(provenance: Mapping[str, Any]) -> str:
    """Return the number of resampled units as text."""
    number, unit = provenance["n_units"], provenance["unit"]
    several = "s" * (number != 1)
    return f"{number} case{several}" if unit == "case" else f"{number} unit{several} (one per {unit})"


def places(pair: Sequence[float] | None) -> str:
    """Return a rank interval as text, such as "1" or "2 to 4"; "" if there is no interval."""
    if pair is None:
        return ""
    low, high = (f"{value:g}" for value in pair)
    return low if low == high else f"{low} to {high}"


def rank_interval(comparison: Comparison, index: int) -> str:
    """Return the rank interval of the team at a position in `scored`; "" without replicates."""
    return places(comparison.result.rank_intervals[index] if comparison.result.rank_intervals else None)


@dataclass(frozen=True)
class LeaderDifference:
    """Difference between a team's score and that of the first team; None without replicates.

    Attributes:
        difference: Score of the team minus score of the first team.
        p_adjusted: p-value adjusted by Holm.
    """

    team: str
    difference: float
    simultaneous_interval: list[float] | None
    separated: bool | None
    p_adjusted: float | None


def leader_differences(comparison: Comparison) -> tuple[LeaderDifference, ...]:
    """Return the differences of all other scored teams, best first."""
    return tuple(
        LeaderDifference(
            comparison.scored[pair.b],
            -pair.difference,
            _turned(pair.simultaneous_interval),
            pair.separated,
            pair.p_adjusted,
        )
        for pair in comparison.result.pairs[: len(comparison.scored) - 1]
    )


def _turned(interval: list[float] | None) -> list[float] | None:
    return None if interval is None else [-end for end in reversed(interval)]
