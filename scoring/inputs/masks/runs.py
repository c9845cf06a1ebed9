"""Keep a mask as runs of equal labels: tumours fill so little of a volume that this is smaller than its
file."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from scoring.common.arrays import Ints
from scoring.inputs.masks.blocks import VOXELS, VoxelBlock

MOST = 1 << 13


@dataclass(frozen=True, eq=False)
class LabelRuns:
    """R runs of equal labels, none across the end of a block.

    Attributes:
        start: First voxel of each run, ascending, int32 [R].
        length: Voxels of each run, int32 [R].
        label: Label of each run, never 0, uint8 [R].
    """

    start: Ints
    length: Ints
    label: Ints


def runs_of(labels: Ints, number: int, words: Ints) -> LabelRuns:
    """Return the runs of block `number`. words: numbers of the groups of eight voxels that are not all
    background."""
    first, last = (8 * int(words[0]), 8 * int(words[-1]) + 8) if words.size else (0, 0)
    inside = labels[first:last]  # a tumour fills so little of a block that the rest is not looked at again
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    starts, ends = np.concatenate(((0,), edges)), np.concatenate((edges, (inside.size,)))
    kept = inside[starts] != 0 if inside.size else np.zeros(starts.size, bool)
    starts, ends = starts[kept], ends[kept]
    begins = (starts + first + number * VOXELS).astype(np.int32)
    return LabelRuns(begins, (ends - starts).astype(np.int32), inside[starts])


class RunCollector:
    """Collects the runs of block after block, until they are more than `MOST`."""

    def __init__(self) -> None:
        self._parts = [LabelRuns(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.uint8))]
        self._count = 0

    def add(self, labels: Ints, number: int, words: Ints | None = None) -> None:
        """Add the labels of block `number`; `words` as of `runs_of`, where they are known."""
        if self._count <= MOST:
            words = np.flatnonzero(labels.view(np.uint64) != 0) if words is None else words
            self._parts.append(runs_of(labels, number, words))
            self._count += self._parts[-1].start.size

    def runs(self) -> LabelRuns | None:
        """Return all runs; None where they were too many."""
        if self._count > MOST:
            return None
        return LabelRuns(
            *(
                np.concatenate([getattr(part, name) for part in self._parts])
                for name in ("start", "length", "label")
            )
        )


def blocks_of(runs: LabelRuns, voxels: int) -> Iterator[VoxelBlock]:
    """Yield the blocks that the runs were taken from."""
    labels = np.zeros(VOXELS, np.uint8)
    bounds = np.searchsorted(runs.start, np.arange(0, voxels + VOXELS, VOXELS))
    for number, (first, last) in enumerate(itertools.pairwise(bounds)):
        if first == last:
            yield VoxelBlock(None)
            continue
        length = runs.length[first:last]
        ends = np.cumsum(length)
        index = np.repeat(runs.start[first:last] - number * VOXELS - ends + length, length) + np.arange(
            ends[-1]
        )
        labels[index] = np.repeat(runs.label[first:last], length)
        yield VoxelBlock(labels)
        labels[index] = 0
