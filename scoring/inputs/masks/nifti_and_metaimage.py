"""Opens volume files: NIfTI-1 and -2 with nibabel, MetaImage as ITK writes it, and NRRD."""

import logging
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np

from scoring.common.arrays import Floats
from scoring.inputs.inflate import ByteFile, GzipFile, Inflated, gunzipped
from scoring.inputs.masks.errors import RAS_FROM_LPS, Fields, MaskError, cut_off, reading
from scoring.inputs.masks.grid import Grid
from scoring.inputs.masks.nrrd import is_nrrd, nrrd_fields

MASK_ENDINGS = (".nii.gz", ".nii", ".mha", ".seg.nrrd", ".nrrd")
"""Extensions of masks. The headers of files with one of the last two may name the labels."""


def stem_of(name: str, endings: tuple[str, ...] = MASK_ENDINGS) -> str | None:
    """Return a file's name without a mask's extension; None if it has no such extension or consists only of
    the extension."""
    ending = next((e for e in endings if name.lower().endswith(e)), "")
    return name[: -len(ending)] or None if ending else None


Number = TypeVar("Number", int, float)
TYPES = {
    "MET_CHAR": "i1",
    "MET_UCHAR": "u1",
    "MET_SHORT": "i2",
    "MET_USHORT": "u2",
    "MET_INT": "i4",
    "MET_UINT": "u4",
    "MET_LONG": "i4",
    "MET_ULONG": "u4",
    "MET_LONG_LONG": "i8",
    "MET_ULONG_LONG": "u8",
    "MET_FLOAT": "f4",
    "MET_DOUBLE": "f8",
}
LINE_BYTES, LINES = 4096, 256
SHOWN_TYPE = 40


def is_metaimage(head: bytes) -> bool:
    """Return whether the first bytes of a file are those of a MetaImage."""
    return re.match(rb"(ObjectType|NDims|Comment|ObjectSubType)\s*=", head) is not None


def metaimage_fields(file: ByteFile) -> Fields:
    """Return the fields of a MetaImage header. Afterwards the file position is at the first voxel, or at the
    start of the compressed voxels. Raises MaskError, and ValueError for invalid numbers."""
    entries = _entries(file)
    if entries["ElementDataFile"].upper() != "LOCAL":
        raise MaskError(
            "unreadable-file", "its voxels are in another file: save header and voxels as one .mha file."
        )
    if entries.get("HeaderSize", "0") != "0":
        message = "its header says that voxels begin elsewhere (HeaderSize): save the mask again."
        raise MaskError("unreadable-file", message)
    if entries.get("ElementType") not in TYPES or not _is_true(entries, "BinaryData", "True"):
        message = (
            f"its voxels are {entries.get('ElementType', 'of no type')[:SHOWN_TYPE]}, not binary numbers: "
            "save the mask again."
        )
        raise MaskError("unreadable-file", message)
    axes = int(entries.get("NDims", 3))
    shape = _numbers(entries, ("DimSize",), int)
    channels = int(entries.get("ElementNumberOfChannels", 1))
    if len(shape) != axes:
        message = (
            f"its header announces {str(axes)[:SHOWN_TYPE]} axes, but {len(shape)} lengths: save the mask "
            "again."
        )
        raise MaskError("unreadable-file", message)
    high = _is_true(entries, "BinaryDataByteOrderMSB", "False") or _is_true(
        entries, "ElementByteOrderMSB", "False"
    )
    return Fields(
        (*shape, channels) if channels > 1 else shape,
        _metaimage_affine(entries, axes) if axes >= 3 else np.eye(4),
        np.dtype((">" if high else "<") + TYPES[entries["ElementType"]]),
        packed="zlib" if _is_true(entries, "CompressedData", "False") else "",
        packed_size=entries.get("CompressedDataSize", ""),
    )


def _entries(file: ByteFile) -> dict[str, str]:
    entries = {}
    for _ in range(LINES):
        line = file.readline(LINE_BYTES)
        key, equals, value = line.decode("latin-1").partition("=")
        if len(line) == LINE_BYTES:
            message = f"its header has a line of {LINE_BYTES:,} bytes or more: save the mask again."
            raise MaskError("unreadable-file", message)
        if not equals:
            raise cut_off()
        entries[key.strip()] = value.strip()
        if key.strip() == "ElementDataFile":
            return entries
    raise MaskError("unreadable-file", f"its header has more than {LINES} lines: save the mask again.")


