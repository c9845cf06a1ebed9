"""Ranks under other ranking rules: by single metrics, case by case, in subgroups, and with all weights of the
score's parts."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from scoring.common.direction_and_range import SCORE, Quantity
from scoring.comparison.class_measures import subgroups
from scoring.comparison.compare import Comparison
from scoring.comparison.pairs import Varied, has_replicates, number, point, resampled, without_each_unit
from scoring.statistics import replicate_comparison
from scoring.statistics.interval_options import DIGITS
from scoring.statistics.ranking import SCHEMES, competition_ranks, kendall_tau, rank_cases, ranks_along_teams

TESTED_TEAMS = 20
"""Maximum number of teams for `test_then_rank`; with more teams the rule takes too long for a page."""


RuleRow = tuple[str, str, list[int], dict[str, bool]]
"""Name, kind, ranks, and flag (`small` or `coarse`) of a rule."""


@dataclass(frozen=True)
class RuleRanks:
    """Ranks of the teams under one rule.

    Attributes:
        kind: "official", "metric", "scheme" or "subgroup".
        ranks: Ranks such as 1, 1, 3, in the order of the teams [A].
        kendall_tau: Kendall's tau-b with the official order; None if there is one team or all teams share a
            rank.
        small: Whether the rule is a subgroup with fewer than 15 cases.
        coarse: Whether the rule ranks by the median over cases that are either right or wrong. All teams with
            more than half of the cases right then share a rank.
    """

    name: str
    kind: str
    ranks: tuple[int, ...]
    kendall_tau: float | None
    small: bool = False
    coarse: bool = False


@dataclass(frozen=True)
class Robustness:
    """Ranks by rule and team, the official rule first.

    Attributes:
        worst: Worst rank of each team over all rules, except small subgroups and coarse rules [A].
        best: Best rank of each team over the same rules [A].
        all_alike: Names of rules by case that are left out because all teams share the first rank.
    """

    teams: tuple[str, ...]
    rules: tuple[RuleRanks, ...]
    worst: tuple[int, ...]
    best: tuple[int, ...]
    all_alike: tuple[str, ...] = ()


def robustness(comparison: Comparison) -> Robustness:
    """Return the ranks under every rule that can be computed. Schemes that rank the teams case by case are
    left out if all teams would share the first rank."""
    official = [comparison.ranks[name] for name in comparison.cards]
    by_case = list(_by_case(comparison))
    alike = tuple(name for name, _, ranks, _ in by_case if len(ranks) > 1 and set(ranks) == {1})
    rows = [
        ("official", "official", official, {}),
        *_by_metric(comparison),
        *(row for row in by_case if row[0] not in alike),
        *_by_subgroup(comparison),
    ]
    rules = tuple(
        RuleRanks(name, kind, tuple(ranks), _tau(official, ranks), **doubtful)
        for name, kind, ranks, doubtful in rows
    )
    counted = np.array([rule.ranks for rule in rules if not rule.small and not rule.coarse])
    return Robustness(
        tuple(comparison.cards), rules, tuple(counted.max(0).tolist()), tuple(counted.min(0).tolist()), alike
    )


def _tau(official: list[int], ranks: list[int]) -> float | None:
    if len(set(official)) < 2 or len(set(ranks)) < 2:
        return None
    return float(kendall_tau(np.array(official), np.array(ranks)[:, None])[0])


def _ranked(values: Iterable[float], quantity: Quantity) -> list[int]:
    """Return the ranks of values of a quantity. Undefined values (NaN) come last."""
    return competition_ranks([quantity.order(value) for value in values])


def _by_metric(comparison: Comparison) -> Iterator[RuleRow]:
    for metric in comparison.spec.metrics:
        values = [number(card.metrics.get(metric)) for card in comparison.cards.values()]
        if not np.isnan(values).all():
            yield metric, "metric", _ranked(values, comparison.quantity(metric)), {}


def _by_case(comparison: Comparison) -> Iterator[RuleRow]:
    values = np.array([comparison.spec.correct(card) for card in comparison.cards.values()])
    values = values[:, ~np.isnan(values).any(0)]
    if not values.shape[1]:
        return
    binary = bool(np.isin(values, (0, 1)).all())
    higher = comparison.spec.case_value.better == "higher"
    for scheme in SCHEMES:
        if scheme != "test_then_rank" or len(values) <= TESTED_TEAMS:
            yield (
                scheme,
                "scheme",
                rank_cases(values.tolist(), scheme, higher_is_better=higher)["ranks"],
                {"coarse": binary and "median" in scheme},
            )


def _by_subgroup(comparison: Comparison) -> Iterator[RuleRow]:
    for row in subgroups(comparison):
        values = [number(estimate.value) for estimate in row.teams]
        if not np.isnan(values).all():
            yield (
                f"{row.column} {row.group}: {row.measure}",
                "subgroup",
                _ranked(values, comparison.quantity(row.measure)),
                {"small": row.small},
            )


STEPS = 50
"""Number of steps along a side of the weight map: weights change by 0.02 per step."""


@dataclass(frozen=True)
class Rescored:
    """Teams with their scores under other parameters, best first.

    Attributes:
        result: Comparison of the teams that have a score, in the new order.
    """

    teams: tuple[str, ...]
    scores: tuple[float | None, ...]
    intervals: tuple[list[float] | None, ...]
    ranks: tuple[int, ...]
    result: replicate_comparison.ReplicateComparison


@dataclass(frozen=True)
class FirstTeams:
    """Which team is first with each choice of weights.

    Attributes:
        first: Each team's share of the first rank [G, A]; the shares sum to 1, and tied teams divide it.
        area: Mean share over all choices of weights [A].
        official: Whether the team is first with the official weights [A].
    """

    first: np.ndarray
    area: np.ndarray
    official: np.ndarray


@dataclass(frozen=True)
class WeightGrid:
    """Choices of weights for three parts of the score, and the first teams with each.

    Attributes:
        weights: Weights of the three parts in each of G choices [G, 3]; each row sums to 1.
        by_rank: First teams by weighted ranks instead of weighted parts; None if the challenge has no ranking
            by weighted ranks.
    """

    metrics: tuple[str, str, str]
    teams: tuple[str, ...]
    weights: np.ndarray
    official: tuple[float, float, float]
    by_score: FirstTeams
    by_rank: FirstTeams | None


def what_if(comparison: Comparison, parameters: Mapping[str, float]) -> Rescored | None:
    """Return the teams with their scores under other parameters of the score formula. None if the formula has
    no parameters.

    With the default values, scores and tests are the official ones, including rounding. With other values, no
    teams are called different, because these scores are not tested.
    """
    change = comparison.spec.what_if
    if change is None:
        return None
    usual = {parameter.name: parameter.usual for parameter in change.parameters}
    chosen = {**usual, **parameters}
    scores, varied = {}, {}
    for name, card in comparison.cards.items():
        value = float(change.rescore(point(card), chosen)[0])
        rounding = number(card.score) - float(change.rescore(point(card), usual)[0])
        scores[name] = value + (0.0 if np.isnan(rounding) else rounding)
        if has_replicates(card):
            left_out = without_each_unit(card)
            varied[name] = Varied(
                scores[name],
                change.rescore(resampled(card), chosen),
                None if left_out is None else change.rescore(left_out, chosen),
            )
    placed = _placed(scores, varied, comparison)
    if chosen != usual or placed.teams != tuple(comparison.cards):
        return placed
    official = tuple(card.intervals.get(SCORE) for card in comparison.cards.values())
    return replace(placed, result=comparison.result, intervals=official)


def _placed(scores: Mapping[str, float], varied: Mapping[str, Varied], comparison: Comparison) -> Rescored:
    quantity, n_units = comparison.quantity(), comparison.provenance["n_units"]
    ranks = dict(zip(scores, _ranked(scores.values(), quantity), strict=True))
    teams = sorted(scores, key=lambda name: (ranks[name], name))
    scored = [name for name in teams if not np.isnan(scores[name])]
    known = [varied[name] for name in scored if name in varied]
    replicates = np.stack([of.drawn for of in known]) if known else np.empty((len(scored), 0))
    left_outs = [of.left_out for of in known if of.left_out is not None]
    return Rescored(
        tuple(teams),
        tuple(scores[name] if name in scored else None for name in teams),
        tuple(
            varied[name].interval(comparison.cards[name], quantity.range)
            if name in scored and name in varied
            else None
            for name in teams
        ),
        tuple(ranks[name] for name in teams),
        replicate_comparison.compare(
            [scores[name] for name in scored],
            replicate_comparison.Resampled(
                replicates,
                n_units,
                np.stack(left_outs) if left_outs and len(left_outs) == len(scored) else None,
            ),
            quantity=quantity,
        ),
    )


def weight_map(comparison: Comparison) -> WeightGrid | None:
    """Return the first team for every choice of weights of three parts of the score. None if the score has no
    such parts or no team has all three."""
    wanted = comparison.spec.weight_map
    if wanted is None:
        return None
    teams = [
        name
        for name in comparison.scored
        if all(comparison.cards[name].metrics[metric] is not None for metric in wanted.metrics)
    ]
    if not teams:
        return None
    cards = [comparison.cards[name] for name in teams]
    parts = np.array([[number(card.metrics[metric]) for card in cards] for metric in wanted.metrics])
    steps = np.array([(i, j, STEPS - i - j) for i in range(STEPS + 1) for j in range(STEPS + 1 - i)])
    weights = steps / STEPS
    official = np.array([number(card.score) for card in cards])
    scores = official + wanted.share * (weights - np.array(wanted.weights)) @ parts
    # Ranks are summed in whole steps: sums of floats would split equal totals.
    ranks = np.stack(
        [
            ranks_along_teams(comparison.quantity(metric).oriented(row))
            for metric, row in zip(wanted.metrics, parts, strict=True)
        ]
    )
    turned = comparison.quantity().oriented
    return WeightGrid(
        wanted.metrics,
        tuple(teams),
        weights,
        wanted.weights,
        _firsts(turned(np.round(scores, DIGITS)), turned(np.round(official, DIGITS))),
        _firsts(-(steps @ ranks), -np.round(np.array(wanted.weights) @ ranks, DIGITS))
        if wanted.by_rank
        else None,
    )


def held_fixed(comparison: Comparison, grid: WeightGrid) -> str:
    """Return sentences about the parts of the score whose weight stays the same in all choices."""
    parts = comparison.spec.weight_map
    if parts is None or parts.share == 1:
        sentences = (
            "The score is the weighted sum of these three parts; only the weights change, not the teams' "
            "values."
        )
    else:
        sentences = (
            f"The three parts together have {100 * parts.share:g}% of the score; only their weights change. "
            f"The other {100 - 100 * parts.share:g}% ({parts.others}) do not change, so the team that is "
            "first at a corner of the triangle is not always the best in the part of this corner."
        )
    if missing := [name for name in comparison.scored if name not in grid.teams]:
        sentences += f" Left out: {len(missing)} team{'s' * (len(missing) > 1)} that lack one of the parts."
    return sentences


def at_the_ring(grid: WeightGrid, firsts: FirstTeams) -> tuple[str, ...]:
    """Return the teams that are first with the official weights."""
    return tuple(name for name, first in zip(grid.teams, firsts.official, strict=True) if first)


def _firsts(values: np.ndarray, official: np.ndarray) -> FirstTeams:
    """Return which team has the largest value for each weighting, given values [G, A] and values at the
    official weights [A]."""
    first = values == values.max(1, keepdims=True)
    shares = first / first.sum(1, keepdims=True)
    return FirstTeams(shares, shares.mean(0), official == official.max())
