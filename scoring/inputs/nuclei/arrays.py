"""The nuclei of one case as arrays."""

from dataclasses import dataclass, fields

import numpy as np

from scoring.common.arrays import Bools, Floats, Ints


@dataclass(frozen=True)
class Nuclei:
    """n nuclei in file order, without those that are left out (fewer than three vertices, unknown class);
    read-only.

    Attributes:
        classes: Position in the list of class names, int8 [n].
        centroids: x and y in px, float64 [n, 2].
        confidences: The first of the keys `score`, `confidence`, `probability`, 1 without, float64 [n].
        scores: The key `score` alone, 1 without, float64 [n].
        numbers: Position in the file's own list, int32 [n].
        vertices: x and y in px of all outlines, one after the other, float32 [v, 2]; for drawing alone (very
            long outlines are thinned).
        starts: Where each outline begins, uint32 [n + 1]; equal neighbours: there is none.
    """

    classes: Ints
    centroids: Floats
    confidences: Floats
    scores: Floats
    numbers: Ints
    vertices: Floats
    starts: Ints

    def __post_init__(self) -> None:
        for field in fields(self):
            getattr(self, field.name).setflags(write=False)

    def __len__(self) -> int:
        return len(self.classes)

    def outside(self, size: Ints | tuple[int, int]) -> Bools:
        """Return which centroids lie outside an image of `size` (width, height, px), bool [n]; its edges
        belong to it."""
        beyond: Bools = (self.centroids < 0) | (self.centroids > size)
        return beyond[:, 0] | beyond[:, 1]

    @classmethod
    def empty(cls) -> "Nuclei":
        """Return no nuclei."""
        return cls(
            np.empty(0, np.int8),
            np.empty((0, 2)),
            np.empty(0),
            np.empty(0),
            np.empty(0, np.int32),
            np.empty((0, 2), np.float32),
            np.zeros(1, np.uint32),
        )
