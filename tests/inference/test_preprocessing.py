"""Images as models receive them: equal to the official tensors, and plain words for what is no image."""

import hashlib
import io
import json
import random
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from scoring.inference import preprocessing
from scoring.inference.preprocessing import ImageUnreadable, Recipe, pixels, tensor
from tests.support.soak import FACTOR

GOLDEN = Path(__file__).parents[1] / "golden" / "tricorder3" / "10-onnx-160"
AS_IT_IS = Recipe(())


def photograph(width=90, height=60, mode="RGB", seed=0) -> Image.Image:
    values = np.random.default_rng(seed).integers(0, 256, (height // 6 + 1, width // 6 + 1, 3), np.uint8)
    return Image.fromarray(values).resize((width, height), Image.Resampling.BICUBIC).convert(mode)


def encoded(image: Image.Image, kind="PNG", **options) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def refusal(data: bytes, recipe: Recipe = AS_IT_IS) -> str:
    with pytest.raises(ImageUnreadable) as caught:
        pixels(data, recipe)
    return str(caught.value)


def attempt(data: bytes, recipe: Recipe) -> tuple[np.ndarray | None, str]:
    """Pixels, or the words of the refusal."""
    try:
        return pixels(data, recipe)[0], ""
    except ImageUnreadable as unreadable:
        return None, str(unreadable)


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width: int, height: int, *chunks: bytes, data: bytes = b"", depth: int = 8, colour: int = 0) -> bytes:
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
    return (
        b"\x89PNG\r\n\x1a\n"
        + header
        + b"".join(chunks)
        + chunk(b"IDAT", zlib.compress(data))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize("name", [f"a{i}" for i in range(1, 9)])
def test_tensors_equal_the_official_ones(name):
    golden = json.loads((GOLDEN / "tensors.json").read_text())
    (path,) = (GOLDEN / "dataset" / "images").glob(f"{name}.*")
    picture, _ = pixels(path.read_bytes(), Recipe(((512, 512, "lanczos"), (160, 160, "lanczos"))))
    values = tensor(picture)
    expected = golden["tensors"][f"images/{path.name}"]
    assert hashlib.sha256(values.astype("<f4").tobytes()).hexdigest() == expected["sha256"]
    assert values[0, :, 0, 0].tolist() == expected["first_pixel"]


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_tensor_is_every_value_over_255_with_channels_first(height, width, seed):
    picture = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    values = tensor(picture)
    assert values.shape == (1, 3, height, width)
    assert values.dtype == np.float32
    assert values.flags.c_contiguous
    for row in range(height):
        for column in range(width):
            for channel in range(3):
                assert values[0, channel, row, column] == np.float32(
                    picture[row, column, channel]
                ) / np.float32(255)


@pytest.mark.parametrize("name", ["lanczos", "bicubic", "bilinear"])
@pytest.mark.parametrize(("width", "height"), [(100, 40), (40, 100), (64, 64), (300, 200), (61, 480)])
def test_every_step_stretches_horizontally_and_then_vertically(name, width, height):
    image = photograph(width, height)
    kind = getattr(Image.Resampling, name.upper())
    wide = image.resize((64, height), kind)
    expected = np.stack(
        [np.array(wide.crop((x, 0, x + 1, height)).resize((1, 48), kind))[:, 0] for x in range(64)], axis=1
    )
    picture, _ = pixels(encoded(image), Recipe(((64, 48, name),)))
    np.testing.assert_array_equal(picture, expected)


def test_steps_follow_each_other():
    image = photograph(200, 100)
    first, _ = pixels(encoded(image), Recipe(((64, 64, "lanczos"),)))
    second, _ = pixels(encoded(Image.fromarray(first)), Recipe(((20, 30, "bicubic"),)))
    both, _ = pixels(encoded(image), Recipe(((64, 64, "lanczos"), (20, 30, "bicubic"))))
    np.testing.assert_array_equal(both, second)
    assert both.shape == (30, 20, 3)


def test_a_step_to_the_size_already_there_changes_nothing():
    image = photograph(64, 64)
    picture, _ = pixels(encoded(image), Recipe(((64, 64, "lanczos"), (64, 64, "lanczos"))))
    np.testing.assert_array_equal(picture, np.array(image))


@given(st.integers(1, 80), st.integers(1, 80), st.integers(1, 60), st.integers(1, 60))
def test_fit_shrinks_to_within_a_size_and_never_enlarges(width, height, most_width, most_height):
    picture, seen = pixels(encoded(photograph(width, height)), Recipe(((most_width, most_height, "fit"),)))
    found_height, found_width, _ = picture.shape
    assert (seen.width, seen.height) == (width, height)
    assert found_width <= min(width, most_width)
    assert found_height <= min(height, most_height)
    factor = min(most_width / width, most_height / height, 1)
    assert abs(found_width - max(1, width * factor)) <= 1
    assert abs(found_height - max(1, height * factor)) <= 1


@pytest.mark.parametrize("steps", [((0, 5, "lanczos"),), ((5, -1, "lanczos"),), ((5, 5, "nearest"),)])
def test_recipes_without_sense_are_refused(steps):
    with pytest.raises(ValueError, match="not a recipe"):
        Recipe(steps)


@pytest.mark.parametrize(
    ("kind", "mode"),
    [
        ("PNG", "RGB"),
        ("PNG", "L"),
        ("PNG", "P"),
        ("PNG", "1"),
        ("PNG", "LA"),
        ("PNG", "RGBA"),
        ("PNG", "I;16"),
        ("JPEG", "RGB"),
        ("JPEG", "L"),
        ("JPEG", "CMYK"),
        ("TIFF", "RGB"),
        ("TIFF", "F"),
        ("TIFF", "CMYK"),
        ("BMP", "RGB"),
        ("GIF", "P"),
        ("WEBP", "RGB"),
        ("WEBP", "RGBA"),
    ],
)
def test_every_format_and_mode_is_converted_plainly(kind, mode):
    image = photograph(mode="L" if mode in ("I;16", "F") else mode)
    if mode in ("I;16", "F"):
        image = Image.fromarray(
            np.array(image).astype(np.uint16) * 257 if mode == "I;16" else np.array(image, np.float32)
        )
    if mode in ("LA", "RGBA"):
        image.putalpha(100)
    data = encoded(image, kind)
    picture, seen = pixels(data, AS_IT_IS)
    np.testing.assert_array_equal(picture, np.array(Image.open(io.BytesIO(data)).convert("RGB")))
    assert (seen.width, seen.height, seen.mode, seen.format) == (90, 60, mode, kind)
    assert seen.alpha == (mode in ("LA", "RGBA"))
    assert seen.orientation == 1


def test_sixteen_bits_clip_at_255():
    data = encoded(Image.fromarray(np.array([[0, 200, 255, 256, 65535]], np.uint16)))
    assert pixels(data, AS_IT_IS)[0][0, :, 0].tolist() == [0, 200, 255, 255, 255]


def test_transparency_is_dropped_and_not_composited():
    image = Image.new("RGBA", (4, 4), (10, 20, 30, 0))
    picture, seen = pixels(encoded(image), AS_IT_IS)
    assert picture.reshape(-1, 3).tolist() == [[10, 20, 30]] * 16
    assert seen.alpha


def test_a_transparent_palette_entry_counts_as_alpha():
    data = encoded(photograph(mode="P"), transparency=3)
    assert pixels(data, AS_IT_IS)[1].alpha


@pytest.mark.parametrize("orientation", [6, 8])
def test_the_camera_s_orientation_is_seen_and_not_applied(orientation):
    exif = Image.Exif()
    exif[274] = orientation
    data = encoded(photograph(), "JPEG", exif=exif)
    picture, seen = pixels(data, AS_IT_IS)
    assert picture.shape == (60, 90, 3)
    assert seen.orientation == orientation
    np.testing.assert_array_equal(picture, np.array(Image.open(io.BytesIO(data)).convert("RGB")))


@pytest.mark.parametrize(
    "exif",
    [
        b"Exif\0\0II*\0\xff\xff\xff\xff",
        b"Exif\0\0garbage",
        b"Exif\0\0",
        b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\x00\x63\0\0",
    ],
)
def test_damaged_camera_data_do_not_stop_an_image(exif):
    picture, seen = pixels(encoded(photograph(), "JPEG", exif=exif), AS_IT_IS)
    assert picture.shape == (60, 90, 3)
    assert seen.orientation == 1


def test_the_first_of_several_frames_is_taken():
    first, second = photograph(seed=1), photograph(seed=2)
    for kind in ("TIFF", "PNG"):
        picture, _ = pixels(encoded(first, kind, save_all=True, append_images=[second]), AS_IT_IS)
        np.testing.assert_array_equal(picture, np.array(first))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "0 bytes"),
        (b"<html><body>404</body></html>", "web page"),
        (b'<?xml version="1.0"?><svg/>', "XML or SVG"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n", "PostScript"),
        (b"%PDF-1.7", "PDF"),
        (b"\0\0\0\x18ftypheic" + b"\0" * 40, "HEIC"),
        (b"just text", "not an image in a readable format"),
        (encoded(photograph(), "PPM"), "not an image in a readable format"),
        (encoded(photograph(), "JPEG2000"), "JPEG 2000"),
    ],
)
def test_what_is_no_photograph_is_named(data, words):
    assert words in refusal(data)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "TIFF", "BMP", "WEBP", "GIF"])
