"""Scenes of the slice viewer: the true and predicted mask of one patient, cropped to their labels, and the
images under them.

Axes are reordered and reversed but not rotated, so that indices grow towards the patient's left, back and
feet. Slices drawn with the first index to the right and the second downwards have the orientation that
radiologists use. Images keep their own grid; they are cropped and, if large, thinned. Only an image whose
axes are rotated against the masks' axes is resampled, with the nearest voxel.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from scoring.common.arrays import Array, Floats, Ints
from scoring.common.findings import Finding, InputRefused, error, warning
from scoring.inputs.masks.blocks import Opener
from scoring.inputs.masks.errors import MaskError
from scoring.inputs.masks.grid import Grid
from scoring.inputs.volumes import ImageRegion, LabelVoxels, picked_affine, read_image, read_labels

MARGIN_MM = 30.0
IMAGE_VOXELS = 6_000_000
SCENE_VOXELS = 1 << 26
INT16 = 32_767


@dataclass(frozen=True, eq=False)
class Background:
    """An image on its own grid, whose axes are those of the scene.

    Attributes:
        values: int16 [x, y, z]; multiplied by `scale`, they are the file's values, for example in HU or SUV.
        scale: See `values`.
        corner_mm: Vector from the outer corner of the scene's first voxel to the outer corner of this image's
            first voxel, along the scene's axes.
    """

    name: str
    values: Ints
    scale: float
    spacing_mm: tuple[float, float, float]
    corner_mm: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Scene:
    """Masks and images of one patient, ready to be drawn.

    Attributes:
        labels: uint8 [x, y, z], truth in the lower four bits, prediction in the upper four.
        affine: Matrix from an index to the voxel's centre in mm (RAS), float64 [4, 4].
        to_file: Matrix from an index in the scene to the index in the truth's file, int [4, 4].
        backgrounds: Images, the lowest layer first.
        findings: Findings about parts that are not shown, with reasons.
    """

    labels: Ints
    affine: Floats
    to_file: Ints
    file_shape: tuple[int, int, int]
    backgrounds: tuple[Background, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def spacing_mm(self) -> tuple[float, float, float]:
        """Edge lengths of a voxel in mm."""
        return _edges(self.affine)


ReadLabels = Callable[[Opener, Grid | None], LabelVoxels]
"""Function that reads a mask by the rules of scoring. With a grid, the mask must be on this grid."""


def read_scene(
    case: str,
    truth: Opener,
    prediction: Opener | None,
    images: Mapping[str, Opener] | None = None,
    margin_mm: float = MARGIN_MM,
    read: ReadLabels = read_labels,
) -> Scene:
    """Read the masks and images of a patient, cropped to the box of both masks plus a margin. If both masks
    are empty, nothing is cropped.

    A malformed prediction or unreadable image is left out with a warning.

    Args:
        prediction: Function that opens the submitted mask; None if there is no submitted mask.
        images: Functions that open images, by name, the lowest layer first.

    Raises:
        InputRefused: With `unreadable-file` or `bad-label` if the truth cannot be read, or if the box is too
            large to show.
    """
    try:
        real = read(truth, None)
    except MaskError as fault:
        raise InputRefused([error(fault.code, case, f"truth mask: {fault.words}")]) from fault
    findings = []
    predicted = None
    if prediction is not None:
        try:
            predicted = read(prediction, real.grid)
        except MaskError as fault:
            findings.append(
                warning("malformed-mask", case, f"the submitted mask is not shown: {fault.words}")
            )
    labels, affine, to_file = _cropped(case, real, predicted, margin_mm)
    backgrounds = []
    for name, opener in (images or {}).items():
        try:
            backgrounds.append(_background(name, opener, affine, labels.shape))
        except MaskError as fault:
            findings.append(warning("unreadable-file", case, f"{name} is not shown: {fault.words}"))
    return Scene(labels, affine, to_file, real.grid.shape, tuple(backgrounds), tuple(findings))


def _cropped(
    case: str, truth: LabelVoxels, prediction: LabelVoxels | None, margin_mm: float
) -> tuple[Ints, Floats, Ints]:
    """Return labels, affine and to_file of a scene."""
    masks = [truth] if prediction is None else [truth, prediction]
    first, after = _box(masks, margin_mm)
    if np.prod(after - first) > SCENE_VOXELS:
        message = f"its labels span more than {SCENE_VOXELS:,} voxels, too many to show."
        raise InputRefused([error("unreadable-file", case, message)])
    codes = np.zeros(after - first, np.uint8)
    for shift, mask in zip((0, 4), masks, strict=False):
        codes[tuple((mask.places - first).T)] |= mask.labels << shift
    corner = np.eye(4)
    corner[:3, 3] = first
    turned, turn = _displayed(codes, truth.grid.affine)
    to_file = corner @ turn
    return np.ascontiguousarray(turned), truth.grid.affine @ to_file, np.rint(to_file).astype(int)


def _box(masks: Sequence[LabelVoxels], margin_mm: float) -> tuple[Ints, Ints]:
    """Return the first index, and the index after the last, of the box of all labels, a margin wider on every
    side; the whole grid without labels."""
    shape, places = np.array(masks[0].grid.shape), [mask.places for mask in masks if len(mask.places)]
    if not places:
        return np.zeros(3, int), shape
    margin = np.ceil(margin_mm / masks[0].grid.spacing).astype(int)
    first = np.min([p.min(axis=0) for p in places], axis=0)
    last = np.max([p.max(axis=0) for p in places], axis=0)
    return np.maximum(first - margin, 0), np.minimum(last + margin + 1, shape)


def _displayed(values: Array, affine: Floats) -> tuple[Array, Floats]:
    """Return a view whose axes grow to the left, back and feet as nearly as may be, and [4, 4], its index to
    the index in `values`."""
    import nibabel.orientations

    nib: Any = nibabel.orientations
    turn = nib.ornt_transform(nib.io_orientation(affine), nib.axcodes2ornt("LPI"))
    return nib.apply_orientation(values, turn), nib.inv_ornt_aff(turn, values.shape)


def _background(name: str, opener: Opener, affine: Floats, shape: tuple[int, ...]) -> Background:
    """Return the part of an image that the box of a scene touches."""
    stored = read_image(opener, lambda grid: _picks(grid, affine, shape))
    values, turn = _displayed(stored.values, stored.affine)
    image = ImageRegion(values, stored.affine @ turn)
    if not _is_along(image.affine, affine, shape):
        image = _nearest(image, affine, shape)
    between = np.linalg.inv(image.affine) @ affine
    ratio, shift, edges = np.diag(between)[:3], between[:3, 3], np.array(_edges(affine))
    # Index c of the scene is index ratio * c + shift of the image, so the image's outer corner, index -1/2,
    # is index (-1/2 - shift) / ratio.
    corner = ((-0.5 - shift) / ratio + 0.5) * edges
    packed, scale = _int16(image.values)
    return Background(name, packed, scale, _triple(edges / ratio), _triple(corner))


def _picks(grid: Grid, affine: Floats, shape: tuple[int, ...]) -> tuple[Ints, Ints, Ints]:
    """Return which indices of an image's axes to read: the box around a scene's outer corners, thinned where
    it is large."""
    corners = np.array([[*corner, 1] for corner in product(*((-0.5, n - 0.5) for n in shape))])
    places = (np.linalg.inv(grid.affine) @ affine @ corners.T)[:3]
    first = np.clip(np.floor(places.min(axis=1) + 0.5).astype(int), 0, grid.shape)
    after = np.clip(np.ceil(places.max(axis=1) + 0.5).astype(int), 0, grid.shape)
    steps = _steps(after - first, grid.spacing)
    x, y, z = (_spread(*ends) for ends in zip(first, after, steps, strict=True))
    return x, y, z


def _spread(first: int, after: int, step: int) -> Ints:
    """Return every n-th index, begun so that no index is further than half a step from one of them."""
    return np.arange(first + (max(after - first - 1, 0) % step + 1) // 2, after, step)


def _steps(shape: Sequence[int] | Ints, edges: Sequence[float] | Floats) -> Ints:
    """Return n per axis, so that every n-th voxel are at most IMAGE_VOXELS; the axis that is finest by then
    is thinned first."""
    steps = np.ones(3, int)
    while np.prod(-(-np.array(shape) // steps)) > IMAGE_VOXELS:
        steps[np.argmin(np.asarray(edges) * steps)] += 1
    return steps


def _is_along(image: Floats, scene: Floats, shape: tuple[int, ...]) -> bool:
    """Return whether the axes of two affines run alike: nowhere in the scene does the turn between them move
    a point by half a voxel."""
    between = (np.linalg.inv(image) @ scene)[:3, :3]
    turned = np.abs(between - np.diag(np.diag(between))) @ np.array(shape)
    return bool((np.diag(between) > 0).all() and (turned < 0.5).all())


def _nearest(image: ImageRegion, affine: Floats, shape: tuple[int, ...]) -> ImageRegion:
    """Return the image on the scene's grid, thinned where that is large; beyond its edges, its lowest
    value."""
    from scipy.ndimage import affine_transform

    picks = [_spread(0, n, step) for n, step in zip(shape, _steps(shape, _edges(affine)), strict=True)]
    thinned = affine @ picked_affine(picks)
    to_image, low = np.linalg.inv(image.affine) @ thinned, float(image.values.min())
    size = tuple(map(len, picks))
    return ImageRegion(
        affine_transform(image.values, to_image, output_shape=size, order=0, mode="grid-constant", cval=low),
        thinned,
    )


def _int16(values: Floats) -> tuple[Ints, float]:
    """Return whole numbers as they are where they fit, anything else in 32,767 steps; and the scale."""
    most = float(np.abs(values).max(initial=0))
    scale = 1.0 if most <= INT16 and bool((values == np.rint(values)).all()) else most / INT16
    return np.rint(values / scale).astype(np.int16), scale


def _edges(affine: Floats) -> tuple[float, float, float]:
    return _triple(np.linalg.norm(affine[:3, :3], axis=0))


def _triple(values: Floats) -> tuple[float, float, float]:
    x, y, z = map(float, values)
    return x, y, z