def _metaimage_affine(entries: dict[str, str], axes: int) -> Floats:
    """Return the affine in RAS. A row of TransformMatrix is the direction of one axis of the array."""
    directions = np.reshape(
        _numbers(entries, ("TransformMatrix", "Rotation", "Orientation"), float, np.eye(axes).ravel()),
        (axes, axes),
    )
    spacing = _numbers(entries, ("ElementSpacing", "ElementSize"), float, np.ones(axes))
    affine = np.eye(4)
    affine[:3, 3] = _numbers(entries, ("Offset", "Position", "Origin"), float, np.zeros(axes))[:3]
    with np.errstate(all="ignore"):
        affine[:3, :3] = directions[:3, :3].T * np.asarray(spacing)[:3]
        ras: Floats = RAS_FROM_LPS @ affine
    return ras


def _numbers(
    entries: dict[str, str],
    names: tuple[str, ...],
    kind: Callable[[str], Number],
    default: Iterable[Number] = (),
) -> tuple[Number, ...]:
    """Return the numbers of the first of `names` that is present."""
    written = next((entries[name] for name in names if name in entries), None)
    return tuple(default) if written is None else tuple(kind(part) for part in written.split())


def _is_true(entries: dict[str, str], name: str, default: str) -> bool:
    return entries.get(name, default).lower() in ("true", "1")


HEAD_BYTES = 348
WIDE_BYTES = 540
MOST_AXES = 7
FURTHEST = 64 << 20  # where the voxels may begin; what stands before them is read and dropped
PIECE = 1 << 20
NAMES_BYTES = 100_000
OF_LABEL = re.compile(rb'<Label [^>]{0,200}?Key="(\d{1,3})"[^>]{0,200}>\s*(?:<!\[CDATA\[)?([^\]<]{1,60})')
"""Pattern of a label in the extension of a NIfTI header: number, then name."""
NEVER = logging.CRITICAL + 1
MUTED = logging.Logger("nibabel", NEVER)


def is_nifti(head: bytes) -> bool:
    """Return whether the first bytes of a file are those of a NIfTI."""
    return _size(head, "little") in (HEAD_BYTES, WIDE_BYTES) or _size(head, "big") in (HEAD_BYTES, WIDE_BYTES)


def nifti_fields(head: bytes, file: ByteFile) -> Fields:
    """Return the fields of a NIfTI header whose first 348 bytes (`head`) were read. Afterwards the file
    position is at the first voxel. The position in space comes from the sform, otherwise from the qform,
    otherwise from the voxel sizes. Raises MaskError and any exception of nibabel.
    """
    # nibabel takes longer to import than all the rest: not before a NIfTI file is there.
    from nibabel.nifti1 import Nifti1Header
    from nibabel.nifti2 import Nifti2Header

    order = "<" if _size(head, "little") in (HEAD_BYTES, WIDE_BYTES) else ">"
    is_wide = WIDE_BYTES in (_size(head, "little"), _size(head, "big"))
    block = head + file.read((WIDE_BYTES if is_wide else HEAD_BYTES) - len(head))
    if len(block) < (WIDE_BYTES if is_wide else HEAD_BYTES):
        raise cut_off()
    kind: Any = Nifti2Header if is_wide else Nifti1Header
    header = kind(block, endianness=order, check=False)
    if not bytes(header["magic"]).startswith(b"n+"):
        message = (
            "it is a header without voxels (.hdr and .img are two files): save the mask as one .nii.gz file."
        )
        raise MaskError("unreadable-file", message)
    if not 1 <= int(header["dim"][0]) <= MOST_AXES:
        raise MaskError(
            "unreadable-file", f"its header announces {int(header['dim'][0])} axes: save the mask again."
        )
    names = OF_LABEL.findall(_skip(file, float(header["vox_offset"]), len(block)))
    slope, intercept = header.get_slope_inter()
    return Fields(
        header.get_data_shape(),
        _nifti_affine(header),
        header.get_data_dtype(),
        1.0 if slope is None else float(slope),
        0.0 if intercept is None else float(intercept),
        names=tuple((name.decode("latin-1"), number.decode()) for number, name in names),
    )


def _nifti_affine(header: Any) -> Floats:
    """Return the affine by which nibabel places an image that it loads: codes and voxel sizes that cannot be
    (a qfac of 0, negative edges) are put right first."""
    righted = header.copy()
    righted.check_fix(MUTED, NEVER)
    affine: Floats = righted.get_best_affine()
    return affine


def _size(head: bytes, order: Literal["little", "big"]) -> int:
    return int.from_bytes(head[:4], order)


