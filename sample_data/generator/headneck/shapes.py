"""Simple bodies that anatomy is put together from. Lengths are mm; points are given to the right, to the
front and upwards."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Point = tuple[float, float, float]
Coordinates = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Shape:
    """low, high: corners of a box around it. depth: of coordinates, how deep inside they lie, negative
    outside; near enough at the surface."""

    low: Point
    high: Point
    depth: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def ellipsoid(centre: Point, radii: Point) -> Shape:
    """With axes along the coordinates."""

    def depth(right, front, up):
        offsets = (
            ((where - middle) / radius) ** 2
            for where, middle, radius in zip((right, front, up), centre, radii, strict=True)
        )
        return (1 - np.sqrt(sum(offsets))) * min(radii)

    return Shape(tuple(np.subtract(centre, radii)), tuple(np.add(centre, radii)), depth)


def column(path: tuple[Point, ...], radii: tuple[float, float]) -> Shape:
    """A rod that follows points, lowest first; its horizontal sections are ellipses of `radii` to the right
    and to the front."""
    points = np.array(path)
    margin = np.array([*radii, 0])

    def depth(right, front, up):
        across = (right - np.interp(up, points[:, 2], points[:, 0])) / radii[0]
        along = (front - np.interp(up, points[:, 2], points[:, 1])) / radii[1]
        ends = np.minimum(up - points[0, 2], points[-1, 2] - up)
        return np.minimum((1 - np.hypot(across, along)) * min(radii), ends)

    return Shape(tuple(points.min(0) - margin), tuple(points.max(0) + margin), depth)


def rod(start: Point, end: Point, radius: float) -> Shape:
    """A round rod with round ends, in any direction."""
    first, direction = np.array(start), np.subtract(end, start)

    def depth(right, front, up):
        offsets = [where - at for where, at in zip((right, front, up), first, strict=True)]
        share = np.clip(
            sum(offset * step for offset, step in zip(offsets, direction, strict=True))
            / (direction @ direction),
            0,
            1,
        )
        return radius - np.sqrt(
            sum((offset - share * step) ** 2 for offset, step in zip(offsets, direction, strict=True))
        )

    corners = np.array([start, end])
    return Shape(tuple(corners.min(0) - radius), tuple(corners.max(0) + radius), depth)


def arch(centre: Point, radii: tuple[float, float], thickness: float, height: float) -> Shape:
    """The front half of an upright elliptic ring, as a jaw is."""
    radius = np.array(radii)

    def depth(right, front, up):
        wall = thickness / 2 - np.abs(
            np.hypot((right - centre[0]) / radii[0], (front - centre[1]) / radii[1]) - 1
        ) * min(radii)
        return np.minimum(np.minimum(wall, height / 2 - np.abs(up - centre[2])), front - centre[1])

    reach = np.array([*(radius + thickness), height / 2])
    return Shape(tuple(np.subtract(centre, [reach[0], 0, reach[2]])), tuple(np.add(centre, reach)), depth)


def shell(centre: Point, radii: Point, thickness: float) -> Shape:
    """The wall of an ellipsoid, `thickness` inwards."""
    outer = ellipsoid(centre, radii)
    return Shape(
        outer.low, outer.high, lambda *where: np.minimum(outer.depth(*where), thickness - outer.depth(*where))
    )


def above(shape: Shape, height: float) -> Shape:
    """What of a shape lies higher than that."""
    low = (*shape.low[:2], max(shape.low[2], height))
    return Shape(
        low, shape.high, lambda right, front, up: np.minimum(shape.depth(right, front, up), up - height)
    )


def rhythmic(shape: Shape, period: float, share: float) -> Shape:
    """Slices of a shape, one per `period` upwards, each `share` of it thick: vertebrae without their
    discs."""

    def depth(right, front, up):
        return np.minimum(
            shape.depth(right, front, up),
            period * share / 2 - np.abs((up + period / 2) % period - period / 2),
        )

    return Shape(shape.low, shape.high, depth)
