"""Formula (`final_score`) and options of TRICORDER-3: classes, risk groups and their weights."""

import numpy as np

from scoring.challenges.safe_scan.definition import missing_option
from scoring.common.arrays import Floats
from scoring.core.options import Option, size_problem

ID = "tricorder3"
CLASSES = ("AKIEC", "BCC", "BEN_OTH", "BKL", "DF", "INF", "MAL_OTH", "MEL", "NV", "SCCKA", "VASC")
NAMES = (
    "Actinic keratosis/intraepidermal carcinoma",
    "Basal cell carcinoma",
    "Other benign proliferations including collisions",
    "Benign keratinocytic lesion",
    "Dermatofibroma",
    "Inflammatory and infectious",
    "Other malignant proliferations including collisions",
    "Melanoma",
    "Melanocytic Nevus, any type",
    "Squamous cell carcinoma/keratoacanthoma",
    "Vascular lesions and hemorrhage",
)
RISKS = {
    "malignant": ("BCC", "MAL_OTH", "MEL", "SCCKA"),
    "medium": ("AKIEC", "BKL", "VASC"),
    "benign": ("BEN_OTH", "DF", "INF", "NV"),
}
RISK = {name: next(risk for risk, members in RISKS.items() if name in members) for name in CLASSES}
RISK_WEIGHTS = {"malignant": 3, "medium": 2, "benign": 1}
GROUPS = {risk: [CLASSES.index(c) for c in members] for risk, members in RISKS.items()}
WORTH = {c: 0.45 * RISK_WEIGHTS[RISK[c]] / 6 / len(RISKS[RISK[c]]) for c in CLASSES}
FREE_MIB, FULL_MIB = 50, 150
WEIGHTS = {
    "accuracy": ("accuracy", "acc.", 45),
    "weighted_f1": ("weighted F1", "wF1", 45),
    "efficiency_score": ("efficiency", "eff.", 10),
}
"""Metric -> name, short name and maximum points (out of 100) of this part of the score."""


def efficiency(size_mib: float | None) -> float:
    """Return the efficiency score of a model: 1 up to 50 MiB, falling to 0 at 150 MiB; 1 if the size is
    unknown."""
    if size_mib is None or size_mib <= FREE_MIB:
        return 1.0
    return 0.0 if size_mib >= FULL_MIB else 1 - (size_mib - FREE_MIB) / (FULL_MIB - FREE_MIB)


def final_score(accuracy: float, weighted_f1: float, efficiency_score: float) -> float:
    """Return the official score. The parts of the score are rounded to 6 decimals and added in the official
    order."""
    a, w, e = round(accuracy, 6), round(weighted_f1, 6), round(efficiency_score, 6)
    return 0.9 * (0.5 * a + 0.5 * w) + 0.1 * e


def weighted_f1(f1: Floats) -> Floats:
    """Return (3 malignant + 2 medium + benign) / 6 from F1 scores [..., 11]. The value of a group is the
    unweighted mean over its classes, including classes without cases."""
    start: Floats = np.zeros(f1.shape[:-1])
    total = sum((RISK_WEIGHTS[r] * f1[..., members].mean(-1) for r, members in GROUPS.items()), start)
    return total / sum(RISK_WEIGHTS.values())


MISSING = missing_option("prediction")
MODEL_SIZE = Option(
    name="model_size_mib",
    help="size of the model in MiB, where only predictions are given",
    type=float,
    metavar="X",
    per_team=True,
    predictions_only=(
        "the size of a model is known from its file: leave the option out, or score predictions."
    ),
    label="Size of its model in MiB",
    explain="1 MiB = 1,048,576 bytes, which the challenge calls MB. Models up to 50 MiB lose no points.",
    problem=size_problem,
)
OPTIONS = (MISSING, MODEL_SIZE)
