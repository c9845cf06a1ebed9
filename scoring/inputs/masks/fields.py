"""Fields of a header, whichever format it has."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.common.arrays import Floats


@dataclass(frozen=True, eq=False)
class Fields:
    """Fields of a header as announced, unchecked.

    Attributes:
        shape: Voxels along each axis.
        affine: Index -> mm in RAS, float64 [4, 4].
        dtype: Type of the stored values, with byte order.
        slope: A voxel's value is slope * stored + intercept.
        intercept: See `slope`.
        is_deflated: Whether the voxels are a zlib stream.
    """

    shape: tuple[int, ...]
    affine: Floats
    dtype: np.dtype[Any]
    slope: float = 1.0
    intercept: float = 0.0
    is_deflated: bool = False
