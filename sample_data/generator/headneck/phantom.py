"""An invented head and neck: density for CT and glucose uptake for PET, from the shoulders to the forehead.

Lengths are mm, to the right, to the front and upwards from a point before the third cervical vertebra. Shapes
and values are what an atlas shows roughly; nothing was measured on a person.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter

from sample_data.generator.headneck.grid import Grid
from sample_data.generator.headneck.shapes import (
    Coordinates,
    Shape,
    above,
    arch,
    column,
    ellipsoid,
    rhythmic,
    rod,
    shell,
)

AIR = -1000
UNDER_SKIN_MM = 2
MARGIN = 18  # a head that is larger, turned or uneven reaches that far, mm, out of the box around a shape
# Heights, and at each how far the body reaches to the side, to the front and to the back.
HEIGHTS = (-110, -94, -78, -62, -40, -14, 2, 18, 40, 62, 85, 110)
SIDEWARD = (116, 112, 92, 67, 59, 59, 63, 67, 71, 74, 76, 75)
FORWARD = (66, 63, 59, 55, 54, 57, 72, 84, 88, 88, 88, 86)
BACKWARD = (84, 82, 77, 71, 67, 67, 70, 76, 88, 96, 99, 98)
FAT, MUSCLE = (-95, 0.35), (55, 0.8)
MOTTLING, MOTTLES_MM = 0.12, 4  # uptake varies by this share over so many mm
RESOLUTION = 6.0  # of the PET, full width at half maximum, mm
PULSE = 2.355  # of a Gaussian: full width at half maximum, in standard deviations

Part = tuple[Shape, float, float]


@dataclass(frozen=True)
class Body:
    """density: HU, uptake: SUV, arrays x, y, z that are painted on. depth: how deep in the body a voxel lies,
    about mm. where: the voxels' coordinates in an upright, symmetric head of average size.
    """

    grid: Grid
    where: Coordinates
    depth: np.ndarray
    density: np.ndarray
    uptake: np.ndarray

    def paint(self, shape: Shape, density: float, uptake: float) -> None:
        """Fills a shape; voxels on its surface in part."""
        box = tuple(
            slice(*np.clip(_extent(axis.ravel(), low - MARGIN, high + MARGIN), 0, axis.size))
            for axis, low, high in zip(self.grid.axes(), shape.low, shape.high, strict=True)
        )
        share = self.share(shape.depth(*(values[box] for values in self.where)))
        self.density[box] += share * (density - self.density[box])
        self.uptake[box] += share * (uptake - self.uptake[box])

    def share(self, depth: np.ndarray) -> np.ndarray:
        """How much of each voxel lies inside a surface, 0 to 1, from the depth of its centre in mm."""
        return np.clip(depth / np.mean(self.grid.spacing) + 0.5, 0, 1)

    def solid(self) -> np.ndarray:
        """Where a soft tumour can be: in the body, neither in air nor in bone."""
        return (self.depth > UNDER_SKIN_MM) & (self.density > -400) & (self.density < 220)


def _extent(values: np.ndarray, low: float, high: float) -> tuple[int, int]:
    inside = np.flatnonzero((values >= low) & (values <= high))
    return (int(inside[0]), int(inside[-1]) + 1) if inside.size else (0, 0)


def _outline(right: np.ndarray, front: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Depth under the skin: a stack of ovals, squarer at the shoulders."""
    side, ahead, behind = (
        np.interp(up, HEIGHTS, reach).astype(np.float32) for reach in (SIDEWARD, FORWARD, BACKWARD)
    )
    power = np.interp(up, (-90, -60), (2.6, 2)).astype(np.float32)
    reach = np.where(front > 0, ahead, behind)
    return (1 - (np.abs(right / side) ** power + np.abs(front / reach) ** power) ** (1 / power)) * np.minimum(
        side, reach
    )


def _coordinates(grid: Grid, random: np.random.Generator) -> Coordinates:
    """Of another head: larger or smaller, turned a little, not quite symmetric."""
    right, front, up = grid.axes()
    sizes, tilt, nod = random.uniform(0.94, 1.06, 3), random.uniform(-0.03, 0.03), random.uniform(-0.05, 0.05)
    uneven = [1.3 * grid.noise(random, 16) for _ in range(3)]
    return (
        (right - tilt * up) / sizes[0] + uneven[0],
        (front - nod * up) / sizes[1] + uneven[1],
        up / sizes[2] + uneven[2],
    )


