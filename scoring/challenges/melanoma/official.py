"""Whether a score of Melanoma is what the challenge's own code gives for the same files."""

from collections.abc import Sequence

from scoring.challenges.safe_scan.official_score import missing_words, of_files
from scoring.common.findings import Finding
from scoring.core.scorecard import Official
from scoring.core.submission import Predictions


def official(score: float | None, predictions: Predictions, findings: Sequence[Finding]) -> Official:
    """Return what the challenge's own code gives.

    Args:
        score: The score here, 0..1; None or NaN where it is undefined.
        predictions: What was scored.
        findings: Those of truth and predictions.
    """
    codes, reasons = {finding.code for finding in findings}, of_files(findings)
    if "input-size" in codes:
        reasons.stops.append("The challenge feeds 224 x 224 pixels, and this model would have failed there.")
    if missing := missing_words(predictions.labels):
        reasons.zero.append(f"{missing}: the official code gives 0 as soon as one is missing.")
    if "label-spelling" in codes:
        reasons.unknown.append("The official code takes positives that are not written True for negatives.")
    if "several-score-columns" in codes:
        reasons.unknown.append("The official code takes the first column of scores, whatever it holds.")
    return reasons.official(score)
