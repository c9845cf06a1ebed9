"""Fields of volume headers, for any format."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.common.arrays import Floats

RAS_FROM_LPS = np.diag([-1.0, -1.0, 1.0, 1.0])


@dataclass(frozen=True, eq=False)
class Fields:
    """Unchecked fields of a header.

    Attributes:
        shape: Number of voxels along each axis.
        affine: Index -> mm in RAS, float64 [4, 4].
        dtype: Type of the stored values, with byte order.
        slope: A voxel's value is slope * stored + intercept.
        intercept: See `slope`.
        packed: Compression of the voxels: "zlib", "gzip", or "" for none.
        names: Label names as written, and their numbers.
        is_part: Whether it was cropped from a larger volume.
    """

    shape: tuple[int, ...]
    affine: Floats
    dtype: np.dtype[Any]
    slope: float = 1.0
    intercept: float = 0.0
    packed: str = ""
    names: tuple[tuple[str, str], ...] = ()
    is_part: bool = False
