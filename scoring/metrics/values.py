"""Metrics of predicted numbers, as the registry calls them: of values, of the places of ordered classes, and
of risks."""

from collections.abc import Callable

import numpy as np

from scoring.common.arrays import Floats
from scoring.metrics import survival
from scoring.metrics.classification import CHUNK_CELLS, divide, weighted_mean
from scoring.metrics.task_cases import LabelledCases, SurvivalCases, ValueCases

ROUNDING = 1e-12
"""A variance below this share of the values' mean square is a rounding error of 0."""
Pairs = ValueCases | LabelledCases


def mae(cases: Pairs, weights: Floats) -> Floats:
    """Return the mean absolute error [B]."""
    truth, predicted = _values(cases)
    return weighted_mean(np.abs(truth - predicted), weights)


def rmse(cases: Pairs, weights: Floats) -> Floats:
    """Return the root of the mean squared error [B]."""
    truth, predicted = _values(cases)
    return np.sqrt(weighted_mean((truth - predicted) ** 2, weights))


def r2(cases: Pairs, weights: Floats) -> Floats:
    """Return the coefficient of determination [B]; NaN where the truth does not vary."""
    truth, predicted = _values(cases)
    spread = _moments(cases, weights)[2]
    return 1 - divide(weighted_mean((truth - predicted) ** 2, weights), spread, np.nan)


def pearson(cases: Pairs, weights: Floats) -> Floats:
    """Return Pearson's correlation [B]; NaN where truth or prediction does not vary."""
    _, _, of_truth, of_guess, together = _moments(cases, weights)
    return divide(together, np.sqrt(of_truth * of_guess))


def concordance(cases: Pairs, weights: Floats) -> Floats:
    """Return Lin's concordance correlation [B]; NaN where all numbers are one and the same."""
    mean_truth, mean_guess, of_truth, of_guess, together = _moments(cases, weights)
    return divide(2 * together, of_truth + of_guess + (mean_truth - mean_guess) ** 2)


def spearman(cases: Pairs, weights: Floats) -> Floats:
    """Return Spearman's rank correlation [B], with mean ranks of ties; NaN where one side does not vary."""
    ranks = [_ranking(values) for values in _values(cases)]
    rows, found = max(1, CHUNK_CELLS // max(1, weights.shape[1])), np.full(len(weights), np.nan)
    for start in range(0, len(weights), rows):
        chunk = weights[start : start + rows].astype(float)
        half = chunk.sum(1, keepdims=True) / 2
        truth, guess = (rank(chunk) - half for rank in ranks)
        of_truth, of_guess, together = (
            np.einsum("bn,bn,bn->b", chunk, a, b) for a, b in ((truth, truth), (guess, guess), (truth, guess))
        )
        found[start : start + rows] = divide(together, np.sqrt(of_truth * of_guess))
    return found


def c_index(cases: SurvivalCases, weights: Floats, missing: str) -> Floats:
    """Return Harrell's C-index [B]; `missing` says how a pair with a patient without a score counts."""
    pairs = survival.pairs(cases.time, cases.event, cases.risk, weights)
    return survival.c_index(pairs, missing)


def uno_c_index(cases: SurvivalCases, weights: Floats, horizon: float | None = None) -> Floats:
    """Return Uno's C-index [B] of events before a time."""
    return survival.uno_c_index(cases.time, cases.event, cases.risk, weights, horizon)


def _ranking(values: Floats) -> Callable[[Floats], Floats]:
    """Return what gives each case [N] its rank under weights [b, N]: the weight below it and half of its
    own."""
    _, first, numbers = np.unique(np.sort(values), return_index=True, return_inverse=True)
    order = np.argsort(values, kind="stable")
    place = np.empty(len(values), int)
    place[order] = numbers

    def ranks(weights: Floats) -> Floats:
        at = np.add.reduceat(weights[:, order], first, axis=1)
        middle: Floats = np.cumsum(at, axis=1) - at / 2
        return middle[:, place]

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
