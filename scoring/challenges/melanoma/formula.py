"""The formula and options of Melanoma."""

from scoring.common.arrays import Floats
from scoring.core.options import Option
from scoring.metrics import binary
from scoring.metrics.binary import Decisions

ID = "melanoma"
CLASSES = ("negative", "positive")
NAMES = ("another lesion", "melanoma")
"""The classes in full, for people."""
THRESHOLD = 0.5
SMALL_CLASS = 15
BETA = 2
WEIGHTS = {"f2": ("F2", "F2", 60), "accuracy": ("accuracy", "acc.", 30), "auc": ("AUC", "AUC", 10)}
"""The parts of the score by metric: name, name where there is little room, points of 100."""


def combined(d: Decisions, auc: float | Floats) -> Floats:
    """Return the score [B] from decisions and AUC; NaN where the AUC is."""
    return 0.6 * binary.f_beta(d, BETA) + 0.3 * binary.accuracy(d) + 0.1 * auc


MISSING = Option(
    name="missing",
    help="cases without a usable score: refuse (default), or count them as wrong",
    default="refuse",
    values=("refuse", "wrong"),
    metavar="HOW",
    stages=("predictions", "score"),
    label="Cases without a prediction",
    value_labels={"refuse": "refuse the file", "wrong": "count as wrong"},
)
OPTIONS = (MISSING,)