def _muscles(side: int) -> Iterator[Part]:
    for shape in (
        column(
            ((24 * side, -50, -112), (20 * side, -43, -40), (18 * side, -41, 40), (24 * side, -50, 58)),
            (17, 12),
        ),
        column(((60 * side, -51, -112), (40 * side, -50, -60), (24 * side, -55, 10)), (22, 5)),
        column(((44 * side, -14, -112), (33 * side, -18, -40), (26 * side, -22, 36)), (10, 12)),
        column(
            ((14 * side, 42, -84), (36 * side, 16, -30), (47 * side, -4, 20), (52 * side, -20, 50)), (7, 13)
        ),
        column(((10 * side, 4, -100), (9 * side, 2, 40)), (8, 4)),
        column(((11 * side, 41, -84), (11 * side, 38, -20)), (9, 4)),
        column(((19 * side, 16, -20), (17 * side, 12, 50)), (4, 9)),
        column(((53 * side, 34, 0), (55 * side, 36, 44)), (6, 17)),
        ellipsoid((33 * side, 30, 36), (9, 14, 17)),
        ellipsoid((66 * side, 24, 74), (7, 26, 28)),
        column(((94 * side, -8, -112), (74 * side, -30, -72)), (22, 34)),
    ):
        yield shape, *MUSCLE


def _glands_and_vessels(side: int, random: np.random.Generator) -> Iterator[Part]:
    contrast = random.uniform(140, 190)
    yield ellipsoid((53 * side, 8, 27), (10, 15, 20)), 5, random.uniform(1.2, 2.2)
    yield ellipsoid((27 * side, 34, 4), (9, 12, 9)), 50, random.uniform(1.3, 2.3)
    yield ellipsoid((17 * side, 22, -50), (9, 9, 17)), 105, 1.3
    yield ellipsoid((18 * side, 14, 20), (5, 7, 10)), 65, random.uniform(1.8, 3.0)
    yield (
        column(
            ((18 * side, 8, -112), (23 * side, 10, -40), (25 * side, 4, 20), (26 * side, -2, 62)), (3.6, 3.6)
        ),
        contrast,
        1.5,
    )
    yield (
        column(
            ((24 * side, 14, -112), (30 * side, 7, -40), (33 * side, -2, 20), (30 * side, -8, 60)), (5.5, 4.8)
        ),
        contrast - 20,
        1.5,
    )
    yield ellipsoid((31 * side, 68, 80), (12, 12, 12)), 12, 0.8


def _bones(side: int) -> Iterator[Part]:
    yield rod((52 * side, 8, 56), (50 * side, 20, 6), 5), 750, 0.9
    yield rod((9 * side, 44, -84), (112 * side, 16, -74), 6), 480, 0.9
    yield rhythmic(column(((21 * side, -23, -112), (20 * side, -22, 46)), (7, 8)), 18, 0.6), 330, 1.0
    yield rhythmic(rod((12 * side, -40, -112), (7 * side, -44, 46), 4.5), 18, 0.6), 380, 0.9
    yield shell((31 * side, 70, 80), (17, 17, 16), 2.5), 600, 0.7
    yield ellipsoid((48 * side, -22, 58), (9, 12, 11)), 500, 0.6
    yield rod((36 * side, 74, 62), (60 * side, 44, 60), 4), 600, 0.7


def _head(random: np.random.Generator) -> Iterator[Part]:
    brain = random.uniform(6, 8.5)
    yield above(shell((0, -4, 92), (71, 89, 66), 7), 66), 950, 0.6
    yield above(shell((0, -30, 82), (62, 62, 40), 6), 42), 800, 0.6
    yield ellipsoid((0, -40, 68), (48, 34, 22)), 38, brain * 0.85
    yield above(ellipsoid((0, -4, 92), (63, 81, 58)), 70), 34, brain
    for side in (-1, 1):
        yield ellipsoid((36 * side, 14, 70), (21, 34, 17)), 34, brain
    yield above(ellipsoid((0, -4, 98), (46, 60, 36)), 76), 28, brain * 0.6
    yield column(((0, -32, 48), (0, -18, 80)), (11, 10)), 32, brain * 0.6
    yield ellipsoid((0, -10, 100), (14, 30, 9)), 10, 0.8


def _face(random: np.random.Generator) -> Iterator[Part]:
    yield ellipsoid((0, 42, 20), (25, 34, 19)), 62, random.uniform(1.1, 1.9)
    yield ellipsoid((0, 44, 1), (21, 26, 7)), 52, 1.0
    yield arch((0, 24, 12), (49, 51), 9, 24), 800, 0.9
    yield arch((0, 26, 46), (38, 49), 11, 18), 620, 0.8
    yield arch((0, 28, 30), (41, 48), 8, 16), 1400, 0.4
    yield ellipsoid((0, 52, 44), (28, 28, 3)), 500, 0.7


