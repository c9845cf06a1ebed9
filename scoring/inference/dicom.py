"""Reads the picture in a DICOM file without its tags (for `image_sanitizer`): one grey or colour frame, as a
screen shows it.

Runs in the worker. Source: DICOM PS3.3 C.7.6.3 (pixels), C.11.1 and C.11.2 (rescaling and window).
"""

import io
import struct
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pydicom
from PIL import Image
from pydicom.encaps import generate_frames
from pydicom.uid import (
    JPEG2000,
    UID,
    ExplicitVRBigEndian,
    ExplicitVRLittleEndian,
    ImplicitVRLittleEndian,
    JPEG2000Lossless,
    JPEGBaseline8Bit,
    JPEGLossless,
    JPEGLosslessSV1,
    RLELossless,
)

from scoring.common.arrays import Array, Floats
from scoring.inference.preprocessing import MOST_PIXELS, REGION, ImageUnreadable

LOSSLESS = (JPEGLossless, JPEGLosslessSV1)
"""Transfer syntaxes that Pillow can decode although pydicom does not use Pillow for them."""
READ = (
    ImplicitVRLittleEndian,
    ExplicitVRLittleEndian,
    ExplicitVRBigEndian,
    RLELossless,
    JPEGBaseline8Bit,
    JPEG2000Lossless,
    JPEG2000,
    *LOSSLESS,
)
"""Transfer syntaxes that the installed packages can decode."""
GREY = ("MONOCHROME1", "MONOCHROME2")
LINEAR = "LINEAR"
"""Default function of a DICOM window. It is defined for integers and includes both ends of the window."""
COLOUR = ("RGB", "YBR_FULL", "YBR_FULL_422", "YBR_ICT", "YBR_RCT")
IN_JPEG_2000 = (JPEG2000, JPEG2000Lossless)
SAMPLES = 100_000_000
"""Maximum pixels times colours of a JPEG 2000 picture: decoding needs four bytes for each, and a file of a
few kB can state any number."""
_SIZES = b"\xff\x4f\xff\x51"
"""Start of a JPEG 2000 picture; width, height and number of colours follow."""
STATED = ("Rows", "Columns", "SamplesPerPixel", "BitsAllocated", "PhotometricInterpretation")
"""Tags without which pixels have no meaning."""
FLOATS = ("FloatPixelData", "DoubleFloatPixelData")
OTHER_SIZE = "The picture in the DICOM file does not have the size that the file states: export it again."
CUT_OFF = "The DICOM file is cut off before its end: copy or export it again."
SPACINGS = ("PixelSpacing", "ImagerPixelSpacing", "NominalScannedPixelSpacing")


@dataclass(frozen=True)
class DicomPicture:
    """The picture of a DICOM file. Its pixels are converted for display in bands of rows, one band after the
    other, because the conversion needs several numbers of eight bytes for each pixel.

    Attributes:
        pixels: Stored values [h, w] or [h, w, 3].
        displayed: Function that returns a band of `pixels` as uint8, as a screen shows it.
        micrometres: Micrometres per pixel; 0 if unknown.
    """

    pixels: Array
    displayed: Callable[[Array], Array]
    micrometres: float

    @property
    def size(self) -> tuple[int, int]:
        """Return width and height, px."""
        return self.pixels.shape[1], self.pixels.shape[0]

    @property
    def mode(self) -> str:
        """Return the mode of the displayed image, "L" or "RGB"."""
        return "L" if self.pixels.ndim == 2 else "RGB"

    def band(self, top: int, bottom: int) -> Image.Image:
        """Return the rows from `top` to `bottom`, without `bottom`, as a screen shows them."""
        return Image.fromarray(np.ascontiguousarray(self.displayed(self.pixels[top:bottom])))


