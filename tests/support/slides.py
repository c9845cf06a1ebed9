"""Pyramids of tiles, written with tifffile. It encodes some compressions only with another package: those
tiles are encoded by Pillow, and the tags are set after."""

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
import tifffile
from PIL import Image

CODES = {"jpeg": 7, "lzw": 5, "packbits": 32773, "jpeg-2000": 33005, "jpeg-2000-ycc": 33003}
"""Compressions of tiles that Pillow encodes."""
LIBTIFF = {"lzw": "tiff_lzw", "packbits": "packbits"}
APERIO = "Aperio Image Library v12\r\n1000x800 [0,0 1000x800] (256x256) JPEG/RGB Q=70|AppMag = 40|MPP = {}"
SCALE = {"resolution": (40_000, 40_000), "resolutionunit": "CENTIMETER"}
"""0.25 µm per pixel."""


def tissue(width: int = 2100, height: int = 1600) -> np.ndarray:
    """Glass with a violet spot to the right and below, and a gradient that tells every place from others."""
    y, x = np.mgrid[:height, :width].astype(np.float32)
    spot = np.hypot(x / width - 0.75, y / height - 0.7) < 0.15
    pixels = np.stack([230 + x / width * 20, 230 + y / height * 20, 235 + (x + y) % 16], -1)
    pixels[spot] -= [90, 150, 60]
    return pixels.astype(np.uint8)


def pyramid(
    pixels: np.ndarray,
    compression: str | None = None,
    levels: int = 3,
    tile: int = 256,
    below: bool = True,
    description: str | None = None,
    ome: dict[str, Any] | None = None,
    bigtiff: bool = False,
    **tags: Any,
) -> bytes:
    """A slide whose levels halve the one before. below: reduced levels are SubIFDs of the first. ome: OME's
    metadata."""
    file, code = io.BytesIO(), CODES.get(compression or "")
    with tifffile.TiffWriter(file, bigtiff=bigtiff, ome=ome is not None) as writer:
        for k in range(levels):
            level = np.ascontiguousarray(pixels[:: 2**k, :: 2**k])
            first = {"description": description, "metadata": ome, "subifds": levels - 1 if below else None}
            options: dict[str, Any] = {"tile": (tile, tile), "photometric": "rgb", "metadata": None, **tags}
            options |= {"subfiletype": 1} if k else first
            if code is None:
                writer.write(level, compression=compression, **options)
            else:
                tiles = encoded(level, tile, compression or "")
                writer.write(tiles, shape=level.shape, dtype=np.uint8, compression="zlib", **options)
    return file.getvalue() if code is None else retagged(file.getvalue(), code, compression == "jpeg")


def encoded(pixels: np.ndarray, tile: int, compression: str) -> Iterator[bytes]:
    """The tiles of a level, padded at the edges."""
    high, wide = (-(-side // tile) * tile for side in pixels.shape[:2])
    padded = np.pad(pixels, ((0, high - len(pixels)), (0, wide - pixels.shape[1]), (0, 0)), "edge")
    for top in range(0, high, tile):
        for left in range(0, wide, tile):
            yield packed(Image.fromarray(padded[top : top + tile, left : left + tile]), compression)


def packed(image: Image.Image, compression: str) -> bytes:
    """One tile."""
    file = io.BytesIO()
    if compression in LIBTIFF:
        image.save(file, "TIFF", compression=LIBTIFF[compression], strip_size=1 << 30)
        with Image.open(file) as written:
            (start,), (count,) = written.tag_v2[273], written.tag_v2[279]
        return file.getvalue()[start : start + count]
    if compression == "jpeg":
        image.save(file, "JPEG", quality=95)
    else:
        if compression == "jpeg-2000-ycc":
            image = Image.merge("RGB", image.convert("YCbCr").split())
        image.save(file, "JPEG2000", no_jp2=True, mct=0)
    return file.getvalue()


def retagged(data: bytes, compression: int, ycc: bool) -> bytes:
    """The file with another compression, and brightness and colour instead of RGB."""
    file = io.BytesIO(data)
    with tifffile.TiffFile(file) as opened:
        for page in opened.pages:
            for level in (page, *(page.pages or ())):
                level.tags[259].overwrite(compression)
                if ycc:
                    level.tags[262].overwrite(6)
    return file.getvalue()


def changed(data: bytes, code: int, value: Any, page: int = 0) -> bytes:
    """The file with another value of a tag."""
    file = io.BytesIO(data)
    with tifffile.TiffFile(file) as opened:
        opened.pages[page].tags[code].overwrite(value)
    return file.getvalue()
