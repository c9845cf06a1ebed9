"""Metrics of the registry for predicted numbers: MAE, RMSE, R2, correlations and C-index."""

from collections.abc import Callable

import numpy as np

from scoring.common.arrays import Floats
from scoring.metrics import survival
from scoring.metrics.classification import CHUNK_CELLS, divide, weighted_mean
from scoring.metrics.task_cases import LabelledCases, SurvivalCases, ValueCases

ROUNDING = 1e-12
"""A variance below this share of the mean square counts as 0, because it is rounding error."""
Pairs = ValueCases | LabelledCases


def _of_errors(error: Callable[[Floats], Floats]) -> Callable[[Pairs, Floats], Floats]:
    """Return the metric that is the mean of an error of each difference [B]."""

    def formula(cases: Pairs, weights: Floats) -> Floats:
        truth, predicted = _values(cases)
        return weighted_mean(error(truth - predicted), weights)

    return formula


def _of_moments(quantity: Callable[..., Floats]) -> Callable[[Pairs, Floats], Floats]:
    """Return the metric that is a quantity of means, variances and covariance [B]."""
    return lambda cases, weights: quantity(*_moments(cases, weights))


mae, mean_squared_error = _of_errors(np.abs), _of_errors(np.square)
# Neither side may vary not at all; and of all numbers one and the same there is no concordance.
pearson = _of_moments(lambda _x, _y, truth, guess, both: divide(both, np.sqrt(truth * guess)))
concordance = _of_moments(lambda x, y, truth, guess, both: divide(2 * both, truth + guess + (x - y) ** 2))


def rmse(cases: Pairs, weights: Floats) -> Floats:
    """Return the root of the mean squared error [B].

    Args:
        weights: Weights of the cases [B, N].
    """
    return np.sqrt(mean_squared_error(cases, weights))


def r2(cases: Pairs, weights: Floats) -> Floats:
    """Return the coefficient of determination [B]; NaN if the truth does not vary.

    Args:
        weights: Weights of the cases [B, N].
    """
    return 1 - divide(mean_squared_error(cases, weights), _moments(cases, weights)[2])


def spearman(cases: Pairs, weights: Floats) -> Floats:
    """Return Spearman's rank correlation [B], with mean ranks for ties; NaN if truth or prediction does not
    vary.

    Args:
        weights: Weights of the cases [B, N].
    """
    ranks = [_ranking(numbers) for numbers in _values(cases)]
    rows, values = max(1, CHUNK_CELLS // max(1, weights.shape[1])), np.full(len(weights), np.nan)
    for start in range(0, len(weights), rows):
        chunk = weights[start : start + rows].astype(float)
        half = chunk.sum(1, keepdims=True) / 2
        truth, guess = (rank(chunk) - half for rank in ranks)
        of_truth, of_guess, together = (
            np.einsum("bn,bn,bn->b", chunk, a, b) for a, b in ((truth, truth), (guess, guess), (truth, guess))
        )
        values[start : start + rows] = divide(together, np.sqrt(of_truth * of_guess))
    return values


def c_index(cases: SurvivalCases, weights: Floats, missing: str) -> Floats:
    """Return Harrell's C-index [B].

    Args:
        weights: Weights of the patients [B, N].
        missing: How to count pairs in which a patient has no score, see `survival.c_index`.
    """
    pairs = survival.pairs(cases.time, cases.event, cases.risk, weights)
    return survival.c_index(pairs, missing)


def uno_c_index(cases: SurvivalCases, weights: Floats, horizon: float | None = None) -> Floats:
    """Return Uno's C-index [B].

    Args:
        weights: Weights of the patients [B, N].
        horizon: Only events before this time count; None: all events.
    """
    return survival.uno_c_index(cases.time, cases.event, cases.risk, weights, horizon)


def _ranking(values: Floats) -> Callable[[Floats], Floats]:
    """Return what gives each case [N] its rank under weights [b, N]: the weight below it and half of its
    own."""
    _, first, numbers = np.unique(np.sort(values), return_index=True, return_inverse=True)
    order = np.argsort(values, kind="stable")
    level = np.empty(len(values), int)
    level[order] = numbers

    def ranks(weights: Floats) -> Floats:
        at = np.add.reduceat(weights[:, order], first, axis=1)
        middle: Floats = np.cumsum(at, axis=1) - at / 2
        return middle[:, level]

    return ranks


def _values(cases: Pairs) -> tuple[Floats, Floats]:
    """Return truth and prediction [N]; of ordered classes their places, from 0."""
    assert cases.predicted is not None
    return cases.truth.astype(float), cases.predicted.astype(float)


def _moments(cases: Pairs, weights: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Return means and variances of truth and prediction and their covariance, [B] each."""
    truth, predicted = _values(cases)
    # Around a number near the mean little is lost in the differences of squares below.
    middle = truth.mean() if len(truth) else 0.0
    x, y = truth - middle, predicted - middle
    mean_x, mean_y, xx, yy, xy = (weighted_mean(v, weights) for v in (x, y, x * x, y * y, x * y))
    of_x, of_y = (
        np.where(square - mean**2 > ROUNDING * square, square - mean**2, 0)
        for square, mean in ((xx, mean_x), (yy, mean_y))
    )
    return mean_x, mean_y, of_x, of_y, xy - mean_x * mean_y
