"""The definition of ISIC lesion classification."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from scoring.challenges.isic import categories
from scoring.challenges.isic.card import ID, score
from scoring.challenges.isic.comparison import COMPARISON
from scoring.challenges.isic.options import OPTIONS
from scoring.challenges.isic.predictions import read_predictions
from scoring.challenges.isic.truth import IsicCases, read_images, read_truth
from scoring.common.citation import Citation
from scoring.common.findings import Finding
from scoring.core.challenge import (
    Challenge,
    Context,
    Display,
    Model,
    ModelSupport,
    Readers,
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
| measure | what it is |
|---|---|
| score | plain mean over the categories of: cases of the category whose **largest** score is that category / cases of the category |
| largest score shared | the row is undecided and counts as wrong |
| sensitivity, specificity, F1 ... | each category against the rest, positive where its score is **strictly above 0.5**; recall is not |
| AUC, average precision | each category against the rest, from its score alone |

A category without a case is left out of the means. Another official metric can rank instead: macro AUC, macro average precision, or
macro F1 (MILK10k).
"""


def _read_truth(source: Source, images: Source | None, context: Context) -> IsicCases:
    return read_truth(source, context.name, images, context.options["group"])


def _read_predictions(source: Source, truth: IsicCases | None, context: Context) -> Predictions:
    return read_predictions(source, truth, context.name)


def _models() -> ModuleType:
    from scoring.challenges.isic import model

    return model


def _predict(model: Model, cases: IsicCases, context: Context) -> Predictions:
    named = context.options.get("categories")
    found: Predictions = _models().predict(
        model, cases, context.progress, context.cancelled, context.name, named
    )
    return found


def _inspect(model: Model, truth: IsicCases | None, name: str | None, timings: bool) -> Inspection:
    found: Inspection = _models().inspect(model, truth, name, timings)
    return found


def _table(cases: IsicCases, predictions: Predictions) -> str:
    """Return the CSV that the official scorer takes: ids as compared and each score as `repr(float(x))`."""
    names = cases.categories or tuple((predictions.model or {})["categories"])
    return table(cases, predictions, names, cases.id_name)


def _received(
    truth: IsicCases, index: int, described: Mapping[str, Any] | None
) -> tuple[list[Stage], ImageInfo]:
    """Return what a model receives of a case: its first photograph at the size that the model declares."""
    from scoring.inference import pictures
    from scoring.inference.inspection import declared_size

    return pictures.received(truth, index, _models().recipe_of_size(*declared_size(described)))


def _faults(predictions: Predictions, _options: Values) -> tuple[list[Finding], list[Finding]]:
    """Every case needs its scores: all faults are errors."""
    return grade(predictions.faults, "refuse")


def _risk(category: str) -> str:
    """Return the risk group of a category; "" where it has none."""
    if category == categories.UNKNOWN:
        return ""
    return "malignant" if category in categories.MALIGNANT else "benign"


def _image_task(classes: Sequence[str] | None) -> ModelTask:
    from scoring.inference.model_task import ModelTask
    from scoring.inference.preflight import Contract

    names = tuple(classes or ())
    return ModelTask(
        ID,
        names,
        tuple(categories.NAMES.get(name, name) for name in names),
        tuple(map(_risk, names)),
        len(names),
        Contract(outputs=len(names)),
        _models().recipe_for,
    )


def _categories(truth: IsicCases) -> Sequence[str] | None:
    return truth.categories


def _thumbnails(truth: IsicCases, indices: Sequence[int]) -> list[bytes | None]:
    from scoring.inference import pictures

    return pictures.thumbnails(truth, indices)


def _views(card: ScoreCard) -> Views:
    from scoring.challenges.isic.views import views  # figures take a second to import

    return views(card)


def _recognise(contents: FileContents) -> Iterable[Candidate]:
    from scoring.challenges.isic.recognition import recognise  # only drops need it

    return recognise(contents)


CHALLENGE = Challenge(
    id=ID,
    words=Words(
        title="ISIC Challenge, lesion categories",
        about=(
            "One score per diagnosis category and image; categories come from the truth file (2018, 2019, "
            "MILK10k or your own)."
        ),
        formula="balanced accuracy: the plain mean of the categories' recalls",
        rule=RULE,
        citations=(Citation("isic_challenge", "ISIC Challenge: lesion classification", ("ISIC",)),),
        official_source="as the official scorer computes it",
    ),
    options=OPTIONS,
    inputs=Inputs(
        truth=InputKind("Table with labels, or zip or files with table and images", ("jpg", "jpeg", "png")),
        submission=InputKind("ONNX model, or prediction table (CSV)", ("onnx",)),
    ),
    readers=Readers(
        truth=_read_truth,
        predictions=_read_predictions,
        faults=_faults,
        recognise=_recognise,
    ),
    scoring=Scoring(
        score=score,
    ),
    comparison=COMPARISON,
    samples=(
        Sample("isic2019", "isic2019", "Sample as of 2019: 306 drawn images, 8 diagnoses"),
        Sample("isic2018", "isic2018", "Sample as of 2018: 250 drawn images, 7 diagnoses"),
    ),
    model=ModelSupport(read_images, _inspect, _predict, _table, _received),
    display=Display(
        views=_views,
        thumbnails=_thumbnails,
        single_image=SingleImage("photograph", _image_task, _categories),
    ),
)
