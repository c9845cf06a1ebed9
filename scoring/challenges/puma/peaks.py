"""Nuclei in a map of probabilities: peaks with an outline around each."""

import numpy as np
from scipy.ndimage import center_of_mass, gaussian_filter, label, maximum_filter
from scipy.spatial import cKDTree

from scoring.common.arrays import Floats
from scoring.inputs.nuclei.reader import Nuclei

SMOOTHING, NEIGHBOURS = 0.8, 5
"""Cells of the output: the width of the smoothing, and within how many only the highest peak counts."""
REACH = 8
"""And how far at least, px to each side: a model that answers for every pixel has many cells per nucleus."""
LEAST = 0.40
"""Probability that some nucleus is there."""
RAYS, LONGEST = 16, 40.0
"""Vertices of an outline (an even number), and their maximum distance from the peak in px."""
CLOSE = 6
"""Neighbouring peaks that an outline ends halfway to."""
GRID = 64
"""Places are whole multiples of 1 / 64 px: sums of them are exact, and a file gives the same places again."""


def peaks(answer: Floats, stride: float, least: float = LEAST) -> Nuclei:
    """Return nuclei where "not background" is highest around and above a probability.

    Cells that are equally high and touch are one nucleus: a sure model gives 1 all over it. The outline
    ends where the probability falls below `least`, at most halfway to the next peaks, at equal distances
    in opposite directions: so the mean of its vertices is the peak, which is scored.

    Args:
        answer: Probabilities [1 + 10, h, w], first background.
        stride: px per cell.

    Returns:
        Nuclei with the probability of their class as confidence. Their key is `probability`, as on the
        platform, so that `scores` are 1.
    """
    smooth = gaussian_filter(answer, (0, SMOOTHING, SMOOTHING))
    some = 1 - smooth[0]
    summits, count = label(
        (some == maximum_filter(some, max(NEIGHBOURS, 2 * round(REACH / stride) + 1))) & (some > least),
        np.ones((3, 3)),
    )
    cells = np.reshape(center_of_mass(summits > 0, summits, range(1, count + 1)), (count, 2))
    rows, columns = np.rint(cells).astype(int).T
    classes = smooth[1:, rows, columns].argmax(0)
    confidences = np.clip(smooth[1 + classes, rows, columns], 0, 1).astype(float)
    centres = _on_grid((cells[:, ::-1] + 0.5) * stride)
    outlines = centres[:, None] + _offsets(some > least, centres, stride)
    return Nuclei(
        classes.astype(np.int8),
        centres,
        confidences,
        np.ones(count),
        np.arange(count, dtype=np.int32),
        outlines.reshape(-1, 2).astype(np.float32),
        (np.arange(count + 1) * RAYS).astype(np.uint32),
    )


def _offsets(inside: np.ndarray, centres: Floats, stride: float) -> Floats:
    """Return the vertices of each outline from its centre [n, RAYS, 2], px. inside: cells [h, w]."""
    angles = np.arange(RAYS) * (2 * np.pi / RAYS)
    directions = np.stack([np.cos(angles), np.sin(angles)], 1)
    away = np.arange(1, int(2 * LONGEST / stride) + 2) * (stride / 2)
    places = centres[:, None, None] + away[:, None] * directions[:, None]
    columns, rows = np.moveaxis(np.floor(places / stride).astype(int), -1, 0)
    height, width = inside.shape
    within = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    within[within] = inside[rows[within], columns[within]]
    beyond = np.concatenate([~within, np.ones((*within.shape[:2], 1), bool)], 2)
    reach = np.minimum((beyond.argmax(2) + 0.5) * (stride / 2), _halfway(centres, directions))
    opposite = np.roll(reach, RAYS // 2, axis=1)
    half = np.clip((reach + opposite)[:, : RAYS // 2] / 2, max(1.0, stride / 2), LONGEST)
    offsets = _on_grid(half[..., None] * directions[: RAYS // 2])
    return np.concatenate([offsets, -offsets], 1)


def _halfway(centres: Floats, directions: Floats) -> Floats:
    """Return how far each direction [r, 2] goes from each centre until another is as near [n, r]."""
    if len(centres) < 2:
        return np.full((len(centres), len(directions)), LONGEST)
    near = np.asarray(cKDTree(centres).query(centres, min(CLOSE + 1, len(centres)))[1])
    apart = centres[near[:, 1:]] - centres[:, None]
    along = apart @ directions.T
    squared = (apart**2).sum(2, keepdims=True)
    ends: Floats = np.divide(squared, 2 * along, out=np.full(along.shape, LONGEST), where=along > 0)
    halfway: Floats = ends.min(1)
    return halfway


def _on_grid(places: Floats) -> Floats:
    """Return places rounded to the grid, px."""
    return np.rint(places * GRID) / GRID
