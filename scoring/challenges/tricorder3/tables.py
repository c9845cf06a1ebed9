"""Reads tables of TRICORDER-3: labels of a test set, and predictions as eleven columns or as labels."""

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial

import numpy as np

from scoring.challenges.lesion_names import names_of
from scoring.challenges.safe_scan import cases, predictions
from scoring.challenges.safe_scan.cases import LabelColumn, SafeScanCases
from scoring.challenges.safe_scan.predictions import ReadRows, Values
from scoring.challenges.safe_scan.tables import CaseTable, case_tables, case_words, find_label_column, once
from scoring.challenges.tricorder3.formula import CLASSES, ID, NAMES, final_score, weighted_f1
from scoring.challenges.tricorder3.measures import output_findings
from scoring.common.findings import Finding, error, note
from scoring.common.fixes import InputChanges, SuggestedFix, renaming
from scoring.core.challenge import Context
from scoring.core.file_contents import (
    LIKELY,
    POSSIBLE,
    SURE,
    Candidate,
    FileContents,
    are_labels,
    counted,
    sample_of,
    values_of,
    with_pictures,
)
from scoring.core.submission import Predictions, largest
from scoring.inputs import number_parsing, tables
from scoring.inputs.case_ids import ID_COLUMNS
from scoring.inputs.case_tables import AlignedRows
from scoring.inputs.column_guess import ColumnGuess, TableForm, guess, rival_of
from scoring.inputs.number_parsing import parse_numbers
from scoring.inputs.sources import Source
from scoring.inputs.tables import TextTable
from scoring.metrics import classification

COUNTED = {"class_index": 0, "class_number": 1}
"""Header of a column of class numbers -> the number of the first class."""
LABEL_COLUMNS = (
    "prediction",
    "predicted",
    "predicted_class",
    "predicted_label",
    "pred",
    "pred_label",
    "pred_class",
    "class",
    "label",
    "diagnosis",
    *COUNTED,
)
_BY_KEY = {
    **{tables.key(n): i for i, n in enumerate(NAMES)},
    **{tables.key(c): i for i, c in enumerate(CLASSES)},
}


@lru_cache(1_000)
def parse_label(cell: str, first: int = 1) -> tuple[int, str]:
    """Parse the label in a cell.

    Args:
        first: Number of the first class.

    Returns:
        Class number 0..10 (-1: none), and how the label is written: "exact", "spelling", "number", "zero",
        "missing" or "bad".
    """
    trimmed = cell.strip()
    if cell in CLASSES:
        return CLASSES.index(cell), "exact"
    if tables.key(trimmed) in _BY_KEY:
        return _BY_KEY[tables.key(trimmed)], "spelling"
    if trimmed.lower() in tables.MISSING:
        return -1, "missing"
    number = parse_numbers([trimmed]).values[0]
    if number in range(first, first + len(CLASSES)):
        return int(number) - first, "number"
    return -1, "zero" if number == 0 else "bad"


def _label_problem(table: TextTable, column: int, row: int, how: str) -> Finding:
    cell = table.columns[column][row].strip()
    subject = f"{case_words(table, row)}column {table.header[column]!r}"
    if how == "missing":
        return error(
            "missing-value", table.place(row), f"{subject} is empty: write one of {', '.join(CLASSES)}."
        )
    first = COUNTED.get(table.keys[column], 1)
    reason = (
        "classes are counted from 1"
        if how == "zero"
        else f"it is none of {', '.join(CLASSES)} and no number {first} to {first + len(CLASSES) - 1}"
    )
    return error("bad-label", table.place(row), f"{subject}: {cell[:40]!r} is not a class; {reason}.")


def _read_labels(table: TextTable, problems: list[Finding], findings: list[Finding]) -> LabelColumn:
    column = find_label_column(table, problems, findings)
    if column is None:
        return _read_one_hot(table, problems, findings)
    parsed = tables.read_once(parse_label, table.columns[column])
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
        "the label is a number from the challenge's list (1 = AKIEC); the official loader accepts only the "
        "symbols.",
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
        "the label is in eleven one-hot columns; the official loader needs one column Class.",
    )
    return LabelColumn(np.where(good, np.nan_to_num(values).argmax(1), -1))


