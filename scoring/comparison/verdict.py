"""Sentences about a comparison: who leads, how certain that is, which differences the data can resolve. Plain
text; names are not escaped."""

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.comparison import reference
from scoring.comparison.compare import Comparison
from scoring.comparison.scale import Scale

RULE = """Teams are ranked by the official score; that order is never altered. Beside it stands what chance
could do: one paired bootstrap gives every team the same resampled test sets and recomputes the official score
of each.

| word | what it means |
|---|---|
| told apart | the difference exceeds the simultaneous 95% interval over all pairs (max-t), widened for few \
units |
| tied for first | no other team is told apart from it and better |
| could hold ranks 2 to 4 | one team is told apart and better; all but four, or fewer, are told apart and \
worse |
| share of resamples won | how often a resample put the team first; it favours whoever leads on these cases, \
and is no chance of being best |
| adjusted p | paired bootstrap t, Holm over all pairs: testing the winner alone against the rest is \
invalid, since the data chose the winner |
"""
NAMED = 4
"""Teams that a sentence names before it says "and N more"."""


def tied(found: Comparison) -> tuple[str, ...]:
    """Return the teams that no other is certainly better than, best first; empty without replicates."""
    return tuple(
        name
        for name, is_tied in zip(found.scored, found.result.tied_for_first or (), strict=False)
        if is_tied
    )


def band(found: Comparison) -> int:
    """Return how many of the first places are all tied for first; 0 where one team is alone."""
    flags = list(found.result.tied_for_first or ())
    first = next((place for place, is_tied in enumerate(flags) if not is_tied), len(flags))
    return first if first > 1 else 0


def standing(found: Comparison) -> str:
    """Return who leads, and who is not separated from the leader; never a probability of being best."""
    names, level = found.scored, tied(found)
    if not names:
        return "No team has a score on this test set."
    leader = names[0]
    if len(names) == 1:
        return f"{leader} is the only team with a score."
    if not level:
        return f"{leader} is ranked first. Without replicates nothing is said of chance."
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
    if all(one.separated for one in reference.differences(found)):
        return f"{leader} is ranked first and told apart from every other team."
    return f"{leader} is ranked first, and is the only team that no other is certainly better than."


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


def gap(found: Comparison, scale: Scale) -> str:
    """Return which differences these data cannot separate from chance; "" without replicates."""
    known = found.result.resolvable_gap
    if known is None:
        return ""
    words = (
        f"With these {units(found.provenance)} a gap under {scale.number(known['all_pairs'])} "
        f"{scale.unit} cannot be told from chance"
    )
    if len(found.result.pairs) == 1:
        return f"{words}."
    return (
        f"{words} when all pairs are looked at; for one pair named beforehand, under "
        f"{scale.number(known['one_pair'])}."
    )


def method(found: Comparison) -> str:
    """Return n, unit, replicates and seed."""
    source = found.provenance
    n = next(iter(found.cards.values())).n_cases
    if found.result.rank_intervals is None:
        return f"n = {n}, no replicates."
    return (
        f"n = {n}, paired bootstrap over {units(source)}, B = {source['resamples']}, seed {source['seed']}."
    )


def units(provenance: Mapping[str, Any]) -> str:
    """Return how many units are resampled."""
    number, unit = provenance["n_units"], provenance["unit"]
    return f"{number} cases" if unit == "case" else f"{number} units ({unit})"


def places(pair: Sequence[float] | None) -> str:
    """Return a rank interval as text: "1", "2 to 4"; "" where there is none."""
    if pair is None:
        return ""
    low, high = (f"{value:g}" for value in pair)
    return low if low == high else f"{low} to {high}"


def rank_interval(found: Comparison, place: int) -> str:
    """Return the rank interval of the team at a place of `scored`; "" without replicates."""
    return places(found.result.rank_intervals[place] if found.result.rank_intervals else None)
