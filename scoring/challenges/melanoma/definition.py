"""The definition of Melanoma."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from scoring.challenges.melanoma import tables
from scoring.challenges.melanoma.card import score
from scoring.challenges.melanoma.comparison import COMPARISON
from scoring.challenges.melanoma.formula import CLASSES, ID, NAMES, WEIGHTS
from scoring.challenges.melanoma.options import OPTIONS
from scoring.challenges.safe_scan.cases import SafeScanCases
from scoring.common.citation import Citation
from scoring.common.findings import Finding
from scoring.core.challenge import (
    Challenge,
    Context,
    Display,
    Model,
    ModelSupport,
    Readers,
    ScoreBreakdownPart,
    Scoring,
    SingleImage,
    Words,
)
from scoring.core.challenge_files import InputKind, Inputs, Sample
from scoring.core.options import Values
from scoring.core.scorecard import ScoreCard
from scoring.core.submission import Predictions, grade, table
from scoring.inputs.sources import Source

if TYPE_CHECKING:  # what only models, drops and pages need is not loaded to score a table
    from scoring.core.file_contents import Candidate, FileContents
    from scoring.core.views import Views
    from scoring.inference.inspection import Inspection
    from scoring.inference.model_task import ModelTask
    from scoring.inference.pictures import Stage
    from scoring.inference.preprocessing import ImageInfo

RULE = """
| part | weight | what it is |
|---|--:|---|
| F2 | 60 | 5 TP / (5 TP + 4 FN + FP) at the threshold: a missed melanoma costs four times a false alarm |
| accuracy | 30 | right cases / all cases at the threshold |
| AUC | 10 | share of (melanoma, other) pairs that the scores put in the right order, ties half |

A case is called melanoma where its score is **strictly greater than 0.5**. Nothing is rounded.
"""


def _read_truth(source: Source, images: Source | None, context: Context) -> SafeScanCases:
    return tables.read_truth(source, context.name, images)


def _read_predictions(source: Source, truth: SafeScanCases | None, context: Context) -> Predictions:
    return tables.read_predictions(source, truth, context.name, context.options["missing"])


def _models() -> ModuleType:
    from scoring.challenges.melanoma import model

    return model


def _inspect(model: Model, truth: SafeScanCases | None, name: str | None, timings: bool) -> Inspection:
    found: Inspection = _models().inspect(model, truth, name, timings)
    return found


def _predict(model: Model, cases: SafeScanCases, context: Context) -> Predictions:
    found: Predictions = _models().predict(model, cases, context.progress, context.cancelled, context.name)
    return found


def _received(
    truth: SafeScanCases, index: int, described: Mapping[str, Any] | None
) -> tuple[list[Stage], ImageInfo]:
    found: tuple[list[Stage], ImageInfo] = _models().received(truth, index, described)
    return found


def _table(cases: SafeScanCases, predictions: Predictions) -> str:
    return table(cases, predictions, ("score",))


def _faults(predictions: Predictions, options: Values) -> tuple[list[Finding], list[Finding]]:
    return grade(predictions.faults, options["missing"])


def _image_task(_categories: Sequence[str] | None) -> ModelTask:
    from scoring.inference.model_task import ModelTask

    task = _models().TASK
    return ModelTask(
        ID,
        CLASSES,
        NAMES,
        ("benign", "malignant"),
        1,
        task.contract,
        task.recipe_for,
        task.shortest_side,
    )


def _thumbnails(truth: SafeScanCases, indices: Sequence[int]) -> list[bytes | None]:
    from scoring.inference import pictures

    return pictures.thumbnails(truth, indices)


def _views(card: ScoreCard) -> Views:
    from scoring.challenges.melanoma.views import views  # figures take a second to import

    return views(card)


def _recognise(contents: FileContents) -> Iterable[Candidate]:
    from scoring.challenges.melanoma.recognition import recognise  # only drops need it

    return recognise(contents)


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
        truth=_read_truth,
        predictions=_read_predictions,
        faults=_faults,
        recognise=_recognise,
    ),
    scoring=Scoring(
        score=score,
        parts={name: ScoreBreakdownPart(*part) for name, part in WEIGHTS.items()},
        as_points=True,
    ),
    comparison=COMPARISON,
    samples=(Sample("sample", "melanoma", "Sample: 150 drawn lesions, 45 melanomas"),),
    model=ModelSupport(tables.read_images, _inspect, _predict, _table, _received),
    display=Display(
        views=_views,
        thumbnails=_thumbnails,
        single_image=SingleImage("photograph", _image_task),
    ),
)
