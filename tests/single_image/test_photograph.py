"""A photograph from a stranger's file: turned upright, rebuilt from its pixels, what was dropped is said; or
one sentence why not."""

import io
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageOps

from scoring.common.findings import InputRefused
from scoring.inference import image_sanitizer
from scoring.inference.model_process import ImageProcess
from scoring.inference.timed_worker import Limits
from scoring.inference.worker_results import ModelFailed
from scoring.single_image import photograph
from scoring.single_image.photograph import CALLED, PHOTOGRAPH_PIXELS, SpareDecoder, received
from scoring.single_image.quality import of_photograph, photograph_chips
from scoring.single_image.turn_and_crop import Framing, framed
from scoring.single_image.wording import dropped_line
from tests.support import photographs
from tests.support.photographs import SECRETS, animated, encoded, noted_png, phone, quarters, sixteen_bits

TURNS = {1: [], 2: ["mirror"], 3: ["turn", "turn"], 6: ["turn", "turn", "turn"], 8: ["turn"]}


@pytest.fixture(scope="module")
def process():
    with ImageProcess(Limits(run_seconds=300)) as running:  # others may use the processors
        yield running


def refusal(data: bytes, process: ImageProcess) -> str:
    with pytest.raises(InputRefused) as caught:
        received(data, process)
    (problem,) = caught.value.problems
    assert (problem.code, problem.where) == ("image-unreadable", CALLED)
    return problem.message


@pytest.mark.parametrize("orientation", TURNS)
def test_turned_upright_and_said_so(process, orientation):
    lying = quarters()
    for step in TURNS[orientation]:
        lying = lying[:, ::-1] if step == "mirror" else np.rot90(lying, -1)
    found = received(phone(np.ascontiguousarray(lying), orientation), process)
    assert found.turned == (orientation != 1)
    if orientation in (1, 2, 3):
        assert found.size == (640, 560)
    corners = found.pixels[[50, 50, -50, -50], [50, -50, 50, -50]].astype(int)
    expected = quarters()[[50, 50, -50, -50], [50, -50, 50, -50]].astype(int)
    assert np.abs(corners - expected).max() < 12


def test_a_reduced_photograph_is_named_by_its_upright_size(process):
    found = received(phone(np.zeros((2250, 3000, 3), np.uint8), orientation=6), process)
    assert found.size[0] < found.size[1]
    assert "Reduced from 2,250 × 3,000 px" in found.framed


def slide(side: int, compression: int = 1) -> bytes:
    """The header of a slide in tiles of 256 px, whose largest level is the first, without a tile."""
    tags = {
        256: side,
        257: side,
        258: 8,
        259: compression,
        262: 2,
        277: 3,
        322: 256,
        323: 256,
        324: 8,
        325: 0,
    }
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags.items())
    return struct.pack("<4sIH", b"II*\0", 8, len(tags)) + entries + bytes(4)


@pytest.mark.parametrize(
    ("data", "fault"),
    [(slide(100_000), "more than 178,956,970 pixels"), (slide(4_000, 33_005), "stored in a way")],
)
def test_a_whole_slide_is_refused_and_told_what_to_export(process, data, fault):
    said = refusal(data, process)
    assert fault in said
    assert "export the region of interest as PNG, at full resolution" in said


def test_nothing_is_turned_that_says_nothing(process):
    found = received(encoded(quarters()), process)
    assert np.array_equal(found.pixels, quarters())
    assert (found.turned, found.dropped) == (False, ())
    assert not found.pixels.flags.writeable


