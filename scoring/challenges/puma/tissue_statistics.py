"""Tissue statistics: shares of lymphocytes, densities, distances from tumour to immune cells. Not ranked."""

from itertools import pairwise

import numpy as np
import scipy

from scoring.challenges.puma.formula import MICROMETRES_PER_PIXEL
from scoring.challenges.puma.nucleus_classes import CLASSES
from scoring.common.arrays import Floats
from scoring.metrics.classification import divide

TUMOR, LYMPHOCYTES = CLASSES.index("tumor"), CLASSES.index("lymphocytes")
NEAR_MICROMETRES = (20, 50)
NO_CLASS = -1


def til_share(counts: np.ndarray) -> np.ndarray:
    """Lymphocytes / all nuclei from counts [..., 10]; NaN without a nucleus."""
    return divide(counts[..., LYMPHOCYTES], counts.sum(-1))


def square_millimetres(sizes: np.ndarray) -> np.ndarray:
    """Area [N] of images of sizes [N, 2] px."""
    area: Floats = sizes.astype(float).prod(-1) * MICROMETRES_PER_PIXEL**2 / 1e6
    return area


def tumor_to_lymphocyte(
    classes: np.ndarray, points: np.ndarray, first: np.ndarray, counting: np.ndarray
) -> np.ndarray:
    """um from every tumour nucleus to the nearest lymphocyte of its image [n]; NaN for other nuclei and in
    images without lymphocytes.

    points: px [n, 2]. first: where the nuclei of each image begin [N + 1]. kept: nuclei that count, bool [n].
    """
    away = np.full(len(classes), np.nan)
    for start, end in pairwise(first):
        here, positions = np.where(counting[start:end], classes[start:end], NO_CLASS), points[start:end]
        tumor, lymphocytes = np.flatnonzero(here == TUMOR), positions[here == LYMPHOCYTES]
        if len(tumor) and len(lymphocytes):
            nearest = (
                positions[tumor] - lymphocytes[scipy.spatial.cKDTree(lymphocytes).query(positions[tumor])[1]]
            )
            away[start + tumor] = np.sqrt(nearest[:, 0] ** 2 + nearest[:, 1] ** 2) * MICROMETRES_PER_PIXEL
    return away


def drawn_within(*distances: np.ndarray) -> np.ndarray:
    """Return where to draw shares of distances (um): 61 places from 0 to where 99 % of all that are defined
    lie, a multiple of 60."""
    defined = np.concatenate([values[~np.isnan(values)] for values in distances])
    most = np.percentile(defined, 99, method="higher") if len(defined) else 0.0
    return np.linspace(0, 60 * max(1.0, np.ceil(most / 60)), 61)


def cumulative(distances: np.ndarray, within: np.ndarray) -> np.ndarray | None:
    """Return the share of the defined distances (um) that is at most each of `within` [n]; None if
    there are none."""
    defined = np.sort(distances[~np.isnan(distances)])
    return np.searchsorted(defined, within, side="right") / len(defined) if len(defined) else None


def summary(distances: np.ndarray) -> dict[str, float] | None:
    """n, median (um) and the share within 20 and 50 um of the distances that are defined; None if
    there are none."""
    distances = distances[~np.isnan(distances)]
    if not len(distances):
        return None
    return {
        "n": len(distances),
        "median": float(np.median(distances)),
        **{f"within_{reach}": float((distances <= reach).mean()) for reach in NEAR_MICROMETRES},
    }
