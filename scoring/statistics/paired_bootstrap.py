"""Paired bootstrap t test of all pairs of teams, with the max-t method over all pairs. It is used only on
request.

`corrected` corrects it for all submissions that were ever scored. The reason: the best of many attempts leads
by chance, and a person who checks after each submission finds a lead sooner or later. The test set stays the
same, so each check adds only the pairs of the newest submission. After m submissions each pair is tested at 5
% / (m (m - 1)^2). Submission m adds m - 1 pairs. Summed over all submissions, the levels are at most 5 %,
however many submissions there are and however they are chosen.
"""

from dataclasses import dataclass, replace

import numpy as np
import scipy

from scoring.common.arrays import Bools, Floats, Ints
from scoring.statistics import intervals
from scoring.statistics.interval_options import DIGITS
from scoring.statistics.mcnemar_delong_wilcoxon import holm

LEVEL = 0.95
NO_SPREAD = 1e-12
"""Smallest standard error above 0."""
BLOCK_CELLS = 4_000_000


@dataclass(frozen=True)
class PairTest:
    """Test results of all pairs of teams, in the order of `numpy.triu_indices(A, 1)`.

    Attributes:
        errors: Standard error of each difference [P]; 0 if nothing varies, infinite if unknown.
        intervals: 95 % interval of each single difference [P, 2], NaN if undefined.
        p_values: p-value of each single pair [P], 0..1.
        p_adjusted: p-values, adjusted for all pairs.
        critical_value: Number of standard errors by which two teams must differ to be called different; None
            if it is infinite or no difference varies.
        reach: Half the width of the simultaneous intervals [P], infinite if there are none.
        separated: Whether the two teams are called different [P].
        p_best: p-value [A] of the test of each team against the best of the others; None if not tested.
    """

    errors: Floats
    intervals: Floats
    p_values: Floats
    p_adjusted: Floats
    critical_value: float | None
    reach: Floats
    separated: Bools
    p_best: Floats | None = None


def bootstrap_test(scores: Floats, replicates: Floats, n_units: int) -> PairTest:
    """Test all pairs of teams on the same replicates.

    Args:
        scores: Score of each team [A].
        replicates: Scores on the same resampled test sets [A, B], NaN if undefined.

    Returns:
        p-values of Student's t with the replicates' standard errors, adjusted by Holm; and simultaneous
        intervals by the max-t method, widened for few units as Student's t is. Two teams are called different
        if both methods say so, because max-t alone finds differences among 12 equal teams in 6 to 7 % of test
        sets of 220 cases.
    """
    first, second = np.triu_indices(len(scores), 1)
    spread = _spread(scores, replicates, first, second)
    critical = _critical_value(spread, n_units)
    reach = np.multiply(
        spread.errors,
        np.inf if critical is None else critical,
        out=np.zeros(len(first)),
        where=spread.errors > 0,
    )
    apart = np.round(np.abs(spread.differences), DIGITS) > 0
    p_values = _student(spread, apart, n_units)
    adjusted = holm(p_values)
    beyond = (np.abs(spread.differences) > reach) & (adjusted <= 1 - LEVEL)
    return PairTest(
        spread.errors,
        spread.intervals,
        p_values,
        adjusted,
        critical,
        reach,
        np.where(spread.errors > 0, beyond, apart),
    )


@dataclass(frozen=True)
class _Spread:
    """How far the pairs' differences [P] vary over the replicates.

    errors: standard errors [P], infinite if fewer than two replicates are defined. intervals: percentile
    intervals. largest: the largest |d* - d| / se over the pairs [B'] in the replicates in which all teams
    have a score, None if no pair varies.
    """

    differences: Floats
    errors: Floats
    intervals: Floats
    largest: Floats | None


