"""Warnings about doubtful results: few cases of a class, predictions that equal the truth, equal predictions
for all cases."""

import math
from collections.abc import Iterator, Mapping

import numpy as np

from scoring.common.arrays import Bools, Floats
from scoring.common.findings import SMALL_CLASS, Finding, warning
from scoring.common.fixes import InputChanges, Pairs, SuggestedFix
from scoring.metrics import curves
from scoring.statistics.intervals import WILSON_T

LEAST = 20
"""Number of cases from which on a warning says that all predictions are exactly equal to the truth."""
OUTSIDE = 1.96
"""If an AUC is this number of standard deviations from 0.5, its 95 % interval excludes 0.5."""

SENTINELS = [sign * (10.0**digits - 1) for digits in range(2, 7) for sign in (-1, 1)]
"""Numbers that often stand for a missing value: -99, 99, -999, ..."""
OTHER_UNIT = 8.0
"""Minimum ratio of medians for the warning about another unit. Centimetres instead of millimetres give about
10."""


def copied_truth(outputs: Floats, positives: Bools, where: str) -> Iterator[Finding]:
    """Yield a finding `equal-to-truth` if there are many cases and all outputs [N, K] are exactly 1 for the
    true class and 0 otherwise.

    Args:
        positives: Whether each class is true for each case [N, K].
    """
    if len(outputs) >= LEAST and np.array_equal(outputs, positives):
        message = (
            f"the predictions equal the truth in all {len(outputs):,} cases: are they a copy of the "
            "truth's labels?"
        )
        yield warning("equal-to-truth", where, message)


def constant_output(outputs: Floats, where: str) -> Iterator[Finding]:
    """Yield a finding `constant-output` if there are several cases and all have the same outputs. `outputs`
    are the predictions [N] or [N, K], NaN if missing."""
    if len(outputs) > 1 and (outputs == outputs[0]).all():
        yield warning(
            "constant-output",
            where,
            "every case has the same prediction, so the predictions do not separate any cases.",
        )


def doubtful_numbers(numbers: Floats, truth: Floats | None, where: str) -> Iterator[Finding]:
    """Yield findings about numbers that are probably mistakes.

    `sentinel-value`: a number that often stands for a missing value is far from all other values.
    `other-unit`: the medians of predictions and truth differ so much that the unit is probably another.

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
    """Yield a finding `direction-suspect` if an AUC is further below 0.5 than chance can explain.

    Args:
        scores: Scores of the positive class [N], NaN if missing.
        positive: Which cases are positive [N].
        before: Edits that turn the scores into probabilities. The suggested fix applies them first, and then
            replaces each score by 1 minus the score.
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
    """Return the part of a sentence that says how a small number of cases affects an interval.

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
    """Yield a finding `few-cases-in-class` for every class that has cases, but too few. `supports` contains
    the number of cases by class."""
    for name, n in supports.items():
        if 0 < n < SMALL_CLASS:
            sentence = f"{n} case{'s' * (n > 1)}: {consequence(what, n, kind)}."
            yield warning("few-cases-in-class", name, sentence)
