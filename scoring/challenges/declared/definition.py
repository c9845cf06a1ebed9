"""The `Challenge` that a declaration makes: the same value as that of a built-in challenge."""

from dataclasses import replace
from functools import partial
from typing import Any

from scoring.challenges.declared import masks, objects, reading
from scoring.challenges.declared.cases import DeclaredCases
from scoring.challenges.declared.comparison import comparison_of
from scoring.challenges.declared.declaration import Declaration
from scoring.common.citation import Citation
from scoring.core.challenge import Challenge, Display, ModelSupport, Readers, Words
from scoring.core.challenge_files import InputKind, Inputs
from scoring.core.lazy import Lazy
from scoring.core.scores import ScoreBreakdownPart, Scoring
from scoring.core.submission import Predictions
from scoring.inputs.case_tables import IMAGE_ENDINGS
from scoring.inputs.jobs import AnswerColumns

PICTURES = tuple(ending.removeprefix(".") for ending in IMAGE_ENDINGS)
WITH_IMAGES = InputKind("Table of the truth, or zip or files with table and images", PICTURES)
TABLE = InputKind("Table of predictions")
MODEL_OR_TABLE = InputKind("ONNX model, or table of predictions", ("onnx",))
MASKS = Inputs(
    InputKind("Folder or zip with a mask per case", (".nii", ".nii.gz", ".mha"), several=True),
    InputKind("Folder or zip with a mask per case", (".nii", ".nii.gz", ".mha"), several=True),
    streamed=(".nii", ".nii.gz", ".mha"),
    per_case=("one mask", "Segmentation"),
)
MODELS = ("classification", "ordinal", "multilabel", "regression")
"""Tasks in which a model answers for one image."""
NO_MODEL = "this challenge scores files, not models: give --predictions."
MISSING = {
    "refuse": "A submission with gaps is refused.",
    "worst": "A case without a prediction counts as the worst possible answer.",
    "ignore": "A case without a prediction is left out.",
}
SCORE = Lazy("scoring.challenges.declared.card:score")
BOUNDED_BY_LABELS = frozenset(
    ["accuracy", "balanced_accuracy", "recall", "specificity", "f1", "f2", "auc", "average_precision"]
)
"""Metrics of a class a case as of `Scoring.bounded_by_labels`; all of them from 0 to 1, because a gain counts twice
from -1 to 1."""
MISSING_COLUMNS = Lazy("scoring.challenges.declared.card:missing_columns")
VIEWS = Lazy("scoring.challenges.declared.views:views")
THUMBNAILS = Lazy("scoring.inference.pictures:thumbnails")


def challenge_of(declaration: Declaration) -> Challenge[DeclaredCases, Predictions]:
    """Return the challenge that a file declares."""
    low, high = declaration.range
    of_masks = declaration.task == "segmentation"
    deciding = declaration.score + (declaration.ranked if declaration.ranking.by == "mean_rank" else ())
    module: Any = masks if of_masks else objects if declaration.truth.places else reading
    return Challenge(
        id=declaration.id,
        words=words_of(declaration),
        options=(),
        inputs=replace(
            MASKS if of_masks else _tables(declaration),
            example=partial(Lazy("scoring.challenges.declared.baseline:example"), declaration),
        ),
        readers=Readers(
            truth=partial(module.read_truth, declaration),
            predictions=partial(module.read_predictions, declaration),
            faults=partial(reading.faults, declaration),
            counts="masks" if of_masks else None,
            missing_columns=partial(MISSING_COLUMNS, declaration),
            form=partial(reading.form, declaration) if module is reading else None,
        ),
        scoring=Scoring(
            score=partial(SCORE, declaration),
            better=declaration.better,
            range=(low, high),
            metrics={use.key: use.quantity for use in declaration.uses},
            parts=_parts(declaration),
            as_points=len(declaration.score) > 1 and (low, high) == (0.0, 1.0),
            unit=declaration.truth.unit,
            bounded_by_labels=declaration.task in ("classification", "ordinal")
            and declaration.predictions.missing != "ignore"  # who names one case is scored on it alone
            and {use.metric.name for use in deciding} <= BOUNDED_BY_LABELS,
        ),
        comparison=comparison_of(declaration),
        model=_model(declaration) if declaration.task in MODELS else None,
        display=Display(views=partial(VIEWS, declaration), thumbnails=None if of_masks else THUMBNAILS),
    )


def _tables(declaration: Declaration) -> Inputs:
    """Return the tables that the challenge takes."""
    wanted = declaration.predictions
    return Inputs(
        WITH_IMAGES,
        MODEL_OR_TABLE if declaration.task in MODELS else TABLE,
        answers=AnswerColumns(
            wanted.case,
            wanted.score or wanted.value or wanted.risk or AnswerColumns.number,
            wanted.label or AnswerColumns.label,
            several=bool(declaration.truth.places),
        ),
    )


def _model(declaration: Declaration) -> ModelSupport[DeclaredCases, Predictions]:
    """Return what the challenge does with models."""
    module = "scoring.challenges.declared.model"
    return ModelSupport(
        partial(Lazy(f"{module}:read_images"), declaration),
        partial(Lazy(f"{module}:inspect"), declaration),
        partial(Lazy(f"{module}:predict"), declaration),
        partial(Lazy("scoring.challenges.declared.prediction_table:prediction_table"), declaration),
        Lazy(f"{module}:received"),
    )


def _parts(declaration: Declaration) -> dict[str, ScoreBreakdownPart]:
    if len(declaration.score) < 2 or declaration.range != (0.0, 1.0):
        return {}
    return {
        use.key: ScoreBreakdownPart(use.metric.title, use.metric.name, 100 * use.weight)
        for use in declaration.score
    }


def words_of(declaration: Declaration) -> Words:
    """Return what the challenge is called and how it is explained."""
    about, uses = declaration.about, declaration.score
    formula = (
        " + ".join(f"{100 * use.weight:g} × {use.title}" for use in uses) if len(uses) > 1 else uses[0].title
    )
    rows = [f"| {use.key} | {100 * use.weight:g} | {use.title} |" for use in uses]
    lines = [
        "| part | weight | what it is |",
        "|---|--:|---|",
        *rows,
        "",
        f"{'Higher' if declaration.better == 'higher' else 'Lower'} is better. "
        f"{MISSING[declaration.predictions.missing]}",
    ]
    cite = about.citation
    citations: tuple[Citation, ...] = ()
    if cite or about.source:
        key = about.id.replace("-", "_")
        url = cite.get("url") or (f"doi.org/{cite['doi']}" if "doi" in cite else about.source)
        citations = (Citation(key, cite.get("text") or about.title, (), url=url),)
    return Words(
        title=about.title,
        about=about.about,
        formula=formula,
        rule="\n".join(lines),
        citations=citations,
        official_source="as the challenge's file declares it",
        reading="by the challenge's file, no official program was asked",
        no_model=NO_MODEL,
    )
