"""Every team against one: the paired difference with a band that holds for all pairs at once; and which gaps these data can tell from chance."""

from dataclasses import dataclass

import numpy as np
import scipy.special

from scoring.comparison import Comparison

DISAGREEING = 0.10
"""Share of cases in which two good models differ in right and wrong, as met in practice: for planning only."""


@dataclass(frozen=True)
class Difference:
    """A team's score less the reference's: percentile and simultaneous interval, Holm's p; None without replicates."""

    team: str
    difference: float
    interval: list[float] | None
    simultaneous_interval: list[float] | None
    separated: bool | None
    p_adjusted: float | None


@dataclass(frozen=True)
class Resolvable:
    """Score gaps that n_units units can tell from chance: one_pair named beforehand, or all_pairs at once. None without replicates."""

    n_units: int
    unit: str
    one_pair: float | None
    all_pairs: float | None


def differences(found: Comparison, reference: str | None = None) -> tuple[Difference, ...]:
    """All other scored teams, best first, against `reference` (None: the one placed first). Empty where it has no score."""
    teams = found.scored
    reference = teams[0] if reference is None and teams else reference
    if reference not in teams:
        return ()
    place, rows = teams.index(reference), {}
    for pair in found.result.pairs:
        if place in (pair.a, pair.b):
            sign, other = (-1, pair.b) if pair.a == place else (1, pair.a)
            ends = [_turned(interval, sign) for interval in (pair.interval, pair.simultaneous_interval)]
            rows[other] = Difference(teams[other], sign * pair.difference, *ends, pair.separated, pair.p_adjusted)
    return tuple(rows[other] for other in sorted(rows))


def _turned(interval: list[float] | None, sign: int) -> list[float] | None:
    return None if interval is None else sorted(sign * end for end in interval)


def resolvable(found: Comparison) -> Resolvable:
    """The gaps of this comparison."""
    gap = found.result.resolvable_gap or {}
    return Resolvable(found.provenance["n_units"], found.provenance["unit"], gap.get("one_pair"), gap.get("all_pairs"))


def planned(n_units: int, teams: int = 2) -> float:
    """The gap in accuracy that n_units cases will resolve between any two of `teams`, before there is a submission: z sqrt(0.10 / n), z of Bonferroni
    over all pairs. Raises ValueError without a case or a pair."""
    if n_units < 1 or teams < 2:
        raise ValueError(f"{n_units} cases and {teams} teams make no gap")
    pairs = teams * (teams - 1) // 2
    return float(scipy.special.ndtri(1 - 0.025 / pairs) * np.sqrt(DISAGREEING / n_units))
