"""Warnings about doubtful results: few cases of a class, predictions that equal the truth, or each other."""

import math
from collections.abc import Iterator, Mapping

import numpy as np

from scoring.common.arrays import Bools, Floats
from scoring.common.findings import SMALL_CLASS, Finding, warning
from scoring.common.fixes import InputChanges, Pairs, SuggestedFix
from scoring.metrics import curves
from scoring.statistics.intervals import WILSON_T

LEAST = 20
"""Minimum number of cases for the warning that all predictions are exactly equal to the truth."""
OUTSIDE = 1.96
"""Number of standard deviations between an AUC and 0.5 from which its 95 % interval excludes 0.5."""

SENTINELS = [sign * (10.0**digits - 1) for digits in range(2, 7) for sign in (-1, 1)]
"""Numbers that often mark a missing value: -99, 99, -999, ..."""
OTHER_UNIT = 8.0
"""Minimum ratio of medians for the warning about another unit. Centimetres instead of millimetres give about
10."""


def copied_truth(outputs: Floats, positives: Bools, where: str) -> Iterator[Finding]:
    """Yield `equal-to-truth` if outputs [N, K] are exactly 1 for the true class and 0 otherwise in many
    cases.

    Args:
        positives: Which classes are true [N, K].
    """
    if len(outputs) >= LEAST and np.array_equal(outputs, positives):
        message = (
            f"the predictions equal the truth in every case ({len(outputs):,}): is their column the "
            "truth's labels?"
        )
        yield warning("equal-to-truth", where, message)


def constant_output(outputs: Floats, where: str) -> Iterator[Finding]:
    """Yield `constant-output` if outputs [N] or [N, K] are the same for all of several cases. `outputs` are
    the predictions, NaN if missing."""
    if len(outputs) > 1 and (outputs == outputs[0]).all():
        yield warning(
            "constant-output",
            where,
            "every case has the same prediction, so the predictions do not separate any cases.",
        )


def doubtful_numbers(numbers: Floats, truth: Floats | None, where: str) -> Iterator[Finding]:
    """Yield findings about numbers that are probably mistakes.

    `sentinel-value` reports a marker of missing values far from all other values. `other-unit` reports that
    the medians of predictions and truth differ strongly.

    Args:
        numbers: The predictions [N, K]; NaN if missing.
        truth: The true values [N]; None if there are none.
    """
    is_sentinel = np.isin(numbers, SENTINELS)
    usual = ~np.isnan(numbers) & ~is_sentinel
    known = np.concatenate([numbers[usual], np.zeros(0) if truth is None else truth])
    low, high = known.min(initial=np.inf), known.max(initial=-np.inf)
    for value in np.unique(numbers[is_sentinel]).tolist() if len(known) else ():
        if 2 * low - high <= value <= 2 * high - low and not value < 0 <= low:
            continue
        n = np.count_nonzero(numbers == value)
        message = (
            f"{n:,} prediction{'s are' if n > 1 else ' is'} {value:.0f}, far from the other "
            f"numbers ({low:.4g} to {high:.4g}), and scored unchanged. If this number stands for "
            "a missing value, leave the cell empty."
        )
        yield warning("sentinel-value", where, message)
    if truth is None or not usual.any() or truth.min() < 0 < truth.max():
        return
    own, true = float(np.median(numbers[usual])), float(np.median(truth[usual.any(1)]))
    ratio = true / own if own else 0.0
    if ratio >= OTHER_UNIT or 0 < ratio <= 1 / OTHER_UNIT:
        times = f"{ratio:.3g} times as large" if ratio > 1 else f"{1 / ratio:.3g} times as small"
        message = (
            f"the median prediction is {own:.4g}; the median of the truth is {true:.4g}, {times}: "
            "is the unit different, such as mm and cm? Benchside scored the numbers unchanged; "
            "submit predictions in the truth's unit."
        )
        yield warning("other-unit", where, message)


def upside_down(scores: Floats, positive: Bools, where: str, before: Pairs = ()) -> Iterator[Finding]:
    """Yield `direction-suspect` if an AUC is further below 0.5 than chance can explain.

    Args:
        scores: Scores of the positive class [N], NaN if missing.
        positive: Which cases are positive [N].
        before: Edits that turn the scores into probabilities.
    """
    has = ~np.isnan(scores)
    n, m = np.count_nonzero(positive[has]), np.count_nonzero(~positive[has])
    if not n or not m:
        return
    area = curves.auc(scores[has], positive[has])
    # The standard deviation of an AUC without information, by the rank-sum test.
    if area >= 0.5 - OUTSIDE * math.sqrt((n + m + 1) / (12 * n * m)):
        return
    message = (
        f"the AUC is {area:.4f}, and {1 - area:.4f} with reversed scores: do the scores belong to "
        "the other class?"
    )
    changes = InputChanges(edits=(*before, ("complement", "yes")))
    fix = SuggestedFix("Read 1 minus the score", changes)
    yield warning("direction-suspect", where, message).with_fixes(fix)


def consequence(interval: str, n: int, kind: str | None) -> str:
    """Return a part of a sentence that says what few cases do to an interval.

    Args:
        interval: Name of the interval: "interval of F1".
        n: Number of cases, at least 1.
        kind: How intervals were computed (`provenance.interval`).
    """
    if kind not in (WILSON_T, None):
        return f"fewer than {SMALL_CLASS} make the {interval} too narrow"
    return f"fewer than {SMALL_CLASS} make the {interval} wide" if n > 1 else "an interval needs at least 2"


def few_cases(
    supports: Mapping[str, int], kind: str | None, what: str = "interval of F1"
) -> Iterator[Finding]:
    """Yield `few-cases-in-class` for every class with at least one but too few cases. `supports` contains the
    number of cases by class."""
    for name, n in supports.items():
        if 0 < n < SMALL_CLASS:
            sentence = f"{n} case{'s' * (n > 1)}: {consequence(what, n, kind)}."
            yield warning("few-cases-in-class", name, sentence)
