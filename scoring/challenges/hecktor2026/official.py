"""Whether a score of HECKTOR 2026 is what the published rules give for the same files. The challenge's own
program is not public."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from scoring.challenges.hecktor2026.measures import quantities
from scoring.challenges.hecktor2026.missing import stage_truth
from scoring.challenges.hecktor2026.options import CHOICES, OPTIONS, HecktorOptions
from scoring.challenges.hecktor2026.submission import HecktorSubmission
from scoring.challenges.hecktor2026.truth import HecktorTruth
from scoring.core.scorecard import Official

PAIRS = {
    "non-concordant": "their pairs counted as lost",
    "half": "their pairs counted half",
    "exclude": "their pairs left out",
}
"""What becomes of pairs that touch a patient without a score, by the option."""


def official(
    truth: HecktorTruth, submission: HecktorSubmission, options: HecktorOptions, score: float
) -> Official:
    """Return what the published rules give.

    Args:
        truth: The test set.
        submission: What was scored.
        options: What it was scored by.
        score: The score here; NaN where it is undefined.
    """
    usual = HecktorOptions()
    changed = [name for name in CHOICES if getattr(options, name) != getattr(usual, name)]
    if not changed:
        return Official.compare(score, score)
    labels = {option.name: option.label for option in OPTIONS}
    words = ", ".join(
        f"{labels[name]}: {getattr(options, name)} instead of {getattr(usual, name)}" for name in changed
    )
    found = quantities(truth, submission, usual, np.ones((1, len(truth)), np.float32))
    return Official.compare(
        score, float(found["score"][0]), f"Other rules than the published ones ({words})."
    )


def missing_words(truth: HecktorTruth, options: HecktorOptions, metrics: Mapping[str, Any]) -> str:
    """Return what lacks or cannot be used, "" where nothing does. metrics: of the card."""
    lacking = (
        ("masks", ("n_missing_masks", "n_malformed_masks"), truth.has_mask, "counted as empty"),
        ("T stages", ("n_missing_t",), stage_truth(truth, "t", options) >= 0, "counted as wrong"),
        ("N stages", ("n_missing_n",), stage_truth(truth, "n", options) >= 0, "counted as wrong"),
        ("risk scores", ("n_missing_risk",), truth.has_survival, PAIRS[options.missing_risk]),
    )
    counted = [(what, sum(int(metrics[name]) for name in names), of, how) for what, names, of, how in lacking]
    return "; ".join(
        f"{n} of {int(of.sum())} {what} missing or unusable, {how}" for what, n, of, how in counted if n
    )
