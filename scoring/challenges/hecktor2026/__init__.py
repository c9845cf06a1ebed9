"""HECKTOR 2026: head-and-neck tumour segmentation, TN staging and prognosis, one number.

Source: the challenge's own description; where it is silent or contradicts itself, the choice is an option,
named in `RULE` and in the JSON.
"""

from scoring.challenges.hecktor2026 import patients, summary, view
from scoring.challenges.hecktor2026.card import check_options, score
from scoring.challenges.hecktor2026.comparison import COMPARISON
from scoring.challenges.hecktor2026.formula import ID, WEIGHTS
from scoring.challenges.hecktor2026.layouts import MASK_ENDINGS
from scoring.challenges.hecktor2026.options import CHOICES, OF_COMPARISON
from scoring.challenges.hecktor2026.predictions import read_predictions
from scoring.challenges.hecktor2026.ranking import standings
from scoring.challenges.hecktor2026.truth import read_truth

__all__ = [
    "ABOUT",
    "ARGUMENTS",
    "AS_POINTS",
    "COMPARE_ARGUMENTS",
    "COMPARISON",
    "FORMULA",
    "ID",
    "NO_MODEL",
    "READING_COUNTS",
    "READ_OPTIONS",
    "RULE",
    "STREAMED",
    "TITLE",
    "WEIGHTS",
    "check_options",
    "patients",
    "read_predictions",
    "read_truth",
    "score",
    "standings",
    "summary",
    "view",
]

TITLE = "HECKTOR 2026, head and neck"
FORMULA = "0.25 × segmentation + 0.35 × staging + 0.40 × prognosis"
ABOUT = "Tumour masks, T and N stage and a recurrence score from FDG-PET/CT: three subtasks, one number."
AS_POINTS = False
NO_MODEL = (
    "there is no model route: score what the method wrote, a folder or zip of masks and predictions.csv."
)
READING_COUNTS = "patients"
STREAMED = MASK_ENDINGS
READ_OPTIONS = ("lesions",)
RULE = """
| part | weight | what it is |
|---|--:|---|
| segmentation | 0.25 | mean over patients of the Dice of GTVp, the same of GTVn, and the plain mean of the two |
| staging | 0.35 | balanced accuracy of T and of N (mean recall over the stages that occur in the truth), and the plain mean of the two |
| prognosis | 0.40 | C-index: share of comparable pairs of patients in which the earlier relapse has the higher risk, ties half |

A missing mask counts as empty, a missing stage as wrong, a missing score makes its pairs non-concordant. Two empty masks have Dice 1; how much of the
score that gives stands beside it. Nothing is resampled: a mask on another grid counts as missing. Where the sources are silent an option chooses, and
what the score would be under every other reading is shown.
"""


def _choice(option: str, words: str, choices=CHOICES) -> dict:
    allowed = choices[option]
    return {
        "default": allowed[0],
        "metavar": "HOW",
        "help": f"{words}: {allowed[0]} (default), {', '.join(allowed[1:])}",
    }


ARGUMENTS = {
    "--empty-masks": _choice("empty_masks", "Dice where truth and prediction are both empty"),
    "--missing-risk": _choice("missing_risk", "credit of pairs that touch a patient without a score"),
    "--prognosis-direction": _choice(
        "prognosis_direction", "whether the score is a risk or a time; auto goes by the column"
    ),
    "--t0": _choice("t0", "T0 in the truth is a class of its own, or leaves the T stage"),
    "--lesions": {"action": "store_true", "help": "count and match the nodes too (never ranked)"},
}
COMPARE_ARGUMENTS = {
    "--order": {
        **_choice("order", "what numbers the places, weighted ranks or weighted scores", OF_COMPARISON),
        "choices": OF_COMPARISON["order"],
    },
    "--rank-ties": {
        **_choice("rank_ties", "rank of equal teams in a subtask", OF_COMPARISON),
        "choices": OF_COMPARISON["rank_ties"],
    },
}
