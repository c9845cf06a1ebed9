"""Readers for a declared challenge's tables: the truth, and predictions matched to it by case id."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from scoring.challenges.declared.cases import DeclaredCases, as_metric_cases
from scoring.challenges.declared.declaration import MISSING, TASKS, Declaration
from scoring.challenges.doubtful_results import doubtful_numbers, upside_down
from scoring.challenges.lesion_names import names_of
from scoring.common.arrays import Floats, Ints
from scoring.common.findings import Finding, InputRefused, error, split, warning
from scoring.core.challenge import Context
from scoring.core.submission import Predictions, ignored, largest
from scoring.core.submitted_part import offered
from scoring.inputs import case_tables, tables
from scoring.inputs.case_tables import align
from scoring.inputs.column_guess import TableForm
from scoring.inputs.named_columns import ColumnReader, Columns
from scoring.inputs.sources import Source, open_source
from scoring.inputs.tables import key
from scoring.inputs.text_columns import LazyColumns, trimmed

SUM_OFF = 1e-3
"""The sum of a case's probabilities may differ from 1 by at most this."""
SCORES = {"score": {"holds": "the score"}}
CASE_ID = "the case id (rows are never matched by position)"
Rows = Sequence[int] | None


def _named(keys: object, columns: Mapping[str, Mapping[str, str]]) -> Columns:
    """Return the columns that the keys of a section name. `columns` describes for each key what its column
    contains."""
    named = ((getattr(keys, name), column["holds"]) for name, column in columns.items())
    return [(n, what) for value, what in named for n in ((value,) if isinstance(value, str) else value or ())]


def truth_columns(declaration: Declaration) -> Columns:
    """Return the columns that the truth needs besides the case id."""
    named = _named(declaration.truth, TASKS[declaration.task].get("truth", {}))
    return named or [(name, "0 or 1 of a class") for name in declaration.classes]


def number_columns(declaration: Declaration) -> Columns:
    """Return the numeric columns that predictions need."""
    if declaration.predictions.scores:
        return [(name, "the score of a class") for name in declaration.classes]
    places = [(name, "the place") for name in declaration.truth.places]
    return [
        *places,
        *_named(declaration.predictions, SCORES | TASKS[declaration.task].get("predictions", {})),
    ]


def label_column(declaration: Declaration) -> Columns:
    """Return the column of the predicted class; empty if there is none. For objects, the default is the name
    of the class column in the truth."""
    name = declaration.predictions.label or (declaration.truth.label if declaration.truth.places else None)
    return [(name, "the predicted class")] if name else []


class ReadTable(ColumnReader):
    """Reader of one table of a declared challenge."""

    def settle(self, faults: Sequence[Finding] = (), missing: str = "refuse") -> None:
        """Raise InputRefused if the table has a problem.

        Args:
            faults: Cases without a usable prediction.
            missing: How the challenge treats cases without a usable prediction.
        """
        if self.problems:
            hard, soft = graded(faults, missing)
            problems = tables.settled(self.table, [*self.problems, *hard])
            raise InputRefused(problems, [*self.findings, *soft])

    def cases(
        self, id_column: int, ids: tuple[str, ...], images: Source | None, rows: Rows = None, **of_task: Any
    ) -> DeclaredCases:
        """Return the cases of a truth.

        Args:
            rows: Row of each case in the table; None: every row is a case.
            of_task: Values of those fields of `DeclaredCases` that depend on the task.
        """
        named = zip(self.table.keys, self.table.columns, strict=True)
        return DeclaredCases(
            *(self.files.name, ids, self.files, self.files if images is None else open_source(images)),
            self.digest_of,
            LazyColumns({name: partial(trimmed, cells, rows) for name, cells in named}),
            self.table.keys[id_column],
            **{"labels": np.full(len(ids), -1), "values": np.zeros((len(ids), 0))} | of_task,
        )


