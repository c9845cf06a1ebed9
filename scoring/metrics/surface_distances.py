"""Surfaces of masks and their distances; `mask_measures` computes HD95 (Hausdorff) and surface Dice (NSD)
from them.

Source: DeepMind's `surface-distance` (Nikolov et al. 2021). A corner of the voxel grid has a surface element
if some, but not all, of the 2 x 2 x 2 voxels around it are inside the mask. These voxels determine the
element's area (in 2D: a length from 2 x 2 pixels). A search tree finds the nearest elements, so that no
distance map of the volume is needed.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import scipy

from scoring.common.arrays import Bools, Floats, Ints

NORMALS = {
    0b00000001: "111",
    0b00000011: "220 220",
    0b00000110: "111 111",
    0b00000111: "400 111 222",
    0b00001111: "400 400",
    0b00010110: "111 111 111",
    0b00010111: "111 111 222 222",
    0b00011000: "111 111",
    0b00011001: "022 022 111",
    0b00011011: "022 202 111 333",
    0b00011110: "400 111 111 222",
    0b00111100: "220 220 220 220",
    0b01101001: "111 111 111 111",
}
"""Neighbourhood of a corner -> its surface triangles, as components of their normals along the three axes, in
eighths. Bit 128 >> (4i + 2j + k) is voxel (i, j, k). Neighbourhoods that follow by mirroring, rotation or
exchange of inside and outside are left out."""


NEAR = 16
"""Up to this distance, in lengths of a voxel's shortest edge, one tree of a whole surface is searched."""
FEW = 150
"""Maximum number of elements of one surface in a box; a box with more elements is split."""
MOST_SEARCHED = 3_000_000
"""Number of elements of a surface up to which a tree is used for nearest elements."""


@dataclass(frozen=True, eq=False)
class Surface:
    """Elements of a surface.

    Attributes:
        places: Grid corner of each element [n], as index into a flattened array of `shape`, ascending.
        areas: Areas in mm2, or lengths in mm in 2D [n].
        shape: Number of grid corners along each axis.
    """

    places: Ints
    areas: Floats
    shape: tuple[int, ...]

    def corners(self, chosen: Bools | slice = slice(None)) -> Ints:
        """Return the grid coordinates of some elements along each axis [n, dimensions]."""
        return np.stack(np.unravel_index(self.places[chosen], self.shape), axis=1)


def surface(mask: Bools, spacing: Sequence[float]) -> Surface:
    """Find the surface elements of a mask.

    Args:
        mask: Which voxels are inside, 2D or 3D.
        spacing: Edge lengths of a voxel in mm, in the order of the axes.
    """
    codes = np.pad(mask.view(np.uint8), 1)
    for step, axis in enumerate(reversed(range(mask.ndim))):
        before, after = (codes[(slice(None),) * axis + (part,)] for part in (slice(None, -1), slice(1, None)))
        codes = (before << np.uint8(1 << step)) | after
    full = (1 << (1 << mask.ndim)) - 1
    # 0 wraps around to the largest number: one comparison finds what is neither empty nor full.
    at = np.flatnonzero((codes - np.uint8(1)).ravel() < full - 1)
    return Surface(at, element_areas(tuple(spacing))[codes.ravel()[at]], codes.shape)


@cache
def element_areas(spacing: tuple[float, ...]) -> Floats:
    """Return the area of the surface element for each neighbourhood [256], or its length in 2D [16]."""
    if len(spacing) == 2:
        down, across = spacing
        slant = np.hypot(down, across) / 2
        lengths = np.full(16, slant)
        lengths[[0, 15]] = 0
        lengths[[3, 12]] = across
        lengths[[5, 10]] = down
        lengths[[6, 9]] = 2 * slant
        return lengths
    x, y, z = spacing
    faces = np.array([y * z, x * z, x * y])
    areas = np.zeros(256)
    for code, normals in _all_normals().items():
        areas[code] = sum(np.linalg.norm(np.array(normal) / 8 * faces) for normal in normals)
    return areas


