"""HEIC, AVIF and DICOM as photographs, decoded in the confined worker: pixels stay, everything else goes."""

import base64
import importlib
import io
import itertools
import struct
import zlib

import numpy as np
import pydicom
import pytest
from PIL import Image
from PIL.TiffImagePlugin import IFDRational, ImageFileDirectory_v2
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.encaps import encapsulate
from pydicom.uid import (
    JPEG2000,
    ExplicitVRBigEndian,
    ExplicitVRLittleEndian,
    JPEG2000Lossless,
    JPEGBaseline8Bit,
    JPEGLosslessSV1,
    JPEGLSLossless,
)

from scoring.inference import bands
from scoring.inference.dicom import picture, read
from scoring.inference.image_sanitizer import decoders, register_decoders, scale_of_tags, upright
from scoring.inference.model_process import ImageProcess
from scoring.inference.preprocessing import ImageUnreadable
from scoring.inference.timed_worker import Limits
from scoring.single_image.photograph import PHOTOGRAPH_PIXELS, received
from tests.support.memory import peak
from tests.support.photographs import encoded
from tests.support.thinned import some_rows

HEIGHT, WIDTH = 48, 64
NAME = "Doe^Jane"


def half(height=HEIGHT, width=WIDTH):
    """Red above, blue below."""
    pixels = np.zeros((height, width, 3), np.uint8)
    pixels[: height // 2, :, 0] = pixels[height // 2 :, :, 2] = 220
    return pixels


def saved(kind, **options):
    exif = Image.Exif()
    exif[0x010F] = "Maker"
    exif[0x0132] = "2026:01:02 03:04:05"
    return encoded(half(), kind, exif=exif.tobytes(), **options)


def dicom(pixels, photometric, syntax=ExplicitVRLittleEndian, data=None, **tags):
    meta = FileMetaDataset()
    meta.TransferSyntaxUID, meta.MediaStorageSOPClassUID = syntax, "1.2.840.10008.5.1.4.1.1.7"
    meta.MediaStorageSOPInstanceUID = "1.2.3"
    file = FileDataset("x", {}, file_meta=meta, preamble=b"\0" * 128)
    file.PatientName, file.PatientID, file.StudyDate = NAME, "4711", "20260102"
    file.Rows, file.Columns = pixels.shape[:2]
    file.SamplesPerPixel = 3 if pixels.ndim == 3 else 1
    file.PlanarConfiguration = 0
    file.PhotometricInterpretation, file.PixelRepresentation = photometric, 0
    file.BitsAllocated = file.BitsStored = 8 * pixels.itemsize
    file.HighBit = file.BitsStored - 1
    for name, value in tags.items():
        setattr(file, name, value)
    file.PixelData = pixels.tobytes() if data is None else data
    written = io.BytesIO()
    pydicom.dcmwrite(written, file, enforce_file_format=True)
    return written.getvalue()


def here(data):
    """What a worker makes of a file, in this process: a worker takes a second to start."""
    for module in decoders(data):
        importlib.import_module(module)
    register_decoders()
    return upright(data)[0]


def displayed(data):
    """Grey values of a whole DICOM picture at once."""
    found = picture(read(data))
    return np.asarray(found.band(0, found.size[1]))


def refusal(data):
    with pytest.raises(ImageUnreadable) as caught:
        here(data)
    return str(caught.value)


@pytest.mark.parametrize("kind", ["HEIF", "AVIF"])
def test_a_photograph_of_a_phone_keeps_its_pixels_alone(kind):
    found = received(saved(kind))
    assert (found.seen.format, found.pixels.shape) == (kind, (HEIGHT, WIDTH, 3))
    assert found.pixels[8, 30, 0] > 180 > 60 > found.pixels[40, 30, 0]
    assert {"camera or scanner", "date and time"} <= set(found.dropped)
    assert "damaged" in refusal(saved(kind)[:-200])


def test_colours_of_dicom_are_kept_and_its_tags_are_not():
    found = received(dicom(half(), "RGB"))
    np.testing.assert_array_equal(found.pixels, half())
    assert list(found.dropped) == ["DICOM tags"]
    assert NAME not in repr(found)


def test_jpeg_within_dicom_is_decoded():
    file = io.BytesIO()
    Image.fromarray(half()).save(file, "JPEG", quality=95)
    pixels = half()
    found = here(dicom(pixels, "YBR_FULL_422", JPEGBaseline8Bit, encapsulate([file.getvalue()])))
    assert np.abs(found.astype(int) - pixels)[4:20].mean() < 6


@pytest.mark.parametrize(
    ("photometric", "syntax", "format", "more"),
    [
        ("YBR_RCT", JPEG2000Lossless, "JPEG2000", {"no_jp2": True}),
        ("RGB", JPEG2000, "JPEG2000", {"no_jp2": True}),
    ],
)
def test_jpeg_2000_within_dicom_is_decoded(photometric, syntax, format, more):
    file = io.BytesIO()
    Image.fromarray(half()).save(file, format, **more)
    found = received(
        dicom(half(), photometric, syntax, encapsulate([file.getvalue()]), PixelSpacing=[0.0005] * 2)
    )
    np.testing.assert_array_equal(found.pixels, half())
    assert found.seen.micrometres == 0.5


def coded(width, height, stated=None, colours=3):
    """DICOM with a JPEG 2000 picture that states another size, and other colours, than it has."""
    file = io.BytesIO()
    Image.fromarray(half()).save(file, "JPEG2000", no_jp2=True)
    code = bytearray(file.getvalue())
    struct.pack_into(">II", code, 8, width, height)
    struct.pack_into(">II", code, 24, width, height)
    struct.pack_into(">H", code, 40, colours)
    columns, rows = stated or (width, height)
    tags = {"Rows": rows, "Columns": columns}
    return dicom(half(), "RGB", JPEG2000Lossless, encapsulate([bytes(code)]), **tags)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (coded(13_000, 13_000), "JPEG 2000, of which at most 33,333,333 pixels are read"),
        (coded(1_000, 1_000, colours=16_384), "at most 6,103 pixels"),
        (coded(13_000, 13_000, (10, 10)), "the size that the file states"),
    ],
)
def test_a_jpeg_2000_picture_is_refused_by_its_header(monkeypatch, data, words):
    """Files of 7 kB took 20 s and 1.5 GB."""
    monkeypatch.setattr("pydicom.dataset.Dataset.convert_pixel_data", lambda *_: pytest.fail("decoded"))
    assert words in refusal(data)


