"""Shares in subgroups of the cases, computed on the same replicates as all other quantities."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.common.arrays import Bools, Floats
from scoring.metrics.classification import divide

Groups = Mapping[str, Mapping[str, Bools]]
"""Name of a column -> name of a group -> whether each case is in the group [N]."""
AGE_BANDS = ((0, 30, "0-29"), (30, 50, "30-49"), (50, 70, "50-69"), (70, np.inf, "70+"))
"""Age bands in years: lower limit (included), upper limit (excluded), name."""


def age_groups(years: Floats) -> dict[str, Bools]:
    """Return the members [N] of each age band, and of "unknown" for missing or negative ages."""
    known = np.where(years < 0, np.nan, years)
    groups = {name: (known >= low) & (known < high) for low, high, name in AGE_BANDS}
    return {**groups, "unknown": np.isnan(known)}


def frequent_groups(cells: Sequence[str], most: int = 50) -> dict[str, Bools]:
    """Return the members [N] of the most frequent values of a column; an empty cell counts as "unknown".

    Args:
        cells: Cells of the column [N].
    """
    names = np.array([cell.strip() or "unknown" for cell in cells])
    values, counts = np.unique(names, return_counts=True)
    order = np.lexsort((values, -counts))[:most]
    return {str(values[i]): names == values[i] for i in order.tolist()}


@dataclass(frozen=True)
class SubgroupShare:
    """A share of the cases, for example the share of positives that are predicted positive.

    Attributes:
        part: The cases in the numerator [N].
        whole: The cases in the denominator [N].
        counted_as: Key under which the number of cases in `whole` is stored in the row of a group; None if
            `whole` is all cases.
    """

    part: Bools
    whole: Bools
    counted_as: str | None = None


def quantities(
    groups: Groups, shares: Mapping[str, SubgroupShare], weights: Floats
) -> dict[tuple[str, str, str, str], Floats]:
    """Compute each share in each group.

    Args:
        shares: Shares by the name of their quantity.
        weights: Weights of the cases [B, N].

    Returns:
        Values [B], 0..1, by ("slice", column, group, quantity); NaN if a group has no case in `whole`.
    """
    names = [
        ("slice", column, name, quantity)
        for column, masks in groups.items()
        for name in masks
        for quantity in shares
    ]
    if not names:
        return {}
    parts = [
        part & members
        for group in groups.values()
        for members in group.values()
        for share in shares.values()
        for part in (share.part, share.whole)
    ]
    sums = (weights @ np.column_stack(parts).astype(weights.dtype)).astype(float)
    return {name: divide(sums[:, 2 * i], sums[:, 2 * i + 1]) for i, name in enumerate(names)}


def members(groups: Groups, shares: Mapping[str, SubgroupShare]) -> dict[tuple[str, str, str, str], Bools]:
    """Return the cases [N] in the denominator of each share in each group, by the names of `quantities`.

    Args:
        shares: Shares by the name of their quantity.
    """
    return {
        ("slice", column, name, quantity): share.whole & inside
        for column, masks in groups.items()
        for name, inside in masks.items()
        for quantity, share in shares.items()
    }


def rows(
    groups: Groups,
    shares: Mapping[str, SubgroupShare],
    point: Mapping[Any, Floats],
    intervals: Mapping[Any, list[float] | None],
) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the groups as the entry `slices` of a scorecard.

    Args:
        shares: Shares by the name of their quantity.
        point: Result of `quantities` on the test set itself, [1] each.
        intervals: 95 % intervals of these quantities; empty without replicates.

    Returns:
        Column -> group -> row. A row contains the number of cases n, the shares, denominators that differ
        from n, and the intervals if there are replicates.
    """
    slices: dict[str, dict[str, dict[str, Any]]] = {}
    for column, masks in groups.items():
        slices[column] = {}
        for name, members in masks.items():
            row: dict[str, Any] = {"n": int(members.sum())}
            for quantity, share in shares.items():
                key = ("slice", column, name, quantity)
                row[quantity] = float(point[key][0])
                if share.counted_as:
                    row[share.counted_as] = int((share.whole & members).sum())
                if intervals:
                    row[f"{quantity}_interval"] = intervals[key]
            slices[column][name] = row
    return slices
