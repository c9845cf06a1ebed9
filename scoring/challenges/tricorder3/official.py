"""Whether a score of TRICORDER-3 is what the validator gives for the same files."""

from collections.abc import Sequence

from scoring.challenges.safe_scan.official_score import missing_words, of_files, only_unusable
from scoring.challenges.tricorder3.formula import FREE_MIB
from scoring.common.findings import Finding
from scoring.core.scorecard import Official
from scoring.core.submission import Predictions

READ_OTHERWISE = frozenset(("age-format", "location-number", "image-elsewhere"))
"""Codes of cells and images that a model receives here and not from the official loader."""


def official(
    score: float, predictions: Predictions, findings: Sequence[Finding], size_mib: float | None
) -> Official:
    """Return what the validator gives.

    Args:
        score: The score here, 0..1.
        predictions: What was scored.
        findings: Those of truth and predictions.
        size_mib: Size of the model in MiB, None where it is unknown.
    """
    reasons = of_files(findings)
    missing = missing_words(predictions.labels)
    if missing and only_unusable(predictions.faults):
        reasons.unknown.append(f"{missing}: the validator takes what is no number for the largest value.")
    elif missing:
        reasons.zero.append(f"{missing}: the validator gives 0 as soon as one is missing.")
    if predictions.model and any(finding.code in READ_OTHERWISE for finding in findings):
        reasons.unknown.append(
            "The validator's loader would give the model other ages, body sites or images."
        )
    if size_mib is None:
        reasons.unknown.append(
            f"The size of the model is unknown: this is its score if it has {FREE_MIB} MiB or less."
        )
    return reasons.official(score)
