"""Reads the truth of PUMA: the annotated nuclei of every region, and the images of the cases."""

import io
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import BinaryIO, ClassVar, cast

import numpy as np
from PIL import Image

from scoring.challenges.puma import cases, nucleus_classes
from scoring.challenges.puma.cases import WrittenFiles
from scoring.challenges.puma.nucleus_classes import Naming
from scoring.common.findings import Finding, InputRefused, error, note, warning
from scoring.core.challenge import Context
from scoring.core.submission import ignored
from scoring.inputs import case_images
from scoring.inputs.nuclei.reader import Nuclei
from scoring.inputs.sources import Source, SourceFiles, open_source

ENDINGS = (".tif", ".tiff", ".png", ".jpg", ".jpeg")
FORMATS = ("TIFF", "PNG", "JPEG")
PIXELS = 178_956_970
SIZE = (1024, 1024)
"""Width and height of the challenge's regions in px, which is also assumed for a case without an image."""


def find(pictures: SourceFiles, ids: Sequence[str]) -> tuple[str | None, ...]:
    """Return the image of each case: the first file with the name of the case and an image extension."""
    by_stem: dict[str, str] = {}
    for member in pictures.members:
        path = PurePosixPath(member)
        if path.suffix.lower() in ENDINGS:
            by_stem.setdefault(path.stem, member)
    return tuple(by_stem.get(name) for name in ids)


def measure(
    pictures: SourceFiles, images: Sequence[str | None]
) -> tuple[np.ndarray, tuple[str | None, ...], list[Finding]]:
    """Read width and height of each image from its header.

    Returns:
        Widths and heights in px, int [N, 2] (`SIZE` for images that cannot be read); names of the readable
        images; and findings.
    """
    sizes, readable, findings = np.tile(np.array(SIZE), (len(images), 1)), list(images), []
    for index, member in enumerate(images):
        if member is not None:
            try:
                sizes[index] = _size(pictures, member)
            except (InputRefused, ValueError) as fault:
                readable[index] = None
                reason = (
                    fault.problems[0].message
                    if isinstance(fault, InputRefused)
                    else f"it cannot be read ({fault})."
                )
                message = (
                    f"{reason} Benchside scores the case anyway, with a size of {SIZE[0]} x {SIZE[1]} px."
                )
                findings.append(warning("image-unreadable", pictures.called(member), message))
    without = [index for index, member in enumerate(images) if member is None]
    if without and len(without) < len(images):
        message = (
            f"{len(without)} of {len(images)} cases have no image: Benchside assumes a size of "
            f"{SIZE[0]} x {SIZE[1]} px."
        )
        findings.append(note("image-missing", pictures.name, message))
    return sizes, tuple(readable), findings


def _size(pictures: SourceFiles, member: str) -> tuple[int, int]:
    """Width and height by the header of an image. Raises ValueError if it is none, or larger than any that
    is read."""
    try:
        with warnings.catch_warnings(), _seekable(pictures, member) as file:
            warnings.simplefilter("ignore")  # Pillow's own about size, which is judged below
            with Image.open(file, formats=FORMATS) as image:
                width, height = image.size
    except (InputRefused, MemoryError):
        raise
    except Exception as fault:  # Pillow and zipfile let a dozen kinds through for damaged headers
        raise ValueError("it is not a TIFF, PNG or JPEG, or it is damaged") from fault
    if not 0 < width * height <= PIXELS:
        raise ValueError(f"{width:,} x {height:,} pixels; at most {PIXELS:,} are read")
    return width, height


def _seekable(pictures: SourceFiles, member: str) -> BinaryIO:
    # a TIFF's header may stand at its end, and a member of a zip is opened from its front alone
    if pictures.kind == "zip":
        return io.BytesIO(pictures.read(member))
    return cast(BinaryIO, pictures.open(member))


@dataclass(frozen=True)
class PumaTruth:
    """The cases of a test set, sorted by id (code points).

    Attributes:
        nuclei: True nuclei of each case.
        sizes: Width and height of each image in px, int [N, 2]; 1024 for a case without an image.
        images: Name in `pictures` of each case's image; None without an image.
        digest_of: SHA-256 of each file of nuclei.
        written: Format of the files.
    """

    id_column: ClassVar[str] = "case"

    per_case: ClassVar[tuple[str, ...]] = ("ids", "nuclei", "sizes", "images", "written")
    name: str
    files: SourceFiles
    ids: tuple[str, ...]
    nuclei: tuple[Nuclei, ...]
    sizes: np.ndarray
    pictures: SourceFiles
    images: tuple[str | None, ...]
    findings: tuple[Finding, ...]
    digest_of: Mapping[str, str]
    written: WrittenFiles

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def columns(self) -> Mapping[str, tuple[str, ...]]:
        """Columns of metadata; always empty."""
        return {}

    picture = case_images.picture


def read_truth(source: Source, images: Source | None, context: Context) -> PumaTruth:
    """Read the annotations: a file, folder or zip of QuPath GeoJSON, Multiple polygons JSON or lists of
    centroids.

    Args:
        images: Folder or zip of the images, if they are not beside the annotations.

    Raises:
        InputRefused: If there are problems. It lists all of them; its `salvaged` contains the part that could
            be read.
    """
    files = open_source(source, context.name)
    pictures = files if images is None else open_source(images)
    members = files.members if files.kind == "file" else tuple(filter(cases.is_nuclei_file, files.members))
    member_of, problems = cases.by_case(files, members)
    ids = tuple(sorted(member_of))
    used = [member_of[case] for case in ids]
    truth, of_files = _read(files, pictures, ids, used, Naming.of(**context.options))
    problems = [*problems, *of_files]
    if not problems and not any(map(len, truth.nuclei)):
        message = (
            "it lists no nuclei, so nothing can be scored."
            if ids
            else (
                "it holds no file of nuclei (<case>_nuclei.geojson, <case>_nuclei.json, <case>.geojson "
                "or <case>.json)."
            )
        )
        problems = [error("empty-truth", files.name, message)]
    if problems:
        raise InputRefused(problems, truth.findings, salvaged=truth)
    return truth


def _read(
    files: SourceFiles, pictures: SourceFiles, ids: tuple[str, ...], used: list[str], naming: Naming
) -> tuple[PumaTruth, tuple[Finding, ...]]:
    sizes, readable, of_images = measure(pictures, find(pictures, ids))
    read = cases.in_place(cases.read_cases(files, used, naming, graded=False), sizes, map(files.called, used))
    looked_at = {*used, *(member for member in readable if member is not None and pictures is files)}
    findings = (
        *read.findings,
        *nucleus_classes.mapped(read.names, files.name, naming),
        *of_images,
        *ignored(files, looked_at),
    )
    return PumaTruth(
        files.name,
        files,
        ids,
        read.nuclei,
        sizes,
        pictures,
        readable,
        findings,
        read.digest_of,
        read.written(read.contents),
    ), read.problems
