"""Shares in subgroups of the cases, on the same replicates as everything else."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scoring.metrics.classification import divide

Groups = Mapping[str, Mapping[str, np.ndarray]]
"""Members (bool [N]) by column and group name."""
AGE_BANDS = ((0, 30, "0-29"), (30, 50, "30-49"), (50, 70, "50-69"), (70, np.inf, "70+"))
"""Age bands in years: from (included), to (excluded), name."""


@dataclass(frozen=True)
class Share:
    """part: the cases that count, whole: those that they are a share of, bool [N]. counted_as: the key of the
    size of `whole`, where it is not all."""

    part: np.ndarray
    whole: np.ndarray
    counted_as: str | None = None


def quantities(groups: Groups, shares: Mapping[str, Share], weights: np.ndarray) -> dict[tuple, np.ndarray]:
    """Each share in each group for every row of weights [B, N], under ("slice", column, group, quantity); NaN
    where nothing is counted."""
    names = [
        ("slice", column, name, quantity)
        for column, found in groups.items()
        for name in found
        for quantity in shares
    ]
    if not names:
        return {}
    parts = [
        part & members
        for found in groups.values()
        for members in found.values()
        for share in shares.values()
        for part in (share.part, share.whole)
    ]
    sums = (weights @ np.column_stack(parts).astype(weights.dtype)).astype(float)
    return {name: divide(sums[:, 2 * i], sums[:, 2 * i + 1]) for i, name in enumerate(names)}


def rows(groups: Groups, shares: Mapping[str, Share], point: Mapping, intervals: Mapping) -> dict:
    """`slices` of a scorecard: column -> group -> n, the shares, the sizes that differ from n and, with
    replicates, the intervals."""
    result: dict = {}
    for column, found in groups.items():
        result[column] = {}
        for name, members in found.items():
            row = {"n": int(members.sum())}
            for quantity, share in shares.items():
                key = ("slice", column, name, quantity)
                row[quantity] = float(point[key][0])
                if share.counted_as:
                    row[share.counted_as] = int((share.whole & members).sum())
                if intervals:
                    row[f"{quantity}_interval"] = intervals[key]
            result[column][name] = row
    return result