def test_big_endian_dicom_is_read_and_what_is_not_read_is_named_truly():
    swapped = np.frombuffer(half().tobytes(), np.uint16).byteswap().tobytes()
    np.testing.assert_array_equal(here(dicom(half(), "RGB", ExplicitVRBigEndian, swapped)), half())
    words = refusal(dicom(half(), "RGB", JPEGLSLossless, encapsulate([b"\xff\xd8\xff\xd9"])))
    assert "stored as JPEG-LS Lossless" in words


# A red, a green and a blue line of 2 px each in lossless JPEG (selection value 1), encoded by hand.
LOSSLESS = base64.b64decode(
    "/9j/wwARCAADAAIDAREAAhEAAxEA/8QAHQAAAAAKAAAAAAAAAAAAAAAAAAECAwQFBgcICf/aAAwDAQACAAMAAQAAf/"
    "D/AA/gAQAR/gAAEAEf4AH/2Q=="
)


def test_lossless_jpeg_within_dicom_is_decoded():
    lines = np.repeat(np.array([[[255, 0, 0]], [[0, 255, 0]], [[0, 0, 255]]], np.uint8), 2, axis=1)
    found = received(dicom(lines, "RGB", JPEGLosslessSV1, encapsulate([LOSSLESS])))
    np.testing.assert_array_equal(found.pixels, lines)
    assert "the size that the file states" in refusal(
        dicom(half(), "RGB", JPEGLosslessSV1, encapsulate([LOSSLESS]))
    )


