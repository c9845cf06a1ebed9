"""The images of the cases: for the eye, and for their size."""

import io
import warnings
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import BinaryIO, cast

import numpy as np
from PIL import Image

from scoring.common.findings import Finding, InputRefused, note, warning
from scoring.inputs.sources import SourceFiles

ENDINGS = (".tif", ".tiff", ".png", ".jpg", ".jpeg")
FORMATS = ("TIFF", "PNG", "JPEG")
PIXELS = 178_956_970
SIZE = (1024, 1024)
"""Width and height of the challenge's regions, px: that of a case without an image."""


def find(pictures: SourceFiles, ids: Sequence[str]) -> tuple[str | None, ...]:
    """Return the first member that is called like each case and ends like an image."""
    by_stem: dict[str, str] = {}
    for member in pictures.members:
        path = PurePosixPath(member)
        if path.suffix.lower() in ENDINGS:
            by_stem.setdefault(path.stem, member)
    return tuple(by_stem.get(name) for name in ids)


def measure(
    pictures: SourceFiles, images: Sequence[str | None]
) -> tuple[np.ndarray, tuple[str | None, ...], list[Finding]]:
    """Width and height of each image, int [N, 2] in px, SIZE where there is none that can be read; the images
    that can be; findings.

    Only the header is looked at.
    """
    sizes, readable, findings = np.tile(np.array(SIZE), (len(images), 1)), list(images), []
    for index, member in enumerate(images):
        if member is not None:
            try:
                sizes[index] = _size(pictures, member)
            except (InputRefused, ValueError) as fault:
                readable[index] = None
                words = (
                    fault.problems[0].message
                    if isinstance(fault, InputRefused)
                    else f"it cannot be read ({fault})."
                )
                said = f"{words} The case is scored all the same, with {SIZE[0]} x {SIZE[1]} px."
                findings.append(warning("image-unreadable", pictures.called(member), said))
    without = [index for index, member in enumerate(images) if member is None]
    if without and len(without) < len(images):
        said = (
            f"{len(without)} of {len(images)} cases have no image: their size is taken as {SIZE[0]} x "
            f"{SIZE[1]} px."
        )
        findings.append(note("image-missing", pictures.name, said))
    return sizes, tuple(readable), findings


def _size(pictures: SourceFiles, member: str) -> tuple[int, int]:
    """Width and height by the header of an image. Raises ValueError where it is none, or larger than any that
    is read."""
    try:
        with warnings.catch_warnings(), _seekable(pictures, member) as file:
            warnings.simplefilter("ignore")  # Pillow's own about size, which is judged below
            with Image.open(file, formats=FORMATS) as image:
                width, height = image.size
    except (InputRefused, MemoryError):
        raise
    except Exception as fault:  # Pillow and zipfile let a dozen kinds through for damaged headers
        raise ValueError("it is no TIFF, PNG or JPEG, or damaged") from fault
    if not 0 < width * height <= PIXELS:
        raise ValueError(f"{width:,} x {height:,} pixels; at most {PIXELS:,} are read")
    return width, height


def _seekable(pictures: SourceFiles, member: str) -> BinaryIO:
    # a TIFF's header may stand at its end, and a member of a zip is opened from its front alone
    if pictures.kind == "zip":
        return io.BytesIO(pictures.read(member))
    return cast(BinaryIO, pictures.open(member))