def _skip(file: ByteFile, offset: float, done: int) -> bytes:
    """Go to the first voxel; return the first of what stands before it."""
    if not math.isfinite(offset) or not done <= offset <= FURTHEST:
        raise MaskError(
            "unreadable-file",
            f"its header says that the voxels begin at byte {offset:g}, which is impossible: save "
            "the mask again.",
        )
    rest = int(offset) - done
    first = file.read(min(rest, NAMES_BYTES))
    rest -= len(first)
    while rest:
        skipped = len(file.read(min(rest, PIECE)))
        if not skipped:
            raise cut_off()
        rest -= skipped
    return first


MOST_VOXELS = 1 << 30
FURTHEST_MM = 1e9
SHOWN = 100


@dataclass(frozen=True, eq=False)
class Header:
    """Header of a volume.

    Attributes:
        dtype: Type of the stored values, with byte order.
        slope: The value of a voxel is slope * stored value + intercept.
        intercept: See `slope`.
    """

    grid: Grid
    dtype: np.dtype[Any]
    slope: float
    intercept: float

    @property
    def is_scaled(self) -> bool:
        return (self.slope, self.intercept) != (1.0, 0.0)


def open_volume(file: ByteFile) -> tuple[Header, ByteFile]:
    """Return the header of a seekable file, and a file of its decompressed voxels, x fastest.

    Accepted are NIfTI-1 and -2 in one file (any byte order), MetaImage and NRRD. Files may be raw, compressed
    or inside gzip, and are recognised by their first bytes. Trailing axes of length 1 are dropped.

    Raises:
        MaskError: If the file is of another kind, does not have three axes, has values that are no real
            numbers, has no usable affine, or has more than 2**30 voxels.
    """
    with reading():
        fields, content = read_fields(file)
        return checked(fields, fields.shape), content


def read_fields(file: ByteFile) -> tuple[Fields, ByteFile]:
    """Return the unchecked header of a seekable file, and a file of its decompressed voxels. It reads the
    same formats as `open_volume`. Raises MaskError and any exception of the format's reader."""
    file = gunzipped(file)
    head = file.read(HEAD_BYTES)
    if not head:
        raise MaskError("unreadable-file", "it is empty (0 bytes): was the upload cut off?")
    if is_nifti(head):
        fields = nifti_fields(head, file)
    elif is_metaimage(head):
        file.seek(0)
        fields = metaimage_fields(file)
    elif is_nrrd(head):
        file.seek(0)
        fields = nrrd_fields(file)
    else:
        message = "it is neither NIfTI (.nii, .nii.gz) nor MetaImage (.mha): write the mask as one of these."
        raise MaskError("unreadable-file", message)
    if fields.packed == "gzip":
        return fields, GzipFile(fileobj=file, mode="rb")
    return fields, Inflated(file, stated=fields.packed_size) if fields.packed else file


def checked(fields: Fields, axes: tuple[int, ...]) -> Header:
    """Check the fields of a header and return the header with the given axes. Raises MaskError, as in
    `open_volume`."""
    shape = list(axes)
    while len(shape) > 3 and shape[-1] == 1:
        shape.pop()
    lengths = "×".join(map(str, shape))[:SHOWN]
    if len(shape) != 3:
        sentence = f"it is not 3D but has shape {lengths}: write one label map, not a channel per structure."
        raise MaskError("wrong-grid", sentence)
    if min(shape) < 1:
        raise MaskError(
            "unreadable-file",
            f"its header states the shape {lengths}, which is impossible: save the mask again.",
        )
    if int(np.prod(shape, dtype=object)) > MOST_VOXELS:
        raise MaskError(
            "unreadable-file", f"its header announces {lengths} voxels; at most {MOST_VOXELS:,} are read."
        )
    if fields.dtype.kind not in "iuf":
        sentence = f"its voxels are {fields.dtype}, not real numbers: write the labels as whole numbers."
        raise MaskError("unreadable-file", sentence)
    affine = np.asarray(fields.affine, float)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):  # sizes near the smallest number
        has_volume = abs(np.linalg.det(affine[:3, :3])) > 0
    if not (np.abs(affine) < FURTHEST_MM).all() or not has_volume:
        message = (
            "its affine gives the voxels no valid position (NaN, infinite, or an axis without length): copy "
            "the affine of the image."
        )
        raise MaskError("unreadable-file", message)
    x, y, z = map(int, shape)
    return Header(Grid((x, y, z), affine), fields.dtype, fields.slope, fields.intercept)