def _spread(scores: Floats, replicates: Floats, first: Ints, second: Ints) -> _Spread:
    differences = scores[first] - scores[second]
    complete = ~np.isnan(replicates).any(0)
    errors, ends = np.zeros(len(first)), np.zeros((len(first), 2))
    largest: Floats | None = None
    rows = max(1, BLOCK_CELLS // replicates.shape[1])
    for start in range(0, len(first), rows):
        block = slice(start, start + rows)
        drawn = np.round(replicates[first[block]] - replicates[second[block]], DIGITS)
        errors[block], ends[block] = _moments(drawn)
        varies = (errors[block] > 0) & np.isfinite(errors[block])
        if varies.any() and complete.any():
            moved = (
                np.abs(drawn[varies][:, complete] - differences[block][varies, None])
                / errors[block][varies, None]
            )
            largest = moved.max(0) if largest is None else np.maximum(largest, moved.max(0))
    return _Spread(differences, errors, ends, largest)


def _moments(drawn: Floats) -> tuple[Floats, Floats]:
    """Return standard errors [P] and percentile intervals [P, 2] of differences [P, B], NaN if undefined.
    Standard errors below `NO_SPREAD` become 0."""
    if np.isnan(drawn).any():
        parts = [row[~np.isnan(row)] for row in drawn]
        errors = np.array([np.std(row, ddof=1) if len(row) > 1 else np.inf for row in parts])
        ends = np.array([intervals.percentile(row) or (np.nan, np.nan) for row in drawn])
    else:
        errors = np.std(drawn, axis=1, ddof=1) if drawn.shape[1] > 1 else np.full(len(drawn), np.inf)
        ends = np.quantile(drawn, intervals.QUANTILES, axis=1).T
    return np.where(errors < NO_SPREAD, 0.0, errors), ends


def _student(spread: _Spread, apart: Bools, n_units: int) -> Floats:
    """Return the p-value of each pair, 2 P(t > |d| / se). For a pair that does not vary, it is 0 if the
    scores differ, and 1 if they are equal."""
    ratio = np.divide(
        np.abs(spread.differences), spread.errors, out=np.zeros(len(apart)), where=spread.errors > 0
    )
    return np.where(spread.errors > 0, 2 * scipy.special.stdtr(n_units - 1, -ratio), ~apart)


def _critical_value(spread: _Spread, n_units: int) -> float | None:
    """Return the 95 % quantile of the largest |d* - d| / se over pairs, widened as Student's t for few units;
    None if no pair varies or the quantile is infinite."""
    if spread.largest is None:
        return None
    beyond = scipy.special.ndtr(-np.quantile(spread.largest, LEVEL))
    quantile = -float(scipy.special.stdtrit(n_units - 1, beyond))
    return quantile if np.isfinite(quantile) else None


def corrected(test: PairTest, differences: Floats, n_units: int, submissions: int) -> PairTest:
    """Correct a test for the number of submissions, so that all checks together keep 95 % confidence.

    Args:
        differences: Difference of each pair [P].
        submissions: Number of submissions of all teams scored so far; below 2 nothing is corrected.

    Returns:
        The test with corrected p-values, critical value and reach, by Student's t. No value is smaller than
        before the correction.
    """
    shares = submissions * (submissions - 1) ** 2
    if submissions < 2 or test.critical_value is None:
        return test
    freedom, varies = n_units - 1, test.errors > 0
    ratios = np.divide(np.abs(differences), test.errors, out=np.zeros(len(differences)), where=varies)
    beyond = np.minimum(1, 2 * shares * scipy.special.stdtr(freedom, -ratios))
    adjusted = np.where(varies, np.maximum(test.p_adjusted, beyond), test.p_adjusted)
    critical = -float(scipy.special.stdtrit(freedom, (1 - LEVEL) / 2 / shares))
    critical = max(test.critical_value, critical)
    first, second = np.triu_indices(1 if test.p_best is None else len(test.p_best), 1)
    p_best = test.p_best
    if p_best is not None:  # a claim about the best is one about the pairs that make it
        least = np.ones(len(p_best))
        np.minimum.at(least, first, adjusted)
        np.minimum.at(least, second, adjusted)
        p_best = np.maximum(p_best, least)
    return replace(
        test,
        p_best=p_best,
        p_adjusted=adjusted,
        critical_value=critical,
        reach=np.where(varies, critical * np.where(varies, test.errors, 0), test.reach),
        separated=test.separated & (adjusted <= 1 - LEVEL + 1e-9),
    )
