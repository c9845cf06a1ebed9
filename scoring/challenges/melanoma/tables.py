"""Reads truth and prediction tables of Melanoma."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from scoring.challenges.doubtful_results import upside_down
from scoring.challenges.melanoma.formula import ID
from scoring.challenges.melanoma.measures import are_risks, predicted_positive, score_warnings
from scoring.challenges.safe_scan import cases, predictions
from scoring.challenges.safe_scan.cases import LabelColumn, SafeScanCases
from scoring.challenges.safe_scan.predictions import ReadRows, Values
from scoring.challenges.safe_scan.tables import (
    CaseTable,
    case_tables,
    case_words,
    find_label_column,
    once,
    several,
)
from scoring.common.arrays import Floats
from scoring.common.findings import Finding, error, note, warning
from scoring.common.fixes import RAW, InputChanges, SuggestedFix, renaming
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
    share_of_numbers,
    values_of,
    with_pictures,
)
from scoring.core.submission import Predictions
from scoring.inputs import number_parsing, tables
from scoring.inputs.case_ids import ID_COLUMNS
from scoring.inputs.case_tables import AlignedRows
from scoring.inputs.column_guess import TableForm
from scoring.inputs.fix_suggestions import read_as
from scoring.inputs.number_parsing import NUMBER
from scoring.inputs.sources import FixedSource, Source
from scoring.inputs.tables import TextTable

POSITIVE = {"true", "t", "yes", "y", "1", "1.0", "positive", "pos", "malignant", "melanoma", "mel"}
OTHER_CLASSES = {"akiec", "bcc", "ben_oth", "bkl", "df", "inf", "mal_oth", "nv", "sccka", "vasc"}
NEGATIVE = {"false", "f", "no", "n", "0", "0.0", "negative", "neg", "benign", "non_melanoma"} | OTHER_CLASSES
SCORE_COLUMNS = (
    *("melanoma", "mel", "malignant", "positive", "pos", "true", "score", "risk", "probability"),
    *("prob", "p", "prediction", "predicted", "pred", "output", "target", "1", "class_1", "p1"),
)
OTHER_CALLS = {"nevus", "naevus", "nevi", "not_melanoma", "nonmelanoma", "other"}

OTHER_CLASS = re.compile(
    r"(.*_)?(benign|nevus|nevi|naevus|nv|negative|neg|not|non|nonmelanoma|free|healthy|0)(_.*)?"
)
OF_TRUTH = re.compile(r"y_true|target|labels?|truth|ground_truth|gt")
"""Pattern of column names that mean the truth. The pattern above is that of another class."""


def parse_label(cell: str) -> int | None:
    """Return 1 for melanoma, 0 for another known lesion, and None for any other text."""
    word = tables.key(cell)
    return 1 if word in POSITIVE else 0 if word in NEGATIVE else None


def _read_labels(table: TextTable, problems: list[Finding], findings: list[Finding]) -> LabelColumn:
    column = find_label_column(table, problems, findings)
    if column is None:
        problems.append(tables.missing_column(table, "the label", ("label", "class"), "text"))
        return LabelColumn(np.full(len(table), -1))
    cells = list(table.columns[column])
    labels = tables.read_once(parse_label, cells)
    problems += [
        _label_problem(table, column, i)
        for i, label in enumerate(labels)
        if label is None and i not in table.ragged
    ]
    spelled = [i for i, label in enumerate(labels) if label == 1 and cells[i] != "True"]
    other = [i for i, key in enumerate(tables.read_once(tables.key, cells)) if key in OTHER_CLASSES]
    findings += once(
        "label-spelling",
        table,
        spelled,
        "positive labels are not written exactly as True: the official code would count these "
        f"{len(spelled)} cases as negative.",
    )
    if other:
        sentence = f"{several(table, other)}: another diagnosis; it counts as negative (no melanoma)."
        findings.append(note("label-other-class", table.place(other[0]), sentence))
    return LabelColumn(np.array([-1 if label is None else label for label in labels]))


def _label_problem(table: TextTable, column: int, row: int) -> Finding:
    cell = table.columns[column][row].strip()
    subject = f"{case_words(table, row)}column {table.header[column]!r}"
    if cell.lower() in tables.MISSING:
        return error("missing-value", table.place(row), f"{subject} is empty: write True or False.")
    message = f"{subject}: {cell[:40]!r} is neither melanoma nor another diagnosis: write True or False."
    return error("bad-label", table.place(row), message)


def _choose_column(
    is_raw: bool,
    table: TextTable,
    id_column: int | None,
    problems: list[Finding],
    findings: list[Finding],
) -> ReadRows | None:
    """Return the score column: the only one beside the id, else the first with a known name. `is_raw` says
    whether the scale of the numbers is not asked about."""
    others = [i for i, header in enumerate(table.header) if i != id_column and header]
    if len(others) == 1:
        header = table.header[others[0]]
        if OTHER_CLASS.fullmatch(table.keys[others[0]]):
            problems.append(_other_class(table, header))
        if OF_TRUTH.fullmatch(table.keys[others[0]]):
            sentence = f"column {header!r} was read as the risk of melanoma: is this correct?"
            findings.append(warning("column-suspect", table.header_place, sentence))
        return partial(_read_scores, is_raw, others[0])
    column, twice = tables.find_column(
        table, [name for name in SCORE_COLUMNS if id_column is None or name != table.keys[id_column]]
    )
    problems += twice
    if column is None:
        problems.append(tables.missing_column(table, "the score", ("score", "melanoma", "risk"), "number"))
        return None
    problems += [*_of_called_class(table, column, others)] or _calls_beside_scores(table, column, others)
    ignored = ", ".join(repr(table.header[i]) for i in others if i != column)
    sentence = (
        f"Benchside takes column {table.header[column]!r} as the score and ignores {ignored}. The "
        "official code would take the first column, whatever its content."
    )
    findings.append(warning("several-score-columns", table.header_place, sentence))
    return partial(_read_scores, is_raw, column)


def _called(cell: str) -> int | None:
    """Return as `parse_label` what a prediction calls; a nevus is negative, too."""
    return 0 if tables.key(cell) in OTHER_CALLS else parse_label(cell)


def _of_called_class(table: TextTable, column: int, others: Sequence[int]) -> Iterator[Finding]:
    """Yield the question whether scores are those of the class that another column calls: where most cases
    that are called negative have more than 0.5."""
    calls = [i for i in others if all(_called(cell) is not None for cell in table.columns[i])]
    numbers = dict(zip(others, values_of(table, others), strict=True))
    scores = [i for i in others if i not in calls and share_of_numbers(numbers[i]) == 1]
    if column in calls and len(scores) == 1:
        column = scores[0]
    if column in calls or len({tuple(map(_called, table.columns[i])) for i in calls}) != 1:
        return
    call = calls[0]
    negative = np.array([_called(cell) == 0 for cell in table.columns[call]])
    values = numbers[column]
    if (
        negative.all()
        or not negative.any()
        or not (np.mean(values[negative] > 0.5) > 0.5 and values.max() <= 1)
    ):
        return
    named, label = (table.header[i] for i in (column, call))
    cells = " | ".join(sorted({table.columns[call][i].strip() for i in np.flatnonzero(negative).tolist()}))
    alone = InputChanges(columns=((named, "score"), *((table.header[i], "") for i in calls)))
    fixes = (
        SuggestedFix(
            f"Read “{named[:60]}” as the score of the class in “{label[:60]}”",
            InputChanges(columns=((named, "score"),), edits=(("of_called", f"{label}: {named}: {cells}"),)),
        ),
        SuggestedFix(f"Read “{named[:60]}” as the risk of melanoma", alone),
    )
    sentence = (
        f"most cases that are negative in column {label!r} have more than 0.5 in column {named!r}. Does "
        f"{named!r} hold the score of the predicted class, or the risk of melanoma?"
    )
    yield error("column-suspect", table.header_place, sentence).with_fixes(*fixes)


def _calls_beside_scores(table: TextTable, column: int, others: Sequence[int]) -> list[Finding]:
    """Return the question which column is the score, where the one of a known name holds decisions alone and
    others hold scores, or other decisions beside what is named as the truth."""
    if not all(_called(cell) is not None for cell in {*table.columns[column]}):
        return []
    numbers = dict(zip(others, values_of(table, others), strict=True))
    scores = [i for i in others if share_of_numbers(numbers[i]) == 1 and (numbers[i] % 1 != 0).any()]
    named = [i for i in scores if not OTHER_CLASS.fullmatch(table.keys[i])]
    if not named and OF_TRUTH.fullmatch(table.keys[column]):
        named = [i for i in others if i != column and _are_other_calls(table, i, column)]
    if not named:
        return []
    header, decisions = table.header[column], [i for i in others if i not in scores]
    fixes = [
        *(fix for i in named for fix in _by_scale(_read_alone(table, i, "the score", decisions), numbers[i])),
        replace(
            _read_alone(table, column, "", [i for i in (*scores, *named) if i != column]),
            label=f"Read the decisions “{header[:60]}” as 0 and 1",
        ),
    ]
    listing = " and ".join(repr(table.header[i]) for i in named)
    what = "probabilities" if all(_are_probabilities(numbers[i]) for i in named) else "scores"
    what = what if scores else "other decisions"
    sentence = f"column {header!r} holds decisions, and {listing} holds {what}: which column is the score?"
    return [error("column-suspect", table.header_place, sentence).with_fixes(*fixes)]


def _by_scale(fix: SuggestedFix, values: Floats) -> Iterator[SuggestedFix]:
    """Yield a fix that reads a column; of percent and bytes, once for each scale that may be meant."""
    scale = number_parsing.scale_of(values[:, np.newaxis])
    if scale not in number_parsing.WORDS:
        yield fix
        return
    for meant in (*number_parsing.OF_RISKS[scale], RAW):
        label = f"{fix.label}: {meant.label[0].lower()}{meant.label[1:]}"
        yield SuggestedFix(label, fix.changes.joined(meant.changes))


def _are_other_calls(table: TextTable, column: int, other: int) -> bool:
    """Return whether a column holds decisions, and not all of those of another one."""
    called = [[_called(cell) for cell in table.columns[i]] for i in (column, other)]
    return None not in called[0] and called[0] != called[1]


def _read_alone(table: TextTable, column: int, what: str, without: Sequence[int]) -> SuggestedFix:
    """Return the fix that reads a column as the score, without the columns that are named."""
    fix = read_as(table.header[column], what, "score")
    left_out = tuple((table.header[i], "") for i in without if i != column)
    return replace(fix, changes=InputChanges(columns=left_out).joined(fix.changes))


def _are_probabilities(values: Floats) -> bool:
    return bool(len(values) and values.min() >= 0 and values.max() <= 1 and not np.isin(values, (0, 1)).all())


def _other_class(table: TextTable, header: str) -> Finding:
    """Return the question what a column holds that is called as what is no melanoma."""
    as_risk = renaming("column", ((header, "score"),))
    other = replace(as_risk.changes, edits=(("complement", "yes"),))
    fixes = as_risk, SuggestedFix(f"Read 1 minus “{header[:60]}” as the risk of melanoma", other)
    sentence = f"column {header!r} has the name of another class: is it the risk of melanoma, or 1 − risk?"
    return error("column-suspect", table.header_place, sentence).with_fixes(*fixes)


def _read_scores(
    is_raw: bool, column: int, rows: AlignedRows, problems: list[Finding], findings: list[Finding]
) -> Values:
    outputs, faults = predictions.read_numbers(_without_words(rows, column), [column], problems, findings)
    scores = outputs[~np.isnan(outputs[:, 0]), 0]
    asked = [] if is_raw else [*_of_another_scale(scores, rows.table, column)]
    problems += asked
    findings += [] if asked else score_warnings(scores, rows.table.name, of_table=True)
    hard = bool(len(scores)) and bool(np.isin(scores, (0, 1)).all())
    if hard:
        sentence = (
            "the scores are only 0 and 1, so they are decisions. The AUC is that of one operating point."
        )
        findings.append(note("labels-only", rows.table.header_place, sentence))
    return Values(outputs, predicted_positive(outputs), faults, hard)


def _of_another_scale(scores: Floats, table: TextTable, column: int) -> Iterator[Finding]:
    """Yield the question about the scale of percent and bytes, and of what is called logits; other numbers
    are taken as the official program takes them."""
    scale = number_parsing.scale_of(scores[:, np.newaxis])
    named = bool(len(scores)) and "logit" in table.keys[column] and not are_risks(scores)
    kind = number_parsing.WORDS.get(scale, "logits" if named else "")
    if kind:
        sentence = (
            f"column {table.header[column]!r} holds numbers from {scores.min():.4g} to {scores.max():.4g}, "
            f"which look like {kind.partition('.')[0]}. The official program does not convert numbers: above "
            "0.5 is melanoma. What are these numbers?"
        )
        fixes = number_parsing.OF_RISKS.get(scale, number_parsing.OF_RISKS[number_parsing.LOGITS])
        yield error("column-suspect", table.header_place, sentence).with_fixes(*fixes, RAW)


def _without_words(rows: AlignedRows, column: int) -> AlignedRows:
    """Return rows with 0 and 1 in place of labels in words."""
    cells = list(rows.table.columns[column])
    labels = {cell: label for cell in {*cells} if (label := _word(cell)) is not None}
    # Among numbers, or alone, "inf" is an infinite one; among words it is the diagnosis INF.
    if {*map(tables.key, labels)} <= {"inf"} or any(NUMBER.fullmatch(cell.strip()) for cell in cells):
        labels = {cell: label for cell, label in labels.items() if tables.key(cell) != "inf"}
    if not labels:
        return rows
    columns = [*rows.table.columns]
    columns[column] = tuple(str(labels.get(cell, cell)) for cell in cells)
    return replace(rows, table=replace(rows.table, columns=tuple(columns)))


def _word(cell: str) -> int | None:
    """Return what a label in words means as a score; None for numbers and anything else."""
    return None if NUMBER.fullmatch(cell.strip()) else _called(cell)


MOST_COLUMNS = 2
"""Names of the columns of scores, for other lesions and for melanoma."""


def recognise(contents: FileContents) -> Iterator[Candidate]:
    """Yield the inputs of this challenge that the files may be: a table with or without images, or a model
    with one output."""
    if contents.output_width in (1, 2):
        description = f"a Melanoma model: {counted(contents.output_width or 0, 'output')}"
        yield Candidate(ID, "submission", description, SURE if contents.output_width == 1 else POSSIBLE)
    for table in case_tables(contents):
        yield from _of_table(table, contents)


def _of_table(rows: CaseTable, contents: FileContents) -> Iterator[Candidate]:
    table, n = rows.table, counted(len(rows.table), "image")
    labels = table.cells(rows.label) if rows.label is not None else []
    known = bool(labels) and _are_labels(labels)
    if known:
        diagnoses = any(tables.key(cell) in OTHER_CLASSES for cell in {*labels})
        description = f"a Melanoma test set: labels of {n}{with_pictures(contents)}"
        yield Candidate(ID, "truth", description, POSSIBLE if diagnoses else SURE, rows.ids)
    beside = [i for i in rows.others if not known or i != rows.label]
    column = _score_column(rows, beside, known)
    if column is None:
        return
    cells = table.cells(column)
    values = values_of(table, [column], sample_of)[0]
    numeric = share_of_numbers(values) > 0.5
    if numeric or _are_labels(cells):
        diagnoses = not numeric and any(tables.key(cell) in OTHER_CLASSES for cell in {*cells})
        description = f"a prediction file for Melanoma: {'a score' if numeric else 'a label'} for {n}"
        usual = table.keys[column] in SCORE_COLUMNS and not rows.has_person and not diagnoses
        certainty = POSSIBLE if known or not usual else LIKELY
        if known and column != rows.label and numeric and not are_labels([values]):
            certainty = SURE  # predictions with the truth beside them, as likely as a test set
        yield Candidate(ID, "submission", description, certainty, rows.ids)


def _score_column(rows: CaseTable, beside: Sequence[int], known: bool) -> int | None:
    """Return the column of a submission's scores; None if the table is none.

    Args:
        beside: Columns beside the image, the person and the labels of a test set.
        known: Whether the table has such labels.
    """
    if len(rows.others) > MOST_COLUMNS and not known:
        return None
    named = (i for name in SCORE_COLUMNS for i in (*beside, *rows.others) if rows.table.keys[i] == name)
    lone = beside if len(beside) == 1 else rows.others if len(rows.others) == 1 else ()
    numbers = zip(beside, values_of(rows.table, beside, sample_of), strict=True) if known else ()
    return next(iter((*named, *lone, *(i for i, values in numbers if _are_probabilities(values)))), None)


def _are_labels(cells: Sequence[str]) -> bool:
    """Return whether nearly all cells say whether a lesion is a melanoma."""
    return sum(label is not None for label in tables.read_once(parse_label, cells)) > 0.9 * len(cells)


read_truth = partial(cases.read_truth, _read_labels, with_demographics=False)
read_images = partial(cases.read_images, with_demographics=False)


def read_predictions(source: Source, truth: SafeScanCases | None, context: Context) -> Predictions:
    """Read a prediction table with `safe_scan.predictions.read_predictions`, and report scores that rank the
    cases in reverse."""
    is_raw = isinstance(source, FixedSource) and RAW.changes.edits[0] in source.changes.edits
    read = predictions.read_predictions(partial(_choose_column, is_raw), source, truth, context)
    if truth is None or truth.labels is None:
        return read
    scores = read.outputs[:, 0]
    reversed_scores = upside_down(scores, truth.labels == 1, read.name, number_parsing.edits_of_risks(scores))
    return replace(read, findings=(*read.findings, *reversed_scores))


def form(_truth: object) -> TableForm:
    """Return the columns that a prediction table must have."""
    return TableForm("filename", {"score": SCORE_COLUMNS}, ID_COLUMNS)
