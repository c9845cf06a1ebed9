"""Fields of the headers of volumes, whatever their format."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.common.arrays import Floats

RAS_FROM_LPS = np.diag([-1.0, -1.0, 1.0, 1.0])


@dataclass(frozen=True, eq=False)
class Fields:
    """Fields of a header as announced, unchecked.

    Attributes:
        shape: Voxels along each axis.
        affine: Index -> mm in RAS, float64 [4, 4].
        dtype: Type of the stored values, with byte order.
        slope: A voxel's value is slope * stored + intercept.
        intercept: See `slope`.
        packed: How the voxels are compressed: "zlib", "gzip", or "" for not at all.
        names: Names of labels as written, and their numbers.
        is_part: Whether it is a part that was cut out of a larger volume.
    """

    shape: tuple[int, ...]
    affine: Floats
    dtype: np.dtype[Any]
    slope: float = 1.0
    intercept: float = 0.0
    packed: str = ""
    names: tuple[tuple[str, str], ...] = ()
    is_part: bool = False
