"""What a pathologist counts: shares of lymphocytes, densities, distances from tumour to immune cells. Not ranked, and no diagnosis."""

from collections.abc import Sequence

import numpy as np
from scipy.spatial import cKDTree

from scoring.challenges.puma.formula import MICROMETRES_PER_PIXEL
from scoring.challenges.puma.names import CLASSES
from scoring.metrics.classification import divide

TUMOR, LYMPHOCYTES = CLASSES.index("tumor"), CLASSES.index("lymphocytes")
NEAR_MICROMETRES = (20, 50)


def til_share(counts: np.ndarray) -> np.ndarray:
    """Lymphocytes / all nuclei from counts [..., 10]; NaN without a nucleus."""
    return divide(counts[..., LYMPHOCYTES], counts.sum(-1))


def square_millimetres(sizes: np.ndarray) -> np.ndarray:
    """Area [N] of images of sizes [N, 2] px."""
    return sizes.astype(float).prod(-1) * MICROMETRES_PER_PIXEL**2 / 1e6


def tumor_to_lymphocyte(classes: Sequence[np.ndarray], points: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Of each image, um from every tumour nucleus to the nearest lymphocyte; empty where either class is absent. points: px."""
    return [_to_nearest(p[c == TUMOR], p[c == LYMPHOCYTES]) * MICROMETRES_PER_PIXEL for c, p in zip(classes, points, strict=True)]


def _to_nearest(points: np.ndarray, others: np.ndarray) -> np.ndarray:
    return cKDTree(others).query(points)[0] if len(points) and len(others) else np.empty(0)


def summary(distances: np.ndarray) -> dict | None:
    """n, median (um) and the share within 20 and 50 um; None without any."""
    if not len(distances):
        return None
    return {
        "n": len(distances),
        "median": float(np.median(distances)),
        **{f"within_{reach}": float((distances <= reach).mean()) for reach in NEAR_MICROMETRES},
    }
