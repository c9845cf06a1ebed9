"""The score under other weights: rescored with intervals from stored replicates, and the map of all weights
of three parts."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scoring.comparison.compare import Comparison
from scoring.comparison.values import has_replicates, number, point, resampled
from scoring.statistics import intervals, replicate_comparison
from scoring.statistics.options import DIGITS
from scoring.statistics.ranking import competition_ranks, ranks_along_teams

STEPS = 50
"""Steps from 0 to 1 along a side of the map: weights go by 0.02."""


@dataclass(frozen=True)
class Rescored:
    """Teams, best first by the new score, with their ranks; result: as for the official score, of those that
    have one, in this order."""

    teams: tuple[str, ...]
    scores: tuple[float | None, ...]
    intervals: tuple[list[float] | None, ...]
    ranks: tuple[int, ...]
    result: replicate_comparison.ReplicateComparison


@dataclass(frozen=True)
class FirstTeams:
    """Who is first for each weight: first [G, A] shares of the first place, summing to 1; area [A]: mean
    share over the map; official [A]: whether the team is first at the official weights."""

    first: np.ndarray
    area: np.ndarray
    official: np.ndarray


@dataclass(frozen=True)
class WeightGrid:
    """weights [G, 3] of the parts `metrics`, each summing to 1; official: the challenge's own. by_rank: None
    where the challenge knows no such order."""

    metrics: tuple[str, str, str]
    teams: tuple[str, ...]
    weights: np.ndarray
    official: tuple[float, float, float]
    by_score: FirstTeams
    by_rank: FirstTeams | None


def what_if(found: Comparison, parameters: Mapping[str, float]) -> Rescored | None:
    """Return the comparison under other parameters of the formula, the rest at their usual values; None
    where the challenge has none.

    With the usual values the scores are the official ones, including published rounding.
    """
    change = found.spec.what_if
    if change is None:
        return None
    usual = {parameter.name: parameter.usual for parameter in change.parameters}
    chosen = {**usual, **parameters}
    scores, drawn = {}, {}
    for name, card in found.cards.items():
        value = float(change.rescore(point(card), chosen)[0])
        rounding = number(card.score) - float(change.rescore(point(card), usual)[0])
        scores[name] = value + (0.0 if np.isnan(rounding) else rounding)
        if has_replicates(card):
            drawn[name] = change.rescore(resampled(card), chosen)
    return _placed(scores, drawn, found.provenance["n_units"])


def _placed(scores: Mapping[str, float], drawn: Mapping[str, np.ndarray], n_units: int) -> Rescored:
    ranks = dict(
        zip(scores, competition_ranks([-np.inf if np.isnan(s) else s for s in scores.values()]), strict=True)
    )
    teams = sorted(scores, key=lambda name: (ranks[name], name))
    scored = [name for name in teams if not np.isnan(scores[name])]
    replicates = (
        np.stack([drawn[name] for name in scored]) if drawn and scored else np.empty((len(scored), 0))
    )
    return Rescored(
        tuple(teams),
        tuple(scores[name] if name in scored else None for name in teams),
        tuple(
            intervals.percentile(drawn[name]) if name in scored and name in drawn else None for name in teams
        ),
        tuple(ranks[name] for name in teams),
        replicate_comparison.compare([scores[name] for name in scored], replicates, n_units),
    )


def weight_map(found: Comparison) -> WeightGrid | None:
    """Return the first team for every weighting of three parts of the score; None where the score has no
    such parts or no team has all of them."""
    wanted = found.spec.weight_map
    if wanted is None:
        return None
    teams = [
        name
        for name in found.scored
        if all(found.cards[name].metrics[metric] is not None for metric in wanted.metrics)
    ]
    if not teams:
        return None
    cards = [found.cards[name] for name in teams]
    parts = np.array([[number(card.metrics[metric]) for card in cards] for metric in wanted.metrics])
    steps = np.array([(i, j, STEPS - i - j) for i in range(STEPS + 1) for j in range(STEPS + 1 - i)])
    weights = steps / STEPS
    official = np.array([number(card.score) for card in cards])
    scores = official + wanted.share * (weights - np.array(wanted.weights)) @ parts
    # Ranks are summed in whole steps: sums of floats would split equal totals.
    ranks = np.stack([ranks_along_teams(row) for row in parts])
    return WeightGrid(
        wanted.metrics,
        tuple(teams),
        weights,
        wanted.weights,
        _firsts(np.round(scores, DIGITS), np.round(official, DIGITS)),
        _firsts(-(steps @ ranks), -np.round(np.array(wanted.weights) @ ranks, DIGITS))
        if wanted.by_rank
        else None,
    )


def held_fixed(found: Comparison, grid: WeightGrid) -> str:
    """Return, in sentences, what does not change over the map."""
    parts = found.spec.weight_map
    if parts is None or parts.share == 1:
        words = "The three parts are the whole score; each team keeps its value in each of them."
    else:
        words = (
            f"Only how the three parts share {100 * parts.share:g}% of the score changes. The other "
            f"{100 - 100 * parts.share:g}% ({parts.others}) stay as they are, so who is first at a corner "
            "need not lead in that part alone."
        )
    if missing := [name for name in found.scored if name not in grid.teams]:
        words += f" Without the {len(missing)} team{'s' * (len(missing) > 1)} that lack one of the parts."
    return words


def at_the_ring(grid: WeightGrid, firsts: FirstTeams) -> tuple[str, ...]:
    """Return the teams that are first at the official weights."""
    return tuple(name for name, first in zip(grid.teams, firsts.official, strict=True) if first)


def _firsts(values: np.ndarray, official: np.ndarray) -> FirstTeams:
    """Return who has the largest value for each weighting [G, A] and at the official one [A]."""
    first = values == values.max(1, keepdims=True)
    shares = first / first.sum(1, keepdims=True)
    return FirstTeams(shares, shares.mean(0), official == official.max())
