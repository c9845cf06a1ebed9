"""Kinds of model outputs (probabilities, logits, percent, bytes), and their conversion to probabilities."""

import numpy as np
import scipy

from scoring.common.arrays import Floats

TOLERANCE, SUM_TOLERANCE = 1e-6, 1e-3
PERCENT_TOLERANCE = 1.0
"""Tolerance for the sum of rounded percentages around 100."""
LEAST_PERCENT = 10
"""If rows of outputs have no fixed sum, they count as percentages only if the largest output is at least
this."""
LARGEST_BYTE = 255
WHOLES = {"percent": 100, "bytes": LARGEST_BYTE}
"""Kind of output -> the value that stands for a probability of 1."""
LEAST = 1e-12


def output_kind(outputs: Floats) -> str:
    """Return the kind of outputs.

    Args:
        outputs: Finite outputs [N, K].

    Returns:
        "probabilities", "logits" (a value is outside 0..1) or "not-normalised" (the sum of a row differs from
        1 by more than 1e-3).

    Example:
        >>> output_kind(np.array([[0.2, 0.8]])), output_kind(np.array([[-1.2, 3.0]]))
        ('probabilities', 'logits')
    """
    if not len(outputs):
        return "probabilities"
    if outputs.min() < -TOLERANCE or outputs.max() > 1 + TOLERANCE:
        return "logits"
    return "not-normalised" if np.abs(outputs.sum(1) - 1).max() > SUM_TOLERANCE else "probabilities"


def are_percent(outputs: Floats) -> bool:
    """Return whether outputs [N, K] are percentages: from 0 to 100, with some above 10; with several classes,
    rows sum to 100.

    Example:
        >>> are_percent(np.array([[20.0, 80.0]])), are_percent(np.array([[2.0, 3.0]]))
        (True, False)
    """
    if not outputs.size or outputs.min() < 0 or not LEAST_PERCENT < outputs.max() <= 100 + TOLERANCE:
        return False
    return outputs.shape[1] == 1 or bool(np.abs(outputs.sum(1) - 100).max() <= PERCENT_TOLERANCE)


def are_bytes(outputs: Floats) -> bool:
    """Return whether outputs [N, K] are probabilities written as integers from 0 to 255.

    Example:
        >>> are_bytes(np.array([[40.0, 215.0]])), are_bytes(np.array([[0.0, 1.0]]))
        (True, False)
    """
    if not outputs.size or outputs.min() < 0 or not 100 < outputs.max() <= LARGEST_BYTE:
        return False
    return bool((outputs == np.rint(outputs)).all())


def softmax(logits: Floats) -> Floats:
    """Convert logits [N, K] to probabilities [N, K] with rows that sum to 1; NaN where a row holds +inf."""
    with np.errstate(invalid="ignore"):
        return np.exp(logits - scipy.special.logsumexp(logits, axis=1, keepdims=True))


def kind(outputs: Floats) -> str:
    """Return the kind of a model's outputs [n, k]: "percent", "bytes", or a kind from `output_kind`.

    Pass the outputs of all cases, because a single row can fit several kinds.
    """
    if are_percent(outputs):
        return "percent"
    if are_bytes(outputs):
        return "bytes"
    if outputs.shape[1] > 1:
        return output_kind(outputs)
    return "logits" if len(outputs) and (outputs.min() < 0 or outputs.max() > 1) else "probabilities"


def is_certain(outputs: Floats) -> bool:
    """Return whether `kind` of outputs [n, k] cannot change with further rows: only logits are negative."""
    return bool(len(outputs) and outputs.min() < -TOLERANCE)


def probabilities(outputs: Floats, kind: str) -> Floats:
    """Return rows [n, K] that sum to 1.

    Args:
        outputs: Outputs [n, k]; a single output is the risk of the second of two classes.
        kind: Kind of the outputs, from `kind`. For "logits" the softmax is computed.
    """
    if outputs.shape[1] == 1:
        risks = outputs[:, 0] / WHOLES.get(kind, 1)
        risk = scipy.special.expit(risks) if kind == "logits" else np.clip(risks, 0, 1)
        return np.column_stack([1 - risk, risk])
    if kind == "logits":
        return softmax(outputs)
    rows = np.maximum(outputs, 0)
    sums = rows.sum(1, keepdims=True)
    shares: Floats = np.divide(rows, sums, out=np.full(rows.shape, 1 / rows.shape[1]), where=sums > LEAST)
    return shares
