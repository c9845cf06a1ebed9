"""The voxels of a volume and where they lie in the patient."""

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter


def block_means(values: np.ndarray, factor: int) -> np.ndarray:
    """Means over cubes of factor x factor x factor voxels: values on `Grid.coarser`."""
    x, y, z = (count // factor for count in values.shape)
    return values.reshape(x, factor, y, factor, z, factor).mean(axis=(1, 3, 5))


@dataclass(frozen=True)
class Grid:
    """shape: voxels along x, y, z. spacing: mm. signs: 1 where an axis runs to the right, to the front,
    upwards, -1 where it runs the other way.

    The middle of the grid is the origin of the patient's coordinates.
    """

    shape: tuple[int, int, int]
    spacing: tuple[float, float, float]
    signs: tuple[int, int, int] = (-1, -1, 1)

    @property
    def steps(self) -> np.ndarray:
        """[3], mm to the right, to the front and upwards from a voxel to the next along x, y and z."""
        return np.multiply(self.signs, self.spacing)

    @property
    def origin(self) -> np.ndarray:
        """[3], mm: the centre of the first voxel, to the right, to the front and upwards."""
        return -self.steps * (np.array(self.shape) - 1) / 2

    @property
    def voxel_ml(self) -> float:
        return float(np.prod(self.spacing)) / 1000

    def axes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Coordinates of the voxels' centres along each axis, mm, shaped to be broadcast against each
        other."""
        one_axis = (
            first + step * np.arange(count)
            for first, step, count in zip(self.origin, self.steps, self.shape, strict=True)
        )
        return tuple(
            np.meshgrid(*(values.astype(np.float32) for values in one_axis), indexing="ij", sparse=True)
        )

    def noise(self, random: np.random.Generator, width: float) -> np.ndarray:
        """A random field of standard deviation 1 that varies over `width` mm."""
        field = gaussian_filter(
            random.standard_normal(self.shape).astype(np.float32), [width / step for step in self.spacing]
        )
        return field / field.std()

    def coarser(self, factor: int) -> "Grid":
        """The same space in voxels `factor` times as wide; the counts must be multiples of it."""
        shape = tuple(count // factor for count in self.shape)
        return Grid(shape, tuple(factor * step for step in self.spacing), self.signs)
