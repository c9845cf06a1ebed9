"""Calibration of outputs as probabilities: expected calibration error, Brier score, temperature."""

from dataclasses import dataclass

import numpy as np
import scipy

from scoring.common.arrays import Array, Bools, Floats, Ints
from scoring.metrics.classification import weighted_mean
from scoring.metrics.output_kinds import output_kind
from scoring.statistics.intervals import wilson

BINS = 10
SMALLEST_PROBABILITY = 1e-12
LEAST_OUTPUT = 1e-15
LOG_TEMPERATURES = (-3, 3)
LIMIT_MARGIN = 0.01


def log_losses(outputs: Floats, truth: Ints, highest: float = np.inf) -> Floats:
    """Return the log loss of each case: -ln of the output for its true class, with outputs below 1e-15 raised
    to 1e-15.

    Args:
        outputs: Probabilities [N, K], 0..1, or the probability of the second of two classes [N].
        truth: Class number of each case [N], 0..K-1.

    Returns:
        Losses [N], at least 0.
    """
    probabilities = np.clip(outputs, LEAST_OUTPUT, highest)
    if probabilities.ndim == 1:
        probabilities = np.column_stack([1 - probabilities, probabilities])
    losses: Floats = -np.log(probabilities[np.arange(len(truth)), truth])
    return losses


def brier_scores(outputs: Floats, truth: Ints) -> Floats:
    """Return the Brier score of each case, the sum over the classes of (output - one-hot)^2.

    Args:
        outputs: Probabilities [N, K], 0..1.
        truth: Class number of each case [N], 0..K-1.

    Returns:
        Scores [N], 0..2.
    """
    scores: Floats = ((outputs - (truth[:, None] == np.arange(outputs.shape[1]))) ** 2).sum(1)
    return scores


def apply_temperature(probabilities: Floats, temperature: float) -> Floats:
    """Scale probabilities by a temperature: softmax of ln(p) / T (Guo et al. 2017).

    Args:
        probabilities: Probabilities [..., K], 0..1.
        temperature: T, above 0. With T above 1, probabilities become more similar to each other.

    Returns:
        Probabilities of the same shape.
    """
    logits = np.log(np.maximum(probabilities, SMALLEST_PROBABILITY)) / temperature
    return np.exp(logits - scipy.special.logsumexp(logits, axis=-1, keepdims=True))


def fit_temperature(probabilities: Floats, truth: Ints) -> float:
    """Find the temperature for which the mean log loss is smallest.

    Args:
        probabilities: Probabilities [n, K], 0..1.
        truth: Class number of each case [n], 0..K-1.

    Returns:
        The temperature, exp(-3)..exp(3); 1 without a case.
    """
    if not len(truth):
        return 1.0

    def loss(log_temperature: float) -> float:
        return float(log_losses(apply_temperature(probabilities, np.exp(log_temperature)), truth).mean())

    minimum = scipy.optimize.minimize_scalar(loss, bounds=LOG_TEMPERATURES, method="bounded")
    return float(np.exp(minimum.x))


def is_at_limit(temperature: float) -> bool:
    """Return whether a fitted temperature is at a limit of the search. A temperature beyond the limit may
    then fit better.

    Example:
        >>> is_at_limit(20.08), is_at_limit(1.7)
        (True, False)
    """
    return bool(abs(np.log(temperature)) >= max(LOG_TEMPERATURES) - LIMIT_MARGIN)


@dataclass(frozen=True)
class Reliability:
    """Cases in ten bins of equal width, by their largest output. Values of an empty bin are NaN.

    Attributes:
        predicted: Mean output of each bin [10], 0..1.
        observed: Share of correctly classified cases in each bin [10], 0..1.
        low: Lower Wilson 95 % bound of `observed` [10].
        high: Upper Wilson 95 % bound of `observed` [10].
        n: Number of cases of each bin [10].
    """

    predicted: Floats
    observed: Floats
    low: Floats
    high: Floats
    n: Ints

    @property
    def arrays(self) -> dict[str, Array]:
        """The attributes by their names in a scorecard's `arrays`, such as `reliability_predicted`."""
        return {f"reliability_{name}": values for name, values in vars(self).items()}

    @property
    def expected_calibration_error(self) -> float:
        """Expected calibration error, 0..1: mean absolute difference of `observed` and `predicted`, weighted
        by the number of cases of each bin. NaN without cases."""
        filled = self.n > 0
        if not filled.any():
            return float("nan")
        apart = np.abs(self.observed - self.predicted)[filled]
        return float(np.sum(self.n[filled] / self.n.sum() * apart))


def of_largest(outputs: Floats, right: Bools) -> "Reliability | None":
    """Return the reliability of the largest output in ten bins; None if there are no outputs or they are not
    probabilities.

    Args:
        outputs: Outputs [N, K].
        right: Whether each case is right [N].
    """
    if not len(outputs) or output_kind(outputs) != "probabilities":
        return None
    return reliability(outputs.max(1), right)


def reliability(confidence: Floats, correct: Bools) -> Reliability:
    """Compare the largest output of each case with the share of right cases, in ten bins.

    Args:
        confidence: The largest output v of each case [N], 0..1; its bin is ceil(10 v) - 1, within 0..9.
        correct: Whether the class of that output is the true one [N].
    """
    bins = _bins(confidence, BINS)
    n, hits = np.bincount(bins, minlength=BINS), np.bincount(bins, weights=correct, minlength=BINS)
    with np.errstate(invalid="ignore"):
        predicted, observed = np.bincount(bins, weights=confidence, minlength=BINS) / n, hits / n
    low, high = wilson(hits, n)
    return Reliability(predicted, observed, low, high, n)


def expected_errors(confidence: Floats, correct: Bools, weights: Floats, bins: int = BINS) -> Floats:
    """Return the expected calibration error of every replicate (Guo et al. 2017).

    Args:
        confidence: The largest output v of each case [N], 0..1; its bin is ceil(bins v) - 1, within
            0..bins - 1.
        correct: Whether the class of that output is the true one [N].
        weights: Weights of the cases [B, N].

    Returns:
        Sum over the bins of (share of all cases) x |share of right cases in the bin - mean output in the
        bin|, [B], 0..1; NaN without a case.
    """
    of_bin, surplus = _bins(confidence, bins), correct - confidence
    total = weights.sum(1, dtype=float)
    parts = [weighted_mean(np.where(of_bin == b, surplus, 0), weights) for b in np.unique(of_bin)]
    return np.where(total > 0, np.abs(parts).sum(0), np.nan)


def _bins(confidence: Floats, bins: int) -> Ints:
    numbers: Ints = np.clip(np.ceil(bins * confidence).astype(int) - 1, 0, bins - 1)
    return numbers
