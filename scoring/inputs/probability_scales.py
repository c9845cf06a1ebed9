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
"""Scale -> what reads its numbers as probabilities, alternatives to each other."""
OF_RISKS = {**FIXES, LOGITS: FIXES[LOGITS][1:]}
"""The same where a case has one number."""


WORDS = {
    PERCENT: "percent. Divide them by 100",
    BYTES: "probabilities as whole numbers up to 255. Divide them by 255",
}
"""What numbers are that are whole multiples of probabilities, and what to do."""


def scale_of(outputs: Floats) -> str:
    """Return what numbers [N, K] are: "probabilities", `PERCENT`, `BYTES`, `LOGITS` or "other numbers".

    Args:
        outputs: Rows with NaN are left aside.
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
    """Return the edits that make probabilities of numbers [N], one for each case; none for those that are.

    Args:
        scores: NaN is left aside.
    """
    fixes = OF_RISKS.get(scale_of(scores[:, None]), ())
    return fixes[0].changes.edits if fixes else ()
