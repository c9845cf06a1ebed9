"""Outlines of nuclei: closed rings of vertices, [v, 2] in px, many of them one after the other."""

from collections.abc import Sequence

import numpy as np

from scoring.common.arrays import Floats, Ints

DRAWN_VERTICES = 10_000
"""An outline of more vertices is thinned for drawing."""


def centroids(points: Floats, lengths: Ints) -> Floats:
    """Return the arithmetic mean of the vertices of each outline, summed in their order.

    A repeated closing vertex counts as often as it is listed.

    Args:
        points: Vertices of all outlines, one after the other [v, 2].
        lengths: Number of vertices of each outline, above 0 [n].

    Returns:
        Centroids [n, 2].
    """
    outline = np.repeat(np.arange(len(lengths)), lengths)
    # bincount adds in order, so that the sums are those of a plain loop; reduceat adds pairwise
    sums = [np.bincount(outline, np.ascontiguousarray(points[:, axis]), len(lengths)) for axis in (0, 1)]
    means: Floats = np.stack(sums, axis=1) / lengths[:, None]
    return means


def area(ring: Sequence[Sequence[float]]) -> float:
    """Return the area of a ring in px^2 by the shoelace formula, whatever its direction; 0 below three
    vertices, infinite where it overflows."""
    if len(ring) < 3:
        return 0.0
    x, y = np.array([[float(x), float(y)] for x, y, *_ in ring]).T
    with np.errstate(over="ignore", invalid="ignore"):
        x, y = x - x[0], y - y[0]
        doubled = float(abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))))
    return doubled / 2 if np.isfinite(doubled) else np.inf


def largest(rings: Sequence[Sequence[Sequence[float]]]) -> Sequence[Sequence[float]]:
    """Return the ring of the largest area, the first one on a tie."""
    return rings[0] if len(rings) == 1 else max(rings, key=area)


def thinned(points: Floats, lengths: Ints) -> tuple[Floats, Ints]:
    """Return points and lengths with at most DRAWN_VERTICES for each outline: every k-th vertex of a longer
    one."""
    if not (lengths > DRAWN_VERTICES).any():
        return points, lengths
    ends = np.cumsum(lengths)
    steps = np.maximum(1, -(-lengths // DRAWN_VERTICES))
    kept = [points[end - length : end : step] for end, length, step in zip(ends, lengths, steps, strict=True)]
    return np.concatenate(kept), np.array([len(ring) for ring in kept])