def test_the_scale_may_be_in_angstroms():
    described = '<Pixels PhysicalSizeX="2500" PhysicalSizeXUnit="Å" PhysicalSizeY="0.25"/>'
    assert scale_of_tags(described, [], 2) == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("tags", "micrometres"),
    [
        ({0x010E: "Aperio|AppMag = 40|MPP = 0.2521|Left = 3"}, 0.2521),
        ({0x010E: '<Pixels PhysicalSizeX="0.5" PhysicalSizeXUnit="µm" SizeX="3"/>'}, 0.5),
        ({0x010E: '<Pixels PhysicalSizeX="0.5" PhysicalSizeXUnit="mm" SizeX="3"/>'}, 0),
        ({0x010E: '<Pixels PhysicalSizeX="250" PhysicalSizeXUnit="nm"/>'}, 0.25),
        ({0x010E: '<Pixels PhysicalSizeX="0.00025" PhysicalSizeXUnit="mm"/>'}, 0.25),
        ({0x010E: '<Pixels PhysicalSizeX="0.25" PhysicalSizeY="0.5"/>'}, 0),
        ({0x010E: '<Pixels PhysicalSizeX="1" PhysicalSizeXUnit="pixel"/>'}, 0),
        ({0x011A: IFDRational(40000, 1), 0x011B: IFDRational(20000, 1), 0x0128: 3}, 0),
        ({0x010E: "MPP = 0.0.1.2"}, 0),
        ({0x010E: "MPP = 900"}, 0),
        ({0x011A: IFDRational(40000, 1), 0x0128: 3}, 0.25),
        ({0x011A: IFDRational(101600, 1), 0x0128: 2}, 0.25),
        ({0x011A: IFDRational(72, 1), 0x0128: 2}, 0),
        ({0x011A: IFDRational(0, 0), 0x0128: 3}, 0),
        ({}, 0),
    ],
)
def test_the_scale_of_a_tile_is_that_of_its_file(tags, micrometres):
    file = io.BytesIO()
    info = ImageFileDirectory_v2()
    for tag, value in tags.items():
        info[tag] = value
    Image.fromarray(half()).save(file, "TIFF", tiffinfo=info)
    register_decoders()
    assert upright(file.getvalue())[2].micrometres == pytest.approx(micrometres)


def test_grey_is_shown_within_its_window():
    values = np.tile(np.arange(0, 640, 10, np.uint16), (HEIGHT, 1))
    window = {"WindowCenter": 200, "WindowWidth": 200, "RescaleSlope": 1, "RescaleIntercept": -100}
    shown = here(dicom(values, "MONOCHROME2", **window))[0, :, 0]
    wanted = np.clip((np.arange(0, 640, 10) - 100 - 199.5) / 199 + 0.5, 0, 1) * 255
    np.testing.assert_allclose(shown, wanted, atol=1)
    inverse = here(dicom(values, "MONOCHROME1", **window))[0, :, 0]
    np.testing.assert_allclose(inverse.astype(int), 255 - shown.astype(int), atol=1)
    whole = here(dicom(values, "MONOCHROME2"))[0, :, 0]
    assert (whole[0], whole[-1]) == (0, 255)


def by_the_plain_formula(values, slope, intercept, inverse, window):
    """Grey values of a whole picture at once, with a number of eight bytes for each step."""
    values = values * float(slope) + float(intercept)
    low, high = values.min(), values.max()
    if window:
        centre, width = window[0] - 0.5, window[1] - 1
        shares = np.where(values > centre + width / 2, 1.0, (values - centre) / (width or 1) + 0.5)
        shares = np.where(values <= centre - width / 2, 0.0, shares)
    else:
        shares = np.clip((values - low) / max(high - low, 1e-9), 0, 1)
    return np.rint(255 * (1 - shares if inverse else shares)).astype(np.uint8)


