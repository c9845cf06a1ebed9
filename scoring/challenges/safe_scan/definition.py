"""What the definitions of both challenges share: inputs, an option, and functions that have the same name in
both packages."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from scoring.challenges.safe_scan.cases import SafeScanCases
from scoring.common.citation import Citation
from scoring.common.direction_and_range import LOSS
from scoring.core.challenge import Display, ModelSupport, Readers, SingleImage
from scoring.core.challenge_parts import InputKind, Inputs, Lazy, ScoreBreakdownPart, Scoring
from scoring.core.options import Option
from scoring.core.submission import Predictions, example_table, faults_by_option, table


def missing_option(noun: str) -> Option:
    """Return the option that says how cases without a usable prediction count. `noun` is the challenge's word
    for a prediction."""
    return Option(
        name="missing",
        help=f"cases without a usable {noun}: refuse (default), or count them as wrong",
        default="refuse",
        values=("refuse", "wrong"),
        metavar="HOW",
        stages=("predictions", "score"),
        label="Cases without a prediction",
        value_labels={"refuse": "refuse the file", "wrong": "count as wrong"},
    )


LOSSES = {"log_loss": LOSS, "brier_score": LOSS}


def inputs(columns: Sequence[str]) -> Inputs:
    """Return the description of the files that the challenge accepts. `columns` contains the headers of a
    prediction table."""
    return Inputs(
        truth=InputKind("Table with labels, alone or with the images (files or zip)", ("jpg", "jpeg", "png")),
        submission=InputKind("ONNX model, or table of predictions (also in a zip)", ("onnx",)),
        example=lambda truth: example_table(truth.ids, columns),
    )


def _part(challenge_id: str, reference: str) -> Lazy:
    return Lazy(f"scoring.challenges.{challenge_id}.{reference}")


def citations(key: str, title: str) -> tuple[Citation, ...]:
    """Return the references of a competition."""
    return (Citation(key, title, ("Safe-Scan",), url="github.com/safe-scan-ai/cancer-ai"),)


def readers(challenge_id: str) -> Readers[SafeScanCases, Predictions]:
    """Return the functions of the module `tables` that read the challenge's files."""
    return Readers(
        truth=_part(challenge_id, "tables:read_truth"),
        predictions=_part(challenge_id, "tables:read_predictions"),
        faults=faults_by_option,
        recognise=_part(challenge_id, "tables:recognise"),
        form=_part(challenge_id, "tables:form"),
    )


def scoring(
    challenge_id: str, weights: Mapping[str, tuple[str, str, float]]
) -> Scoring[SafeScanCases, Predictions]:
    """Return the scoring functions of the module `card`, whose score is a weighted sum of parts."""
    parts = {name: ScoreBreakdownPart(*part) for name, part in weights.items()}
    return Scoring(
        score=_part(challenge_id, "card:score"),
        parts=parts,
        metrics=LOSSES,
        as_points=True,
        bounded_by_labels=True,
    )


def model_support(
    challenge_id: str, columns: Sequence[str], sweep: Callable[..., Any] | None = None
) -> ModelSupport[SafeScanCases, Predictions]:
    """Return the functions of the module `model` that check and run ONNX models. `columns` contains the
    headers of a prediction table."""
    return ModelSupport(
        _part(challenge_id, "tables:read_images"),
        _part(challenge_id, "model:inspect"),
        _part(challenge_id, "model:predict"),
        partial(table, columns=columns),
        _part(challenge_id, "model:received"),
        sweep=sweep,
    )


def display(challenge_id: str, **more: Any) -> Display[SafeScanCases]:
    """Return the functions of the module `views` that display scorecards.

    Args:
        more: Values of further attributes of `Display`.
    """
    return Display(
        views=_part(challenge_id, "views:views"),
        thumbnails=Lazy("scoring.inference.thumbnails:thumbnails"),
        single_image=SingleImage("photograph", _part(challenge_id, "model:image_task")),
        **more,
    )
