"""Ranks under other rules: by other metrics, by case-wise schemes and in subgroups."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from scoring.comparison import subgroups
from scoring.comparison.compare import Comparison
from scoring.comparison.values import number
from scoring.statistics.ranking import SCHEMES, competition_ranks, kendall_tau, rank_cases

TESTED_TEAMS = 20
"""Most teams for which `test_then_rank` is computed; beyond, it takes too long for a page."""


RuleRow = tuple[str, str, list[int], dict[str, bool]]
"""Name, kind, ranks, and `small` or `coarse` of a rule."""


@dataclass(frozen=True)
class RankingRule:
    """kind: "official", "metric", "scheme" or "subgroup". ranks [A]: 1, 1, 3 in the order of the teams.
    kendall_tau: tau-b to the official order, None for one team or where all share a rank. small: a subgroup
    under 15 cases. coarse: a median of right and wrong, by which all share a place who are right in more than
    half of the cases.
    """

    name: str
    kind: str
    ranks: tuple[int, ...]
    kendall_tau: float | None
    small: bool = False
    coarse: bool = False


@dataclass(frozen=True)
class Robustness:
    """Rules by teams, the official one first. worst, best [A]: over the rules, small subgroups and coarse
    rules left out. all_alike: names of the rules by case that are left out, as all teams share their first
    rank."""

    teams: tuple[str, ...]
    rules: tuple[RankingRule, ...]
    worst: tuple[int, ...]
    best: tuple[int, ...]
    all_alike: tuple[str, ...] = ()


def robustness(found: Comparison) -> Robustness:
    """Return the ranks under every rule that has values and places the teams."""
    official = [found.ranks[name] for name in found.cards]
    by_case = list(_by_case(found))
    alike = tuple(name for name, _, ranks, _ in by_case if len(ranks) > 1 and set(ranks) == {1})
    rows = [
        ("official", "official", official, {}),
        *_by_metric(found),
        *(row for row in by_case if row[0] not in alike),
        *_by_subgroup(found),
    ]
    rules = tuple(
        RankingRule(name, kind, tuple(ranks), _tau(official, ranks), **doubtful)
        for name, kind, ranks, doubtful in rows
    )
    counted = np.array([rule.ranks for rule in rules if not rule.small and not rule.coarse])
    return Robustness(
        tuple(found.cards), rules, tuple(counted.max(0).tolist()), tuple(counted.min(0).tolist()), alike
    )


def _tau(official: list[int], ranks: list[int]) -> float | None:
    if len(set(official)) < 2 or len(set(ranks)) < 2:
        return None
    return float(kendall_tau(np.array(official), np.array(ranks)[:, None])[0])


def _ranked(values: list[float]) -> list[int]:
    """Return ranks of values, larger is better, undefined ones (NaN) last."""
    return competition_ranks([-np.inf if value != value else value for value in values])


def _by_metric(found: Comparison) -> Iterator[RuleRow]:
    for metric in found.spec.metrics:
        values = [number(card.metrics.get(metric)) for card in found.cards.values()]
        if not np.isnan(values).all():
            yield metric, "metric", _ranked(values), {}


def _by_case(found: Comparison) -> Iterator[RuleRow]:
    values = np.array([found.spec.correct(card) for card in found.cards.values()])
    values = values[:, ~np.isnan(values).any(0)]
    if not values.shape[1]:
        return
    binary = bool(np.isin(values, (0, 1)).all())
    for scheme in SCHEMES:
        if scheme != "test_then_rank" or len(values) <= TESTED_TEAMS:
            yield (
                scheme,
                "scheme",
                rank_cases(values.tolist(), scheme)["ranks"],
                {"coarse": binary and "median" in scheme},
            )


def _by_subgroup(found: Comparison) -> Iterator[RuleRow]:
    for row in subgroups.subgroups(found):
        values = [number(estimate.value) for estimate in row.teams]
        if not np.isnan(values).all():
            yield (
                f"{row.column} {row.group}: {row.measure}",
                "subgroup",
                _ranked(values),
                {"small": row.small},
            )
