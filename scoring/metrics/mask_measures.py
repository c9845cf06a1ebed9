"""Compare one structure in two masks: its voxels for Dice, Hausdorff distance (HD95), surface Dice, lesions.

Only one pair of masks is in memory at a time. All computation uses only the box around both masks.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from scoring.common.arrays import Array, Bools, Floats
from scoring.metrics import surface_distances
from scoring.metrics.connected_components import components, shared_voxels
from scoring.metrics.greedy_matching import match_by_overlap

HAUSDORFF_SHARE = 0.95
Measured = tuple[float, ...]


@dataclass(frozen=True, eq=False)
class RegionPair:
    """A structure in truth and prediction, within the box around both.

    Attributes:
        truth: Which voxels of the box are in the structure, 2D or 3D.
        prediction: Which voxels are predicted, of the same shape.
        spacing: Edge lengths of a voxel in mm.
        shape: Voxels of the whole image along each axis.
    """

    truth: Bools
    prediction: Bools
    spacing: tuple[float, ...]
    shape: tuple[int, ...]

    @property
    def voxel_ml(self) -> float:
        """Volume of a voxel in millilitres; for a pixel, its area in mm2."""
        size = float(np.prod(self.spacing))
        return size / 1000 if len(self.spacing) == 3 else size

    @property
    def diagonal(self) -> float:
        """Diagonal of the image in mm, an upper bound of all distances."""
        return float(np.linalg.norm(np.multiply(self.shape, self.spacing)))

    @cached_property
    def surfaces(self) -> tuple[surface_distances.Surface, surface_distances.Surface]:
        """Surfaces of truth and prediction."""
        return surface_distances.surface(self.truth, self.spacing), surface_distances.surface(
            self.prediction, self.spacing
        )

    @cached_property
    def distances(self) -> tuple[Floats, Floats]:
        """Distances in mm from each element of the truth's surface to the prediction's surface, and back."""
        true, guess = self.surfaces
        return surface_distances.distances(true, guess, self.spacing), surface_distances.distances(
            guess, true, self.spacing
        )

    @cached_property
    def sizes(self) -> tuple[float, float, float]:
        """Number of voxels in both masks, in the truth and in the prediction."""
        masks = (self.truth & self.prediction, self.truth, self.prediction)
        both, true, guess = (float(np.count_nonzero(mask)) for mask in masks)
        return both, true, guess


def region_pairs(
    truth: Array, prediction: Array, spacing: Sequence[float], regions: Sequence[Collection[int]]
) -> Iterator[RegionPair]:
    """Yield each structure of two label images.

    Args:
        truth: Label of each voxel, 2D or 3D.
        prediction: Predicted label of each voxel, of the same shape.
        spacing: Edge lengths of a voxel in mm, in the order of the axes.
        regions: The labels that make up each structure.
    """
    if not truth.flags.c_contiguous and truth.flags.f_contiguous:
        truth, prediction, spacing = truth.T, prediction.T, spacing[::-1]
    outer = _box(truth, prediction)
    parts = truth[outer], prediction[outer]
    for labels in regions:
        inside = [_is_one_of(part, labels) for part in parts]
        box = _box(*inside)
        yield RegionPair(inside[0][box], inside[1][box], tuple(map(float, spacing)), truth.shape)


def _is_one_of(labels: Array, wanted: Collection[int]) -> Bools:
    is_inside = np.zeros(labels.shape, bool)
    for label in wanted:
        is_inside |= labels == label
    return is_inside


def _box(first: Array, second: Array) -> tuple[slice, ...]:
    """Return the box around the values other than 0 in one or both of two arrays; an empty box if there are
    none."""
    box: tuple[slice, ...] = ()
    for axis in range(first.ndim):
        rest = tuple(other for other in range(first.ndim) if other != axis)
        places_of_both = [np.flatnonzero(array[box].any(axis=rest)) for array in (first, second)]
        places = np.concatenate(places_of_both)
        box += (slice(int(places.min()), int(places.max()) + 1) if len(places) else slice(0, 0),)
    return box


def sizes(pair: RegionPair) -> Measured:
    """Return five numbers: voxels in both masks, in the truth and in the prediction; volume of a voxel;
    voxels of the image."""
    return *pair.sizes, pair.voxel_ml, float(np.prod(pair.shape))


def hd95(pair: RegionPair) -> Measured:
    """Return HD95, the numbers of voxels in truth and prediction, and the diagonal of the image.

    HD95 is the larger of the two area-weighted 95 % quantiles of surface distances. It is inf if one of the
    masks is empty.
    """
    _, true, guess = pair.sizes
    largest = np.inf
    if true and guess:
        largest = max(
            surface_distances.quantile(away, surface.areas, HAUSDORFF_SHARE)
            for away, surface in zip(pair.distances, pair.surfaces, strict=True)
        )
    return largest, true, guess, pair.diagonal


def assd(pair: RegionPair) -> Measured:
    """Return the area-weighted mean distance between both surfaces. The other returned values are those of
    `hd95`."""
    _, true, guess = pair.sizes
    mean = np.inf
    if true and guess:
        away, areas = np.concatenate(pair.distances), np.concatenate([s.areas for s in pair.surfaces])
        mean = float(away @ areas / areas.sum())
    return mean, true, guess, pair.diagonal


def nsd(pair: RegionPair, tolerance_mm: float) -> Measured:
    """Return three areas in mm2 (in 2D, lengths in mm): the area of both surfaces together that lies within
    the tolerance of the other surface; the area of the truth's surface; the area of the prediction's surface.

    Args:
        pair: The structure.
    """
    within = sum(
        float(surface.areas[away <= tolerance_mm].sum())
        for away, surface in zip(pair.distances, pair.surfaces, strict=True)
    )
    true, guess = (float(surface.areas.sum()) for surface in pair.surfaces)
    return within, true, guess


def lesions(pair: RegionPair, iou: float) -> Measured:
    """Return the number of lesions that match one to one, and the numbers of true and of predicted lesions.

    Args:
        iou: A pair matches only if its intersection over union is above this value.
    """
    (true, n_true), (guess, n_guess) = components(pair.truth), components(pair.prediction)
    first, second, shared = shared_voxels(true, guess)
    union = np.bincount(true.ravel())[first] + np.bincount(guess.ravel())[second] - shared
    return float(len(match_by_overlap(first, second, shared / union, iou))), float(n_true), float(n_guess)


def lesion_dice(pair: RegionPair, dilation: int, min_volume_mm3: float) -> Measured:
    """Return the sum of the Dice of the true lesions, the number of true lesions, and the number of predicted
    lesions that touch no dilated true lesion.

    Source: BraTS 2023. True lesions that touch each other after dilation count as one lesion. The Dice of a
    true lesion compares it with the union of all predicted lesions that touch it after dilation.

    Args:
        dilation: Number of voxels by which true lesions grow.
        min_volume_mm3: True lesions up to this volume are ignored.
    """
    truth, prediction = pair.truth, pair.prediction
    grown = truth
    # Whether two lesions meet is decided within the box around them: no room beside it is needed.
    if dilation:
        structure = scipy.ndimage.generate_binary_structure(truth.ndim, 2)
        grown = scipy.ndimage.binary_dilation(truth, structure, iterations=dilation)
    (lesion, count), (guess, n_guess) = components(grown), components(prediction)
    first, second, _ = shared_voxels(lesion, guess)
    size = np.bincount(lesion[truth], minlength=count + 1)
    predicted = np.bincount(first, np.bincount(guess.ravel())[second], count + 1)
    both = np.bincount(lesion[truth & prediction], minlength=count + 1)
    counted = size[1:] * np.prod(pair.spacing) > min_volume_mm3
    dice = 2 * both[1:] / (size[1:] + predicted[1:])
    return float(dice[counted].sum()), float(counted.sum()), float(n_guess - len(np.unique(second)))


def false_positives(pair: RegionPair) -> Measured:
    """Return the volume in ml of predicted lesions that touch no true lesion, the numbers of voxels in truth
    and prediction, and the volume outside the truth."""
    outside = float(np.prod(pair.shape)) - pair.sizes[1]
    return _untouched(pair.prediction, pair.truth) * pair.voxel_ml, *pair.sizes[1:], outside * pair.voxel_ml


def false_negatives(pair: RegionPair) -> Measured:
    """Return the volume in ml of true lesions that no prediction touches, the numbers of voxels in truth and
    prediction, and the volume of the truth."""
    truth_ml = pair.sizes[1] * pair.voxel_ml
    return _untouched(pair.truth, pair.prediction) * pair.voxel_ml, *pair.sizes[1:], truth_ml


def _untouched(mask: Bools, other: Bools) -> float:
    """Return the voxels of lesions that touch nothing of another mask; those of a lesion share a face or an
    edge, as in AutoPET."""
    numbered, count = components(mask, 2)
    sizes = np.bincount(numbered.ravel(), minlength=count + 1)
    sizes[numbered[other]] = 0
    return float(sizes[1:].sum())
