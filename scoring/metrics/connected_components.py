"""Connected components of masks: the lesions of a mask, and the voxels that components of two masks share."""

import numpy as np
import scipy

from scoring.common.arrays import Bools, Ints


def components(region: Bools, axes: int | None = None) -> tuple[Ints, int]:
    """Number the connected components of a region.

    Args:
        region: Which voxels are in the region, an array of any shape.
        axes: Number of axes along which connected voxels may differ by one. In 3D, 1 = they share a face, 2 =
            a face or edge (18 neighbours), 3 = a face, edge or corner (26). None means all axes.

    Returns:
        The component of each voxel, int32 1..n and 0 outside, of the same shape; and n.
    """
    numbered = np.empty(region.shape, np.int32)
    structure = scipy.ndimage.generate_binary_structure(region.ndim, axes or region.ndim)
    count = scipy.ndimage.label(region, structure, output=numbered)
    return numbered, int(count)


def shared_voxels(first: Ints, second: Ints) -> tuple[Ints, Ints, Ints]:
    """Find the overlapping components of two masks.

    Args:
        first: Component of each voxel in one mask, 0 outside, any shape.
        second: Component of each voxel in the other mask, of the same shape.

    Returns:
        For every overlapping pair: the component in the first mask, the component in the second mask, and the
        number of shared voxels, [P] each.
    """
    both = (first > 0) & (second > 0)
    parts = int(second.max(initial=0)) + 1
    pairs, voxels = np.unique(first[both].astype(np.int64) * parts + second[both], return_counts=True)
    return pairs // parts, pairs % parts, voxels
