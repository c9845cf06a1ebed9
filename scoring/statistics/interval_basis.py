"""Basis of an interval: the number of units that a quantity depends on, and its parts. With few units, an
interval must allow for errors that did not occur in this test set."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from scoring.common.arrays import Bools, Ints
from scoring.statistics.intervals import NOISE, SHARE, Estimate, Range

QuantityName = str | tuple[str, ...]
"""Name of a metric, such as "accuracy", or names of a metric and its class or subgroup: ("f1", "MEL")."""
ABSENT, MISSED = 0.125, 1.5
"""Assumed variance of a part without a unit (that of a share of one half among two units); minimum mean
number of cases beyond a threshold at which the threshold's position counts as known."""


@dataclass(frozen=True)
class Basis:
    """What quantities depend on, for quantities that do not depend on all units equally.

    Attributes:
        units: Number of units that a quantity depends on, such as those with a case of the class.
        parts: Weights of the parts, by name, if a quantity is a weighted sum of shares of classes. A part
            without a unit counts as 0.
        worst: Worst value that one more unit could have, by name or by the first part of the name. Used for
            quantities that are not shares of yes-or-no answers: 0.5 for an AUC, 0 for the F1 of images. The
            model assumes that the unit has this value with probability 1/2.
        jumping: Quantities that may jump when one unit is left out, such as the sensitivity at a threshold
            chosen on the test set. Their variance comes from the replicates.
        wholes: Weights of further named quantities in the same sum. If one does not vary at all, such as the
            C-index of equal risks, its uncertainty is added.
        ranges: Lowest and highest possible value if not 0 and 1, infinite without a limit; by name, or by the
            first part of a name such as ("f1", "MEL").
    """

    units: Mapping[Any, int] = field(default_factory=dict)
    parts: Mapping[Any, Mapping[Any, float]] = field(default_factory=dict)
    ranges: Mapping[Any, Range] = field(default_factory=dict)
    wholes: Mapping[Any, Mapping[Any, float]] = field(default_factory=dict)
    worst: Mapping[Any, float] = field(default_factory=dict)
    jumping: frozenset[Any] = frozenset()

    def range_of(self, name: QuantityName) -> Range:
        """Return the lowest and highest possible value of a quantity."""
        first = name if isinstance(name, str) else name[0]
        return self.ranges.get(name) or self.ranges.get(first, SHARE)

    def worst_of(self, name: QuantityName) -> float | None:
        """Return the worst value that one more unit could have; None if it is unknown."""
        return self.worst.get(name, None if isinstance(name, str) else self.worst.get(name[0]))


def counted(members: Mapping[Any, Bools], units: Ints) -> dict[Any, int]:
    """Return, for each quantity, the number of units that have a case which counts in the quantity.

    Args:
        members: Name of a quantity -> which cases count in it [N].
        units: Unit number of each case [N].
    """
    return {name: int((np.bincount(units[cases]) > 0).sum()) for name, cases in members.items()}


def of_areas(
    names: Sequence[QuantityName], positive: Bools, negative: Bools, units: Ints
) -> dict[QuantityName, int]:
    """Return the number of units that each AUC depends on: the smaller of the numbers of positive and
    negative units.

    Args:
        names: Names of the K areas.
        positive, negative: The positive and negative cases [N, K].
        units: Unit number of each case [N].
    """
    sides = [counted(dict(zip(names, side.T, strict=True)), units) for side in (positive, negative)]
    return {name: min(n, sides[1][name]) for name, n in sides[0].items()}


def beyond(chosen_by: int, wanted: float, rests_on: int) -> int:
    """Return the number of units that a share depends on, such as a sensitivity, if its threshold was chosen
    on the test set.

    With fewer than `MISSED` cases beyond the threshold, the position of the threshold is unknown. In that
    case the result is 0.

    Args:
        chosen_by: Number of units among the cases that determine the threshold.
        wanted: Share of the cases in `chosen_by` that the threshold must reach, 0..1.
        rests_on: Number of units among the cases of the share itself.
    """
    return rests_on if chosen_by * (1 - wanted) >= MISSED - NOISE else 0


def mean(parts: Iterable[QuantityName], units: Mapping[QuantityName, int]) -> dict[QuantityName, float]:
    """Return equal weights, which sum to 1, for the parts that have a unit.

    Args:
        units: Number of units of each part.
    """
    present = [name for name in parts if units[name]]
    return dict.fromkeys(present, 1 / len(present)) if present else {}


def with_unseen(
    estimate: Estimate,
    weights: Mapping[QuantityName, float],
    parts: Mapping[QuantityName, Estimate],
    wholes: Mapping[QuantityName, float] | None = None,
) -> Estimate:
    """Return an estimate whose variance includes errors that did not occur in its parts but could.

    If all of a class's few cases are right, they show no variance, but the next case may still be wrong.
    Therefore two cases are added to the share of each part. One is like the average of the other parts; the
    other is right with probability 1/2. The variance with these two cases minus the observed variance is
    added.

    A part without a unit gets the variance of a coin toss, and the interval extends to the value that the
    quantity would have if this part were like the others. If no part has a unit, the quantity has no units.
    It never has more units than its parts.

    Args:
        estimate: Estimate of a weighted sum of parts and wholes.
        weights: Weight of each part in the sum.
        parts: Estimates of the parts and wholes, by name.
        wholes: Weight of each whole (a further quantity) in the sum.
    """
    seen = {name: weight for name, weight in weights.items() if parts[name].rests_on}
    total = sum(seen.values())
    if not total:
        return replace(estimate, rests_on=0)
    mean = sum(weight * parts[name].point for name, weight in seen.items()) / total
    hidden = sum(weight**2 * _hidden(parts[name], mean) for name, weight in seen.items())
    absent = {name: weight for name, weight in weights.items() if name not in seen}
    hidden += sum(weight**2 * ABSENT for weight in absent.values())
    for name, weight in (wholes or {}).items():
        if name in parts and not parts[name].variance:
            hidden += weight**2 * _hidden(parts[name], parts[name].point)
    as_others = sum(weight * (mean - parts[name].point) for name, weight in absent.items())
    centers = (*estimate.centers, *((estimate.point + as_others,) if absent else ()))
    rests_on, variance = estimate.rests_on, estimate.variance + hidden
    if total + sum(absent.values()) > 1 - NOISE:
        rests_on = min(rests_on, sum(parts[name].rests_on for name in seen))
    return replace(estimate, variance=variance, centers=centers, rests_on=rests_on, has_hidden=hidden > 0)


def _hidden(part: Estimate, mean: float) -> float:
    n = part.rests_on
    if part.worst is not None:
        return ((part.point - part.worst) / 2 / (n + 1)) ** 2
    share = (n * part.point + mean + 0.5) / (n + 2)
    # F1 varies less than a share of as many cases: that hides nothing.
    shown = max(part.variance, part.point * (1 - part.point) / n) if part.variance else 0.0
    return max(share * (1 - share) / (n + 2) - shown, 0.0)
