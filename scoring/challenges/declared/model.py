"""Models of declared challenges: the input is one image per case, the output is a row of numbers of a
prediction table.

The outputs of a model are written as a prediction table and read again, so that a model and its table get the
same score.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from scoring.challenges.declared import table_readers
from scoring.challenges.declared.baseline import prediction_table
from scoring.challenges.declared.cases import DeclaredCases
from scoring.challenges.declared.declaration import Declaration
from scoring.common.arrays import Array, Floats
from scoring.common.findings import Finding, InputRefused, error, split
from scoring.core.challenge import Context
from scoring.core.submission import Predictions
from scoring.inference import run_model
from scoring.inference.challenge_task import Model, Task, read_model
from scoring.inference.classifiers import inspect_on_images, output_order, recipe_for
from scoring.inference.cluster.inference import run_on_all
from scoring.inference.model_contract import Contract
from scoring.inference.preflight import Inspection
from scoring.inputs import case_ids, named_columns, tables
from scoring.inputs.case_images import image_members
from scoring.inputs.case_tables import align
from scoring.inputs.sources import Source, open_source
from scoring.metrics.output_kinds import TOLERANCE


def read_images(declaration: Declaration, source: Source, name: str | None = None) -> DeclaredCases:
    """Read cases without truth: the rows of a table, or images by file name. Raises InputRefused if the table
    has problems, or if there is neither table nor image."""
    files, wanted = open_source(source, name), declaration.predictions.case
    findings: list[Finding] = []
    if files.kind == "file" or any(member.lower().endswith(".csv") for member in files.members):
        _, table = files.read_table(named_columns.table_with(files, (wanted,)))
        problems = list(table.problems)
        column, twice = tables.find_column(table, (tables.key(wanted),))
        if column is None:
            raise InputRefused([*problems, *twice, tables.missing_column(table, "the case id", (wanted,))])
        align(table, column, None, problems, findings)
        if problems or twice:
            raise InputRefused([*problems, *twice], findings)
        ids = tuple(table.cells(column))
    else:
        ids = tuple(dict.fromkeys(map(case_ids.stem, image_members(files))))
    blank = np.full(len(ids), -1), np.zeros((len(ids), 0)), tuple(findings)
    return DeclaredCases(files.name, ids, files, files, {}, {}, tables.key(wanted), *blank)


def _task(declaration: Declaration) -> Task:
    width = None if declaration.predictions.score else max(1, len(declaration.classes))
    return Task(Contract(outputs=width), recipe_for, run_images=run_on_all)


def inspect(
    declaration: Declaration,
    model: Model,
    truth: DeclaredCases | None = None,
    name: str | None = None,
    timings: bool = False,
    cancelled: Callable[[], bool] | None = None,
) -> Inspection:
    """Check whether a model runs and whether its outputs fit the declaration. Raises InputRefused if not."""
    file, usable = read_model(model, name), None
    if truth is not None:
        with_image = [i for i, member in zip(truth.ids, truth.images, strict=True) if member is not None]
        usable = replace(truth, ids=tuple(with_image)) if with_image else None  # for trial runs
    check = partial(_answers_are_right, declaration, file.name)
    return inspect_on_images(file, _task(declaration), truth, usable, check, timings, cancelled)


def _answers_are_right(declaration: Declaration, name: str, found: Inspection) -> Sequence[Finding]:
    """Return notes about the outputs of a model. Raises InputRefused if a table with these outputs would be
    refused."""
    outputs = found.outputs
    width = outputs.shape[1] if outputs.ndim == 2 and outputs.size else None
    if declaration.predictions.score and width not in (None, 1, 2):
        needed = f"give 1 number, the score of {declaration.positive}, or 2 numbers, the scores of"
        sentence = f"the model gives {width} numbers per image; {needed} {' and '.join(declaration.classes)}."
        raise InputRefused([error("wrong-output", name, sentence)])
    order, about = _order(declaration, found.model["metadata"], width, name)
    finite = outputs[np.isfinite(outputs).all(1)] if width else outputs[:0]
    if len(finite):
        ids = tuple(f"image {number}" for number in range(1, len(finite) + 1))
        _read(declaration, _outputs(declaration, finite, order), ids, None, name)
    return about


def _order(
    declaration: Declaration, metadata: Mapping[str, str], width: int | None, name: str
) -> tuple[Sequence[int] | None, Sequence[Finding]]:
    """Return for each class the position of its number in the model's output; None if the model uses the
    order of the challenge file."""
    is_by_class = width and width == len(declaration.classes)
    return output_order(metadata, declaration.classes, name) if is_by_class else (None, ())


def _outputs(declaration: Declaration, answers: Floats, order: Sequence[int] | None) -> Floats:
    """Return the outputs by class [n, C], or one number per case [n, 1]. A single score belongs to the
    positive class. Rounding errors outside 0 to 1 are removed."""
    known = answers[~np.isnan(answers)]
    if declaration.classes and len(known) and known.min() >= -TOLERANCE and known.max() <= 1 + TOLERANCE:
        answers = np.clip(answers, 0, 1)
    if declaration.predictions.score and answers.shape[1] == 1:
        return table_readers.outputs_by_class(declaration, answers)
    return answers if order is None else answers[:, list(order)]


def _read(
    declaration: Declaration, outputs: Floats, ids: Sequence[str], truth: DeclaredCases | None, name: str
) -> Predictions:
    """Write outputs as a prediction table, and return what reading this table gives. Raises InputRefused with
    the problems of the table."""
    labels: Array = outputs.argmax(1) if declaration.is_graded else np.full(len(outputs), -1)
    answers = Predictions(name, outputs, np.where(np.isnan(outputs).any(1), -1, labels))
    text = prediction_table(declaration, ids, answers)
    read = table_readers.read_predictions(declaration, text.encode(), truth, Context(name))
    return replace(read, name=name, digest=None)


def predict(declaration: Declaration, model: Model, cases: DeclaredCases, context: Context) -> Predictions:
    """Run a model on the image of every case, one image at a time on one thread. Raises InputRefused if the
    model does not fit the declaration or gives an output for no image; Cancelled if `context.cancelled`
    returns True."""
    file = read_model(model, context.name)
    found = inspect(declaration, file.data, cases, file.name, cancelled=context.cancelled)
    task = _task(declaration)
    run = run_model.run(
        file, task, cases, task.contract.outputs, progress=context.progress, cancelled=context.cancelled
    )
    order, _ = _order(declaration, found.model["metadata"], run.outputs.shape[1], file.name)
    outputs = _outputs(declaration, run.outputs, order)
    if np.isnan(outputs).any(1).all():
        raise InputRefused(run.faults, found.findings)
    answered = _read(declaration, outputs, cases.ids, cases, file.name)
    findings = (*found.findings, *run.findings, *split(answered.findings)[1])
    return replace(answered, faults=run.faults, findings=findings, model=found.model, images=run.images)
