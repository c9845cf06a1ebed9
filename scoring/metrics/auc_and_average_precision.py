"""Weighted ROC AUC and average precision of a score, for many replicates at once; ROC curves.

`scoring.presentation.figures.curves` draws the curves.

Source: `isic-challenge-scoring` 5.8.0 (metrics.py) for `auc_above_sensitivity`. The points of its ROC curve
are those of scikit-learn's `roc_curve`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from scoring.common.arrays import Floats, Ints
from scoring.metrics.binary import ThresholdCounts
from scoring.metrics.classification import divide, running_sums

if TYPE_CHECKING:
    import scipy

MOST_POINTS = 400
CHUNK_CELLS = 300_000


@dataclass(frozen=True)
class Levels:
    """Levels of a score: the L distinct scores of positives, from high to low.

    The score of a negative equals the score of a level or lies between two levels.

    Attributes:
        scores: Score of each level [L].
        groups: Group of each case [N], 0..3L: the negatives between the levels (0 = above all, L = below
            all), then the positives of each level, then the negatives with the score of that level.
        positives: Positive cases from high to low score; equal scores keep the order of the cases [P].
        last: Position in `positives` of the last case of each level [L].
    """

    scores: Floats
    groups: Ints
    positives: Ints
    last: Ints

    @property
    def n_groups(self) -> int:
        """Number of groups, 3L + 1."""
        return 3 * len(self.scores) + 1

    @cached_property
    def places(self) -> "scipy.sparse.csr_matrix":
        """Sparse matrix with a one where a case [N] is in a group [3L + 1]."""
        import scipy  # its sparse matrices take as long to import as NumPy, and one test set needs none

        order = np.argsort(self.groups, kind="stable")
        ends = np.cumsum(np.bincount(self.groups, minlength=self.n_groups))
        return scipy.sparse.csr_matrix(
            (np.ones(len(order), np.float32), order, np.r_[0, ends]), shape=(self.n_groups, len(order))
        )

    def sums(self, weights: Floats) -> Floats:
        """Return the weight of each group in every replicate [3L + 1, B], summed in the order of the
        cases."""
        if len(weights) > 1:
            of_rows: Floats = self.places.astype(weights.dtype, copy=False) @ np.ascontiguousarray(weights.T)
            return of_rows.astype(float)
        sums: Floats = np.empty((self.n_groups, len(weights)))
        for b, row in enumerate(weights.astype(float)):
            sums[:, b] = np.bincount(self.groups, row, self.n_groups)
        return sums


@dataclass(frozen=True)
class RocCurves:
    """Weighted ROC curves of B replicates at L levels.

    Attributes:
        hits: Weight of the positives of each level [L, B].
        between: Weight of the negatives between each level and the one above; the last entry is the negatives
            below all levels [L + 1, B].
        tied: Weight of the negatives of each level [L, B].
        scores: Score of each level [L].
        running: Weight of the positives at or above each level [L, B], if it was summed case by case;
            otherwise None.
    """

    hits: Floats
    between: Floats
    tied: Floats
    scores: Floats
    running: Floats | None = None

    @cached_property
    def reached(self) -> Floats:
        """Weight of the positives at or above each level [L, B]."""
        return running_sums(self.hits.copy()) if self.running is None else self.running

    @cached_property
    def alarms(self) -> Floats:
        """Weight of the negatives at or above each level [L, B]."""
        return running_sums(self.between[:-1] + self.tied)

    @property
    def positives(self) -> Floats:
        """Weight of the positives [B]."""
        total: Floats = self.hits.sum(0)
        return total

    @property
    def negatives(self) -> Floats:
        """Weight of the negatives [B]."""
        total: Floats = self.between.sum(0) + self.tied.sum(0)
        return total

    @property
    def counts(self) -> ThresholdCounts:
        """Weight of positives and negatives at or above each level; the last entry counts all cases.
        Thresholds between two levels are left out: they have the sensitivity of a level and never a higher
        specificity."""
        hits, alarms = (
            np.concatenate([sums, total[np.newaxis]]).T
            for sums, total in ((self.reached, self.positives), (self.alarms, self.negatives))
        )
        return ThresholdCounts(np.append(self.scores, -np.inf), hits, alarms)


def levels(scores: ArrayLike, positive: ArrayLike) -> Levels:
    """Sort cases into the levels of their score with one stable sort.

    Args:
        scores: Score of each case [N].
        positive: Which cases are positive [N].

    Example:
        >>> found = levels([0.9, 0.6, 0.4], [True, False, True])
        >>> found.scores.tolist(), auc(curve(found, np.ones((1, 3)))).tolist()
        ([0.9, 0.4], [0.5])
    """
    values = np.asarray(scores, float)
    order = np.argsort(-values, kind="stable")
    ordered, hit = values[order], np.asarray(positive, bool)[order]
    first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]][: len(ordered)])
    has_hit = np.logical_or.reduceat(hit, first) if len(first) else np.zeros(0, bool)
    sizes = np.diff(np.r_[first, len(ordered)])
    upto, of_level = np.repeat(np.cumsum(has_hit), sizes), np.repeat(has_hit, sizes)
    count = int(has_hit.sum())
    groups = np.empty(len(order), int)
    groups[order] = np.where(hit, count + upto, np.where(of_level, 2 * count + upto, upto))
    last = np.cumsum(np.bincount(upto[hit], minlength=count + 1)[1:]) - 1
    return Levels(ordered[first][has_hit], groups, order[hit], last)


def curve(score_levels: Levels, weights: Floats) -> RocCurves:
    """Return the ROC curve of every replicate.

    Args:
        weights: Weights of the cases [B, N]. If they are whole numbers in float32, their sums are exact.
    """
    count = len(score_levels.scores)
    sums = score_levels.sums(weights)
    running = None
    if len(weights) == 1:
        # Case by case, as scikit-learn adds them: a rate is 0.8 or just below by the last digit of a sum.
        running = np.cumsum(weights[0, score_levels.positives].astype(float))[score_levels.last, None]
    hits, tied = sums[count + 1 : 2 * count + 1], sums[2 * count + 1 :]
    return RocCurves(hits, sums[: count + 1], tied, score_levels.scores, running)


def in_chunks(
    score_levels: Levels, weights: Floats, measures: Mapping[str, Callable[[RocCurves], Floats]]
) -> dict[str, Floats]:
    """Compute measures of ROC curves, one block of replicates after the other, because all curves would need
    much memory.

    Args:
        weights: Weights of the cases [B, N].
        measures: Functions by name, each from the curves of b replicates to values [b].

    Returns:
        Values [B] of each measure.
    """
    return all_in_chunks([score_levels], weights, measures)[0]


def all_in_chunks(
    all_levels: Sequence[Levels], weights: Floats, measures: Mapping[str, Callable[[RocCurves], Floats]]
) -> list[dict[str, Floats]]:
    """Compute measures of the curves of several scores of the same cases.

    Args:
        weights: Weights of the cases [B, N].
        measures: As in `in_chunks`.

    Returns:
        For each score, the values [B] of each measure.
    """
    rows = max(1, CHUNK_CELLS * len(all_levels) // sum(c.n_groups for c in all_levels))
    parts: list[list[dict[str, Floats]]] = [[] for _ in all_levels]
    for start in range(0, len(weights), rows):
        chunk = np.asfortranarray(weights[start : start + rows])  # turned once, not for every score
        for levels_of_one, measured in zip(all_levels, parts, strict=True):
            c = curve(levels_of_one, chunk)
            measured.append({name: measure(c) for name, measure in measures.items()})
    return [{name: np.concatenate([part[name] for part in of_one]) for name in measures} for of_one in parts]


def auc(c: RocCurves) -> Floats:
    """Return the area under the curve [B], trapezoidal; NaN if there are no positives or no negatives."""
    pairs = np.einsum("lb,lb->b", c.hits, c.negatives - c.alarms + c.tied / 2)
    return divide(pairs, c.positives * c.negatives)


def auc_above_sensitivity(c: RocCurves, sensitivity: float) -> Floats:
    """Return the area under the part of the ROC curve that reaches a sensitivity: the curve to the right of
    the first point with this sensitivity, down to the axis.

    The point is interpolated between the first point of the curve with at least this true positive rate and
    the point before.

    Args:
        sensitivity: The sensitivity, 0..1.

    Returns:
        Areas [B]: 1 for a perfect score, 1/2 - sensitivity^2 / 2 by chance; NaN if there are no positives or
            no negatives.
    """
    positives, negatives = c.positives, c.negatives
    rates = divide(c.reached, c.reached[-1:])
    if not len(rates):
        return np.full(len(negatives), np.nan)
    reach, column = np.argmax(rates >= sensitivity, axis=0), np.arange(rates.shape[1])
    before = np.vstack([np.zeros_like(rates[:1]), rates[:-1]])
    low, high, tied = before[reach, column], rates[reach, column], c.tied[reach, column]
    rest = divide(high - sensitivity, high - low) * tied
    after = np.arange(len(rates))[:, None] > reach
    area = (
        rest * (sensitivity + high) / 2
        + np.where(after, c.between[:-1] * before + c.tied * (before + rates) / 2, 0).sum(0)
        + c.between[-1]
    )
    return np.where(positives > 0, divide(area, negatives), np.nan)


def partial_auc(c: RocCurves, sensitivity: float) -> Floats:
    """Return the area between the ROC curve and the horizontal line at a sensitivity (ISIC 2024).

    Args:
        sensitivity: The sensitivity, 0..1.

    Returns:
        Areas [B], 0..1 - sensitivity; NaN if there are no positives or no negatives.
    """
    if not len(c.hits):
        return np.full(c.between.shape[1], np.nan)
    rates = divide(c.reached, c.reached[-1:])
    before = np.vstack([np.zeros_like(rates[:1]), rates[:-1]])
    low = np.clip(sensitivity, before, rates)
    # From `low` to the level's own rate the line runs to its last false alarm.
    missing = divide(rates - low, rates - before, 0) * c.tied / 2
    area = ((rates - low) * (c.negatives - c.alarms + missing)).sum(0)
    return np.where(c.positives > 0, divide(area, c.negatives), np.nan)


def average_precision(c: RocCurves) -> Floats:
    """Return the average precision [B]: the sum of precision x increase of recall over the distinct
    thresholds, without interpolation.

    NaN without positives; 1 if all cases are positive.
    """
    reached = c.reached
    return divide((c.hits * divide(reached, reached + c.alarms, 0)).sum(0), c.positives)


def polyline(score_levels: Levels, c: RocCurves) -> tuple[Floats, Floats, Floats]:
    """Return points along the curve of the first replicate, from (0, 0) to (1, 1).

    If the exact curve has more than 400 corners, points are placed on it at equal steps of (1 - specificity)
    + sensitivity. The exact curve never falls, so the line between neighbouring points differs from it by
    less than 0.36 x 2/399 < 0.002.

    Args:
        c: The ROC curves at these levels.

    Returns:
        1 - specificity, sensitivity and threshold of at most 400 points; the first and last threshold are the
            highest and lowest score of a positive. 1 - specificity is NaN without negatives, sensitivity
            without positives.
    """
    reached, alarms, tied = c.reached[:, 0], c.alarms[:, 0], c.tied[:, 0]
    ends = np.column_stack([alarms - tied, alarms]).ravel()
    x = divide(np.r_[0, ends, c.negatives[0]], c.negatives[0])
    y = divide(
        np.r_[0, np.column_stack([np.r_[0, reached][:-1], reached]).ravel(), reached[-1:].sum()],
        c.positives[0],
    )
    thresholds = (
        np.r_[score_levels.scores[:1], np.repeat(score_levels.scores, 2), score_levels.scores[-1:]]
        if len(score_levels.scores)
        else np.full(2, np.nan)
    )
    length = x + y
    if len(x) <= MOST_POINTS or np.isnan(length).any():
        return x[:MOST_POINTS], y[:MOST_POINTS], thresholds[:MOST_POINTS]
    steps = np.linspace(0, 2, MOST_POINTS)
    return np.interp(steps, length, x), np.interp(steps, length, y), np.interp(steps, length, thresholds)


def precisions(x: Floats, y: Floats, positives: float, negatives: float) -> Floats:
    """Return the precision at points of a ROC curve.

    Args:
        x: 1 - specificity of each point, 0..1.
        y: Sensitivity of each point, 0..1.

    Returns:
        Precision of each point, 0..1; NaN at (0, 0), where no case is predicted positive.
    """
    return divide(y * positives, y * positives + x * negatives)
