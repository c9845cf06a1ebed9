"""Areas of polygons and of their intersections, for many polygons at once.

Outlines that cross themselves are repaired by the even-odd rule. Shapely is slow to import, so only functions
that use it import it.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scoring.common.arrays import Array, Bools, Floats, Ints
from scoring.metrics.classification import divide

if TYPE_CHECKING:
    import shapely

CORNERS = 3
"""Minimum number of vertices of an outline."""


@dataclass(frozen=True)
class Outlines:
    """Polygons of n objects.

    Attributes:
        shapes: Valid polygons or multipolygons [n]; empty if an object has no outline.
        areas: px^2 [n].
        repaired: Which outlines were repaired, because they crossed or touched themselves, bool [n].
        drawn: Which objects have an outline, bool [n].
    """

    shapes: Array
    areas: Floats
    repaired: Bools
    drawn: Bools

    def __len__(self) -> int:
        return len(self.areas)


def outlines(vertices: Floats, starts: Ints) -> Outlines:
    """Make polygons from rings of vertices.

    Args:
        vertices: x and y of all rings in one list [v, 2]; the first vertex may be repeated at the end of a
            ring.
        starts: Start of each ring in the list [n + 1]; two equal neighbours mean that there is no ring.
    """
    import shapely

    lengths = np.diff(starts.astype(int))
    closed = _closed(vertices, starts.astype(int), lengths)
    drawn = lengths - closed >= CORNERS
    shapes = np.full(len(lengths), shapely.Polygon(), object)
    points = vertices.astype(float)[np.repeat(drawn, lengths)]
    if drawn.any():
        ring = np.repeat(np.arange(np.count_nonzero(drawn)), lengths[drawn])
        shapes[drawn] = shapely.polygons(shapely.linearrings(points, indices=ring))
    repaired = ~shapely.is_valid(shapes)
    shapes[repaired] = [_surface(shape) for shape in shapely.make_valid(shapes[repaired])]
    return Outlines(shapes, shapely.area(shapes), repaired, drawn)


def _closed(vertices: Floats, starts: Ints, lengths: Ints) -> Bools:
    """Return which rings repeat their first vertex at the end [n]."""
    closed = np.zeros(len(lengths), bool)
    some = np.flatnonzero(lengths > 1)
    closed[some] = (vertices[starts[some]] == vertices[starts[some + 1] - 1]).all(1)
    return closed


def _surface(shape: "shapely.Geometry") -> "shapely.Geometry":
    """Return the polygons of a geometry, without points and lines."""
    import shapely

    parts = shapely.get_parts(shapely.get_parts(shape))
    return shapely.MultiPolygon([part for part in parts if part.geom_type == "Polygon"])


def possible(truth: Outlines, predicted: Outlines, least: float) -> tuple[Ints, Ints]:
    """Return every pair of outlines whose IoU may exceed a value. Only areas and bounding boxes are used.

    Args:
        least: The IoU, 0..1.

    Returns:
        Positions of truth and prediction [p], ordered by truth.
    """
    import shapely

    guess, true = shapely.STRtree(truth.shapes).query(predicted.shapes)
    box, other = shapely.bounds(truth.shapes[true]), shapely.bounds(predicted.shapes[guess])
    common = np.minimum(box[:, 2:], other[:, 2:]) - np.maximum(box[:, :2], other[:, :2])
    both = np.minimum(truth.areas[true], predicted.areas[guess])
    most = np.minimum(common.clip(0).prod(1), both)
    overlapping = most > least * (truth.areas[true] + predicted.areas[guess] - most)
    order = np.lexsort((guess[overlapping], true[overlapping]))
    return true[overlapping][order], guess[overlapping][order]


def intersections(truth: Outlines, predicted: Outlines, pairs: tuple[Ints, Ints]) -> Floats:
    """Return the area of the intersection of each pair of outlines, px^2 [p].

    Args:
        pairs: Positions of truth and prediction [p].
    """
    import shapely

    true, guessed = truth.shapes[pairs[0]], predicted.shapes[pairs[1]]
    common: Floats = shapely.area(shapely.intersection(true, guessed))
    return common


def iou(common: Floats, areas: Floats, other_areas: Floats) -> Floats:
    """Return intersection over union [p]; 0 if both areas are 0.

    Args:
        common: Areas of the intersections [p].
        areas: Areas of the first outlines [p].
        other_areas: Areas of the second outlines [p].
    """
    return divide(common, areas + other_areas - common, 0.0)
