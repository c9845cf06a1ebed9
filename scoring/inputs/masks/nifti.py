"""Read the header of a NIfTI-1 or NIfTI-2 in one file, with nibabel."""

import logging
import math
from typing import Any, Literal

from scoring.common.arrays import Floats
from scoring.inputs.inflate import ByteFile
from scoring.inputs.masks.errors import MaskError, cut_off
from scoring.inputs.masks.fields import Fields

HEAD_BYTES = 348
WIDE_BYTES = 540
MOST_AXES = 7
FURTHEST = 64 << 20  # where the voxels may begin; what stands before them is read and dropped
PIECE = 1 << 20
NEVER = logging.CRITICAL + 1
MUTED = logging.Logger("nibabel", NEVER)


def is_nifti(head: bytes) -> bool:
    """Return whether the first bytes of a file are those of a NIfTI."""
    return _size(head, "little") in (HEAD_BYTES, WIDE_BYTES) or _size(head, "big") in (HEAD_BYTES, WIDE_BYTES)


def read_fields(head: bytes, file: ByteFile) -> Fields:
    """Return the fields of a header whose first 348 bytes were read; the file is left at the first voxel.

    Placed by the sform, else the qform, else the voxel sizes. Raises Malformed and whatever nibabel raises.
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
        raise MaskError(
            "unreadable-file",
            "it is a header without voxels (.hdr and .img are two files): write it as one file, .nii.gz.",
        )
    if not 1 <= int(header["dim"][0]) <= MOST_AXES:
        raise MaskError(
            "unreadable-file", f"its header announces {int(header['dim'][0])} axes: write it again."
        )
    _skip(file, float(header["vox_offset"]), len(block))
    slope, intercept = header.get_slope_inter()
    return Fields(
        header.get_data_shape(),
        _affine(header),
        header.get_data_dtype(),
        1.0 if slope is None else float(slope),
        0.0 if intercept is None else float(intercept),
    )


def _affine(header: Any) -> Floats:
    """Return the affine by which nibabel places an image that it loads: codes and voxel sizes that cannot be
    (a qfac of 0, negative edges) are put right first."""
    righted = header.copy()
    righted.check_fix(MUTED, NEVER)
    affine: Floats = righted.get_best_affine()
    return affine


def _size(head: bytes, order: Literal["little", "big"]) -> int:
    return int.from_bytes(head[:4], order)


def _skip(file: ByteFile, offset: float, done: int) -> None:
    if not math.isfinite(offset) or not done <= offset <= FURTHEST:
        raise MaskError(
            "unreadable-file", f"its header says that the voxels begin at byte {offset:g}: write it again."
        )
    rest = int(offset) - done
    while rest:
        skipped = len(file.read(min(rest, PIECE)))
        if not skipped:
            raise cut_off()
        rest -= skipped
