"""Scales of numbers in tables of predictions, and the edits that read them as probabilities."""

from collections.abc import Mapping

from scoring.common.arrays import Floats
from scoring.common.fixes import Pairs, SuggestedFix, editing
from scoring.metrics import output_kinds

PERCENT, BYTES, LOGITS = "percent", "bytes", "logits"
FIXES: Mapping[str, tuple[SuggestedFix, ...]] = {
    PERCENT: (editing("divide", "100", "Divide the numbers by 100"),),
    BYTES: (editing("divide", "255", "Divide the numbers by 255"),),
    LOGITS: (
        editing("softmax", label="Read a softmax of the numbers of each case"),
        editing("sigmoid", label="Read a sigmoid of each number"),
    ),
}
"""Scale -> alternative edits that read its numbers as probabilities."""
OF_RISKS = {**FIXES, LOGITS: FIXES[LOGITS][1:]}
"""The same for one number per case."""


WORDS = {
    PERCENT: "percent. Divide them by 100",
    BYTES: "probabilities as whole numbers up to 255. Divide them by 255",
}
"""Kinds of numbers that are integer multiples of probabilities, and advice."""


def scale_of(outputs: Floats) -> str:
    """Return the scale of numbers [N, K]: "probabilities", `PERCENT`, `BYTES`, `LOGITS` or "other numbers".

    Args:
        outputs: Rows with NaN are ignored.
    """
    numbers = outputs[(outputs == outputs).all(1)]
    if not numbers.size:
        return "other numbers"
    if output_kinds.are_percent(numbers):
        return PERCENT
    if numbers.min() >= 0 and numbers.max() <= 1:
        return "probabilities"
    if output_kinds.are_bytes(numbers):
        return BYTES
    return LOGITS if numbers.min() < 0 else "other numbers"


def edits_of_risks(scores: Floats) -> Pairs:
    """Return the edits that turn numbers [N], one per case, into probabilities; empty if they already are.

    Args:
        scores: NaN is ignored.
    """
    fixes = OF_RISKS.get(scale_of(scores[:, None]), ())
    return fixes[0].changes.edits if fixes else ()
