"""The definition of Melanoma."""

from functools import partial

from scoring.challenges.melanoma import tables
from scoring.challenges.melanoma.card import score
from scoring.challenges.melanoma.comparison import COMPARISON
from scoring.challenges.melanoma.formula import ID, OPTIONS, WEIGHTS
from scoring.common.citation import Citation
from scoring.core.challenge import (
    Challenge,
    Display,
    ModelSupport,
    Readers,
    ScoreBreakdownPart,
    Scoring,
    SingleImage,
    Words,
)
from scoring.core.challenge_files import InputKind, Inputs, Sample
from scoring.core.lazy import Lazy
from scoring.core.submission import faults_by_option, table

RULE = """
| part | weight | what it is |
|---|--:|---|
| F2 | 60 | 5 TP / (5 TP + 4 FN + FP) at the threshold: a missed melanoma costs four times a false alarm |
| accuracy | 30 | right cases / all cases at the threshold |
| AUC | 10 | share of (melanoma, other) pairs that the scores put in the right order, ties half |

A case is called melanoma where its score is **strictly greater than 0.5**. Nothing is rounded.
"""


CHALLENGE = Challenge(
    id=ID,
    words=Words(
        title="Melanoma, risk from a photograph",
        about="One number 0 to 1 from a phone photograph; missing a melanoma is worse than a false alarm.",
        formula="60 × F2 + 30 × accuracy + 10 × AUC",
        rule=RULE,
        citations=(
            Citation(
                "safescan_melanoma",
                "Melanoma competition",
                ("Safe-Scan",),
                url="github.com/safe-scan-ai/cancer-ai",
            ),
        ),
        official_source="as the challenge's own code computes it",
    ),
    options=OPTIONS,
    inputs=Inputs(
        truth=InputKind("Table with labels, or zip or files with table and images", ("jpg", "jpeg", "png")),
        submission=InputKind("ONNX model, or prediction table or zip", ("onnx",)),
    ),
    readers=Readers(
        truth=tables.read_truth,
        predictions=tables.read_predictions,
        faults=faults_by_option,
        recognise=Lazy("scoring.challenges.melanoma.recognition:recognise"),
    ),
    scoring=Scoring(
        score=score,
        parts={name: ScoreBreakdownPart(*part) for name, part in WEIGHTS.items()},
        as_points=True,
    ),
    comparison=COMPARISON,
    samples=(Sample("sample", "melanoma", "Sample: 150 drawn lesions, 45 melanomas"),),
    model=ModelSupport(
        tables.read_images,
        Lazy("scoring.challenges.melanoma.model:inspect"),
        Lazy("scoring.challenges.melanoma.model:predict"),
        partial(table, columns=("score",)),
        Lazy("scoring.challenges.melanoma.model:received"),
    ),
    display=Display(
        views=Lazy("scoring.challenges.melanoma.views:views"),
        thumbnails=Lazy("scoring.inference.pictures:thumbnails"),
        single_image=SingleImage("photograph", Lazy("scoring.challenges.melanoma.model:image_task")),
        condition=("melanoma", "melanomas"),
    ),
)
