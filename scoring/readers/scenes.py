"""What a slice viewer shows of one patient: the masks of truth and prediction, cropped to where something is,
and the images under them.

Axes are reordered and reversed, never turned, so that indices grow towards the patient's left, back and feet:
slices drawn with the first index to the right and the second downwards lie as radiologists read them. Images
keep their own grid; they are cropped and, where they are large, thinned. Only an image whose axes are turned
against the masks' gets another grid, on which each voxel shows the nearest of the image.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from scoring.findings import Finding, InputRefused, error, warning
from scoring.readers.masks.blocks import Opener
from scoring.readers.masks.faults import Malformed
from scoring.readers.masks.grid import Grid
from scoring.readers.volumes import Image, Labels, picked_affine, read_image, read_labels

MARGIN_MM = 30.0
IMAGE_VOXELS = 6_000_000
SCENE_VOXELS = 1 << 26
INT16 = 32_767


@dataclass(frozen=True, eq=False)
class Background:
    """An image to look at, on its own grid, its axes along the scene's.

    values: int16 [x, y, z]; times `scale` they are the file's values (HU, SUV). spacing_mm: edges of a voxel.
    corner_mm: from the outer corner of the scene's first voxel to that of this image's, along the scene's
    axes.
    """

    name: str
    values: np.ndarray
    scale: float
    spacing_mm: tuple[float, float, float]
    corner_mm: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Scene:
    """Masks and images of one patient, ready to be drawn.

    labels: uint8 [x, y, z], truth in the lower four bits, prediction in the upper four. affine: float64 [4,
    4], index to mm (RAS) of a voxel's centre. to_file: int [4, 4], index to index in the truth's file.
    file_shape: of the truth's file. findings: what is left out, and why.
    """

    labels: np.ndarray
    affine: np.ndarray
    to_file: np.ndarray
    file_shape: tuple[int, int, int]
    backgrounds: tuple[Background, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def spacing_mm(self) -> tuple[float, float, float]:
        return _edges(self.affine)


def read_scene(
    case: str,
    truth: Opener,
    prediction: Opener | None,
    images: Mapping[str, Opener] | None = None,
    margin_mm: float = MARGIN_MM,
) -> Scene:
    """Read what is to be seen of a case, cropped to the box of both masks and a margin; all of the grid where
    both are empty.

    prediction: None = no mask was submitted. images: by name, the lower one first. A malformed prediction and
    an image that cannot be read are left out, with a warning. Raises InputRefused (`unreadable-file`,
    `bad-label`) for the truth, and for a box too large to show.
    """
    try:
        real = read_labels(truth)
    except Malformed as fault:
        raise InputRefused([error(fault.code, case, f"truth mask: {fault.words}")]) from fault
    findings = []
    predicted = None
    if prediction is not None:
        try:
            predicted = read_labels(prediction, real.grid)
        except Malformed as fault:
            findings.append(
                warning("malformed-mask", case, f"the submitted mask is not shown: {fault.words}")
            )
    labels, affine, to_file = _cropped(case, real, predicted, margin_mm)
    backgrounds = []
    for name, opener in (images or {}).items():
        try:
            backgrounds.append(_background(name, opener, affine, labels.shape))
        except Malformed as fault:
            findings.append(warning("unreadable-file", case, f"{name} is not shown: {fault.words}"))
    return Scene(labels, affine, to_file, real.grid.shape, tuple(backgrounds), tuple(findings))


def _cropped(
    case: str, truth: Labels, prediction: Labels | None, margin_mm: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """labels, affine and to_file of a scene."""
    masks = [truth] if prediction is None else [truth, prediction]
    first, after = _box(masks, margin_mm)
    if np.prod(after - first) > SCENE_VOXELS:
        raise InputRefused(
            [
                error(
                    "unreadable-file",
                    case,
                    f"the box of its labels has more than {SCENE_VOXELS:,} voxels, too many to show.",
                )
            ]
        )
    codes = np.zeros(after - first, np.uint8)
    for shift, mask in zip((0, 4), masks, strict=False):
        codes[tuple((mask.places - first).T)] |= mask.labels << shift
    corner = np.eye(4)
    corner[:3, 3] = first
    turned, turn = _displayed(codes, truth.grid.affine)
    to_file = corner @ turn
    return np.ascontiguousarray(turned), truth.grid.affine @ to_file, np.rint(to_file).astype(int)


def _box(masks: Sequence[Labels], margin_mm: float) -> tuple[np.ndarray, np.ndarray]:
    """First index, and index after the last, of the box of all labels, a margin wider on every side; the
    whole grid without labels."""
    shape, places = np.array(masks[0].grid.shape), [mask.places for mask in masks if len(mask.places)]
    if not places:
        return np.zeros(3, int), shape
    margin = np.ceil(margin_mm / masks[0].grid.spacing).astype(int)
    first, last = (
        np.min([p.min(axis=0) for p in places], axis=0),
        np.max([p.max(axis=0) for p in places], axis=0),
    )
    return np.maximum(first - margin, 0), np.minimum(last + margin + 1, shape)


def _displayed(values: np.ndarray, affine: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A view whose axes grow to the left, back and feet as nearly as may be, and [4, 4], its index to the
    index in `values`."""
    from nibabel.orientations import (
        apply_orientation,
        axcodes2ornt,
        inv_ornt_aff,
        io_orientation,
        ornt_transform,
    )

    turn = ornt_transform(io_orientation(affine), axcodes2ornt("LPI"))
    return apply_orientation(values, turn), inv_ornt_aff(turn, values.shape)


