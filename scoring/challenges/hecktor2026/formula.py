"""Constants of the challenge: labels, stages, weights, and the weighted sum of the three subtasks. Its
options answer questions that the rules leave open."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from scoring.common.arrays import Floats
from scoring.core.options import Option, Stage, Values, of_stage
from scoring.metrics.survival import MISSING_RISK

ID = "hecktor2026"
WEIGHTS = {
    "segmentation": ("Segmentation", "Seg", 25),
    "staging": ("Staging", "Stage", 35),
    "c_index": ("Prognosis", "C", 40),
}
SUBTASKS = ("segmentation", "staging", "c_index")
STRUCTURES = {"gtvp": ("GTVp", 1), "gtvn": ("GTVn", 2)}
"""Suffix in names of measures -> key of the structure in `per_class`, and its value in masks. GTVp: the
primary tumour; GTVn: the lymph nodes."""
STAGES = {"t": ("T0", "T1", "T2", "T3", "T4"), "n": ("N0", "N1", "N2", "N3")}
T0 = 0
"""Index of T0 among the T stages. T0 occurs in the training truth, but the challenge does not list it as an
output."""
FEW_EVENTS = 20
SUSPECT_C_INDEX = 0.45


Number = TypeVar("Number", float, Floats)
"""A number or an array of numbers."""


def weighted(segmentation: Number, staging: Number, c_index: Number) -> Number:
    """Return 0.25 segmentation + 0.35 staging + 0.40 C-index; NaN if a subtask is NaN."""
    total: Number = 0.25 * segmentation + 0.35 * staging + 0.40 * c_index
    return total


def unweighted(segmentation: Number, staging: Number, c_index: Number) -> Number:
    """Return the unweighted mean of the three subtasks; NaN if a subtask is NaN."""
    mean: Number = (segmentation + staging + c_index) / 3
    return mean


def _choice(
    name: str, help: str, label: str, meanings: Mapping[str, str], stages: tuple[Stage, ...] = ("score",)
) -> Option:
    """Return an option with a value for each meaning, the default first."""
    first, *others = meanings
    return Option(
        name=name,
        help=f"{help}: {first} (default), {', '.join(others)}",
        default=first,
        values=tuple(meanings),
        metavar="HOW",
        stages=stages,
        label=label,
        explain="  \n".join(f"**{value}**: {meaning}" for value, meaning in meanings.items()),
    )


EMPTY_MASKS = _choice(
    "empty_masks",
    "Dice where truth and prediction are both empty",
    "Dice of two empty masks",
    {
        "one": "An empty truth with an empty prediction counts as 1, as in most libraries.",
        "zero": "An empty truth with an empty prediction counts as 0.",
        "skip": "The patient is left out of the structure's mean.",
    },
)
MISSING_SCORES = _choice(
    "missing_risk",
    "credit for pairs in which a patient has no score",
    "Pairs without a score",
    dict(
        zip(
            MISSING_RISK,
            (
                "These pairs earn nothing.",
                "These pairs count half, as ties do.",
                "These patients are left out of the C-index.",
            ),
            strict=True,
        )
    ),
)
DIRECTION = _choice(
    "prognosis_direction",
    "whether the score is a risk or a time; auto decides by the column's name",
    "Scores are read as",
    {
        "auto": "The column's name decides: “risk” is a risk, “RFS” a time.",
        "risk": "A higher score means an earlier relapse.",
        "time": "Days to relapse: a lower score means an earlier relapse.",
    },
)
T0_OPTION = _choice(
    "t0",
    "T0 in the truth: a separate class, or left out of the T stage score",
    "T0 in the truth",
    {"count": "A separate class.", "exclude": "Patients with T0 are left out of the T stage score."},
)
LESIONS = Option(
    name="lesions",
    help="count and match the lymph nodes too (this does not change the score)",
    type=bool,
    default=False,
    stages=("predictions", "score"),
    label="Count nodes",
    explain="Nodes (connected parts of GTVn) are counted and matched, without effect on the score.",
)
ORDER = Option(
    name="order",
    help="order of the teams: by weighted ranks (rank, the default) or by weighted scores (score)",
    default="rank",
    values=("rank", "score"),
    metavar="HOW",
    stages=("compare",),
    label="Rank teams by",
    value_labels={"rank": "weighted ranks", "score": "weighted score"},
)
RANK_TIES = Option(
    name="rank_ties",
    help="rank of teams with equal results in a subtask: min (default), average",
    default="min",
    values=("min", "average"),
    metavar="HOW",
    stages=("compare",),
    label="Rank of equal teams in a subtask",
)
CLAUSES = {
    EMPTY_MASKS.name: {
        "zero": "two empty masks have Dice 0",
        "skip": "patients with two empty masks are left out of the mean Dice",
    },
    MISSING_SCORES.name: {
        "half": "pairs without a risk score count half",
        "exclude": "pairs without a risk score are left out",
    },
    DIRECTION.name: {
        "risk": "prognosis scores read as risks",
        "time": "prognosis scores read as days to relapse",
    },
    T0_OPTION.name: {"exclude": "patients with T0 are left out of the T stage score"},
    ORDER.name: {"rank": "places by weighted ranks of the three subtasks"},
}
"""Value of an option -> words that it adds to the formula. Values that add nothing are left out."""


def formula(values: Values) -> str:
    """Return the formula of the score as one line of text."""
    chosen = (clauses.get(str(values.get(name))) for name, clauses in CLAUSES.items())
    return "; ".join(("0.25 × segmentation + 0.35 × staging + 0.40 × prognosis", *filter(None, chosen)))


OPTIONS = (EMPTY_MASKS, MISSING_SCORES, DIRECTION, T0_OPTION, LESIONS, ORDER, RANK_TIES)
CHOICES: Mapping[str, tuple[str, ...]] = {o.name: o.values for o in of_stage(OPTIONS, "score") if o.values}
"""Option that changes the score -> its values, the default first."""


@dataclass(frozen=True)
class HecktorOptions:
    """The options that change a score. The values of the options are listed in `CHOICES`. `lesions` says
    whether lesions of GTVn are also counted."""

    empty_masks: str = "one"
    missing_risk: str = "non-concordant"
    prognosis_direction: str = "auto"
    t0: str = "count"
    lesions: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the value of every option by name, as provenance stores them."""
        return asdict(self)