@pytest.mark.parametrize("window", [(), (40.25, 400.5), (-600, 1500), (3, 1)])
@pytest.mark.parametrize(("slope", "intercept"), [(1, 0), (0.3, -1024.7), (-2, 100)])
@pytest.mark.parametrize("kind", [np.uint16, np.int16, np.int32])
def test_grey_values_are_those_of_the_plain_formula_whatever_the_bands(
    monkeypatch, kind, slope, intercept, window
):
    """Also where the picture is reduced, to the last bit."""
    drawn, ends = np.random.default_rng(5), np.iinfo(kind)
    values = drawn.integers(ends.min, ends.max, (83, 37), kind, endpoint=True)
    tags = dict(zip(("WindowCenter", "WindowWidth"), window, strict=False))
    tags |= {"RescaleSlope": slope, "RescaleIntercept": intercept, "PixelRepresentation": int(ends.min < 0)}
    monkeypatch.setattr(bands, "BAND_PIXELS", 5 * 37 + 3)
    for photometric in ("MONOCHROME1", "MONOCHROME2"):
        data = dicom(values, photometric, **tags)
        wanted = by_the_plain_formula(values, slope, intercept, photometric == "MONOCHROME1", window)
        np.testing.assert_array_equal(here(data), np.repeat(wanted[:, :, None], 3, axis=2))
        whole = Image.fromarray(wanted).convert("RGB")
        smaller = whole.resize((18, 40), Image.Resampling.LANCZOS, reducing_gap=3.0)
        np.testing.assert_array_equal(upright(data, 18 * 41 + 9)[0], np.asarray(smaller))


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "PA", "RGB", "RGBA", "YCbCr", "HSV"])
def test_a_picture_in_bands_has_the_pixels_of_the_whole(monkeypatch, mode):
    values = np.random.default_rng(6).integers(0, 256, (97, 41, 3), np.uint8)
    image = Image.fromarray(values).convert("P" if mode == "PA" else mode).convert(mode)
    whole = bands.reduced(image, 41 * 97)
    np.testing.assert_array_equal(np.asarray(whole), np.asarray(image.convert("RGB")))
    monkeypatch.setattr(bands, "IN_BANDS", 1000)
    monkeypatch.setattr(bands, "BAND_PIXELS", 500)
    np.testing.assert_array_equal(np.asarray(bands.reduced(image, 41 * 97)), np.asarray(whole))
    narrow = whole.resize((20, 97), Image.Resampling.LANCZOS).resize((20, 48), Image.Resampling.LANCZOS)
    if mode != "RGB":  # it is reduced by one call, as smaller ones are
        np.testing.assert_array_equal(np.asarray(bands.reduced(image, 20 * 49)), np.asarray(narrow))


WINDOWS = [
    *((centre, width) for width in (1, 2, 3, 128, 255, 256, 400.5) for centre in (0, 0.5, 100, 128, 40.25)),
    (-600, 1500),
    ([128, 40], [256, 80]),
]


def displayed_by_pydicom(data, inverse):
    """Grey values of the first window as pydicom's own functions give them, and where half a grey value
    decides."""
    file = pydicom.dcmread(io.BytesIO(data))
    values = pydicom.pixels.apply_rescale(file.pixel_array, file)
    written = pydicom.pixels.apply_windowing(values, file)
    bits, signed = int(file.BitsStored), int(file.PixelRepresentation)
    ends = np.array([-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] if signed else [0, 2**bits - 1], float)
    black, white = pydicom.pixels.apply_rescale(ends, file)
    shares = (written - black) / (white - black)
    grey = 255 * (1 - shares if inverse else shares)
    return np.rint(grey), np.abs(grey % 1 - 0.5) < 1e-6


GREY = itertools.product(
    [np.uint8, np.uint16, np.int16],
    [(None, None), (1, -1024), (0.5, 3), (-2, 100)],
    ["MONOCHROME1", "MONOCHROME2"],
    [None, "LINEAR", "LINEAR_EXACT", "SIGMOID"],
)