def read(data: bytes) -> pydicom.FileDataset:
    """Read a DICOM file with a copy of its stored pixels. Raises ImageUnreadable if it is cut off; any other
    exception of pydicom for damaged files."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        file = pydicom.dcmread(io.BytesIO(data))
    file.buffer = None  # else it keeps the bytes of the file
    if "PixelData" not in file and any("End of file" in str(warning.message) for warning in warned):
        raise ImageUnreadable(CUT_OFF)
    return file


def picture(file: pydicom.FileDataset) -> DicomPicture:
    """Return the picture in a DICOM file.

    Raises:
        ImageUnreadable: With one sentence, if the file has no picture or several, or if the picture is too
            large or stored in an unsupported way.
        Exception: Any exception that pydicom raises for damaged files.
    """
    _refuse(file)
    pixels, scale = _pixels(file), 1000 * (_first(next(filter(None, map(file.get, SPACINGS)), None)) or 0.0)
    if file.PhotometricInterpretation in GREY:
        return DicomPicture(pixels, _displayed(file, pixels), scale)
    if pixels.dtype != np.uint8:
        raise ImageUnreadable("The DICOM file has more than 8 bits per colour: export it as JPEG or PNG.")
    return DicomPicture(pixels, np.asarray, scale)


def _pixels(file: pydicom.FileDataset) -> Array:
    if file.file_meta.TransferSyntaxUID in IN_JPEG_2000:
        _refuse_jpeg_2000(file)
    if file.file_meta.TransferSyntaxUID not in LOSSLESS:
        file.pixel_array_options(view_only=True)  # without a copy of uncompressed pixels
        try:
            return np.asarray(file.pixel_array)
        except ValueError as fault:
            if "less than expected" in str(fault):
                raise ImageUnreadable(CUT_OFF) from None
            raise
    if int(file.BitsAllocated) != 8:
        raise ImageUnreadable(
            "The DICOM file is lossless JPEG of more than 8 bits: export it as JPEG or PNG."
        )
    with Image.open(
        io.BytesIO(next(generate_frames(file.PixelData, number_of_frames=1))), formats=("JPEG",)
    ) as frame:
        if frame.size != (int(file.Columns), int(file.Rows)):
            raise ImageUnreadable(OTHER_SIZE)
        return np.asarray(frame)


def _refuse_jpeg_2000(file: pydicom.FileDataset) -> None:
    """Refuse a JPEG 2000 picture by its own header, before it is decoded."""
    frame = next(generate_frames(file.PixelData, number_of_frames=1))
    start = frame.find(_SIZES)
    if start < 0 or len(frame) < start + 42:
        raise ImageUnreadable("The JPEG 2000 picture in the DICOM file has no header: export it again.")
    right, below, left, top = struct.unpack_from(">4I", frame, start + 8)
    (colours,) = struct.unpack_from(">H", frame, start + 40)
    if (right - left, below - top) != (int(file.Columns), int(file.Rows)):
        raise ImageUnreadable(OTHER_SIZE)
    if (right - left) * (below - top) * colours > SAMPLES:
        most = SAMPLES // max(1, colours)
        sentence = f"The picture is stored as JPEG 2000, of which at most {most:,} pixels are read"
        raise ImageUnreadable(f"{sentence}: save a smaller copy.")


def _refuse(file: pydicom.FileDataset) -> None:
    called = f"The DICOM file{_kind(file)}"
    if "PixelData" not in file:
        if any(name in file for name in FLOATS):
            raise ImageUnreadable(f"{called} stores its picture as decimal numbers: export it as PNG.")
        raise ImageUnreadable(f"{called} holds no picture: choose a DICOM file with pixels, a JPEG or a PNG.")
    if missing := [name for name in STATED if file.get(name) is None]:
        raise ImageUnreadable(f"{called} does not state {', '.join(missing)}: export it again.")
    if "TransferSyntaxUID" not in file.file_meta:
        raise ImageUnreadable(f"{called} does not state TransferSyntaxUID: export it again.")
    frames = int(file.get("NumberOfFrames") or 1)
    if frames < 1:
        raise ImageUnreadable(f"{called} states {frames} frames: export it again.")
    if frames > 1:
        is_slide = "Whole Slide" in called
        fix = f"save the slide as OME-TIFF, or {REGION}" if is_slide else "export one of them as JPEG or PNG"
        raise ImageUnreadable(f"{called} holds {frames:,} frames: {fix}.")
    if int(file.Rows) * int(file.Columns) > MOST_PIXELS:
        raise ImageUnreadable(f"The image has more than {MOST_PIXELS:,} pixels: save a smaller copy.")
    syntax = UID(file.file_meta.TransferSyntaxUID)
    if syntax not in READ:
        known = syntax.name if syntax.name != str(syntax) else "an unknown way"
        sentence = f"The DICOM file is stored as {known}, which is not read here"
        raise ImageUnreadable(f"{sentence}: export it uncompressed, or as JPEG or PNG.")
    if file.PhotometricInterpretation not in (*GREY, *COLOUR):
        sentence = "The DICOM file stores its colours in a way that is not read here"
        raise ImageUnreadable(f"{sentence}: export it as JPEG or PNG.")


def _kind(file: pydicom.FileDataset) -> str:
    """Return the standard's name of what the file is, as " (CT Image)"; "" for unknown classes."""
    written = file.get("SOPClassUID") or file.file_meta.get("MediaStorageSOPClassUID") or ""
    known = UID(str(written))
    name = known.name.removesuffix(" Storage")
    return "" if name == str(known) else f" ({name})"