def read_truth(
    declaration: Declaration, source: Source, images: Source | None, context: Context
) -> DeclaredCases:
    """Read a test set. Raises InputRefused with every problem."""
    wanted = declaration.truth
    columns = [(wanted.case, "the case id"), *truth_columns(declaration)]
    read = ReadTable.opened(source, context.name, columns)
    id_column, *places = read.places(columns)
    rows = align(read.table, id_column, None, read.problems, read.findings)
    labels: Ints = np.full(rows.n, -1)
    values: Floats = np.zeros((rows.n, 0))
    is_of_classes, is_graded = TASKS[declaration.task].get("classes"), declaration.is_graded
    if wanted.label is not None and is_graded:
        labels, faults = read.labels(places[0], declaration.classes, rows)
    else:
        advice = " Write 0 or 1." if is_of_classes else " Write a number."
        values, faults = read.numbers(places, rows, advice)
    read.problems += faults
    if is_of_classes and len(values.T):
        wrong = ((values != 0) & (values != 1) & ~np.isnan(values)).any(1)
        read.refuse_cases(wrong, rows, "a column of a class holds a number other than 0 and 1.")
    if is_graded and len(values.T):
        advice = "each case has exactly one class: write 1 in one class column and 0 in the others."
        read.refuse_cases(np.nansum(values, axis=1) != 1, rows, advice)
        labels = np.asarray(np.nan_to_num(values).argmax(1))
    if declaration.task == "survival":
        time, event = values.T
        read.refuse_cases(time < 0, rows, "the time is below 0.")
        wrong = ~(np.isnan(event) | (event == 0) | (event == 1))
        read.refuse_cases(wrong, rows, "the event is neither 1 (seen) nor 0 (censored).")
    read.settle()
    where, ids = read.table.header_place, tuple(read.table.cells(id_column))
    cases = read.cases(id_column, ids, images, labels=labels, values=values)
    about = _absent(declaration, labels, values, where) or _undefined(declaration, cases, where)
    return replace(cases, findings=(*read.findings, *about))


def _absent(declaration: Declaration, labels: Ints, values: Floats, where: str) -> list[Finding]:
    """Return a warning if classes have no case."""
    classes = declaration.classes if TASKS[declaration.task].get("classes") else ()
    of_graded = np.isin(np.arange(len(classes)), labels)
    present = of_graded if declaration.is_graded else values.any(0)
    names = [name for name, there in zip(classes, np.atleast_1d(present), strict=False) if not there]
    listing = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
    message = (
        f"no case has {listing}. For a class without cases, metrics are 0 or undefined for every team, and "
        "averages over classes do not include it."
    )
    return [warning("absent-class", where, message)] if names else []


def _undefined(declaration: Declaration, truth: DeclaredCases, where: str) -> list[Finding]:
    """Return a warning if the truth makes a metric undefined for every team."""
    if TASKS[declaration.task].get("classes"):
        return []
    different = Predictions("", np.arange(float(len(truth)))[:, None], np.zeros(len(truth), int))
    cases, weights = as_metric_cases(declaration, truth, different), np.ones((1, len(truth)))
    names = [use.key for use in declaration.uses if np.isnan(use.compute(cases, weights)[0])]
    message = (
        f"{', '.join(names)} will be undefined for every team on this truth: change the truth or the metric."
    )
    return [warning("undefined-metric", where, message)] if names else []


def read_predictions(
    declaration: Declaration, source: Source, truth: DeclaredCases | None, context: Context
) -> Predictions:
    """Read predictions and match them to the truth. Raises InputRefused with every problem of the table."""
    wanted, numbered, called = declaration.predictions, number_columns(declaration), label_column(declaration)
    columns = [(wanted.case, CASE_ID), *called, *numbered]
    read = ReadTable.opened(source, context.name, columns)
    id_column, *places = read.places(columns)
    read.findings += ignored(read.files, set(read.digest_of))
    rows = align(read.table, id_column, truth, read.problems, read.findings)
    faults, advice = list[Finding](), MISSING[wanted.missing]["advice"]
    labels, numbers = np.full(rows.n, -1), np.full((rows.n, max(1, len(declaration.classes))), np.nan)
    if numbered:
        numbers, faults = read.numbers(places[len(called) :], rows, advice)
    outputs = outputs_by_class(declaration, numbers)
    if called:
        labels, empty = read.labels(places[0], declaration.classes, rows)
        faults += empty
    elif declaration.is_graded:
        labels = _called(declaration, outputs)
    if truth is not None:
        faults += case_tables.missing_cases(rows, truth, f".{advice}", read.problems)
    if numbered and not read.problems:
        read.problems += _not_probabilities(declaration, outputs, read.table.header_place)
    read.settle(faults, wanted.missing)
    place = declaration.positive_place
    known = truth.values[:, 0] if truth is not None and declaration.task == "regression" else None
    read.findings += doubtful_numbers(numbers, known, read.files.name)
    if truth is not None and declaration.predictions.score and declaration.is_graded and place is not None:
        read.findings += upside_down(outputs[:, place], truth.labels == place, read.files.name)
    findings, digest = tuple(read.findings), read.files.digest(read.digest_of)
    return Predictions(read.files.name, outputs, labels, not numbered, tuple(faults), findings, digest)


