"""Counts voxels by their labels in two masks. All measures of overlap are computed from these tables."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from scoring.common.arrays import Ints
from scoring.common.findings import InputRefused, error
from scoring.inputs.masks.blocks import (
    LABELS,
    VOXELS,
    LabelRuns,
    Opener,
    RunCollector,
    VoxelBlock,
    blocks,
    blocks_of,
    opened,
    reordered_blocks,
)
from scoring.inputs.masks.errors import MaskError
from scoring.inputs.masks.grid import Grid, Orientation, difference, orientation
from scoring.inputs.masks.nifti_and_metaimage import open_volume

CLASSES = len(LABELS)
NOTHING = np.zeros(VOXELS, np.uint8)


@dataclass(frozen=True, eq=False)
class Mask:
    """A well-formed mask that was read completely.

    Attributes:
        voxels: Number of voxels by label, int64 [3].
        notes: "float-mask" if non-integer values were rounded.
        runs: Labels of the mask as runs. None if there are too many to store; the file is then read again
            when needed.
    """

    opener: Opener = field(repr=False)
    grid: Grid
    voxels: Ints
    notes: tuple[str, ...]
    runs: LabelRuns | None = field(repr=False)


@dataclass(frozen=True, eq=False)
class VoxelCounts:
    """Voxel counts of a predicted mask compared with the truth.

    Attributes:
        state: "ok", "missing" or "malformed".
        table: Number of voxels by label of truth (rows) and prediction, int64 [3, 3]; a mask that is missing
            or malformed counts as empty.
        notes: "float-mask", "reoriented-mask".
        digest: SHA-256 of the predicted labels on the truth's grid, so that equal labels give equal digests
            in any file format; b"" if there are no labels.
    """

    state: str
    table: Ints
    fault: MaskError | None = None
    notes: tuple[str, ...] = ()
    digest: bytes = b""


def examine(opener: Opener) -> Mask:
    """Read one mask once, block by block. Raises MaskError if it cannot be read or is malformed."""
    voxels, rounded, collector = np.zeros(CLASSES, np.int64), False, RunCollector()
    with opened(opener) as raw:
        header, file = open_volume(raw)
        for number, block in enumerate(blocks(header, file)):
            if block.labels is None:
                continue
            rounded |= block.rounded
            eights = block.labels.view(np.uint64)
            touched = np.flatnonzero(eights != 0)
            voxels += np.bincount(eights[touched].view(np.uint8), minlength=CLASSES)
            collector.add(block.labels, number, touched)
    voxels[0] = header.grid.voxels - voxels[1:].sum()
    return Mask(opener, header.grid, voxels, ("float-mask",) if rounded else (), collector.runs())


def count(truth: Mask, prediction: Opener | None) -> VoxelCounts:
    """Count the voxels by their labels in a truth and a prediction, reading both files at once.

    Args:
        prediction: Function that opens the predicted mask; None if there is no predicted mask.

    Raises:
        InputRefused: If the file of the truth changed since it was examined.
    """
    if prediction is None:
        return _empty(truth, "missing")
    try:
        with aligned(truth, prediction) as (predicted, way):
            table, rounded, digest = _joint(labels_of(truth), predicted)
    except MaskError as fault:
        return _empty(truth, "malformed", fault)
    table[0, 0] = truth.grid.voxels - (table.sum() - table[0, 0])
    notes = (*(("float-mask",) if rounded else ()), *(() if way.is_identity else ("reoriented-mask",)))
    return VoxelCounts("ok", table, None, notes, digest)


@contextmanager
def aligned(truth: Mask, prediction: Opener) -> Iterator[tuple[Iterator[VoxelBlock], Orientation]]:
    """Open a prediction as blocks in the voxel order of the truth. Also return how its axes were reordered.
    Raises MaskError if the prediction cannot be read, is malformed, or is not on the grid of the truth."""
    with opened(prediction) as raw:
        header, file = open_volume(raw)
        way = orientation(header.grid, truth.grid)
        if way is None:
            message = (
                f"{difference(header.grid, truth.grid)}. Save the mask on the truth's grid: "
                "Benchside does not resample."
            )
            raise MaskError("wrong-grid", message)
        yield blocks(header, file) if way.is_identity else reordered_blocks(prediction, header, way), way


def labels_of(mask: Mask) -> Iterator[VoxelBlock]:
    """Yield the blocks of an examined mask. Raises InputRefused if its file changed."""
    if mask.runs is not None:
        yield from blocks_of(mask.runs, mask.grid.voxels)
        return
    try:
        with opened(mask.opener) as raw:
            header, file = open_volume(raw)
            if header.grid.shape != mask.grid.shape:
                raise MaskError("wrong-grid", difference(header.grid, mask.grid))
            yield from blocks(header, file)
    except MaskError as fault:
        raise InputRefused(
            [error(fault.code, "the truth", f"a mask file changed during the run: {fault.words}")]
        ) from fault


def _joint(truth: Iterator[VoxelBlock], predicted: Iterator[VoxelBlock]) -> tuple[Ints, bool, bytes]:
    """Return the table but for the voxels that are background in both, whether predicted values were rounded,
    and the digest of the prediction."""
    table, rounded, digest = np.zeros(CLASSES * CLASSES, np.int64), False, hashlib.sha256()
    for number, (true, guess) in enumerate(zip(truth, predicted, strict=True)):
        rounded |= guess.rounded
        if true.labels is None and guess.labels is None:
            continue
        rows, columns = (NOTHING if block.labels is None else block.labels for block in (true, guess))
        rows, columns = rows.view(np.uint64), columns.view(np.uint64)
        touched = np.flatnonzero((rows != 0) | (columns != 0))
        guesses = columns[touched]
        pairs = rows[touched].view(np.uint8) * CLASSES + guesses.view(np.uint8)
        table += np.bincount(pairs, minlength=table.size)
        if (inside := guesses != 0).any():
            digest.update(np.int64(number).tobytes() + touched[inside].tobytes() + guesses[inside].tobytes())
    return table.reshape(CLASSES, CLASSES), rounded, digest.digest()


def _empty(truth: Mask, state: str, fault: MaskError | None = None) -> VoxelCounts:
    table = np.zeros((CLASSES, CLASSES), np.int64)
    table[:, 0] = truth.voxels
    return VoxelCounts(state, table, fault)
