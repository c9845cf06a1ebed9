"""Masks that are made from other masks while they are read: joined from masks of single structures, or with
other labels."""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import cast

import numpy as np

from scoring.inputs.inflate import ByteFile, FrontFile
from scoring.inputs.masks.blocks import VOXELS, Opener, blocks, opened
from scoring.inputs.masks.errors import MaskError
from scoring.inputs.masks.grid import difference, orientation
from scoring.inputs.masks.nifti_and_metaimage import open_volume
from scoring.inputs.masks.writing import metaimage_header

FULL = 255
"""Value that masks of a single structure may contain instead of 1."""
SWAPPED = (0, 2, 1)
"""New labels if 1 and 2 are exchanged."""


class _Made(FrontFile):
    """A file of pieces that are made while it is read."""

    noun = "a joined mask"

    def __init__(self, pieces: Callable[[], Iterator[bytes]]):
        self._make = pieces
        self.rewind()

    def rewind(self) -> None:
        """Return to the start of the file."""
        self._position, self._rest, self._pieces = 0, b"", self._make()

    def readinto(self, buffer: object) -> int:
        """Read available bytes of the next piece into a buffer."""
        view = memoryview(cast(bytearray, buffer)).cast("B")
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = piece
        count = min(len(view), len(self._rest))
        view[:count] = self._rest[:count]
        self._rest, self._position = self._rest[count:], self._position + count
        return count


def made_file(pieces: Callable[[], Iterator[bytes]]) -> ByteFile:
    """Return a file whose content is generated in pieces while it is read. `pieces` is a function that starts
    the pieces anew."""
    return io.BufferedReader(_Made(pieces))


def relabelled_mask(opener: Opener, labels: Sequence[int]) -> ByteFile:
    """Open a mask as a MetaImage with other labels.

    Args:
        labels: New values of 0, 1 and 2.
    """
    others = bytes((*labels, *range(len(labels), 256)))

    def pieces() -> Iterator[bytes]:
        with opened(opener) as raw:
            header, file = open_volume(raw)
            yield metaimage_header(header.grid)
            rest = header.grid.voxels
            for block in blocks(header, file):
                count = min(rest, VOXELS)
                rest -= count
                labels = block.labels
                yield bytes(count) if labels is None else labels[:count].tobytes().translate(others)

    return made_file(pieces)


def joined_mask(openers: Mapping[int, Opener]) -> ByteFile:
    """Open single-structure masks as one MetaImage, in which each structure has its label.

    Reading raises MaskError if a mask cannot be read or grids differ.

    Args:
        openers: Label (1 or 2) -> function that opens the mask of this structure. In it, every value above 0,
            also 255, is the structure. If structures overlap, the first one counts.
    """
    return made_file(lambda: _joined_pieces(openers))


def _joined_pieces(openers: Mapping[int, Opener]) -> Iterator[bytes]:
    """Yield the header and the joined labels, block by block."""
    with ExitStack() as stack:
        volumes = [open_volume(stack.enter_context(opened(opener))) for opener in openers.values()]
        grid = volumes[0][0].grid
        for header, _ in volumes[1:]:
            way = orientation(header.grid, grid)
            if way is None or not way.is_identity:
                off = difference(header.grid, grid).replace("the truth", "the other")
                raise MaskError("wrong-grid", f"its two structures do not match: {off}.")
        yield metaimage_header(grid)
        rest = grid.voxels
        for parts in zip(*(blocks(*volume, FULL) for volume in volumes), strict=True):
            joined = np.zeros(min(rest, VOXELS), np.uint8)
            for label, block in reversed(list(zip(openers, parts, strict=True))):
                if block.labels is not None:
                    joined[block.labels[: len(joined)] != 0] = label
            rest -= len(joined)
            yield joined.tobytes()
