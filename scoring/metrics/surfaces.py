"""Surfaces of masks, as elements between voxels with areas, and their distances.

Source: DeepMind's `surface-distance` (Nikolov et al. 2021). A surface element lies among the 2 x 2 x 2 voxels
around a corner of the grid wherever some, not all, of them are inside; its area follows from which ones are
(in 2D: a length from 2 x 2 pixels). Here the nearest elements come from a tree of the elements alone, not
from a distance map of the volume.
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
"""Triangles of each neighbourhood, up to mirror images, turns and the exchange of inside and outside: the
components of their normals along the three axes, in eighths. Bit 128 >> (4i + 2j + k) is voxel (i, j, k)."""


BLOCK = 32
"""Edge of a cube whose elements are searched together, in voxels along their shortest edge."""
MOST_SEARCHED = 3_000_000
"""Elements of a surface up to which nearest ones are searched in a tree."""


@dataclass(frozen=True, eq=False)
class Surface:
    """Elements of a surface.

    Attributes:
        places: Corner of the grid at which each element lies [n], as place in an array of `shape`, ascending.
        areas: Their areas in mm2, in 2D lengths in mm [n].
        shape: Corners of the grid along each axis.
    """

    places: Ints
    areas: Floats
    shape: tuple[int, ...]

    def corners(self, chosen: Bools | slice = slice(None)) -> Ints:
        """Return the places of some elements along each axis [n, dimensions]."""
        return np.stack(np.unravel_index(self.places[chosen], self.shape), axis=1)


def surface(mask: Bools, spacing: Sequence[float]) -> Surface:
    """Find the surface elements of a mask.

    Args:
        mask: Which voxels are inside, 2D or 3D.
        spacing: Edges of a voxel in mm, in the order of the axes.
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
    """Return the area of the surface element of each neighbourhood [256], in 2D its length [16]."""
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
    """Return the distance of each element to the nearest of another surface [n]; inf where that has none.

    Args:
        surface: Elements of the one surface [n].
        other: Those of the other, in the same box.
        spacing: Edges of a voxel in mm, as the distances are.
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

    Both are taken block by block, blocks of corners by their distance, until none can hold a nearer one: one
    tree of all would look into most of it where flat surfaces face each other.
    """
    nearest, edge = np.zeros(len(own), int), BLOCK * edges.min()
    points, others = own * edges, corners * edges
    blocks = _blocks(others, edge)
    low, high = (np.array([end(others[rows], axis=0) for rows in blocks]) for end in (np.min, np.max))
    trees: dict[int, Any] = {}
    for asking in _blocks(points, edge):
        asked, best = points[asking], np.full(len(asking), np.inf)
        least = _apart(asked.min(axis=0), asked.max(axis=0), low, high)
        for k in np.argsort(least, kind="stable").tolist():
            if least[k] >= best.max():
                break
            rows = np.flatnonzero(_apart(asked, asked, low[k], high[k]) < best)
            if not len(rows):
                continue
            if k not in trees:  # used few times: a tree that is quicker to build costs less
                trees[k] = scipy.spatial.cKDTree(others[blocks[k]], compact_nodes=False, balanced_tree=False)
            away, place = trees[k].query(asked[rows])
            nearer = away < best[rows]
            best[rows[nearer]] = away[nearer]
            nearest[asking[rows[nearer]]] = blocks[k][place[nearer]]
    return nearest


def _blocks(points: Floats, edge: float) -> list[Ints]:
    """Return the rows of the points [n, dimensions] in each cube of an edge that has some."""
    cells = tuple((points.T // edge).astype(int))
    _, cube = np.unique(np.ravel_multi_index(cells, (1 << 20,) * len(cells)), return_inverse=True)
    order = np.argsort(cube, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(cube[order])) + 1)


def _apart(low: Floats, high: Floats, other_low: Floats, other_high: Floats) -> Floats:
    """Return the distances of boxes [..., dimensions], 0 where they touch."""
    gap = np.maximum(0, np.maximum(other_low - high, low - other_high))
    return np.asarray(np.sqrt((gap**2).sum(axis=-1)))


def quantile(values: Floats, weights: Floats, share: float) -> float:
    """Return the smallest value up to which the weights make up a share of all.

    Args:
        values: Values [n], at least one.
        weights: Their weights [n], at least 0.
        share: The share, 0..1.
    """
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    index = int(np.searchsorted(reached / reached[-1], share))
    return float(values[order[min(index, len(order) - 1)]])