def test_an_image_cut_in_half_is_refused(kind):
    data = encoded(photograph(300, 300), kind)
    assert "image" in refusal(data[: len(data) // 2])


def test_a_truncated_photograph_is_said_to_be_cut_off():
    data = encoded(photograph(300, 300), "JPEG")
    assert "cut off" in refusal(data[: len(data) // 2])


@pytest.mark.parametrize(("width", "height"), [(13_378, 13_377), (1, 178_956_971), (1 << 20, 1 << 20)])
def test_more_pixels_than_pillow_takes_are_refused_before_they_are_decoded(width, height):
    assert f"{preprocessing.MOST_PIXELS:,}" in refusal(png(width, height))


def test_the_warning_zone_below_the_limit_is_no_refusal():
    side = 9_500
    picture, seen = pixels(
        png(side, side, data=b"\0" * (side * (side // 8 + 2)), depth=1), Recipe(((8, 8, "lanczos"),))
    )
    assert (seen.width, seen.height) == (side, side)
    assert not picture.any()


@pytest.mark.parametrize(("name", "start"), [(b"zTXt", b"note\0\0"), (b"iCCP", b"p\0\0")])
def test_texts_and_profiles_that_swell_are_refused_or_passed_over(name, start):
    bomb = chunk(name, start + zlib.compress(b"x" * 80_000_000))
    picture, words = attempt(png(4, 4, bomb, data=b"\0" * 20), AS_IT_IS)
    assert "unpacks to more than 1 MB" in words or not picture.any()


def test_a_lying_tiff_is_refused():
    data = bytearray(encoded(photograph(64, 64, "L"), "TIFF"))
    (entries,) = struct.unpack_from("<I", data, 4)
    (count,) = struct.unpack_from("<H", data, entries)
    for entry in range(entries + 2, entries + 2 + 12 * count, 12):
        if struct.unpack_from("<H", data, entry)[0] in (256, 257):
            struct.pack_into("<HI", data, entry + 2, 4, 1)
            struct.pack_into("<I", data, entry + 8, 1 << 20)
    assert f"{preprocessing.MOST_PIXELS:,}" in refusal(bytes(data))


def test_mutated_images_are_refused_in_words_or_give_pixels():
    chance = random.Random(20261120)
    seeds = [
        encoded(photograph(mode=mode), kind)
        for kind, mode in (
            ("JPEG", "RGB"),
            ("PNG", "P"),
            ("PNG", "RGBA"),
            ("TIFF", "RGB"),
            ("BMP", "L"),
            ("GIF", "P"),
            ("WEBP", "RGB"),
        )
    ]
    refused = 0
    for turn in range(700 * FACTOR):
        data = bytearray(chance.choice(seeds))
        for _ in range(chance.randint(1, 5)):
            data[min(chance.randrange(len(data)), chance.randrange(len(data)))] = chance.randrange(256)
        picture, words = attempt(bytes(data), Recipe(((16, 16, "lanczos"),)))
        assert words.isprintable(), turn
        assert picture is None or picture.shape == (16, 16, 3), turn
        refused += picture is None
    assert refused > 50
