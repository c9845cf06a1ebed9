"""Formula of Melanoma (0.6 F2 + 0.3 accuracy + 0.1 AUC) and its options."""

from scoring.challenges.safe_scan.definition import missing_option
from scoring.common.arrays import Floats
from scoring.metrics import binary
from scoring.metrics.binary import Decisions

ID = "melanoma"
CLASSES = ("negative", "positive")
NAMES = ("another lesion", "melanoma")
"""Full names of the classes."""
THRESHOLD = 0.5
BETA = 2
WEIGHTS = {"f2": ("F2", "F2", 60), "accuracy": ("accuracy", "acc.", 30), "auc": ("AUC", "AUC", 10)}
"""Metric -> name, short name and maximum points (out of 100) of this part of the score."""


def combined(d: Decisions, auc: float | Floats) -> Floats:
    """Return the score [B] computed from decisions and AUC; NaN if the AUC is NaN."""
    return 0.6 * binary.f_beta(d, BETA) + 0.3 * binary.accuracy(d) + 0.1 * auc


MISSING = missing_option("score")
OPTIONS = (MISSING,)
