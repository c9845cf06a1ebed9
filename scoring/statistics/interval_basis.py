"""Basis of an interval: units and parts behind a quantity, so that its interval shows what few cannot."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from scoring.common.arrays import Bools, Ints
from scoring.statistics.intervals import NOISE, SHARE, Estimate, Range

QuantityName = str | tuple[str, ...]
"""A metric's name, or its parts where it is of one class or slice: "accuracy", ("f1", "MEL")."""
ABSENT, MISSED = 0.125, 1.5
"""Variance of a part without a unit, as much as a share of one half has among two; fewest cases beyond a
threshold, on average, from which it is known."""


@dataclass(frozen=True)
class Basis:
    """The basis of quantities, where that is not every unit alike.

    Attributes:
        units: Number of units that a quantity is made of, such as those with a case of the class.
        parts: Weight of each part, by name, in a quantity that is a sum of shares of classes and of something
            else. A part without a unit counts as 0.
        worst: What one more unit may have at the worst, by name or by the first part of it, in a mean over
            units of more than yes and no: 0.5 in an area, 0 in the F1 of images. A coin decides whether it
            does.
        jumping: Those that jump where one unit is left out, as what a threshold reaches that is chosen on the
            test set: their variance is that of the replicates.
        wholes: The same of that something else, where it has a name: what it hides counts where it does not
            vary at all, as the C-index of equal risks.
        ranges: Lowest and highest possible value where that is not 0 and 1, infinite where there is none; by
            name, or by the first part of the names of classes and slices.
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
        """Return what one more unit may have at the worst; None where that is not known."""
        return self.worst.get(name, None if isinstance(name, str) else self.worst.get(name[0]))


def counted(members: Mapping[Any, Bools], units: Ints) -> dict[Any, int]:
    """Return the number of units that each quantity is made of.

    Args:
        members: Cases that count in the quantity [N].
        units: Unit number of each case [N].
    """
    return {name: int((np.bincount(units[cases]) > 0).sum()) for name, cases in members.items()}


def of_areas(
    names: Sequence[QuantityName], positive: Bools, negative: Bools, units: Ints
) -> dict[QuantityName, int]:
    """Return what areas under curves rest on: the smaller of both sides.

    Args:
        names: The K areas.
        positive, negative: The cases of both sides [N, K].
        units: Unit number of each case [N].
    """
    sides = [counted(dict(zip(names, side.T, strict=True)), units) for side in (positive, negative)]
    return {name: min(n, sides[1][name]) for name, n in sides[0].items()}


def beyond(chosen_by: int, wanted: float, rests_on: int) -> int:
    """Return what a share at a chosen threshold rests on.

    Fewer than `MISSED` cases beyond the threshold say nothing of where it is: then on none.

    Args:
        chosen_by: Number of units of the side that chooses the threshold.
        wanted: Share of that side that the threshold reaches, 0..1.
        rests_on: Number of units of the other side.
    """
    return rests_on if chosen_by * (1 - wanted) >= MISSED - NOISE else 0


def mean(parts: Iterable[QuantityName], units: Mapping[QuantityName, int]) -> dict[QuantityName, float]:
    """Return the weights of those parts that have a unit in their plain mean.

    Args:
        parts: Quantities whose mean is taken.
        units: How many units each rests on.
    """
    present = [name for name in parts if units[name]]
    return dict.fromkeys(present, 1 / len(present)) if present else {}


def with_unseen(
    estimate: Estimate,
    weights: Mapping[QuantityName, float],
    parts: Mapping[QuantityName, Estimate],
    wholes: Mapping[QuantityName, float] | None = None,
) -> Estimate:
    """Return an estimate with what its parts may hide.

    A class of which all of few cases are right shows no chance, and yet the next such case may be wrong. So
    to the variance of a part is added what that of its share with two cases more, one as the other parts are
    on average and one of a coin, is above the variance that such cases show, or that the part has. Parts
    without a unit vary as a coin, and the interval reaches to where they are as the others. What has parts,
    and all of them without a unit, rests on nothing; what is their mean rests on no more units than they do.

    Args:
        estimate: A sum of parts and of something else.
        weights: Weight of each part.
        parts: The parts, and the wholes.
        wholes: Weight of each whole.
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