@pytest.mark.filterwarnings("ignore:overflow")  # in the exponential of pydicom
@pytest.mark.parametrize(("kind", "line", "photometric", "function"), some_rows(list(GREY), 7))
def test_a_window_is_that_of_the_standard(kind, line, photometric, function):
    slope, intercept = line
    least = np.iinfo(kind).min if kind == np.uint8 else max(np.iinfo(kind).min, -2048)
    values = np.arange(least, least + 256 * (1 if kind == np.uint8 else 16), dtype=kind).reshape(16, -1)
    rescale = {} if slope is None else {"RescaleSlope": slope, "RescaleIntercept": intercept}
    tags = {"PixelRepresentation": int(np.issubdtype(kind, np.signedinteger)), **rescale}
    if function:
        tags["VOILUTFunction"] = function
    for centre, width in WINDOWS:
        data = dicom(values, photometric, WindowCenter=centre, WindowWidth=width, **tags)
        wanted, halfway = displayed_by_pydicom(data, photometric == "MONOCHROME1")
        shown = displayed(data).astype(int)
        np.testing.assert_array_equal(shown[~halfway], wanted[~halfway], err_msg=f"{centre}/{width}")
        assert np.abs(shown - wanted).max() <= 1


@pytest.mark.parametrize("window", [{"WindowWidth": 0.5}, {"WindowWidth": 0}, {"WindowWidth": -3}])
def test_a_window_that_the_standard_does_not_allow_is_none(window):
    values = np.arange(256, dtype=np.uint8).reshape(16, 16)
    shown = displayed(dicom(values, "MONOCHROME2", WindowCenter=100, **window))
    np.testing.assert_array_equal(shown, values)


HOSTILE = [
    (lambda: dicom(half(), "RGB", NumberOfFrames=2), "holds 2 frames: export one of them"),
    (lambda: dicom(half(), "RGB", NumberOfFrames=-3), "states -3 frames"),
    (lambda: dicom(half(), "RGB", JPEG2000Lossless, encapsulate([b"\xff\x4f\xff\x51"])), "has no header"),
    (lambda: dicom(half()[:, :, 0], "PALETTE COLOR"), "colours"),
    (lambda: dicom(half(), "RGB", Rows=65000, Columns=65000), "more than 178,956,970 pixels"),
    (lambda: dicom(half(), "RGB")[:-1000], "cut off"),
    (lambda: b"\0" * 128 + b"DICM" + b"\xff" * 4000, "cut off"),
    (lambda: b"\0\0\0\x18ftypmp42" + b"\0" * 400, "a video, or a damaged"),
    (lambda: b"\0\0\0\x18ftypheic" + b"\xff" * 4000, "damaged"),
]


CT, SLIDE, PLAN = (f"1.2.840.10008.5.1.4.1.1.{end}" for end in ("2.1", "77.1.6", "481.5"))
TOLD = [
    (
        {"SOPClassUID": CT, "NumberOfFrames": 2},
        "The DICOM file (Enhanced CT Image) holds 2 frames: export one",
    ),
    (
        {"SOPClassUID": SLIDE, "NumberOfFrames": 90},
        "holds 90 frames: save the slide as OME-TIFF, or export the",
    ),
    ({"SOPClassUID": "1.2.3", "NumberOfFrames": 2}, "The DICOM file holds 2 frames"),
    ({"Columns": None}, "does not state Columns"),
]


@pytest.mark.parametrize(("tags", "words"), TOLD, ids=range(len(TOLD)))
def test_a_dicom_file_is_called_what_it_is(tags, words):
    assert words in refusal(dicom(half(), "RGB", **tags))


def test_a_dicom_file_without_a_picture_says_what_it_holds():
    file = pydicom.dcmread(io.BytesIO(dicom(half(), "RGB", SOPClassUID=PLAN)))
    del file.PixelData
    assert "(RT Plan) holds no picture" in refusal(rewritten(file))
    file.FloatPixelData = bytes(4)
    assert "decimal numbers" in refusal(rewritten(file))
    compressed = dicom(half(), "RGB", JPEG2000, encapsulate([bytes(400)]))
    assert "cut off" in refusal(compressed[:-40])


def rewritten(file):
    written = io.BytesIO()
    pydicom.dcmwrite(written, file)
    return written.getvalue()