def _displayed(file: pydicom.FileDataset, pixels: Array) -> Callable[[Array], Array]:
    """Return the function that turns stored values into grey values uint8 as a screen shows them: within the
    window of the file, else from the least to the largest; 8 bits without a window stay as they are."""
    slope, intercept = float(file.get("RescaleSlope") or 1), float(file.get("RescaleIntercept") or 0)
    is_inverse = file.PhotometricInterpretation == "MONOCHROME1"
    low, high = 0.0, 255.0
    shares = _windowed(file)
    if shares is None and int(file.BitsStored) != 8:
        low, high = sorted(float(end) * slope + intercept for end in (pixels.min(), pixels.max()))

    def displayed(stored: Array) -> Array:
        values: Floats = stored * slope + intercept
        white = shares(values) if shares else np.clip((values - low) / max(high - low, 1e-9), 0, 1)
        return np.asarray(np.rint(255 * (1 - white if is_inverse else white)), np.uint8)

    kind = pixels.dtype
    if kind.itemsize > 2:
        return displayed
    unsigned = np.dtype(f"{kind.byteorder}u{kind.itemsize}")
    every = np.arange(256**kind.itemsize).astype(unsigned)
    grey = displayed(every.view(kind))  # of each value once, which is faster than of each pixel
    return lambda stored: grey.take(stored.view(unsigned))


def _windowed(file: pydicom.FileDataset) -> Callable[[Floats], Floats] | None:
    """Return the function that gives the share of white of values by PS3.3 C.11.2.1.2 and C.11.2.1.3; None
    without a window that the standard allows."""
    centre, width = (_first(file.get(name)) for name in ("WindowCenter", "WindowWidth"))
    function = str(file.get("VOILUTFunction") or LINEAR).upper()
    if centre is None or width is None or width <= 0 or (function == LINEAR and width < 1):
        return None
    # LINEAR counts whole values: a window of width 1 has black and white alone
    middle, extent = (centre - 0.5, width - 1) if function == LINEAR else (centre, width)
    black, white = middle - extent / 2, middle + extent / 2

    def shares(values: Floats) -> Floats:
        if function == "SIGMOID":
            return np.asarray(1 / (1 + np.exp(np.clip(-4 * (values - middle) / extent, -700, 700))))
        inside = np.where(values > white, 1.0, (values - middle) / (extent or 1) + 0.5)
        return np.asarray(np.where(values <= black, 0.0, inside))

    return shares


def _first(value: object) -> float | None:
    """Return the first of one or several numbers."""
    several = value if isinstance(value, (list, pydicom.multival.MultiValue)) else [value]
    return float(str(several[0])) if several and several[0] is not None else None
