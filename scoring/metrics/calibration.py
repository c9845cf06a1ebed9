"""How far outputs that claim to be probabilities can be taken at their word."""

from dataclasses import dataclass

import numpy as np
import scipy

from scoring.statistics.intervals import wilson

BINS = 10
TOLERANCE, SUM_TOLERANCE = 1e-6, 1e-3
SMALLEST_PROBABILITY = 1e-12
LOG_TEMPERATURES = (-3, 3)


def output_kind(outputs: np.ndarray) -> str:
    """What outputs [N, K] (finite) look like: "probabilities", "logits" (a value outside 0..1) or
    "not-normalised" (a row sum off 1 by over 1e-3)."""
    if not len(outputs):
        return "probabilities"
    if outputs.min() < -TOLERANCE or outputs.max() > 1 + TOLERANCE:
        return "logits"
    return "not-normalised" if np.abs(outputs.sum(1) - 1).max() > SUM_TOLERANCE else "probabilities"


def log_losses(outputs: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """-ln(max(q, 1e-15)) per case [N], q = output of the true class."""
    return -np.log(np.maximum(outputs[np.arange(len(truth)), truth], 1e-15))


def brier_scores(outputs: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Sum over the classes of (output - one-hot)^2 per case [N], 0..2."""
    return ((outputs - (truth[:, None] == np.arange(outputs.shape[1]))) ** 2).sum(1)


def softmax(logits: np.ndarray) -> np.ndarray:
    """Rows [N, K] that sum to 1."""
    return np.exp(logits - scipy.special.logsumexp(logits, axis=1, keepdims=True))


def tempered(probabilities: np.ndarray, temperature: float) -> np.ndarray:
    """Probabilities [..., K] after a temperature: softmax of ln(p) / T; above 1 it makes them more alike (Guo
    2017)."""
    logits = np.log(np.maximum(probabilities, SMALLEST_PROBABILITY)) / temperature
    return np.exp(logits - scipy.special.logsumexp(logits, axis=-1, keepdims=True))


def temperature(probabilities: np.ndarray, truth: np.ndarray) -> float:
    """The temperature that makes the mean log loss of probabilities [n, K] for the classes truth [n]
    smallest; 1 without a case."""
    if not len(truth):
        return 1.0
    found = scipy.optimize.minimize_scalar(
        lambda log: log_losses(tempered(probabilities, np.exp(log)), truth).mean(),
        bounds=LOG_TEMPERATURES,
        method="bounded",
    )
    return float(np.exp(found.x))


@dataclass(frozen=True)
class Reliability:
    """Ten equal bins of the largest output: mean output, share right with Wilson 95 % bounds, number of
    cases; NaN where a bin is empty."""

    said: np.ndarray
    right: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n: np.ndarray

    @property
    def expected_calibration_error(self) -> float:
        """Sum over bins of share of cases x |share right - mean output|."""
        filled = self.n > 0
        return (
            float(np.sum(self.n[filled] / self.n.sum() * np.abs(self.right - self.said)[filled]))
            if filled.any()
            else float("nan")
        )


def reliability(confidence: np.ndarray, correct: np.ndarray) -> Reliability:
    """Bins of confidence [N] in 0..1 (the largest output) with correct bool [N]: bin ceil(10 v) - 1 within
    0..9."""
    place = np.clip(np.ceil(BINS * confidence).astype(int) - 1, 0, BINS - 1)
    n, hits = np.bincount(place, minlength=BINS), np.bincount(place, weights=correct, minlength=BINS)
    with np.errstate(invalid="ignore"):
        said, right = np.bincount(place, weights=confidence, minlength=BINS) / n, hits / n
    low, high = wilson(hits, n)
    return Reliability(said, right, low, high, n)