def _choose_columns(
    truth: SafeScanCases | None,
    table: TextTable,
    id_column: int | None,
    problems: list[Finding],
    findings: list[Finding],
) -> ReadRows | None:
    """Find the eleven class columns, or a label column where these are not complete."""
    matches = {c: tables.find_column(table, (tables.key(c),)) for c in CLASSES}
    label, label_twice = tables.find_column(
        table, [k for k in LABEL_COLUMNS if id_column is None or k != table.keys[id_column]]
    )
    absent = [c for c, (column, _) in matches.items() if column is None]
    if absent and label is not None:
        scores = _scores_beside(truth, table, label, problems)
        if scores is None:
            return None
        if scores and _are_named(table, scores, label):
            sentence = f"column {table.header[label]!r} is ignored: it names the class of the highest score."
            findings.append(note("label-column-ignored", table.header_place, sentence))
            return partial(_read_outputs, scores)
        if not scores:
            problems += label_twice
            findings.append(note("labels-only", table.header_place, _only_labels(table, id_column, label)))
            return partial(_read_predicted_labels, truth, label)
    problems += [p for _, twice in matches.values() for p in twice]
    problems += [tables.missing_column(table, f"class {c}", (c,)) for c in absent]
    if absent:
        return None
    ids = truth.ids if truth is not None else None
    has_room = len(table.header) >= 2 * len(CLASSES)  # for a second column of each class
    if has_room and (rival := rival_of(table, form(truth), guess(table, form(truth), ids), ids)):
        sentence = "each class has two columns: which of them are the scores, and which are the truth?"
        problems.append(error("column-suspect", table.header_place, sentence).with_fixes(*rival))
    if label is not None:
        sentence = f"column {table.header[label]!r} is ignored: the eleven class columns decide."
        findings.append(note("label-column-ignored", table.header_place, sentence))
    return partial(_read_outputs, [column for column, _ in matches.values() if column is not None])


def _scores_beside(
    truth: SafeScanCases | None, table: TextTable, label: int, problems: list[Finding]
) -> list[int] | None:
    """Return the columns of the scores of all classes beside a column of labels; [] if there are not all.

    None where a label is not the class of the highest score: then `problems` gets the question which counts.
    """
    wanted = form(truth)
    guessed = guess(table, wanted, truth.ids if truth is not None else None)
    columns = guessed.changes(table.header, wanted).columns if guessed.is_whole else ()
    if not columns:
        return []
    places = [table.header.index(guessed.columns[name] or "") for name in CLASSES]
    outputs = np.column_stack([parse_numbers(table.cells(place), True).values for place in places])
    key = table.keys[label]
    countings = [COUNTED[key]] if key in COUNTED else [*COUNTED.values()]
    called = ([parse_label(cell, first)[0] for cell in table.columns[label]] for first in countings)
    if any((largest(outputs) == labels).all() for labels in called):
        return places
    problems.append(_labels_or_scores(table, label, renaming("column", columns), guessed))
    return None


def _are_named(table: TextTable, scores: Sequence[int], label: int) -> bool:
    """Return whether columns of scores are those of the classes beyond doubt: by their headings, or by the
    names of classes in a column of labels that agrees."""
    headings = (tables.key(name) in table.keys[i] for name, i in zip(CLASSES, scores, strict=True))
    return all(headings) or _symbols(table.cells(label)) == 1


def _only_labels(table: TextTable, id_column: int | None, label: int) -> str:
    """Return the sentence about a table of labels, and about a score of the predicted class alone."""
    sentence = (
        f"the file has only labels (column {table.header[label]!r}): there are no curves and no "
        "calibration, but accuracy and F1 are complete."
    )
    others = [i for i in range(len(table.header)) if i not in (id_column, label)]
    numbers = zip(others, values_of(table, others), strict=True)
    lone = [i for i, values in numbers if ((values >= 0) & (values <= 1)).all() and (values % 1 != 0).any()]
    if len(lone) != 1:
        return sentence
    return f"{sentence} Column {table.header[lone[0]]!r} holds one score; curves need a score for each class."


def _labels_or_scores(table: TextTable, label: int, scores: SuggestedFix, guessed: ColumnGuess) -> Finding:
    """Return the question whether labels or scores are the prediction, where they differ."""
    named = table.header[label]
    dropped = tuple((written, "") for written in guessed.columns.values() if written)
    fixes = scores, SuggestedFix(f"Read “{named[:60]}” as the predicted class", InputChanges(columns=dropped))
    sentence = f"column {named!r} does not name the class with the highest score: is the column the truth?"
    return error("column-suspect", table.header_place, sentence).with_fixes(*fixes)


def _read_outputs(
    columns: list[int], rows: AlignedRows, problems: list[Finding], findings: list[Finding]
) -> Values:
    outputs, faults = predictions.read_numbers(rows, columns, problems, findings)
    labels = largest(outputs)
    said = output_findings(outputs[labels >= 0], rows.table.name)
    findings += [finding.with_fixes(*number_parsing.FIXES.get(finding.code, ())) for finding in said]
    return Values(outputs, labels, faults)


