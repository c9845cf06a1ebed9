"""Quantities of overlapping regions. Weights come in bulk: row b of W [B, N] is one (resampled) test set."""

import numpy as np
import scipy

from scoring.metrics.classification import divide

BOTH_EMPTY = {"one": 1.0, "zero": 0.0, "skip": np.nan}
"""The Dice of two empty regions, by rule; NaN leaves the mean."""


def overlap(tables: np.ndarray, label: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Voxels [N] of one label in both masks, in the truth and in the prediction, from tables [N, L, L] of
    voxels by label (rows: truth)."""
    return tables[:, label, label], tables[:, label].sum(1), tables[:, :, label].sum(1)


def dice(both: np.ndarray, truth: np.ndarray, prediction: np.ndarray, empty: str = "one") -> np.ndarray:
    """2|G and P| / (|G| + |P|) from counts of voxels, any shape; where both are empty 1, 0 or NaN by `empty`
    ("one", "zero", "skip")."""
    return divide(2.0 * both, truth + prediction, BOTH_EMPTY[empty])


def mean_dice(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weighted mean [B] of Dice values [N]; NaN values have no weight, and without any weight the mean is
    NaN."""
    defined = np.isfinite(values)
    weights = weights[:, defined].astype(float)
    return divide(weights @ values[defined], weights.sum(1))


def aggregated_dice(
    both: np.ndarray, truth: np.ndarray, prediction: np.ndarray, weights: np.ndarray, empty: str = "one"
) -> np.ndarray:
    """Dice [B] of all cases taken as one: 2 sum|G and P| / sum(|G| + |P|) of counts [N] (DSC_agg of HECKTOR
    2022)."""
    weights = weights.astype(float)
    return dice(weights @ both, weights @ truth, weights @ prediction, empty)


def components(region: np.ndarray) -> tuple[np.ndarray, int]:
    """Connected parts of a bool array: voxels that touch by a face, an edge or a corner (26 neighbours in
    3D). int32 numbers 1..n, 0 outside, and n."""
    numbered, count = scipy.ndimage.label(region, np.ones((3,) * region.ndim, int), np.int32)
    return numbered, int(count)


def shared_voxels(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of two arrays of component numbers: every pair [P] that shares voxels, by first number then second, and
    how many voxels [P]."""
    both = (first > 0) & (second > 0)
    pairs, voxels = np.unique(np.stack([first[both], second[both]]), axis=1, return_counts=True)
    return pairs[0], pairs[1], voxels


def one_to_one(first: np.ndarray, second: np.ndarray, iou: np.ndarray, above: float) -> list[int]:
    """Which of the pairs [P] are matched: by descending intersection over union, ties in the order given,
    each part once, and only `iou > above`."""
    matched, used_first, used_second = [], set(), set()
    for pair in np.argsort(-iou, kind="stable"):
        if iou[pair] > above and first[pair] not in used_first and second[pair] not in used_second:
            matched.append(int(pair))
            used_first.add(first[pair])
            used_second.add(second[pair])
    return matched
