"""Saliency map from many runs, each with a random half of the photograph hidden (RISE; Petsiuk, Das, Saenko
2018).

A drop is reported for each position: the slope of the score against the visibility of the position. It is the
covariance of score and mask, divided by the variance of the mask at this position. For a model that looks at
only one position, it equals the change of the score when this position is hidden.
"""

from collections.abc import Callable, Iterator

import numpy as np

from scoring.single_image.image_prediction import ImagePrediction
from scoring.single_image.model import OpenModel
from scoring.single_image.saliency import Progress, SaliencyMap, enlarged, scores, surrounding

COUNT, GRID, SHOWN, FINER = 256, 6, 0.5, 4
BY_CHANCE = 3.7
"""Limit in standard errors. If no part affects the score, all slopes of a map are within this limit in 95 of
100 maps (from simulations)."""


def masks(
    model: OpenModel,
    prediction: ImagePrediction,
    count: int = COUNT,
    seed: int = 0,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> SaliencyMap:
    """Return the saliency map from `count` random masks, with one run each.

    Args:
        progress: Function progress(done, total) that receives numbers of runs.

    Raises:
        Cancelled: Raised within the time of one run.
        InputRefused: If the model fails.
    """
    drawn = random_masks(count, seed)
    probabilities = scores(
        model,
        prediction,
        ((pixels, prediction.vector) for pixels in masked(prediction.prepared, drawn)),
        count,
        progress,
        cancelled,
    )
    drops, noise = slopes(probabilities, drawn)
    return SaliencyMap(drops, prediction.probabilities, None, prediction.prepared.shape[:2], noise)


def slopes(scores: np.ndarray, drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how far scores fall if a part of the image is hidden [K, g, g], and how far they can fall by
    chance alone [K].

    Args:
        scores: Scores [count, K].
        drawn: Masks [count, g, g].
    """
    weights = drawn.reshape(len(drawn), -1)
    covariance = (scores - scores.mean(0)).T @ (weights - weights.mean(0)) / len(drawn)
    variance = weights.var(0)
    noise = BY_CHANCE * scores.std(0) / np.sqrt(len(drawn) * variance.mean())
    return (covariance / variance).reshape(-1, *drawn.shape[1:]), noise


def random_masks(count: int, seed: int) -> np.ndarray:
    """Return random masks 0..1 [count, 24, 24]. Each cell of a 6 x 6 grid is shown or hidden at random. The
    grid is interpolated bilinearly and shifted by quarters of a cell."""
    random = np.random.default_rng(seed)
    fine, coarse = FINER * GRID, GRID + 1
    drawn = np.empty((count, fine, fine), np.float32)
    for mask in drawn:
        down, right = random.integers(0, FINER, 2)
        cells = (random.random((coarse, coarse)) < SHOWN).astype(np.float32)
        mask[:] = enlarged(cells, FINER * coarse, FINER * coarse)[down : down + fine, right : right + fine]
    return drawn


def masked(pixels: np.ndarray, drawn: np.ndarray) -> Iterator[np.ndarray]:
    """Yield for each mask [g, g] an image, uint8 (h, w, 3): the pixels where the mask is 1, and the
    surrounding colour where it is 0."""
    height, width = pixels.shape[:2]
    around = surrounding(pixels)
    above = pixels - around
    pictures = np.empty_like(above)
    for mask in drawn:
        np.multiply(above, enlarged(mask, height, width)[..., None], out=pictures)
        np.add(pictures, around, out=pictures)
        yield np.rint(pictures, out=pictures).astype(np.uint8)