def _all_normals() -> dict[int, list[tuple[int, ...]]]:
    """Return the triangles of every neighbourhood from those of the listed ones."""
    voxels, triangles = list(itertools.product((0, 1), repeat=3)), {}
    for code, listed in NORMALS.items():
        inside = [voxel for bit, voxel in enumerate(voxels) if code & (128 >> bit)]
        normals = [tuple(map(int, word)) for word in listed.split()]
        for axes, mirrored in itertools.product(itertools.permutations(range(3)), voxels):
            turned = [
                tuple(voxel[axis] ^ flip for axis, flip in zip(axes, mirrored, strict=True))
                for voxel in inside
            ]
            other = sum(128 >> voxels.index(voxel) for voxel in turned)
            triangles[other] = triangles[255 - other] = [tuple(n[axis] for axis in axes) for n in normals]
    return triangles


def distances(surface: Surface, other: Surface, spacing: Sequence[float]) -> Floats:
    """Return the distance of each element to the nearest element of another surface [n]; inf if that surface
    is empty.

    Args:
        surface: The surface of the elements [n].
        other: The other surface, in the same box.
        spacing: Edge lengths of a voxel in mm; distances are in mm too.
    """
    if not len(other.places):
        return np.full(len(surface.places), np.inf)
    is_other = np.zeros(surface.shape, bool)
    is_other.ravel()[other.places] = True
    apart = ~is_other.ravel()[surface.places]
    lengths, own, edges = np.zeros(len(apart)), surface.corners(apart), np.asarray(spacing, float)
    if not len(own):
        return lengths
    if max(len(own), len(other.places)) > MOST_SEARCHED:
        # Noise rather than a structure: a map of the box takes less time and memory than a tree.
        steps: Ints = scipy.ndimage.distance_transform_edt(
            ~is_other, edges, return_distances=False, return_indices=True
        )
        nearest = steps[:, *own.T].T
    else:
        corners = other.corners()
        nearest = corners[_nearest(own, corners, edges)]
    # From whole steps, so that a distance of a tolerance of 2 mm is 2 mm and not a rounding error more.
    lengths[apart] = np.sqrt((((own - nearest) * edges) ** 2).sum(1))
    return lengths


def _nearest(own: Ints, corners: Ints, edges: Floats) -> Ints:
    """Return which of the corners [m, dimensions] is the nearest of each of `own` [n].

    One tree of all finds the near ones. It would look into most of it where surfaces lie far apart, so boxes
    of the others are halved, and searched among what can be nearest within them.
    """
    points, others = own * edges, corners * edges
    away, nearest = _tree(others).query(points, distance_upper_bound=NEAR * edges.min())
    boxes = [(np.flatnonzero(np.isinf(away)), np.arange(len(corners)))]
    while boxes:
        asking, left = boxes.pop()
        if not len(asking):
            continue
        asked = points[asking]
        columns = np.ascontiguousarray(asked.T)
        low, high = columns.min(axis=1), columns.max(axis=1)
        left = left[_can_be_nearest(others[left], low, high)]
        if min(len(asking), len(left)) <= FEW:
            nearest[asking] = left[_tree(others[left]).query(asked)[1]]
            continue
        axis = int(np.argmax(high - low))
        is_upper = asked[:, axis] > (low[axis] + high[axis]) / 2
        boxes += [(asking[is_upper], left), (asking[~is_upper], left)]
    return np.asarray(nearest)


def _tree(points: Floats) -> Any:
    """Return a tree of points. Used few times, one that is quicker to build costs less."""
    return scipy.spatial.cKDTree(points, 32, compact_nodes=False, balanced_tree=False)


def _can_be_nearest(others: Floats, low: Floats, high: Floats) -> Bools:
    """Return which others [m, dimensions] can be the nearest of a point within a box: those that the nearest
    of its middle does not beat everywhere in it."""
    away, half = others - (low + high) / 2, (high - low) / 2
    squared = np.einsum("ij,ij->i", away, away)
    first = int(squared.argmin())
    slack = 1e-9 * (1 + squared[first])
    return np.asarray(squared - squared[first] <= 2 * (abs(away - away[first]) @ half) + slack)


def quantile(values: Floats, weights: Floats, share: float) -> float:
    """Return the smallest value whose cumulative weight reaches a share of the total.

    Args:
        values: Values [n], at least one.
        weights: Their weights [n], at least 0.
        share: The share, 0..1.
    """
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    index = int(np.searchsorted(reached / reached[-1], share))
    return float(values[order[min(index, len(order) - 1)]])
