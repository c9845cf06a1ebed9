"""Pictures for viewers: what lies in their pixels is found where annotations say."""

import io
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from scoring.inference.thumbnails import tile


def cases(*data: bytes | None):
    return SimpleNamespace(
        images=tuple(None if one is None else "name" for one in data), picture=lambda index: data[index]
    )


def half_red(width: int, height: int, kind: str, **options) -> bytes:
    """Red on the left, blue on the right."""
    pixels = np.zeros((height, width, 3), np.uint8)
    pixels[:, : width // 2, 0] = pixels[:, width // 2 :, 2] = 220
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, kind, **options)
    return file.getvalue()


def opened(data: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(data), formats=["JPEG"]) as image:
        return np.asarray(image).astype(int)


@pytest.mark.parametrize("kind", ["PNG", "TIFF", "JPEG"])
def test_a_tile_is_a_jpeg_of_the_same_size(kind):
    pixels = opened(tile(cases(None, half_red(120, 60, kind)), 1))
    assert pixels.shape == (60, 120, 3)
    assert pixels[30, 20, 0] > 180 > 60 > pixels[30, 100, 0]


def test_a_large_tile_is_shrunk_as_a_whole():
    assert opened(tile(cases(half_red(500, 200, "PNG")), 0, side=100)).shape == (40, 100, 3)


def test_orientation_is_not_applied():
    turned = Image.Exif()
    turned[274] = 3
    pixels = opened(tile(cases(half_red(64, 32, "JPEG", exif=turned)), 0))
    assert pixels[16, 8, 0] > pixels[16, 56, 0]


@pytest.mark.parametrize("data", [None, b"", b"no image", half_red(64, 64, "PNG")[:-30]])
def test_no_tile_where_nothing_can_be_read(data):
    assert tile(cases(data), 0) is None