def _background(name: str, opener: Opener, affine: np.ndarray, shape: tuple[int, ...]) -> Background:
    """The part of an image that the box of a scene touches."""
    stored = read_image(opener, lambda grid: _picks(grid, affine, shape))
    values, turn = _displayed(stored.values, stored.affine)
    image = Image(values, stored.affine @ turn)
    if not _is_along(image.affine, affine, shape):
        image = _nearest(image, affine, shape)
    between = np.linalg.inv(image.affine) @ affine
    ratio, shift, edges = np.diag(between)[:3], between[:3, 3], np.array(_edges(affine))
    # Index c of the scene is index ratio * c + shift of the image, so the image's outer corner, index -1/2,
    # is index (-1/2 - shift) / ratio.
    corner = ((-0.5 - shift) / ratio + 0.5) * edges
    packed, scale = _int16(image.values)
    return Background(name, packed, scale, tuple(map(float, edges / ratio)), tuple(map(float, corner)))


def _picks(grid: Grid, affine: np.ndarray, shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """Which indices of an image's axes to read: the box around a scene's outer corners, thinned where it is
    large."""
    corners = np.array([[*corner, 1] for corner in product(*((-0.5, n - 0.5) for n in shape))])
    places = (np.linalg.inv(grid.affine) @ affine @ corners.T)[:3]
    first = np.clip(np.floor(places.min(axis=1) + 0.5).astype(int), 0, grid.shape)
    after = np.clip(np.ceil(places.max(axis=1) + 0.5).astype(int), 0, grid.shape)
    steps = _steps(after - first, grid.spacing)
    return tuple(_spread(*ends) for ends in zip(first, after, steps, strict=True))


def _spread(first: int, after: int, step: int) -> np.ndarray:
    """Every n-th index, begun so that no index is further than half a step from one of them."""
    return np.arange(first + (max(after - first - 1, 0) % step + 1) // 2, after, step)


def _steps(shape: Sequence[int], edges: Sequence[float]) -> np.ndarray:
    """Take every n-th voxel along each axis, so that at most IMAGE_VOXELS are left; the axis that is finest
    by then is thinned first."""
    steps = np.ones(3, int)
    while np.prod(-(-np.array(shape) // steps)) > IMAGE_VOXELS:
        steps[np.argmin(np.asarray(edges) * steps)] += 1
    return steps


def _is_along(image: np.ndarray, scene: np.ndarray, shape: tuple[int, ...]) -> bool:
    """Whether the axes of two affines run alike: nowhere in the scene does the turn between them move a point
    by half a voxel."""
    between = (np.linalg.inv(image) @ scene)[:3, :3]
    turned = np.abs(between - np.diag(np.diag(between))) @ np.array(shape)
    return bool((np.diag(between) > 0).all() and (turned < 0.5).all())


def _nearest(image: Image, affine: np.ndarray, shape: tuple[int, ...]) -> Image:
    """The image on the scene's grid, thinned where that is large; beyond its edges, its lowest value."""
    from scipy.ndimage import affine_transform

    picks = [_spread(0, n, step) for n, step in zip(shape, _steps(shape, _edges(affine)), strict=True)]
    thinned = affine @ picked_affine(picks)
    to_image, low = np.linalg.inv(image.affine) @ thinned, float(image.values.min())
    size = tuple(map(len, picks))
    return Image(
        affine_transform(image.values, to_image, output_shape=size, order=0, mode="grid-constant", cval=low),
        thinned,
    )


def _int16(values: np.ndarray) -> tuple[np.ndarray, float]:
    """Whole numbers as they are where they fit; anything else in 32,767 steps."""
    most = float(np.abs(values).max(initial=0))
    scale = 1.0 if most <= INT16 and bool((values == np.rint(values)).all()) else most / INT16
    return np.rint(values / scale).astype(np.int16), scale


def _edges(affine: np.ndarray) -> tuple[float, float, float]:
    return tuple(map(float, np.linalg.norm(affine[:3, :3], axis=0)))
