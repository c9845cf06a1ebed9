"""Constants of the challenge: labels, stages, weights, and the weighted sum of the three subtasks."""

from typing import TypeVar

from scoring.common.arrays import Floats

ID = "hecktor2026"
WEIGHTS = {
    "segmentation": ("Segmentation", "Seg", 25),
    "staging": ("Staging", "Stage", 35),
    "c_index": ("Prognosis", "C", 40),
}
SUBTASKS = ("segmentation", "staging", "c_index")
STRUCTURES = {"gtvp": ("GTVp", 1), "gtvn": ("GTVn", 2)}
"""Key in `per_class` and mask value of the primary tumour and the nodes, by the suffix of their measures."""
STAGES = {"t": ("T0", "T1", "T2", "T3", "T4"), "n": ("N0", "N1", "N2", "N3")}
T0 = 0
"""Index of T0 among the T stages: it occurs in the training truth but is not a declared output."""
FEW_EVENTS = 20
SUSPECT_C_INDEX = 0.45


Values = TypeVar("Values", float, Floats)
"""A number or an array of numbers."""


def weighted(segmentation: Values, staging: Values, c_index: Values) -> Values:
    """Return 0.25 segmentation + 0.35 staging + 0.40 C-index; NaN if one of them is NaN."""
    total: Values = 0.25 * segmentation + 0.35 * staging + 0.40 * c_index
    return total


def unweighted(segmentation: Values, staging: Values, c_index: Values) -> Values:
    """Return the unweighted mean of the three subtasks; NaN if one of them is NaN."""
    mean: Values = (segmentation + staging + c_index) / 3
    return mean
