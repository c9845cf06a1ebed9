"""Readers of a declared challenge's tables: the truth, and predictions matched to it by case id."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import numpy as np

from scoring.challenges.declared.cases import DeclaredCases
from scoring.challenges.declared.declaration import Declaration
from scoring.challenges.declared.keys import near
from scoring.common.arrays import Floats, Ints
from scoring.common.findings import Finding, InputRefused, error, split, warning
from scoring.common.text import shortened
from scoring.core.challenge import Context
from scoring.core.options import Values
from scoring.core.submission import Predictions, ignored, largest
from scoring.inputs import case_tables, tables
from scoring.inputs.case_tables import AlignedRows, align, find_table
from scoring.inputs.jobs import open_table
from scoring.inputs.sources import Source, SourceFiles, open_source, sha256
from scoring.inputs.tables import TextTable, key
from scoring.inputs.text_columns import LazyColumns, trimmed

ADVICE = {
    "refuse": " Fill it in; this challenge refuses a submission with gaps.",
    "worst": " It counts as wrong as it can be.",
    "ignore": " The case is left out.",
}
"""What a gap does, by the rule of the challenge."""
ENDINGS, MOST_TABLES = (".csv", ".tsv"), 20
"""Of tables, and how many of a folder are looked into."""
SUM_OFF = 1e-3
"""By how much the probabilities of a case may miss 1 in sum."""


@dataclass
class _Table:
    """A table as it is read, with what is wrong with it."""

    table: TextTable
    problems: list[Finding]
    findings: list[Finding]

    def column(self, name: str, subject: str) -> int | None:
        """Return the place of a column; None where it is missing, which is kept as a problem."""
        place, twice = tables.find_column(self.table, (key(name),))
        self.problems += twice
        if place is None:
            self.problems.append(tables.missing_column(self.table, subject, (name,)))
        return place

    def columns(self, names: Sequence[str], subject: str) -> list[int]:
        """Return the places of columns; fewer where some are missing."""
        places = [self.column(name, f"{subject} {name!r}") for name in names]
        return [place for place in places if place is not None]

    def labels(self, place: int, classes: Sequence[str], rows: AlignedRows) -> tuple[Ints, list[Finding]]:
        """Return the class number of each case [n], -1 where there is none, and a fault for each empty cell.
        Names that are none of the classes are problems, one for each name."""
        number_of = {name: k for k, name in enumerate(classes)}
        loose = {name.lower(): k for name, k in number_of.items()}
        cells, labels = self.table.cells(place), np.full(rows.n, -1)
        case_of, ids = rows.case_of.tolist(), self.table.columns[rows.id_column]
        strange: dict[str, list[int]] = {}
        faults = []
        for i in rows.rows:
            cell = cells[i]
            number = number_of.get(cell)
            if number is None:
                number = loose.get(cell.lower(), loose.get(_whole(cell), -1))
            labels[case_of[i]] = number
            if number < 0 and cell.lower() in tables.MISSING:
                message = f"case {shortened(ids[i], 80)} has no class."
                faults.append(error("missing-value", self.table.place(i), message))
            elif number < 0:
                strange.setdefault(cell, []).append(i)
        for cell, places in strange.items():
            times = f" ({len(places)} rows)" if len(places) > 1 else ""
            listing = near(cell, classes) or f" Classes: {', '.join(classes[:20])}."
            message = f"{shortened(cell, 40)!r} is none of the classes{times}.{listing}"
            self.problems.append(error("bad-label", self.table.place(places[0]), message))
        return labels, faults

    def bits(self, places: Sequence[int], rows: AlignedRows) -> Floats:
        """Return columns of 0 and 1 by case [n, columns]."""
        values, faults = case_tables.read_numbers(
            rows, places, " Write 0 or 1.", self.problems, self.findings
        )
        self.problems += faults
        wrong = ((values != 0) & (values != 1) & ~np.isnan(values)).any(1)
        for i in [i for i in rows.rows if wrong[rows.case_of[i]]][:20]:
            message = "a column of a class holds a number other than 0 and 1."
            self.problems.append(error("bad-label", self.table.place(i), message))
        return values


def _whole(cell: str) -> str:
    """Return "2" for "2.0": programs write whole numbers so."""
    return cell.removesuffix(".0") if cell.removesuffix(".0").lstrip("-").isdigit() else cell


def read_truth(
    declaration: Declaration, source: Source, images: Source | None, context: Context
) -> DeclaredCases:
    """Read a test set. Raises InputRefused with every problem."""
    files, wanted = open_source(source, context.name), declaration.truth
    member = find_own_table(files, (wanted.case, *_truth_names(declaration)))
    data, table = files.read_table(member)
    read = _Table(table, list(table.problems), [])
    id_column = read.column(wanted.case, "the case id")
    places = _truth_places(declaration, read)
    if id_column is None or places is None:
        raise InputRefused(read.problems)
    rows = align(table, id_column, None, read.problems, read.findings)
    labels: Ints = np.full(rows.n, -1)
    values: Floats = np.zeros((rows.n, 0))
    if wanted.label is not None and declaration.is_graded:
        labels, faults = read.labels(places[0], declaration.classes, rows)
        read.problems += faults
    elif declaration.task in ("classification", "ordinal", "multilabel"):
        values = read.bits(places, rows)
        if declaration.is_graded:
            labels = _of_one_hot(read, values, rows)
    else:
        values, faults = case_tables.read_numbers(rows, places, " Fill it in.", read.problems, read.findings)
        read.problems += faults
        if declaration.task == "survival":
            _check_survival(read, values, rows)
    if read.problems:
        raise InputRefused(tables.settled(table, read.problems), read.findings)
    ids = tuple(table.cells(id_column))
    findings = (*read.findings, *_absent(declaration, labels, values, table.header_place))
    return DeclaredCases(
        files.name,
        ids,
        files,
        open_source(images) if images is not None else files,
        {member: sha256(data)},
        LazyColumns(
            {name: partial(trimmed, cells) for name, cells in zip(table.keys, table.columns, strict=True)}
        ),
        table.keys[id_column],
        labels,
        values,
        findings,
    )


def find_own_table(files: SourceFiles, names: Iterable[str]) -> str:
    """Return the member that has the columns that a challenge names; where none or several have, as
    `case_tables.find_table` finds it. Raises InputRefused."""
    members = [member for member in files.members if member.lower().endswith(ENDINGS)]
    if files.kind == "file" or not 1 < len(members) <= MOST_TABLES:
        return find_table(files)
    wanted, fitting = {key(name) for name in names}, []
    for member in members:
        with suppress(InputRefused):
            data, table = files.read_table(member)
            files.keep_table(member, data, table)
            fitting += [member] if wanted <= set(table.keys) else []
    return fitting[0] if len(fitting) == 1 else find_table(files)


def _truth_names(declaration: Declaration) -> list[str]:
    """Return the names of the columns that hold the truth."""
    wanted, task = declaration.truth, declaration.task
    if declaration.is_graded and wanted.label is not None:
        names = [wanted.label]
    elif task in ("classification", "ordinal", "multilabel"):
        names = list(declaration.classes)
    else:
        chosen = (wanted.value,) if task == "regression" else (wanted.time, wanted.event)
        names = [name for name in chosen if name is not None]
    return names


def _truth_places(declaration: Declaration, read: _Table) -> list[int] | None:
    """Return the columns that hold the truth; None where one is missing."""
    names = _truth_names(declaration)
    places = read.columns(names, "the truth,")
    return places if len(places) == len(names) else None


def _of_one_hot(read: _Table, values: Floats, rows: AlignedRows) -> Ints:
    total = np.nansum(values, axis=1)
    for i in [i for i in rows.rows if total[rows.case_of[i]] != 1][:20]:
        message = "a case has one class: write one 1 among its classes, and 0 in the others."
        read.problems.append(error("bad-label", read.table.place(i), message))
    return np.asarray(np.nan_to_num(values).argmax(1))


def _check_survival(read: _Table, values: Floats, rows: AlignedRows) -> None:
    for i in rows.rows:
        time, event = values[rows.case_of[i]]
        if time < 0:
            read.problems.append(error("bad-label", read.table.place(i), "the time is below 0."))
        if event not in (0, 1) and event == event:
            message = "the event is neither 1 (seen) nor 0 (censored)."
            read.problems.append(error("bad-label", read.table.place(i), message))


def _absent(declaration: Declaration, labels: Ints, values: Floats, where: str) -> list[Finding]:
    """Return a warning where classes have no case."""
    if declaration.is_graded:
        present = np.bincount(labels, minlength=len(declaration.classes)) > 0
    elif declaration.task == "multilabel":
        present = np.asarray(values.any(0))
    else:
        return []
    names = [name for name, there in zip(declaration.classes, present.tolist(), strict=True) if not there]
    if not names:
        return []
    listing = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
    message = f"no case is of {listing}: a metric of that class alone is undefined, and means leave it out."
    return [warning("absent-class", where, message)]


def read_predictions(
    declaration: Declaration, source: Source, truth: DeclaredCases | None, context: Context
) -> Predictions:
    """Read a submission and match it to the truth. Raises InputRefused with every problem of the table."""
    files, wanted = open_table(source, context.name), declaration.predictions
    asked = (wanted.case, *filter(None, [wanted.label]), *_number_names(declaration))
    member = find_own_table(files, asked)
    data, table = files.read_table(member)
    read = _Table(table, list(table.problems), [])
    id_column = read.column(wanted.case, "the case id (rows are never matched by position)")
    label = read.column(wanted.label, "the predicted class") if wanted.label else None
    names = _number_names(declaration)
    places = read.columns(names, "the predictions,")
    if id_column is None or len(places) < len(names) or (wanted.label and label is None):
        raise InputRefused(read.problems, read.findings)
    read.findings += ignored(files, {member})
    rows = align(table, id_column, truth, read.problems, read.findings)
    faults: list[Finding] = []
    labels, numbers = np.full(rows.n, -1), np.full((rows.n, max(1, len(declaration.classes))), np.nan)
    advice = ADVICE[wanted.missing]
    if places:
        numbers, faults = case_tables.read_numbers(rows, places, advice, read.problems, read.findings)
    outputs = _outputs(declaration, numbers)
    if label is not None:
        labels, empty = read.labels(label, declaration.classes, rows)
        faults += empty
    elif declaration.is_graded:
        labels = _called(declaration, outputs)
    if truth is not None:
        faults += case_tables.missing_cases(rows, truth, f".{advice}", read.problems)
    if places and not read.problems:
        read.problems += _not_probabilities(declaration, outputs, table.header_place)
    if read.problems:
        hard, soft = graded(faults, wanted.missing)
        raise InputRefused(tables.settled(table, [*read.problems, *hard]), [*read.findings, *soft])
    return Predictions(
        files.name,
        outputs,
        labels,
        not places,
        tuple(faults),
        tuple(read.findings),
        files.digest({member: sha256(data)}),
    )


def _number_names(declaration: Declaration) -> list[str]:
    wanted = declaration.predictions
    if wanted.scores:
        return list(declaration.classes)
    return [name for name in (wanted.score, wanted.value, wanted.risk) if name is not None]


def _outputs(declaration: Declaration, numbers: Floats) -> Floats:
    """Return scores by class [n, K]: a single score is of the positive class, and 1 less it of the other."""
    if not declaration.predictions.score or not declaration.is_graded:
        return numbers
    score = numbers[:, :1]
    pair = [1 - score, score]
    return np.hstack(pair if declaration.classes.index(str(declaration.positive)) else pair[::-1])


def _called(declaration: Declaration, outputs: Floats) -> Ints:
    """Return the class that scores call [n], -1 where there are none: the first of the largest, or the
    positive one above the threshold."""
    threshold, positive = declaration.predictions.threshold, declaration.positive
    if threshold is None or positive is None or len(declaration.classes) != 2:
        called = largest(outputs)
        if declaration.predictions.ties == "wrong":
            several = (outputs == outputs.max(1, keepdims=True)).sum(1) > 1
            called = np.where(several, -1, called)
        return called
    place = declaration.classes.index(positive)
    called = np.where(outputs[:, place] > threshold, place, 1 - place)
    return np.where(np.isnan(outputs[:, place]), -1, called)


def _not_probabilities(declaration: Declaration, outputs: Floats, where: str) -> list[Finding]:
    """Return a problem where a metric needs probabilities, or the threshold of 0.5 that nobody wrote, and the
    scores are none."""
    unwritten = declaration.predictions.threshold is not None and "threshold" not in declaration.tree.get(
        "predictions", {}
    )
    needing = [use.key for use in declaration.uses if use.metric.needs == "probabilities"]
    called = [use.key for use in declaration.uses if use.metric.needs == "labels" and unwritten]
    if called and bool(((outputs < 0) | (outputs > 1)).any()):
        message = (
            f"{called[0]} calls a class above a score of 0.5, as the challenge's file names no "
            "threshold, and scores here lie outside 0 to 1: send probabilities, or name a threshold there."
        )
        return [error("not-a-probability", where, message)]
    known = outputs[~np.isnan(outputs).any(1)]
    if not needing or not len(known):
        return []
    outside = bool(((known < 0) | (known > 1)).any())
    unsummed = declaration.is_graded and bool((abs(known.sum(1) - 1) > SUM_OFF).any())
    if not outside and not unsummed:
        return []
    which = "lie outside 0 to 1" if outside else "do not sum to 1"
    message = (
        f"{needing[0]} needs probabilities, and scores here {which}: send probabilities (softmax, sigmoid)."
    )
    return [error("not-a-probability", where, message)]


def graded(faults: Sequence[Finding], missing: str) -> tuple[list[Finding], list[Finding]]:
    """Return cases without a usable prediction as errors and warnings by the rule of the challenge."""
    if missing == "refuse":
        return split(faults)
    return split(warning(f.code, f.where, f.message) for f in faults)


def faults(
    declaration: Declaration, predictions: Predictions, _options: Values
) -> tuple[list[Finding], list[Finding]]:
    """Return the faults of predictions as errors and warnings."""
    return graded(predictions.faults, declaration.predictions.missing)
