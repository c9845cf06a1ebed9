"""Converts masks to label maps if they are cropped, have one channel per label, or use other numbers for
labels."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import starmap

import numpy as np

from scoring.common.arrays import Ints
from scoring.inputs.inflate import ByteFile
from scoring.inputs.masks.blocks import VOXELS, Opener, blocks, opened
from scoring.inputs.masks.errors import MaskError, reading
from scoring.inputs.masks.grid import Grid, placement
from scoring.inputs.masks.joined import made_file
from scoring.inputs.masks.nifti_and_metaimage import Header, checked, read_fields
from scoring.inputs.masks.writing import metaimage_header

MOST_VOXELS = 1 << 27
"""Maximum number of voxels of a label map that is held in memory."""
CHANNELS = (2, 3)
"""Allowed numbers of channels: GTVp and GTVn; or background, GTVp and GTVn."""
BACKGROUND = 255
AS_IS = (0, 1, 2)


@dataclass(frozen=True)
class MaskForm:
    """What the header of a mask says about its labels, channels and cropping.

    Attributes:
        names: Label name in lower case -> number.
        channels: Number of channels, 1 for a label map.
        is_part: Whether it was cropped from a larger volume.
    """

    names: frozenset[tuple[str, str]] = frozenset()
    channels: int = 1
    is_part: bool = False


def form_of(opener: Opener) -> MaskForm:
    """Return the form of a mask. If the header cannot be read, the default form is returned; the error is
    reported later, when voxels are read."""
    try:
        with opened(opener) as raw, reading():
            fields, _ = read_fields(raw)
    except MaskError:
        return MaskForm()
    shape = [*fields.shape]
    while len(shape) > 4 and shape[3] == 1:
        shape.pop(3)  # NIfTI keeps the fourth axis for time
    channels = shape[3] if len(shape) == 4 and shape[3] in CHANNELS else 1
    names = frozenset((name.strip().lower(), number.strip()) for name, number in fields.names)
    return MaskForm(names, channels, fields.is_part)


def converted_mask(opener: Opener, labels: tuple[int, ...] = AS_IS, grid: Grid | None = None) -> ByteFile:
    """Open a mask as a MetaImage of labels.

    Args:
        labels: The values that replace 0, 1 and 2.
        grid: The grid of the volume from which the mask was cropped, if it was cropped.
    """
    return made_file(partial(_pieces, opener, labels, grid))


def _pieces(opener: Opener, labels: tuple[int, ...], grid: Grid | None) -> Iterator[bytes]:
    with opened(opener) as raw:
        with reading():
            fields, file = read_fields(raw)
        shape = tuple(n for k, n in enumerate(fields.shape) if k < 3 or n > 1)
        channels = shape[3] if len(shape) == 4 else 1
        # The channels of a volume follow each other, as if they were its further slices.
        header = checked(fields, (*shape[:2], shape[2] * channels) if channels > 1 else fields.shape)
        if max(header.grid.voxels, grid.voxels if grid else 0) > MOST_VOXELS:
            raise MaskError("unreadable-file", f"it has {header.grid.voxels:,} voxels: write one label map.")
        whole = Grid((*header.grid.shape[:2], header.grid.shape[2] // channels), header.grid.affine)
        found = _one_label_map(header, file, channels) if channels > 1 else _labels(header, file)
    if fields.is_part and grid is not None and (place := placement(whole, grid)) is not None:
        first, strides = place
        indices = np.flatnonzero(found)
        steps = zip(strides, np.unravel_index(indices, whole.shape, order="F"), strict=True)
        placed = np.zeros(grid.voxels, np.uint8)
        placed[first + sum(starmap(np.multiply, steps))] = found[indices]
        whole, found = grid, placed
    yield metaimage_header(whole)
    table = bytes((*labels, *range(len(labels), 256)))
    for start in range(0, found.size, VOXELS):
        yield found[start : start + VOXELS].tobytes().translate(table)


def _labels(header: Header, file: ByteFile) -> Ints:
    labels = np.zeros(header.grid.voxels, np.uint8)
    for number, block in enumerate(blocks(header, file)):
        if block.labels is not None:
            part = labels[number * VOXELS : (number + 1) * VOXELS]
            part[:] = block.labels[: part.size]
    return labels


def _one_label_map(header: Header, file: ByteFile, channels: int) -> Ints:
    """Return the labels of channels of ones: 1 and 2 in the order of the last two; where there are three, the
    first is the background. Raises MaskError if voxels are in several channels, or in none of three."""
    size = header.grid.voxels // channels
    labels = np.zeros(size, np.uint8)
    for number, block in enumerate(blocks(header, file)):
        if block.labels is None:
            continue
        indices = np.flatnonzero(block.labels)
        if block.labels.max() > 1:
            raise MaskError("bad-label", "a channel has values other than 0 and 1.")
        channel, place = np.divmod(indices + number * VOXELS, size)
        if labels[place].any() or np.unique(place).size < place.size:
            raise MaskError("bad-label", "its channels overlap: write one label map, GTVp as 1, GTVn as 2.")
        label = channel + (channels < max(CHANNELS))
        labels[place] = np.where(label == 0, BACKGROUND, label)
    is_whole = bool(labels.all())
    if is_whole != (channels == max(CHANNELS)):
        message = (
            f"its {channels} channels are not {'background, ' * (channels == max(CHANNELS))}GTVp and GTVn: "
            "write one label map, GTVp as 1 and GTVn as 2."
        )
        raise MaskError("bad-label", message)
    labels[labels == BACKGROUND] = 0
    return labels
