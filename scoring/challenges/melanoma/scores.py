"""Scores of melanoma: what they decide, how they rank, and what is to be said of them."""

from collections.abc import Iterator

import numpy as np

from scoring.challenges.melanoma.formula import THRESHOLD
from scoring.challenges.safe_scan.cases import SafeScanCases
from scoring.common.arrays import Bools, Floats, Ints
from scoring.common.findings import Finding, warning
from scoring.core.submission import Predictions
from scoring.metrics import calibration


def predicted_positive(outputs: Floats) -> Ints:
    """Return what scores [N, 1] decide [N]: 1 for melanoma, 0 for another, -1 where there is none."""
    return np.where(np.isnan(outputs[:, 0]), -1, (outputs[:, 0] > THRESHOLD).astype(int))


def are_risks(scores: Floats) -> bool:
    """Return whether every score lies in 0..1, up to a rounding error."""
    return bool(scores.min() >= -calibration.TOLERANCE and scores.max() <= 1 + calibration.TOLERANCE)


def score_warnings(scores: Floats, where: str) -> Iterator[Finding]:
    """Yield warnings about the finite scores of a table or a model. where: its name."""
    if len(scores) and not are_risks(scores):
        yield warning(
            "logits",
            where,
            f'scores from {scores.min():.4g} to {scores.max():.4g}: the decision is "raw value > 0.5", which '
            "for a logit means a probability above 0.62. A sigmoid belongs into the model.",
        )
    if len(scores) > 1 and scores.min() == scores.max():
        yield warning(
            "constant-output", where, f"every score is {scores[0]:g}: nothing is told apart, the AUC is 0.5."
        )


def rank_scores(truth: SafeScanCases, predictions: Predictions) -> Floats:
    """Return the scores [N] as they rank: a case without one as wrong as can be, a positive below and a
    negative above every score."""
    return np.where(
        predictions.labels < 0, np.where(truth.true_labels == 1, -np.inf, np.inf), predictions.outputs[:, 0]
    )


def decided(truth: SafeScanCases, predictions: Predictions) -> Bools:
    """Return which cases count as called positive [N]: a case without a score as the opposite of its
    label."""
    calls: Bools = np.where(predictions.labels < 0, truth.true_labels == 0, predictions.labels == 1)
    return calls


def tied_pairs(scores: Floats, positive: Bools) -> int:
    """Count the pairs of a positive and a negative with the same score."""
    values, place = np.unique(scores, return_inverse=True)
    return int(
        np.dot(
            np.bincount(place[positive], minlength=len(values)),
            np.bincount(place[~positive], minlength=len(values)),
        )
    )