def tiny_png(width: int, height: int) -> bytes:
    """A grey image in a file of a few hundred bytes."""
    rows = zlib.compress(bytes((width // 8 + 1) * height), 9)
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", rows), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks
    )


def test_a_large_photograph_is_reduced_and_said_so(process):
    reduced = received(tiny_png(10_000, 8_000), process)
    width, height = reduced.size
    assert width * height <= PHOTOGRAPH_PIXELS < 1.01 * width * height
    assert abs(width / height - 10 / 8) < 0.002
    assert reduced.held_bytes < 17_000_000
    assert "10,000 × 8,000" in reduced.framed
    quality = of_photograph(reduced)
    assert quality.short_side == pytest.approx(8_000, rel=0.001)
    assert photograph_chips(quality)[0].value.endswith("px in the file")
    cropped = framed(reduced, Framing(part=(0, 0, 900, 700)))
    (size,) = (chip for chip in photograph_chips(of_photograph(cropped), cropped=True) if chip.name == "size")
    assert size.value.endswith("px in the frame")
    assert (reduced.cropped, cropped.cropped) == (False, True)
    refused = photograph_chips(of_photograph(cropped), 10**6, cropped=True)[0]
    assert refused.words.endswith("it would not accept this frame.")
    assert cropped.framed.startswith(f"{reduced.framed} Changed by hand: cropped")


def test_a_photograph_of_common_size_is_kept_as_it_is(process):
    large = np.zeros((1_900, 2_600, 3), np.uint8)
    large[::7] = 200
    assert np.array_equal(received(encoded(large), process).pixels, large)


def test_pixels_come_row_by_row_as_pillow_resizes_them_for_a_model(process):
    """Channel by channel, they took twice as long."""
    assert received(phone(), process).pixels.flags.c_contiguous


def test_everything_but_the_pixels_is_dropped_and_named(process):
    found = received(phone(), process)
    assert found.dropped == (
        "position",
        "camera or scanner",
        "date and time",
        "name or comment",
        "XMP data",
        "colour profile",
        "data after the picture",
    )
    assert dropped_line(found.dropped).startswith("Removed from the file: position, camera or scanner, date")
    assert dropped_line(received(encoded(quarters()), process).dropped) == (
        "The file contained no position, name or date."
    )


@pytest.mark.parametrize("data", [phone(), noted_png(quarters())], ids=["jpeg", "png"])
def test_no_word_of_the_file_survives(process, data):
    assert any(secret in data for secret in SECRETS)
    found = received(data, process)
    kept = found.pixels.tobytes() + repr((found.seen, found.dropped)).encode()
    assert not [secret for secret in SECRETS if secret in kept]
    assert "name or comment" in found.dropped


def test_transparency_is_dropped(process):
    assert received(encoded(quarters(), "PNG", "RGBA"), process).dropped == ("transparency",)


def test_a_phone_s_second_picture_is_no_animation(process):
    found = received(photographs.animated("MPO"), process)
    assert "further pictures" in found.dropped


@pytest.mark.parametrize("mode", ["L", "1", "P", "LA"])
def test_grey_and_palettes_are_photographs_too(process, mode):
    assert received(encoded(quarters(), "PNG", mode), process).pixels.shape == (560, 640, 3)


def bomb() -> bytes:
    """A PNG that says it has 200 megapixels."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 20_000, 10_000, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")


def tiff_of(bits: int) -> bytes:
    """An uncompressed RGB image of so many bits per colour."""
    data = bytearray(encoded(quarters(), "TIFF"))
    bits_at = data.index(struct.pack("<HHH", 8, 8, 8), 8)
    data[bits_at : bits_at + 6] = struct.pack("<HHH", bits, bits, bits)
    return bytes(data)


def noted(count: int, name: bytes, head: bytes, size: int) -> bytes:
    """A PNG with texts, or a profile, that unpack to `size` bytes each."""
    body = head + zlib.compress(b"a" * size, 9)
    chunk = struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    plain = encoded(quarters())
    return plain[:33] + count * chunk + plain[33:]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            noted(1, b"zTXt", b"k\0\0", 2_000_000),
            "text or the colour profile in the PNG unpacks to more than 1 MB",
        ),
        (noted(1, b"iTXt", b"k\0\1\0\0\0", 2_000_000), "unpacks to more than 1 MB: save"),
        (noted(1, b"iCCP", b"k\0\0", 2_000_000), "unpacks to more than 1 MB: save"),
        (noted(70, b"zTXt", b"k\0\0", 1_000_000), "texts in the PNG unpack to more than 67 MB"),
        (encoded(quarters())[:-12] + b"\0\0vNIDAT", "cut off"),
        (b"\xff\x4f\xff\x51", "a JPEG 2000 image, which is not read here"),
        (encoded(quarters(), "TIFF", "F"), "32 bits per colour"),
        (tiff_of(4), "stored in a way that is not read here"),
        (b"", "empty"),
        (
            b"my notes about Jane",
            "in a readable format (JPEG, PNG, TIFF, BMP, WebP, GIF, HEIC, AVIF and DICOM",
        ),
        (b"%PDF-1.7", "PDF"),
        (phone()[:4000], "cut off"),
        (encoded(quarters())[:900], "cut off"),
        (animated("GIF"), "animated"),
        (animated("WEBP"), "animated"),
        (animated("PNG"), "animated"),
        (sixteen_bits("PNG"), "16 bits"),
        (sixteen_bits("TIFF"), "16 bits"),
        (encoded(quarters(), "JPEG", "CMYK"), "CMYK"),
        (encoded(quarters(), "TIFF", "LAB"), "colours"),
        (bomb(), "178,956,970"),
    ],
)
def test_refused_in_one_sentence(process, data, words):
    message = refusal(data, process)
    assert words in message
    assert message.count(".") == 1
    assert message.endswith(".")
    assert "Jane" not in message


def test_sixteen_bits_of_colour_are_seen_in_the_file(process):
    """Pillow opens such a PNG as 8 bits."""
    row = b"\0" + bytes(6 * 4)

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 16, 2, 0, 0, 0))
    data = b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(row * 4)) + chunk(b"IEND", b"")
    assert "16 bits" in refusal(data, process)


def test_the_process_serves_on_after_a_refusal(process):
    refusal(b"nothing", process)
    assert received(encoded(quarters()), process).size == (640, 560)


@settings(max_examples=25)
@given(st.integers(0, 3000), st.binary(min_size=1, max_size=4))
def test_damaged_files_are_refused_or_read_never_worse(place, scrap):
    data = phone(quarters(64, 48))
    place %= len(data)
    damaged = data[:place] + scrap + data[place + len(scrap) :]
    try:
        pixels, _, _, dropped = image_sanitizer.upright(damaged)
    except image_sanitizer.ImageUnreadable:
        return
    assert pixels.dtype == np.uint8
    assert set(dropped) <= set(image_sanitizer.KINDS)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_way_of_lying_is_undone_as_by_pillow(orientation):
    block = Image.Exif()
    block[0x0112] = orientation
    data = encoded(quarters(64, 48), "PNG", exif=block)
    with Image.open(io.BytesIO(data)) as image:
        assert np.array_equal(image_sanitizer.upright(data)[0], np.asarray(ImageOps.exif_transpose(image)))


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((2000, 1000), (1024, 512)),
        ((100, 300), (512, 1536)),
        ((512, 512), (512, 512)),
        ((1, 9000), (512, 4096)),
    ],
)
def test_the_small_copy(size, expected):
    assert image_sanitizer.small(Image.new("RGB", size)).size == expected


def test_the_small_copy_is_upright_too(process):
    found = received(phone(np.ascontiguousarray(np.rot90(quarters(), 1)), orientation=6), process)
    assert found.small.shape[:2] == (512, round(512 * 640 / 560))
    assert found.small[40, 40].argmax() == 0
    assert found.small[-40, 40].argmax() == 2


def test_a_decoder_that_waits_reads_one_file_alone(monkeypatch):
    started = []

    class Decoder(ImageProcess):
        def __init__(self, *limits):
            started.append(self)
            if len(started) == 1:
                raise ModelFailed("model-crashed", "no room")
            super().__init__(*limits)

    monkeypatch.setattr(photograph, "ImageProcess", Decoder)
    monkeypatch.setattr(photograph, "SPARE", spare := SpareDecoder())
    spare.prepare()
    spare._starter.submit(int).result()
    for _ in range(2):  # one that could not start is no reason to refuse a file, and one that waits is enough
        spare.prepare()
    spare._starter.submit(int).result()
    assert len(started) == 2
    for decoders in (2, 3):
        received(phone(quarters()))
        assert len(started) == decoders
        assert started[-1]._worker.ended
