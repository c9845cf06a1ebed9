"""Warnings about predictions that equal the truth, and about those that are equal for all cases."""

from collections.abc import Iterator

import numpy as np

from scoring.common.arrays import Bools, Floats
from scoring.common.findings import Finding, warning

LEAST = 20
"""Cases from which on nobody is right everywhere, with certainty, by chance."""


def copied_truth(outputs: Floats, positives: Bools, where: str) -> Iterator[Finding]:
    """Yield `equal-to-truth` where outputs [N, K] are 1 for the true class of each of many cases, 0 else.

    Args:
        positives: Which classes are true [N, K].
    """
    if len(outputs) >= LEAST and np.array_equal(outputs, positives):
        message = f"equal to the truth in every case ({len(outputs):,}): is it the column of labels?"
        yield warning("equal-to-truth", where, message)


def constant_output(outputs: Floats, where: str) -> Iterator[Finding]:
    """Yield `constant-output` where outputs [N] or [N, K] are the same for every one of several cases.

    Args:
        outputs: What is predicted, NaN where nothing is.
    """
    if len(outputs) > 1 and (outputs == outputs[0]).all():
        yield warning(
            "constant-output", where, "the same is predicted for every case: nothing is told apart."
        )
