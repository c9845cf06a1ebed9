"""Label maps (masks with integers from 0 to 65,535) are read plane by plane into one array. Also finds masks
in folders with one mask per case."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import PurePosixPath

import numpy as np

from scoring.common.arrays import Array, Ints
from scoring.common.findings import Finding, InputRefused, error
from scoring.inputs.inflate import ByteFile, fill
from scoring.inputs.masks.blocks import Opener, opened
from scoring.inputs.masks.converted import form_of
from scoring.inputs.masks.errors import MaskError, cut_off, reading
from scoring.inputs.masks.grid import Grid, difference, orientation, placement
from scoring.inputs.masks.nifti_and_metaimage import MASK_ENDINGS, Header, checked, read_fields, stem_of
from scoring.inputs.sources import SourceFiles

MOST_VOXELS = 1 << 28
HIGHEST = 65_535
ROUNDED = 0.01
"""Tolerance for non-integer values."""


def read_label_map(opener: Opener, reference: Grid | None = None) -> tuple[Ints, Grid]:
    """Read a mask.

    Args:
        reference: The grid that the returned labels have. The mask must be on this grid, possibly after
            reordering or reversing axes, or be cropped from it according to its header.

    Returns:
        Labels [x, y, z], and their grid.

    Raises:
        MaskError: If the mask is malformed, has another grid, or has more than 2**28 voxels.
    """
    with opened(opener) as raw:
        with reading():
            fields, file = read_fields(raw)
            header = checked(fields, fields.shape)
        if header.grid.voxels > MOST_VOXELS:
            raise MaskError("unreadable-file", f"it has {header.grid.voxels:,} voxels, too many to measure.")
        way = None if reference is None else orientation(header.grid, reference)
        placed = placement(header.grid, reference) if reference and not way and fields.is_part else None
        if reference is not None and way is None and placed is None:
            raise MaskError(
                "wrong-grid",
                f"{difference(header.grid, reference)}. Masks are not resampled: save the mask on the "
                "truth's grid.",
            )
        labels = _labels(header, file)
    if reference is not None and placed is not None:
        return _placed(labels, placed, reference), reference
    if way is None or reference is None or way.is_identity:
        return labels, header.grid
    backwards = tuple(slice(None, None, -1 if back else 1) for back in way.reversed)
    return labels.transpose(way.axes)[backwards], reference


def _placed(part: Ints, place: tuple[int, tuple[int, ...]], reference: Grid) -> Ints:
    """Return labels on the grid that they were cut out of. place: as in `placement`."""
    whole = np.zeros(reference.voxels, np.uint16)
    first, (along_x, along_y, along_z) = place[0], place[1]
    x, y = (np.arange(length) for length in part.shape[:2])
    plane = along_x * x[:, None] + along_y * y
    for z in range(part.shape[2]):
        whole[first + along_z * z + plane] = part[:, :, z]
    return whole.reshape(reference.shape, order="F")


def _labels(header: Header, file: ByteFile) -> Ints:
    """Return the labels as stored [x, y, z]."""
    nx, ny, nz = header.grid.shape
    labels = np.zeros((nx, ny, nz), np.uint16, order="F")
    buffer = bytearray(nx * ny * header.dtype.itemsize)
    plane: Array = np.frombuffer(buffer, header.dtype).reshape(ny, nx).T
    for z in range(nz):
        with reading():
            if fill(file, memoryview(buffer)) < len(buffer):
                raise cut_off()
        labels[:, :, z] = _whole(plane, header)
    return labels


def _whole(plane: Array, header: Header) -> Array:
    """Return the values of a plane as whole numbers. Raises MaskError if they are none."""
    if header.dtype.kind in "iu" and not header.is_scaled:
        values = plane
    else:
        with np.errstate(all="ignore"):  # infinite values, or values that a slope makes so
            values = plane.astype(float) * header.slope + header.intercept
            rounded = np.round(values)
            is_whole = (np.abs(values - rounded) <= ROUNDED).all()
        if not is_whole:
            raise MaskError(
                "bad-label", "it contains values that are not whole numbers: save labels as whole numbers."
            )
        values = rounded
    if values.size and not (values.min() >= 0 and values.max() <= HIGHEST):
        raise MaskError("bad-label", f"it holds values outside 0 to {HIGHEST:,}, which are no labels.")
    return values.astype(np.uint16)


ExaminedMask = tuple[str, set[int], Grid]
"""Name of a mask's file, values in the mask, and its grid."""


def masks_of_truth(files: SourceFiles) -> tuple[dict[str, str], list[ExaminedMask]]:
    """Return case -> mask file, and all masks with their values. Images are ignored. Raises InputRefused if
    there is no mask, if a case has several, or if a mask is malformed."""
    masks, problems = masks_by_case(files, [member for member in files.members if not is_of_images(member)])
    masks, problems = (masks, problems) if masks else masks_by_case(files, files.members)
    if not masks:
        message = f"it holds no mask: give a folder or zip with a mask per case ({', '.join(MASK_ENDINGS)})."
        problems.append(error("no-table", files.name, message))
    read = list(examined_masks(files, masks, problems))
    if problems:
        raise InputRefused(problems)
    return masks, read


def is_of_images(member: str) -> bool:
    """Return whether a member lies in a folder of images."""
    return any(part.lower().startswith("image") for part in PurePosixPath(member).parts[:-1])


def masks_by_case(files: SourceFiles, members: Sequence[str]) -> tuple[dict[str, str], list[Finding]]:
    """Return case -> mask file, found by the file's name; and a finding `duplicate-case` for each case with
    several."""
    masks: dict[str, str] = {}
    problems = []
    for member in members:
        parts = PurePosixPath(member).parts
        if (stem := stem_of(parts[-1])) is None:
            continue
        case = parts[0] if len(parts) > 2 and parts[1] == "output" else stem
        if case in masks:
            message = f"case {case} has several masks ({masks[case]}, {member}): keep one."
            problems.append(error("duplicate-case", files.called(member), message))
        masks.setdefault(case, member)
    return dict(sorted(masks.items())), problems


def examined_masks(
    files: SourceFiles, masks: Mapping[str, str], problems: list[Finding]
) -> Iterator[ExaminedMask]:
    """Read masks and yield each with its values and its grid. Unreadable masks are added to `problems`."""
    for case, member in masks.items():
        try:
            labels, grid = read_label_map(partial(files.open, member))
            yield member, label_values(labels), grid
        except MaskError as fault:
            problems.append(error(fault.code, files.called(member), f"{case}: {fault.words}"))


def label_values(labels: Ints) -> set[int]:
    """Return the values that occur in a label map."""
    return set(np.flatnonzero(np.bincount(labels.ravel(order="K"))).tolist())


def other_names(regions: Mapping[str, Sequence[int]], masks: Mapping[str, Opener]) -> Iterator[Finding]:
    """Yield a finding `label-order` for each mask whose header assigns another value to a region.

    Args:
        regions: Mask values by region. A region with several values has no single value, and is not checked.
        masks: Name of each mask in messages -> the mask.
    """
    value_of = {name.lower(): str(values[0]) for name, values in regions.items() if len(values) == 1}
    for where, opener in masks.items():
        named = sorted(form_of(opener).names)
        others = [(name, number) for name, number in named if value_of.get(name, number) != number]
        if others:
            told = " and ".join(f"{name} is {number} instead of {value_of[name]}" for name, number in others)
            yield error("label-order", where, f"in its header, {told}: use the values of the challenge.")
