"""The definition of TRICORDER-3."""

from functools import partial

from scoring.challenges.tricorder3 import tables
from scoring.challenges.tricorder3.card import score
from scoring.challenges.tricorder3.comparison import COMPARISON
from scoring.challenges.tricorder3.formula import CLASSES, ID, OPTIONS, RISK, WEIGHTS
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
| accuracy | 45 | right cases / all cases, rounded to 6 decimals |
| weighted F1 | 45 | (3 × malignant + 2 × medium + 1 × benign) / 6, each the plain mean of its classes' F1, rounded to 6 decimals |
| efficiency | 10 | 1 up to 50 MiB (the challenge's MB), falling to 0 at 150 MiB, rounded to 6 decimals |

A class without a case in the test set counts 0 in its group's mean, so the ceiling can lie below 100 points.
"""


CHALLENGE = Challenge(
    id=ID,
    words=Words(
        title="TRICORDER-3, 11 skin-lesion classes",
        about=(
            "A photograph and age, gender and body site; malignant classes weigh most, small models are rewarded."
        ),
        formula="45 × accuracy + 45 × risk-weighted F1 + 10 × efficiency",
        rule=RULE,
        citations=(
            Citation(
                "tricorder3",
                "TRICORDER-3: skin lesion classification based on images",
                ("Safe-Scan",),
                url="github.com/safe-scan-ai/cancer-ai",
            ),
        ),
        official_source="as the validator computes it",
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
        recognise=Lazy("scoring.challenges.tricorder3.recognition:recognise"),
    ),
    scoring=Scoring(
        score=score,
        parts={name: ScoreBreakdownPart(*part) for name, part in WEIGHTS.items()},
        as_points=True,
    ),
    comparison=COMPARISON,
    samples=(Sample("sample", "tricorder3", "Sample: 220 drawn lesions, 11 classes"),),
    model=ModelSupport(
        tables.read_images,
        Lazy("scoring.challenges.tricorder3.model:inspect"),
        Lazy("scoring.challenges.tricorder3.model:predict"),
        partial(table, columns=CLASSES),
        Lazy("scoring.challenges.tricorder3.model:received"),
        sweep=Lazy("scoring.challenges.tricorder3.model:sweep"),
    ),
    display=Display(
        views=Lazy("scoring.challenges.tricorder3.views:views"),
        thumbnails=Lazy("scoring.inference.pictures:thumbnails"),
        single_image=SingleImage("photograph", Lazy("scoring.challenges.tricorder3.model:image_task")),
        class_risks=RISK,
    ),
)
