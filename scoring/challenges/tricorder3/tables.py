"""The tables of TRICORDER-3: labels of a test set, and predictions as eleven columns or as labels."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from scoring.challenges.safe_scan import cases, predictions
from scoring.challenges.safe_scan.cases import LabelColumn
from scoring.challenges.safe_scan.predictions import ReadRows, Values
from scoring.challenges.safe_scan.tables import CaseTable, case_tables, case_words, find_label_column, once
from scoring.challenges.tricorder3.formula import CLASSES, ID, NAMES
from scoring.common.arrays import Floats
from scoring.common.findings import Finding, error, note, warning
from scoring.core.file_contents import (
    LIKELY,
    POSSIBLE,
    SURE,
    Candidate,
    FileContents,
    are_labels,
    counted,
    values_of,
    with_pictures,
)
from scoring.core.submission import largest
from scoring.inputs import tables
from scoring.inputs.case_tables import AlignedRows
from scoring.inputs.cells import parse_numbers
from scoring.inputs.tables import TextTable
from scoring.metrics import calibration

LABEL_COLUMNS = ("prediction", "predicted", "predicted_class", "pred", "class", "label", "diagnosis")
_BY_KEY = {
    **{tables.key(n): i for i, n in enumerate(NAMES)},
    **{tables.key(c): i for i, c in enumerate(CLASSES)},
}


def parse_label(cell: str) -> tuple[int, str]:
    """Return the class number 0..10 (-1: none) and how it was written: "exact", "spelling", "number",
    "zero", "missing", "bad"."""
    trimmed = cell.strip()
    if cell in CLASSES:
        return CLASSES.index(cell), "exact"
    if tables.key(trimmed) in _BY_KEY:
        return _BY_KEY[tables.key(trimmed)], "spelling"
    if trimmed.lower() in tables.MISSING:
        return -1, "missing"
    number = parse_numbers([trimmed]).values[0]
    if number in range(1, len(CLASSES) + 1):
        return int(number) - 1, "number"
    return -1, "zero" if number == 0 else "bad"


def _label_problem(table: TextTable, column: int, row: int, how: str) -> Finding:
    cell, subject = (
        table.columns[column][row].strip(),
        f"{case_words(table, row)}column {table.header[column]!r}",
    )
    if how == "missing":
        return error(
            "missing-value", table.place(row), f"{subject} is empty: write one of {', '.join(CLASSES)}."
        )
    reason = (
        "classes are counted from 1"
        if how == "zero"
        else f"it is none of {', '.join(CLASSES)} and no number 1 to {len(CLASSES)}"
    )
    return error("bad-label", table.place(row), f"{subject}: {cell[:40]!r} is no class; {reason}.")


def _read_labels(table: TextTable, problems: list[Finding], findings: list[Finding]) -> LabelColumn:
    column = find_label_column(table, problems, findings)
    if column is None:
        return _read_one_hot(table, problems, findings)
    parsed = [parse_label(cell) for cell in table.columns[column]]
    problems += [
        _label_problem(table, column, i, how)
        for i, (_, how) in enumerate(parsed)
        if how in ("missing", "zero", "bad") and i not in table.ragged
    ]
    numbered = [i for i, (_, how) in enumerate(parsed) if how == "number"]
    spelled = [i for i, (_, how) in enumerate(parsed) if how == "spelling"]
    findings += once(
        "label-number",
        table,
        numbered,
        (
            "the label is a number of the challenge's list (1 = AKIEC); the official loader knows the "
            "symbols only."
        ),
    )
    findings += once("label-spelling", table, spelled, "the label is not written as the exact symbol.")
    return LabelColumn(
        np.array([label for label, _ in parsed]), tuple(table.place(i) for i in sorted(numbered + spelled))
    )


def _read_one_hot(table: TextTable, problems: list[Finding], findings: list[Finding]) -> LabelColumn:
    matches = {c: tables.find_column(table, (tables.key(c),)) for c in CLASSES}
    columns = [column for column, _ in matches.values() if column is not None]
    if len(columns) < len(CLASSES):
        problems.append(tables.missing_column(table, "the label", ("Class", "Label"), "text"))
        return LabelColumn(np.full(len(table), -1))
    problems += [p for _, twice in matches.values() for p in twice]
    values = np.column_stack([parse_numbers(table.cells(column)).values for column in columns])
    good = (np.isin(values, (0, 1)).all(1)) & (values.sum(1) == 1)
    problems += [
        error(
            "bad-label",
            table.place(i),
            f"{case_words(table, i)}the eleven class columns must hold one 1 and ten 0.",
        )
        for i in np.flatnonzero(~good).tolist()
        if i not in table.ragged
    ]
    findings += once(
        "label-one-hot",
        table,
        range(len(table)),
        "the label stands in eleven one-hot columns; the official loader needs one column Class.",
    )
    return LabelColumn(np.where(good, np.nan_to_num(values).argmax(1), -1))


def _choose_columns(
    table: TextTable, id_column: int | None, problems: list[Finding], findings: list[Finding]
) -> ReadRows | None:
    """Find the eleven class columns, or a label column where these are not complete."""
    matches = {c: tables.find_column(table, (tables.key(c),)) for c in CLASSES}
    label, label_twice = tables.find_column(
        table, [k for k in LABEL_COLUMNS if id_column is None or k != table.keys[id_column]]
    )
    absent = [c for c, (column, _) in matches.items() if column is None]
    if absent and label is not None:
        problems += label_twice
        sentence = (
            f"only labels (column {table.header[label]!r}): no curves, no calibration; accuracy "
            "and F1 are complete."
        )
        findings.append(note("labels-only", table.header_place, sentence))
        return partial(_read_predicted_labels, label)
    problems += [p for _, twice in matches.values() for p in twice]
    problems += [tables.missing_column(table, f"class {c}", (c,)) for c in absent]
    if absent:
        return None
    if label is not None:
        sentence = f"column {table.header[label]!r} is ignored: the eleven class columns decide."
        findings.append(note("label-column-ignored", table.header_place, sentence))
    return partial(_read_outputs, [column for column, _ in matches.values() if column is not None])


def _read_outputs(
    columns: list[int], rows: AlignedRows, problems: list[Finding], findings: list[Finding]
) -> Values:
    outputs, faults = predictions.read_numbers(rows, columns, problems, findings)
    labels = largest(outputs)
    findings += output_findings(outputs[labels >= 0], rows.table.name)
    return Values(outputs, labels, faults)


def _read_predicted_labels(
    column: int, rows: AlignedRows, problems: list[Finding], _findings: list[Finding]
) -> Values:
    labels = np.full(rows.n, -1)
    faults: list[Finding] = []
    for i in rows.rows:
        label, how = parse_label(rows.table.columns[column][i])
        labels[rows.case_of[i]] = label
        if label < 0:
            (faults if how == "missing" else problems).append(_label_problem(rows.table, column, i, how))
    return Values(np.full((rows.n, len(CLASSES)), np.nan), labels, faults, labels_only=True)


def output_findings(outputs: Floats, where: str) -> Iterator[Finding]:
    """Yield the kind of the outputs [rows, 11] and how many maxima are tied; the score normalises nothing."""
    kind = calibration.output_kind(outputs)
    if kind == "logits":
        yield warning(
            "logits",
            where,
            f"values from {outputs.min():.4g} to {outputs.max():.4g}: logits, not probabilities. "
            "The score is the same; calibration is not defined. "
            "The challenge demands a softmax.",
        )
    elif kind == "not-normalised":
        sums = outputs.sum(1)
        yield warning(
            "not-normalised",
            where,
            (
                f"row sums from {sums.min():.4g} to {sums.max():.4g}, not 1: sigmoids, or rounding. The "
                "score is the same; calibration is not defined."
            ),
        )
    if len(outputs):
        tied = int(((outputs == outputs.max(1, keepdims=True)).sum(1) > 1).sum())
        if tied:
            yield note(
                "tied-maximum",
                where,
                (
                    f"{tied} row{'s have' if tied > 1 else ' has'} several largest values: the first "
                    "class in the challenge's order is taken, as in the official code."
                ),
            )


CLASS_KEYS = tuple(map(tables.key, CLASSES))
SHARED_IDS = ("image", "lesion_id", "lesion")
"""Columns of images that ISIC tables have too."""


def recognise(contents: FileContents) -> Iterator[Candidate]:
    """Yield what files can be for TRICORDER-3: a table, alone or with images, or a model."""
    model = contents.model
    if model and contents.output_width == len(CLASSES):
        takes_person = len(model.inputs) == 2
        description = (
            f"a TRICORDER-3 model: {len(CLASSES)} outputs" + ", with age, gender and site" * takes_person
        )
        yield Candidate(ID, "submission", description, SURE if takes_person else LIKELY)
    for table in case_tables(contents.tables):
        yield from _of_table(table, contents)


def _of_table(rows: CaseTable, contents: FileContents) -> Iterator[Candidate]:
    table, n = rows.table, counted(len(rows.table), "image")
    classes = [i for i in rows.others if table.keys[i] in CLASS_KEYS]
    label = rows.label
    symbols = label is not None and _symbols(table.cells(label)) > 0.9
    if symbols:
        certainty = SURE if rows.has_person else LIKELY
        description = f"a TRICORDER-3 test set: labels of {n}{with_pictures(contents)}"
        yield Candidate(ID, "truth", description, certainty, rows.ids)
    if len(classes) == len(CLASSES):
        shared = any(key in SHARED_IDS for key in table.keys)
        certainty = LIKELY if shared else SURE
        one_hot = are_labels(values_of(table, classes))
        description = f"a prediction file for TRICORDER-3: {len(CLASSES)} classes, {n}"
        yield Candidate(ID, "submission", description, POSSIBLE if one_hot else certainty, rows.ids)
        if one_hot:
            description = (
                f"a TRICORDER-3 test set: labels of {n} in {len(CLASSES)} columns{with_pictures(contents)}"
            )
            yield Candidate(ID, "truth", description, POSSIBLE if shared else LIKELY, rows.ids)
    elif len(classes) > len(CLASSES) / 2 and len(classes) > len(rows.others) / 2:
        description = f"a prediction file for TRICORDER-3 with {len(classes)} of {len(CLASSES)} classes, {n}"
        yield Candidate(ID, "submission", description, POSSIBLE, rows.ids)
    else:
        answer = rows.column(LABEL_COLUMNS)
        if answer is not None and _symbols(table.cells(answer)) > 0.9:
            description = f"a prediction file for TRICORDER-3: labels of {n}"
            certainty = POSSIBLE if symbols else LIKELY
            yield Candidate(ID, "submission", description, certainty, rows.ids)


def _symbols(cells: list[str]) -> float:
    """Return the share of cells that name a class in letters."""
    return sum(parse_label(cell)[1] in ("exact", "spelling") for cell in cells) / max(len(cells), 1)


read_truth = partial(cases.read_truth, _read_labels)
read_images = cases.read_images
read_predictions = partial(predictions.read_predictions, _choose_columns)
