"""A submitted mask against the truth's: voxels, and lesions where they are told apart."""

from dataclasses import dataclass

from scoring.inputs.masks.blocks import Opener
from scoring.inputs.masks.counting import Mask, VoxelCounts, count
from scoring.inputs.masks.lesions import Lesions, lesions


@dataclass(frozen=True, eq=False)
class MaskPair:
    """A mask of the truth, and what opens the submitted one; None where there is none."""

    truth: Mask
    submitted: Opener | None


def compared(pair: MaskPair, label: int | None) -> tuple[VoxelCounts, Lesions | None]:
    """Return the voxels of a pair by their labels, and the lesions of one label.

    Args:
        pair: The masks.
        label: Whose lesions are counted and matched; None: of none.

    Raises:
        InputRefused: The file of the truth changed since it was examined.
    """
    counts = count(pair.truth, pair.submitted)
    if label is None:
        return counts, None
    return counts, lesions(pair.truth, pair.submitted if counts.state == "ok" else None, label)
