"""The field of view that is drawn on: its pixels, its random numbers, and the textures made from them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from PIL import Image, ImageDraw, ImageFilter
from scipy.fft import irfft2, next_fast_len, rfft2
from scipy.ndimage import zoom
from scipy.spatial import cKDTree

# Lengths in this package are pixels of a field whose shorter side is this long; larger images are enlarged
# afterwards.
SHORTER_SIDE = 512
OVERSAMPLING = 2


def smoothstep(start: float, stop: float, values: np.ndarray) -> np.ndarray:
    """0 at `start`, 1 at `stop` (which may be the smaller one), a cubic with flat ends between them."""
    t = np.clip((values - start) / (stop - start), 0, 1)
    return t * t * (3 - 2 * t)


@dataclass(frozen=True)
class Cells:
    """A jittered honeycomb, arrays of height x width: distance to the nearest and second nearest seed (px), a
    number in 0..1 per cell."""

    nearest: np.ndarray
    second: np.ndarray
    tint: np.ndarray

    def walls(self, width: float | np.ndarray) -> np.ndarray:
        """1 on the border between two cells, falling off over `width` px."""
        return np.exp(-(((self.second - self.nearest) / width) ** 2))

    def spots(self, radius: float, share: float) -> np.ndarray:
        """Discs of `radius` px on the seeds of that share of the cells."""
        return smoothstep(radius * 1.25, radius * 0.75, self.nearest) * (self.tint < share)


@dataclass(frozen=True)
class Canvas:
    """`height` x `width` pixels, the shorter side SHORTER_SIDE, and the one random stream that every drawing
    step takes from in turn."""

    random: np.random.Generator
    height: int
    width: int

    @property
    def shape(self) -> tuple[int, int]:
        return self.height, self.width

    @cached_property
    def rows(self) -> np.ndarray:
        return np.arange(self.height, dtype=np.float32)[:, None]

    @cached_property
    def columns(self) -> np.ndarray:
        return np.arange(self.width, dtype=np.float32)[None, :]

    def uniform(self, low: float, high: float) -> float:
        return float(self.random.uniform(low, high))

    def integer(self, low: int, high: int) -> int:
        """A whole number from low to high - 1."""
        return int(self.random.integers(low, high))

    def chance(self, share: float) -> bool:
        return bool(self.random.random() < share)

    def blank(self) -> np.ndarray:
        return np.zeros(self.shape, np.float32)

    def noise(self, falloff: float, lowest: float = 0, highest: float = np.inf) -> np.ndarray:
        """Fractal noise, height x width, mean 0 and standard deviation 1.

        Its amplitude falls as frequency to the power -falloff, within `lowest`..`highest` cycles per
        SHORTER_SIDE pixels.
        """
        height, width = (next_fast_len(side, real=True) for side in self.shape)
        spectrum = rfft2(self.random.standard_normal((height, width), dtype=np.float32))
        frequency = SHORTER_SIDE * np.hypot(
            np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width)[None]
        ).astype(np.float32)
        frequency[0, 0] = 1
        spectrum *= frequency ** np.float32(-falloff) * ((frequency >= lowest) & (frequency <= highest))
        spectrum[0, 0] = 0
        values = irfft2(spectrum, (height, width))[: self.height, : self.width]
        return ((values - values.mean()) / (values.std() + 1e-9)).astype(np.float32)

    def cells(self, size: float, jitter: float, warp: float = 0) -> Cells:
        """A honeycomb of cells `size` px apart, its seeds moved by `jitter` of half a cell, the plane bent by
        `warp` px.

        Computed at half resolution: nothing drawn from it is finer than two pixels.
        """
        height, width = (self.height + 1) // 2, (self.width + 1) // 2
        spacing = size / 2
        lattice = np.mgrid[-2 : height / (spacing * 0.866) + 2, -2 : width / spacing + 2].reshape(2, -1)
        seeds = np.stack([lattice[0] * spacing * 0.866, (lattice[1] + 0.5 * (lattice[0] % 2)) * spacing], 1)
        seeds = seeds + self.random.normal(0, jitter * spacing / 2, seeds.shape)
        points = np.stack(np.mgrid[0:height, 0:width].astype(np.float32), -1)
        if warp:
            points = (
                points
                + np.stack([self.noise(2, 1, 24)[::2, ::2], self.noise(2, 1, 24)[::2, ::2]], -1) * warp / 2
            )
        distances, order = cKDTree(seeds).query(points.reshape(-1, 2), k=2)
        tints = self.random.random(len(seeds), dtype=np.float32)[order[:, 0]]

        def enlarge(values: np.ndarray, order: int) -> np.ndarray:
            return zoom(values.reshape(height, width).astype(np.float32), 2, order=order)[
                : self.height, : self.width
            ]

        return Cells(2 * enlarge(distances[:, 0], 1), 2 * enlarge(distances[:, 1], 1), enlarge(tints, 0))

    def points(self, count: int, where: np.ndarray) -> np.ndarray:
        """`count` positions (column, row) in px, drawn with density `where` (height x width; negative is 0);
        none if that is 0 all over."""
        density = np.maximum(where[::4, ::4], 0).astype(np.float64)
        if density.sum() <= 0:
            return np.zeros((0, 2))
        chosen = self.random.choice(density.size, count, p=density.ravel() / density.sum())
        row, column = np.divmod(chosen, density.shape[1])
        return np.stack([column, row], 1) * 4 + self.random.uniform(0, 4, (count, 2))

    def discs(
        self,
        count: int,
        smallest: float,
        largest: float,
        where: np.ndarray | None = None,
        strength: tuple[float, float] = (0.6, 1.0),
    ) -> np.ndarray:
        """`count` soft discs of radius `smallest`..`largest` px placed with the density `where`, height x
        width in 0..1."""
        sheet, pen = self.sheet()
        for column, row in self.points(count, np.ones(self.shape, np.float32) if where is None else where):
            radius, stretch = self.uniform(smallest, largest), self.uniform(0.8, 1.25)
            across, down = radius * stretch, radius / stretch
            box = [column - across, row - down, column + across, row + down]
            pen.ellipse([OVERSAMPLING * side for side in box], fill=int(255 * self.uniform(*strength)))
        return self.develop(sheet, smallest / 2)

    def sheet(self) -> tuple[Image.Image, ImageDraw.ImageDraw]:
        """An oversampled 8-bit layer to draw on, and its pen."""
        sheet = Image.new("L", (self.width * OVERSAMPLING, self.height * OVERSAMPLING))
        return sheet, ImageDraw.Draw(sheet)

    def develop(self, sheet: Image.Image, blur: float) -> np.ndarray:
        """The layer at the canvas's own resolution, softened by `blur` px, as height x width in 0..1."""
        small = sheet.resize((self.width, self.height), Image.Resampling.BILINEAR)
        return np.asarray(small.filter(ImageFilter.GaussianBlur(blur)), np.float32) / 255