def test_dicom_without_its_first_132_bytes_is_no_unknown_file():
    for syntax in (ExplicitVRLittleEndian, ExplicitVRBigEndian):
        bare = dicom(half(), "RGB", syntax)[132:]
        assert "DICOM without its first 132 bytes" in refusal(bare)
        group = b"\0\x08" if syntax == ExplicitVRBigEndian else b"\x08\0"
        assert "DICOM without its first 132 bytes" in refusal(bare[bare.index(group, 40) :])


@pytest.mark.parametrize(("data", "words"), HOSTILE, ids=range(len(HOSTILE)))
def test_what_cannot_be_read_is_refused_in_one_sentence(data, words):
    message = refusal(data())
    assert any(part in message for part in words.split("|")), message


def test_decoders_are_loaded_for_the_files_that_need_them_only():
    assert decoders(half().tobytes()) == ()
    assert "pi_heif" in decoders(saved("HEIF"))
    assert "pydicom" in decoders(dicom(half(), "RGB"))


def tiff(*entries, following=0):
    """A grey TIFF of 16 x 16 px with these entries in addition, or instead."""
    plain = {256: 16, 257: 16, 258: 8, 259: 1, 262: 1, 273: 8, 277: 1, 278: 16, 279: 256}
    tags = sorted((plain | dict(entries)).items())
    directory = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
    head = struct.pack("<4sI256xH", b"II*\0", 264, len(tags))
    return head + directory + struct.pack("<I", following)


@pytest.mark.parametrize("data", [tiff(following=264), tiff((0x8769, 264)), tiff((330, 264), (0x8825, 264))])
def test_directories_that_lead_back_to_themselves_end(data):
    assert here(data).shape == (16, 16, 3)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (tiff((273, 0xFFFFFFFF)), "cut off"),
        (tiff((256, 13_000), (257, 13_000)), "cut off"),
        (tiff((278, 0)), "cannot be decoded"),
        (tiff(*((tag, 0) for tag in range(1_000, 60_000))), "cannot be decoded|stored in a way"),
    ],
)
def test_tiffs_that_lie_are_refused_in_one_sentence(data, words):
    message = refusal(data)
    assert any(part in message for part in words.split("|")), message


LARGEST = 13_377
"""Sides of a square with almost as many pixels as an image may have."""
CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}


def black(side, colour):
    """A PNG of black pixels of 8 bits. colour: PNG's number of the kind of colours."""
    packer, row = zlib.compressobj(1), bytes(1 + side * CHANNELS[colour])
    packed = [packer.compress(row * 100) for _ in range(side // 100)]
    packed += [packer.compress(row * (side % 100)), packer.flush()]
    head = struct.pack(">IIBBBBB", side, side, 8, colour, 0, 0, 0)
    parts = (b"IHDR" + head, b"IDAT" + b"".join(packed), b"IEND")
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(part) - 4) + part + struct.pack(">I", zlib.crc32(part)) for part in parts
    )


def grey_dicom(side, **tags):
    return dicom(np.zeros((side, side), np.uint16), "MONOCHROME2", **tags)


WINDOW = {"WindowCenter": 40, "WindowWidth": 400, "RescaleSlope": 1, "RescaleIntercept": -1024}
LARGE = {
    "grey DICOM": lambda: grey_dicom(6_000, **WINDOW),
    "largest grey DICOM": lambda: grey_dicom(LARGEST, **WINDOW),
    "largest grey DICOM without a window": lambda: grey_dicom(LARGEST),
    "largest in colours": lambda: black(LARGEST, 2),
    "largest in grey with transparency": lambda: black(LARGEST, 4),
    "largest in colours with transparency": lambda: black(LARGEST, 6),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.soak] if "largest" in name else []) for name in LARGE]
)
def test_a_large_picture_is_decoded_in_less_than_1_gb(name):
    """Of grey DICOM at most 30 million pixels were read."""
    data = LARGE[name]()
    with ImageProcess(Limits(decoders=decoders(data), run_seconds=200)) as process:
        found = process.upright(data, PHOTOGRAPH_PIXELS)
        assert peak(process._worker._child.pid) * 1.048576 < 1000
    assert (found.pixels.size // 3 <= PHOTOGRAPH_PIXELS, found.pixels.max()) == (True, 0)
