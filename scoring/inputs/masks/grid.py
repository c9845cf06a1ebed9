"""Grids of volumes: positions of voxels, and the orientation in which two volumes share them."""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scoring.common.arrays import Floats

TOLERANCE = 0.1
FURTHEST = 1e6
"""Tolerance, in voxels, for the position of a cropped mask; and the largest allowed position."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Positions of the voxels of a volume.

    Attributes:
        shape: Number of voxels along the three storage axes, fastest first.
        affine: Index -> mm in RAS of the voxel's centre, float64 [4, 4].
    """

    shape: tuple[int, int, int]
    affine: Floats

    @property
    def voxels(self) -> int:
        """Number of voxels."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def spacing(self) -> Floats:
        """Edge lengths of a voxel in mm, float64 [3]."""
        edges: Floats = np.linalg.norm(self.affine[:3, :3], axis=0)
        return edges

    @property
    def nominal(self) -> list[float]:
        """Intended edge lengths of a voxel in mm. Headers store 32 bits, which turn 0.8 into 0.800000012."""
        return [float(str(np.float32(edge))) for edge in self.spacing]

    @property
    def voxel_ml(self) -> float:
        """Volume of a voxel in millilitres."""
        return abs(float(np.linalg.det(self.affine[:3, :3]))) / 1000

    @cached_property
    def corners(self) -> Floats:
        """Centres of the eight corner voxels in mm, float64 [2, 2, 2, 3]: first and last along each axis."""
        indices = np.stack(np.meshgrid(*((0, n - 1) for n in self.shape), indexing="ij"), axis=-1)
        corners: Floats = indices @ self.affine[:3, :3].T + self.affine[:3, 3]
        return corners

    def __str__(self) -> str:
        return f"{_by(self.shape)} voxels of {_by(f'{edge:.4g}' for edge in self.spacing)} mm"


@dataclass(frozen=True)
class Orientation:
    """How one array must be read to have the axis order of another array.

    Attributes:
        axes: Axis k of the other array is axis `axes[k]` of this one.
        reversed: Whether each axis is read in reverse.
    """

    axes: tuple[int, int, int] = (0, 1, 2)
    reversed: tuple[bool, bool, bool] = (False, False, False)

    @property
    def is_identity(self) -> bool:
        return self == Orientation()


def orientation(grid: Grid, reference: Grid) -> Orientation | None:
    """Return how an array on `grid` must be read to have the axis order of `reference`; None if the two grids
    have different voxels.

    Grids have the same voxels if shapes agree and all corners are within a tenth of the smallest voxel edge
    of `reference`. Axes may be reordered or reversed. The stored order of axes is used if it is close enough,
    otherwise the closest order.
    """
    if grid.shape == reference.shape and _distance(grid, reference, Orientation()) <= _slack(reference):
        return Orientation()
    ways = [
        Orientation((x, y, z), (back_x, back_y, back_z))
        for x, y, z in itertools.permutations(range(3))
        if (grid.shape[x], grid.shape[y], grid.shape[z]) == reference.shape
        for back_x, back_y, back_z in itertools.product((False, True), repeat=3)
    ]
    best = min(ways, key=lambda way: _distance(grid, reference, way), default=None)
    return best if best is not None and _distance(grid, reference, best) <= _slack(reference) else None


def placement(grid: Grid, reference: Grid) -> tuple[int, tuple[int, ...]] | None:
    """Return where the voxels of a cropped volume lie in the whole volume; None if the volume is not a part
    of it.

    Returns:
        Index of its first voxel in the whole volume (first axis fastest), and the step in the index along
        each axis.
    """
    within = np.linalg.solve(reference.affine, grid.affine)
    if not (np.abs(within) < FURTHEST).all():
        return None
    whole = np.rint(within).astype(np.int64)
    turn, start = whole[:3, :3], whole[:3, 3]
    lengths = np.array(grid.shape) - 1
    ends = np.stack([start, start + turn @ lengths])
    is_turn = (np.abs(turn).sum(0) == 1).all() and (np.abs(turn).sum(1) == 1).all()
    is_inside = (ends >= 0).all() and (ends < reference.shape).all()
    moved = Grid(grid.shape, reference.affine @ whole)
    if not is_turn or not is_inside or _distance(moved, grid, Orientation()) > _slack(reference):
        return None
    steps = np.array([1, reference.shape[0], reference.shape[0] * reference.shape[1]])
    return int(start @ steps), tuple((steps @ turn).tolist())


def difference(grid: Grid, reference: Grid) -> str:
    """Return a text that says how a grid differs from the reference."""
    if str(grid) != str(reference):
        return f"its grid has {grid}, but the truth's grid has {reference}"
    return (
        f"one corner lies {_distance(grid, reference, Orientation()):.4g} mm away from the same "
        "corner of the truth"
    )


def _distance(grid: Grid, reference: Grid, way: Orientation) -> float:
    corners = grid.corners.transpose(*way.axes, 3)[
        tuple(slice(None, None, -1 if back else 1) for back in way.reversed)
    ]
    return float(np.linalg.norm(corners - reference.corners, axis=-1).max())


def _slack(reference: Grid) -> float:
    return TOLERANCE * float(reference.spacing.min())


def _by(numbers: Iterable[object]) -> str:
    return "×".join(map(str, numbers))
