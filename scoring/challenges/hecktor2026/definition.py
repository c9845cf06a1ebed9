"""The definition of HECKTOR 2026."""

from scoring.challenges.hecktor2026.card import score
from scoring.challenges.hecktor2026.formula import ID, OPTIONS, WEIGHTS, formula
from scoring.challenges.hecktor2026.predictions import read_predictions
from scoring.challenges.hecktor2026.ranking import COMPARISON
from scoring.challenges.hecktor2026.submitted_masks import ANSWERS, SEGMENTATION
from scoring.challenges.hecktor2026.truth import read_truth
from scoring.common.citation import Citation
from scoring.common.direction_and_range import COUNT
from scoring.core.challenge import Challenge, Display, Readers, Words
from scoring.core.challenge_parts import InputKind, Inputs, Lazy, Sample, ScoreBreakdownPart, Scoring
from scoring.inputs.masks.detached import ENDINGS

RULE = """
| part | weight | definition |
|---|--:|---|
| segmentation | 0.25 | the Dice of GTVp and the Dice of GTVn, each averaged over patients, and the mean of the two averages |
| staging | 0.35 | the mean of the balanced accuracies of T and N (balanced accuracy: mean recall over the stages that occur in the truth) |
| prognosis | 0.40 | C-index: share of comparable pairs of patients in which the earlier relapse has the higher risk (ties count half) |

A missing mask counts as empty, a missing stage as wrong. By default a missing score makes its pairs non-concordant, and two empty masks have Dice 1; the page shows how much of the score comes from this. Masks are not resampled: a mask on another grid counts as missing. If the published rules do not state a rule, you choose it by an option. The formula names every choice that differs from the default, and the page shows the score under every other choice.
"""
MASK_TYPES = tuple(dict.fromkeys(ending.rpartition(".")[2] for ending in ENDINGS))
"""The last part of each extension in `ENDINGS` (".gz" of ".nii.gz"), because file dialogs of browsers compare
only this part."""


CHALLENGE = Challenge(
    id=ID,
    words=Words(
        title="HECKTOR 2026, head and neck",
        about="Tumour masks, T and N stage and a recurrence score from FDG-PET/CT: three subtasks, one number.",
        formula=formula,
        rule=RULE,
        citations=(
            Citation(
                "hecktor2026",
                "HECKTOR 2026: head and neck tumour segmentation, TN staging and prognosis",
                year="2026",
            ),
        ),
        official_source="by the published rules; the challenge's own program is not public",
        reading="by our interpretation; no official program is public",
        no_model=(
            "models cannot be run for this challenge. Score the files that the method wrote: a folder or zip "
            "of masks and predictions.csv."
        ),
    ),
    options=OPTIONS,
    inputs=Inputs(
        truth=InputKind("Folder or zip with masks and clinical.csv; CT and PET beside the masks", MASK_TYPES),
        submission=InputKind(
            "Folder or zip with masks and predictions.csv, a container's output, or the table alone",
            (*MASK_TYPES, "json"),
            several=True,
        ),
        streamed=ENDINGS,
        images_apart=False,
        outputs={
            "segmentation": f"images/{SEGMENTATION}",
            **{name.removesuffix(".json"): name for name in ANSWERS},
        },
        note="`rfs.json` and a column RFS are read as a time: larger means a later relapse. A column "
        "Prediction or risk is read as a risk: larger means an earlier relapse. An option can set another "
        "direction.",
        absent=Lazy("scoring.challenges.hecktor2026.predictions:absent"),
        example=Lazy("scoring.challenges.hecktor2026.predictions:example"),
    ),
    readers=Readers(
        truth=read_truth,
        predictions=read_predictions,
        counts="patients",
        recognise=Lazy("scoring.challenges.hecktor2026.predictions:recognise"),
    ),
    scoring=Scoring(
        score=score,
        parts={name: ScoreBreakdownPart(*part) for name, part in WEIGHTS.items()},
        metrics=dict.fromkeys(
            (
                *(f"{kind}_pairs" for kind in ("comparable", "concordant", "tied_risk", "missing")),
                *(f"n_missing_{kind}" for kind in ("masks", "t", "n", "risk")),
                *("n_malformed_masks", "n_unknown_patients", "gtvn_count_error"),
            ),
            COUNT,
        ),
    ),
    comparison=COMPARISON,
    samples=(Sample("sample", "hecktor2026", "Sample: 48 generated patients, 4 with CT and PET"),),
    display=Display(views=Lazy("scoring.challenges.hecktor2026.views:views")),
)