def outputs_by_class(declaration: Declaration, numbers: Floats) -> Floats:
    """Return scores by class [n, K]. If there is a single score s, it belongs to the positive class, and the
    other class gets 1 - s."""
    if not declaration.predictions.score or not declaration.is_graded:
        return numbers
    return np.where(np.arange(2) == declaration.positive_place, numbers[:, :1], 1 - numbers[:, :1])


def _called(declaration: Declaration, outputs: Floats) -> Ints:
    """Return the class that the scores predict [n], -1 if none: the class with the largest score, or with two
    classes the positive one if its score is above the threshold."""
    threshold, place = declaration.predictions.threshold, declaration.positive_place
    if threshold is not None and place is not None and len(declaration.classes) == 2:
        called = np.where(outputs[:, place] > threshold, place, 1 - place)
        return np.where(np.isnan(outputs[:, place]), -1, called)
    several = (outputs == outputs.max(1, keepdims=True)).sum(1) > 1
    return np.where(several & (declaration.predictions.ties == "wrong"), -1, largest(outputs))


def _not_probabilities(declaration: Declaration, outputs: Floats, where: str) -> list[Finding]:
    """Return a problem if scores are not probabilities, although a metric or the default threshold needs
    probabilities."""
    wanted, known = declaration.predictions, outputs[~np.isnan(outputs).any(1)]
    unwritten = wanted.threshold is not None and "threshold" not in declaration.tree.get("predictions", {})
    needing = [use.key for use in declaration.uses if use.metric.needs == "probabilities"]
    called = [use.key for use in declaration.uses if use.metric.needs == "labels" and unwritten]
    outside = bool(((known < 0) | (known > 1)).any())
    unsummed = declaration.is_graded and bool((abs(known.sum(1) - 1) > SUM_OFF).any())
    if called and outside:
        message = (
            f"for {called[0]}, a class is predicted if its score is above 0.5, because the challenge's "
            "file names "
            "no threshold. The scores in this file are outside 0 to 1. Submit probabilities, or name a "
            "threshold in the challenge's file."
        )
    else:
        which = "are outside 0 to 1" if outside else "do not sum to 1"
        message = f"{[*needing, ''][0]} needs probabilities, but the scores in this file {which}. Submit "
        message += "probabilities (softmax, sigmoid)."
    wrong = (called and outside) or (needing and (outside or unsummed))
    return [error("not-a-probability", where, message)] if wrong else []


def graded(faults: Sequence[Finding], missing: str) -> tuple[list[Finding], list[Finding]]:
    """Return the findings about cases without a usable prediction as errors and warnings.

    Args:
        missing: How the challenge treats cases without a usable prediction.
    """
    if missing == "refuse":
        return split(offered(faults))
    return split(replace(f, level="warning") for f in (faults if missing == "ignore" else offered(faults)))


def form(declaration: Declaration, _truth: DeclaredCases | None) -> TableForm:
    """Return the columns that a prediction table must have."""
    wanted, names = declaration.predictions, [name for name, _ in number_columns(declaration)]
    columns = names_of(names if wanted.scores else ()) or dict.fromkeys(names, ())
    return TableForm(wanted.case, columns, (key(wanted.case),), of_probabilities=False)