def _read_predicted_labels(
    truth: SafeScanCases | None,
    column: int,
    rows: AlignedRows,
    problems: list[Finding],
    _findings: list[Finding],
) -> Values:
    table, labels = rows.table, np.full(rows.n, -1)
    faults: list[Finding] = []
    wrong: list[Finding] = []
    numbers, has_zero = set(), False
    for i in rows.rows:
        label, how = parse_label(table.columns[column][i], COUNTED.get(table.keys[column], 1))
        labels[rows.case_of[i]] = label
        if how == "number":
            numbers.add(label + 1)
        has_zero = has_zero or how == "zero"
        if label < 0:
            (faults if how == "missing" else wrong).append(_label_problem(table, column, i, how))
    if table.keys[column] not in COUNTED and len(CLASSES) not in numbers and (numbers or has_zero):
        from_zero, from_one = _countings(truth, column, rows)
        if has_zero:
            wrong = [problem.with_fixes(from_zero) for problem in wrong]
        else:
            wrong.append(_two_readings(table, column).with_fixes(from_zero, from_one))
    problems += wrong
    return Values(np.full((rows.n, len(CLASSES)), np.nan), labels, faults, labels_only=True)


def _two_readings(table: TextTable, column: int) -> Finding:
    """Return the question what numbers mean of which neither the first nor the last decides it."""
    header = table.header[column]
    sentence = (
        f"column {header!r} contains class numbers, but neither 0 nor {len(CLASSES)}: the classes may "
        f"be counted from 0 or from 1. Name the column {' (from 0) or '.join(COUNTED)} (from 1), "
        "or write symbols."
    )
    return error("bad-label", table.header_place, sentence)


def _countings(truth: SafeScanCases | None, column: int, rows: AlignedRows) -> list[SuggestedFix]:
    """Return the fixes that count classes from 0 and from 1, each with the score that it gives a model of
    50 MiB or less."""
    fixes = []
    for name, first in COUNTED.items():
        title = f"Read {rows.table.header[column][:60]!r} as numbers from {first}"
        if truth is not None:
            labels = np.full(rows.n, -1)
            for i in rows.rows:
                labels[rows.case_of[i]] = parse_label(rows.table.columns[column][i], first)[0]
            c = classification.counts(truth.true_labels, labels, np.ones((1, rows.n)), len(CLASSES))
            f1 = weighted_f1(classification.f1(c))
            title += f": score {final_score(classification.accuracy(c)[0], f1[0], 1):.4f}"
        fixes.append(SuggestedFix(title, InputChanges(columns=((rows.table.header[column], name),))))
    return fixes


CLASS_KEYS = tuple(map(tables.key, CLASSES))
SHARED_IDS = ("image", "lesion_id", "lesion")
"""Headers of image columns that ISIC tables have too."""


def recognise(contents: FileContents) -> Iterator[Candidate]:
    """Yield the inputs of TRICORDER-3 that the files may be: a table with or without images, or a model."""
    model = contents.model
    if model and contents.output_width == len(CLASSES):
        takes_person = len(model.inputs) == 2
        description = (
            f"a TRICORDER-3 model: {len(CLASSES)} outputs" + ", with age, gender and site" * takes_person
        )
        yield Candidate(ID, "submission", description, SURE if takes_person else LIKELY)
    for table in case_tables(contents):
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
        one_hot = are_labels(values_of(table, classes, sample_of))
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
        if answer is not None and (
            _symbols(table.cells(answer)) > 0.9 or _are_numbers_of_classes(table.cells(answer))
        ):
            description = f"a prediction file for TRICORDER-3: labels of {n}"
            certainty = POSSIBLE if symbols else LIKELY
            yield Candidate(ID, "submission", description, certainty, rows.ids)


def _symbols(cells: list[str]) -> float:
    """Return the share of cells that name a class in letters."""
    ways = [how for _, how in tables.read_once(parse_label, cells)]
    return sum(how in ("exact", "spelling") for how in ways) / max(len(cells), 1)


def _are_numbers_of_classes(cells: list[str]) -> bool:
    """Return whether all cells are whole numbers up to that of the last class, above 1 among them."""
    numbers = parse_numbers(cells).values
    return bool(np.isin(numbers, range(len(CLASSES) + 1)).all() and (numbers > 1).any())


read_truth = partial(cases.read_truth, _read_labels)
read_images = cases.read_images


def read_predictions(source: Source, truth: SafeScanCases | None, context: Context) -> Predictions:
    """Read a prediction table; for arguments and errors see `predictions.read_predictions`."""
    return predictions.read_predictions(partial(_choose_columns, truth), source, truth, context)


def form(_truth: SafeScanCases | None) -> TableForm:
    """Return the columns that a prediction table must have."""
    return TableForm("filename", names_of(CLASSES), ID_COLUMNS)
