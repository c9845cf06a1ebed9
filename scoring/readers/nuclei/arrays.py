"""The nuclei of one case as arrays."""

from dataclasses import dataclass, fields

import numpy as np


@dataclass(frozen=True)
class Nuclei:
    """Nuclei in file order; those that are left out (fewer than three vertices, unknown class where that is
    asked for) are not here.

    classes: int8 [n], position in the list of class names. centroids: float64 [n, 2], x and y in px.
    confidences: float64 [n], the first of the keys `score`, `confidence`, `probability`, 1 without. scores:
    float64 [n], the key `score` alone, 1 without. numbers: int32 [n], position in the file's own list.
    vertices: float32 [v, 2], x and y in px of all outlines, one after the other, for drawing alone (very long
    outlines are thinned). starts: uint32 [n + 1], where each outline begins; equal neighbours: there is none.
    Read-only.
    """

    classes: np.ndarray
    centroids: np.ndarray
    confidences: np.ndarray
    scores: np.ndarray
    numbers: np.ndarray
    vertices: np.ndarray
    starts: np.ndarray

    def __post_init__(self):
        for field in fields(self):
            getattr(self, field.name).setflags(write=False)

    def __len__(self) -> int:
        return len(self.classes)

    def outside(self, size: np.ndarray | tuple[int, int]) -> np.ndarray:
        """Which centroids lie left of, above or beyond an image of `size` (width, height, px), bool [n]; its
        right and lower edge belong to it."""
        return ((self.centroids < 0) | (self.centroids > size)).any(1)

    @classmethod
    def empty(cls) -> "Nuclei":
        """No nuclei."""
        return cls(
            np.empty(0, np.int8),
            np.empty((0, 2)),
            np.empty(0),
            np.empty(0),
            np.empty(0, np.int32),
            np.empty((0, 2), np.float32),
            np.zeros(1, np.uint32),
        )
