"""Converts decoded images to RGB and reduces large ones, the largest in bands of rows. Runs in the worker."""

import math
from collections.abc import Callable

from PIL import Image

IN_BANDS, BAND_PIXELS = 80_000_000, 1_000_000
"""An image with more pixels than the first number is converted to RGB and reduced in bands of rows, because
both copies together would take more than 1 GB. The second number is that of pixels in a band."""


def reduced(image: Image.Image, most_pixels: int) -> Image.Image:
    """Return an image in RGB, reduced if it has more than `most_pixels` pixels."""
    if image.mode != "RGB" and image.width * image.height > IN_BANDS:
        return of_bands(image.size, lambda top, end: image.crop((0, top, image.width, end)), most_pixels)
    return _shrunk(image if image.mode == "RGB" else image.convert("RGB"), _fitting(image.size, most_pixels))


def of_bands(size: tuple[int, int], band: Callable[[int, int], Image.Image], most_pixels: int) -> Image.Image:
    """Return an image in RGB that is read in bands of rows, reduced if it has more than `most_pixels` pixels.
    If it has more than `IN_BANDS` pixels, the unreduced image is never in memory as RGB.

    Args:
        size: Width and height, px.
        band: Function that returns the rows from its first argument to before its second, in any mode.
    """
    (width, height), fitting = size, _fitting(size, most_pixels)
    wide = width if width * height <= IN_BANDS else fitting[0]
    narrow, rows = Image.new("RGB", (wide, height)), max(1, BAND_PIXELS // width)
    for top in range(0, height, rows):
        part = band(top, min(top + rows, height)).convert("RGB")
        narrow.paste(_shrunk(part, (wide, part.height)), (0, top))
    return _shrunk(narrow, fitting)


def _shrunk(picture: Image.Image, size: tuple[int, int]) -> Image.Image:
    if picture.size == size:
        return picture
    return picture.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)


def _fitting(size: tuple[int, int], most_pixels: int) -> tuple[int, int]:
    """Return width and height of an image that is reduced to `most_pixels`."""
    scale = min(1.0, math.sqrt(most_pixels / (size[0] * size[1])))
    wide, tall = (max(1, math.floor(length * scale)) for length in size)
    return wide, tall
