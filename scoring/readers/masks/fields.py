"""The fields of a header that are needed, whichever format they come from."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Fields:
    """shape: as announced, unchecked. affine: float64 [4, 4], index -> mm in RAS. dtype: with byte order.
    is_deflated: the voxels are a zlib stream."""

    shape: tuple[int, ...]
    affine: np.ndarray
    dtype: np.dtype
    slope: float = 1.0
    intercept: float = 0.0
    is_deflated: bool = False