def _airway(random: np.random.Generator) -> Iterator[Part]:
    yield ellipsoid((0, 16, 14), (16, 12, 14)), 60, random.uniform(1.4, 2.4)
    yield ellipsoid((0, 16, 56), (16, 11, 11)), 60, random.uniform(1.2, 2.2)
    yield column(((0, 12, -112), (0, 22, -44)), (11, 10)), 60, 1.0
    yield arch((0, 16, -24), (20, 25), 4.5, 26), 150, 0.9
    yield arch((0, 10, -2), (21, 23), 4, 5), 420, 0.8
    yield column(((0, 24, -44), (0, 22, -8)), (14, 15)), 60, random.uniform(1.2, 2.2)
    yield column(((0, -2, -112), (0, 4, -44)), (8, 5)), 35, 1.5
    yield column(((0, 12, -112), (0, 23, -44)), (8, 8)), AIR, 0.1
    yield column(((0, 23, -46), (0, 24, -26), (0, 18, -6), (0, 12, 12)), (7, 9)), AIR, 0.1
    yield column(((0, 11, 4), (0, 12, 30), (0, 14, 50)), (11, 6)), AIR, 0.1
    yield ellipsoid((0, 18, 56), (11, 8, 9)), AIR, 0.1
    for side in (-1, 1):
        yield ellipsoid((7 * side, 56, 60), (4, 30, 14)), AIR, 0.1
        yield ellipsoid((27 * side, 54, 60), (12, 15, 13)), AIR, 0.1
        yield ellipsoid((50 * side, -14, -138), (32, 38, 48)), -830, 0.4


def _spine() -> Iterator[Part]:
    path = ((0, -26, -112), (0, -17, -40), (0, -13, 10), (0, -16, 50))
    yield column(path, (12, 9)), 85, 0.9
    yield rhythmic(column(path, (13, 10.5)), 18, 0.76), 330, 1.3
    yield rhythmic(rod((0, -66, -112), (0, -54, 34), 4), 18, 0.5), 420, 0.9
    yield column(tuple((right, front - 21, up) for right, front, up in path), (10, 8)), 20, 0.7
    yield column(tuple((right, front - 21, up) for right, front, up in path), (6, 5)), 35, 1.4


def parts(random: np.random.Generator) -> Iterator[Part]:
    """Shape, HU and SUV of everything inside the body, in the order in which later parts replace earlier
    ones."""
    for side in (-1, 1):
        yield from _muscles(side)
    yield from _head(random)
    for side in (-1, 1):
        yield from _glands_and_vessels(side, random)
    yield from _spine()
    yield from _face(random)
    yield from _airway(random)
    for side in (-1, 1):
        yield from _bones(side)


def healthy(grid: Grid, random: np.random.Generator) -> Body:
    """A body without a tumour."""
    where = _coordinates(grid, random)
    depth = _outline(*where)
    nose = ellipsoid((0, 88, 58), (12, 16, 17))
    depth = np.maximum(depth, nose.depth(*where))
    body = Body(grid, where, depth, np.full(grid.shape, AIR, np.float32), np.full(grid.shape, 0, np.float32))
    skin = body.share(depth)
    body.density[...] += skin * (FAT[0] - AIR)
    body.uptake[...] += skin * FAT[1]
    for part in parts(random):
        body.paint(*part)
    outside = 1 - skin
    body.density[...] += outside * (AIR - body.density)
    body.uptake[...] *= skin * (1 + MOTTLING * grid.noise(random, MOTTLES_MM))
    return body


def computed_tomography(body: Body, random: np.random.Generator) -> np.ndarray:
    """HU of each voxel, int16: sharp, a little noisy, in steps of 4 HU; the air around is clean, as of a file
    that is to be small."""
    streaks = 5 * body.grid.noise(random, 5) * (body.density > AIR / 2)
    seen = gaussian_filter(body.density, 0.45) + streaks + random.normal(0, 9, body.density.shape)
    return np.where(body.depth > -3, 4 * np.round(np.clip(seen, AIR, 1600) / 4), AIR).astype(np.int16)


def positron_emission(body: Body, random: np.random.Generator) -> np.ndarray:
    """SUV of each voxel, blurred as a camera sees it, with noise that grows with the activity."""
    width = [RESOLUTION / PULSE / step for step in body.grid.spacing]
    blurred = gaussian_filter(body.uptake, width)
    noise = gaussian_filter(
        random.standard_normal(blurred.shape).astype(np.float32), [0.8 * one for one in width]
    )
    return np.clip(blurred + 0.11 * noise / noise.std() * np.sqrt(blurred), 0, None)
