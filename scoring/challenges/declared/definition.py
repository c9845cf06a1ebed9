"""The `Challenge` object of a declaration, of the same type as that of a built-in challenge."""

from dataclasses import replace
from functools import partial
from typing import Any

from scoring.challenges.declared import mask_readers, object_readers, table_readers
from scoring.challenges.declared.cases import DeclaredCases
from scoring.challenges.declared.comparison import comparison_of, ranked_by
from scoring.challenges.declared.declaration import MISSING, TASKS, Declaration
from scoring.common.citation import Citation
from scoring.common.text import named
from scoring.core.challenge import Challenge, Display, ModelSupport, Readers, Words
from scoring.core.challenge_parts import InputKind, Inputs, Lazy, ScoreBreakdownPart, Scoring
from scoring.core.submission import Predictions
from scoring.inputs.case_tables import IMAGE_ENDINGS
from scoring.inputs.grand_challenge_jobs import AnswerColumns
from scoring.inputs.masks.nifti_and_metaimage import MASK_ENDINGS

PICTURES = tuple(ending.removeprefix(".") for ending in IMAGE_ENDINGS)
WITH_IMAGES = InputKind("Table of the truth, alone or with the images (files or zip)", PICTURES)
TABLE = InputKind("Table of predictions")
MODEL_OR_TABLE = InputKind("ONNX model, or table of predictions", ("onnx",))
FOLDER = InputKind("Folder or zip with a mask per case", MASK_ENDINGS, several=True)
MASKS = Inputs(FOLDER, FOLDER, streamed=MASK_ENDINGS, per_case=("one mask", "Segmentation"))
NO_MODEL = "this challenge scores files, not models: give --predictions."
BOUNDED_BY_LABELS = frozenset(
    ["accuracy", "balanced_accuracy", "recall", "specificity", "f1", "f2", "auc", "average_precision"]
)
"""Metrics for cases with one class for which `Scoring.bounded_by_labels` is true. Metrics from -1 to 1 are
left out, because the bound assumes a range of 0 to 1."""


def _later(name: str, declaration: Declaration) -> Any:
    """Return a function that passes the declaration to another function of this package. That function is
    named "module:name" and imported only when it is called."""
    return partial(Lazy(f"scoring.challenges.declared.{name}"), declaration)


def challenge_of(declaration: Declaration) -> Challenge[DeclaredCases, Predictions]:
    """Return the challenge that a declaration describes."""
    of_masks = declaration.task == "segmentation"
    deciding = declaration.score + (declaration.ranked if declaration.ranking.by == "mean_rank" else ())
    missing, quantity = declaration.predictions.missing, declaration.quantity
    names = ("model:read_images", "model:inspect", "model:predict", "baseline:prediction_table")
    parts = [*(_later(name, declaration) for name in names), Lazy("scoring.inference.classifiers:received")]
    module: Any = mask_readers if of_masks else object_readers if declaration.truth.places else table_readers
    return Challenge(
        id=declaration.id,
        words=words_of(declaration),
        options=(),
        inputs=replace(
            MASKS if of_masks else _tables(declaration), example=_later("baseline:example", declaration)
        ),
        readers=Readers(
            truth=partial(module.read_truth, declaration),
            predictions=partial(module.read_predictions, declaration),
            faults=lambda sent, _: table_readers.graded(sent.faults, missing),
            counts="masks" if of_masks else None,
            missing_columns=_later("card:missing_columns", declaration),
            form=partial(table_readers.form, declaration) if module is table_readers else None,
        ),
        scoring=Scoring(
            score=_later("card:score", declaration),
            better=quantity.better,
            range=quantity.range,
            metrics={use.key: use.quantity for use in declaration.uses},
            parts={
                use.key: ScoreBreakdownPart(use.metric.title, use.metric.name, 100 * use.weight)
                for use in (declaration.score if declaration.as_points else ())
            },
            as_points=declaration.as_points,
            unit=declaration.truth.unit,
            bounded_by_labels=declaration.task in ("classification", "ordinal")
            and missing != "ignore"  # who names one case is scored on it alone
            and {use.metric.name for use in deciding} <= BOUNDED_BY_LABELS,
        ),
        comparison=comparison_of(declaration),
        model=ModelSupport(*parts) if TASKS[declaration.task].get("model") else None,
        display=Display(
            views=_later("views:views", declaration),
            thumbnails=None if of_masks else Lazy("scoring.inference.thumbnails:thumbnails"),
        ),
    )


def _tables(declaration: Declaration) -> Inputs:
    """Return the tables that the challenge takes."""
    wanted, several = declaration.predictions, bool(declaration.truth.places)
    number = wanted.score or wanted.value or wanted.risk or AnswerColumns.number
    answers = AnswerColumns(wanted.case, number, wanted.label or AnswerColumns.label, several=several)
    sent = MODEL_OR_TABLE if TASKS[declaration.task].get("model") else TABLE
    return Inputs(WITH_IMAGES, sent, answers=answers)


def words_of(declaration: Declaration) -> Words:
    """Return the name and explanation of the challenge."""
    about, uses, cite = declaration.about, declaration.score, declaration.about.citation
    summands = " + ".join(f"{use.weight:g} × {use.title}" for use in uses)
    rows = "".join(f"| {named(use.key)} | {use.weight:g} | {use.title} |\n" for use in uses)
    rows += "".join(
        f"| {named(use.key)} | not in the score | {use.title} |\n" for use in declaration.uses[len(uses) :]
    )
    order = ranked_by(declaration)
    better = f"{declaration.quantity.better.capitalize()} is better.{f' {order.words}' if order else ''}"
    rule = f"| part | weight | definition |\n|---|--:|---|\n{rows}\n{better}"
    url = cite.get("url") or (f"doi.org/{cite['doi']}" if "doi" in cite else about.source)
    citation = Citation(about.id.replace("-", "_"), cite.get("text") or about.title, (), url=url)
    return Words(
        title=about.title,
        about=about.about,
        formula=summands if len(uses) > 1 else uses[0].title,
        rule=f"{rule} {MISSING[declaration.predictions.missing]['rule']}",
        citations=(citation,) if cite or about.source else (),
        official_source="as the challenge's file declares",
        reading="by the challenge's file; no official program was run",
        no_model=NO_MODEL,
    )
