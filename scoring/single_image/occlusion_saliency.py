"""Saliency map by occlusion: parts of a photograph are hidden one by one behind a soft patch.

On synthetic lesions, this map finds the right place as well as 256 random masks do, with a quarter of their
runs. Patches are soft, because models react to the edges of hard ones. Finer grids are not better.
"""

import math
from collections.abc import Callable, Iterator

import numpy as np

from scoring.single_image.image_prediction import ImagePrediction
from scoring.single_image.model import OpenModel
from scoring.single_image.saliency import Progress, SaliencyMap, scores, surrounding

GRID, SMALLEST_GRID, LARGEST_GRID = 8, 5, 16
BUDGET_SECONDS = 3.0
SPREAD, FAINTEST = 0.55, 0.01


def grid_for(run_seconds: float, wanted: int = GRID, budget_seconds: float = BUDGET_SECONDS) -> int:
    """Return how many cells along each axis can be hidden one by one within the time. The number is at most
    `wanted`, and always from 5 to 16."""
    fits = math.floor(math.sqrt(budget_seconds / run_seconds)) if run_seconds > 0 else LARGEST_GRID
    return min(max(min(fits, wanted), SMALLEST_GRID), LARGEST_GRID)


def occlusion(
    model: OpenModel,
    prediction: ImagePrediction,
    grid: int = GRID,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> SaliencyMap:
    """Return the saliency map of grid x grid cells that are hidden one by one, with one run each.

    Args:
        progress: Function progress(done, total) that receives numbers of runs.

    Raises:
        Cancelled: Raised within the time of one run.
        InputRefused: If the model fails.
    """
    after = scores(
        model,
        prediction,
        ((pixels, prediction.vector) for pixels in hidden(prediction.prepared, grid)),
        grid * grid,
        progress,
        cancelled,
    )
    after = after.T.reshape(-1, grid, grid)
    drops, shape = prediction.probabilities[:, None, None] - after, prediction.prepared.shape[:2]
    return SaliencyMap(drops, prediction.probabilities, after, shape, np.zeros(len(drops)))


def hidden(pixels: np.ndarray, grid: int) -> Iterator[np.ndarray]:
    """Yield the pixels, uint8 (h, w, 3), with one cell hidden, row by row. The same array is reused for the
    next cell."""
    height, width = pixels.shape[:2]
    towards = surrounding(pixels) - pixels
    rows, columns = profiles(height, grid), profiles(width, grid)
    changed = pixels.copy()
    for across, row in rows:
        for along, column in columns:
            patch = np.outer(row, column)[..., None]
            changed[across, along] = np.rint(pixels[across, along] + towards[across, along] * patch)
            yield changed
            changed[across, along] = pixels[across, along]


def profiles(length: int, cells: int) -> list[tuple[slice, np.ndarray]]:
    """Return for each cell along `length` px the affected range, and the strength of the patch in this range.

    The strength is exp(-(d / 0.55 cells)^4) at distance d from the centre of the cell; the range ends where
    it falls below 1 %.
    """
    places = (np.arange(length) + 0.5) / length * cells - 0.5
    weights = np.exp(-(((places[:, None] - np.arange(cells)) / SPREAD) ** 4)).astype(np.float32)
    rows = []
    for weight in weights.T:
        seen = np.flatnonzero(weight > FAINTEST)
        reach = slice(int(seen[0]), int(seen[-1]) + 1)
        rows.append((reach, weight[reach]))
    return rows
