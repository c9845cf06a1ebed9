"""Several masks of one structure each, read as one mask of labels without being kept in memory."""

import io
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import cast

import numpy as np

from scoring.inputs.inflate import ByteFile, FrontFile
from scoring.inputs.masks.blocks import VOXELS, Opener, blocks, opened
from scoring.inputs.masks.errors import MaskError
from scoring.inputs.masks.grid import difference, orientation
from scoring.inputs.masks.nifti_and_metaimage import open_volume
from scoring.inputs.masks.writing import metaimage_header


class _Joined(FrontFile):
    """The joined mask."""

    noun = "a joined mask"

    def __init__(self, openers: Mapping[int, Opener]):
        self._openers = openers
        self.rewind()

    def rewind(self) -> None:
        """Begin again."""
        self._position, self._rest, self._pieces = 0, b"", _pieces(self._openers)

    def readinto(self, buffer: object) -> int:
        """Read what is there of the next piece."""
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


def joined_mask(openers: Mapping[int, Opener]) -> ByteFile:
    """Open masks of one structure each as one MetaImage, in which the voxels of each have its label; reading
    it raises MaskError where one cannot be read, or they are on different grids.

    Args:
        openers: Label, 1 or 2 -> opens its mask, in which any label is the structure. Where several are, the
            first one counts.
    """
    return io.BufferedReader(_Joined(openers))


def _pieces(openers: Mapping[int, Opener]) -> Iterator[bytes]:
    """Yield the header and the joined labels, block by block."""
    with ExitStack() as stack:
        volumes = [open_volume(stack.enter_context(opened(opener))) for opener in openers.values()]
        grid = volumes[0][0].grid
        for header, _ in volumes[1:]:
            way = orientation(header.grid, grid)
            if way is None or not way.is_identity:
                off = difference(header.grid, grid).replace("the truth", "the other")
                raise MaskError("wrong-grid", f"of its two structures, {off}.")
        yield metaimage_header(grid)
        rest = grid.voxels
        for parts in zip(*(blocks(*volume) for volume in volumes), strict=True):
            joined = np.zeros(min(rest, VOXELS), np.uint8)
            for label, block in reversed(list(zip(openers, parts, strict=True))):
                if block.labels is not None:
                    joined[block.labels[: len(joined)] != 0] = label
            rest -= len(joined)
            yield joined.tobytes()
