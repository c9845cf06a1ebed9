"""Predictions of an ISIC Challenge: one score per category, matched to the truth by id."""

from collections.abc import Sequence

import numpy as np

from scoring.challenges.isic import tables as category_tables
from scoring.challenges.isic.categories import OFFICIAL_ID_COLUMNS, PRESETS, preset
from scoring.challenges.isic.official_float_parsing import rounding_note
from scoring.challenges.isic.official_rejections import SPELLING, as_given, spelled_alike, tolerated
from scoring.challenges.isic.tables import CategoryTable, NumberBlock
from scoring.challenges.isic.truth import IsicCases
from scoring.challenges.lesion_names import names_of
from scoring.common.findings import Finding, InputRefused, error, note
from scoring.common.fixes import renaming
from scoring.core.challenge import Context
from scoring.core.submission import Predictions, ignored
from scoring.core.submitted_part import offered
from scoring.inputs import case_tables, number_parsing
from scoring.inputs.column_guess import TableForm
from scoring.inputs.sources import Source, open_source
from scoring.inputs.tables import TextTable

LOGITS = "look like logits; apply softmax or sigmoid"


def label(outputs: np.ndarray) -> np.ndarray:
    """Return the category with the largest score of each case; `outputs` is [N, K]. The result is -1
    (undecided) if several categories share the largest score, or if a score is NaN."""
    if not outputs.shape[1]:
        return np.full(len(outputs), -1)
    columns = np.ascontiguousarray(outputs.T)  # whole columns are compared faster than short rows
    largest = columns == columns.max(0)
    return np.where(largest.sum(0) == 1, largest.argmax(0), -1)


def read_predictions(source: Source, truth: IsicCases | None, context: Context) -> Predictions:
    """Read a prediction table and match it to the cases of the truth. Raises InputRefused with every problem.
    Without a truth, cases keep the order of the file, and the columns of the file are the categories."""
    files = open_source(source, context.name)
    rows = category_tables.read(files, (truth.id_column,) if truth else ())
    table = rows.table
    others = [h for i, h in enumerate(table.header) if i != rows.id_column and h]
    categories = truth.categories if truth else tuple(dict.fromkeys(others))
    present = [c for c in categories if c in table.header and table.header.index(c) != rows.id_column]
    places = [table.header.index(c) for c in present]
    known = {table.header[rows.id_column], *present}
    block = category_tables.numbers(table, places)
    first, again = category_tables.repeated(rows)
    problems = [
        *category_tables.duplicate_columns(table),
        *(category_tables.missing_category(table, c, known) for c in categories if c not in present),
        *_extra_columns(table, rows.id_column, categories, fixable=len(present) == len(categories)),
        *_row_problems(rows, again, places, block),
    ]
    if truth is None and len(categories) < 2:
        sentence = f"{len(categories)} category column{'s' * (len(categories) != 1)}: two or more are needed."
        problems.append(error("too-few-categories", table.name, sentence))
    cases = np.arange(len(table))
    if truth is not None:
        cases, unmatched = _matched(rows, truth, first)
        problems += unmatched
    findings = [
        *tolerated(rows, present, block, truth=False),
        *(as_given(source, truth.files, files.name) if truth else ()),
        *([] if truth else _named(table, categories)),
        *ignored(files, rows.digest_of),
    ]
    if problems:
        raise InputRefused(problems, findings)
    if truth is not None and any(f.code == SPELLING for f in (*truth.findings, *findings)):
        alike = spelled_alike(table.columns[rows.id_column], cases.tolist(), truth.written_ids, files.name)
        findings += [] if alike is None else [alike]
    findings += rounding_note(table, places, block.values, rows.ids)
    outputs = np.empty((len(cases), len(categories)))
    outputs[cases] = block.values
    return Predictions(
        files.name, outputs, label(outputs), False, (), tuple(findings), files.digest(rows.digest_of)
    )


def _named(table: TextTable, categories: Sequence[str]) -> list[Finding]:
    year = preset(categories)
    if year is None:
        return []
    message = (
        f"{len(categories)} categories, as in {'MILK10k' if year == 'milk10k' else 'ISIC ' + year}"
        f"{' without UNK' if len(categories) < len(PRESETS[year]) else ''}."
    )
    return [note("preset", table.name, message)]


def _extra_columns(
    table: TextTable, id_column: int, categories: Sequence[str], fixable: bool
) -> list[Finding]:
    """Return `extra-column` for every column that is not a category. fixable: whether they may be left out;
    not where one of them may be a category that is missing."""
    extra = [
        (i, h)
        for i, h in enumerate(table.header)
        if i != id_column and h not in categories and (not h or table.header.index(h) == i)
    ]
    fixes = [renaming("column", tuple((h, "") for _, h in extra))] if fixable and extra else []
    return [
        error(
            "extra-column",
            table.header_place,
            f"column {h!r} is no category of the truth: leave it out."
            if h
            else category_tables.NAMELESS.format(i + 1),
        ).with_fixes(*fixes)
        for i, h in extra
    ]


def _row_problems(
    rows: CategoryTable, again: dict[int, int], places: Sequence[int], block: NumberBlock
) -> list[Finding]:
    lengths, empty, settled = category_tables.row_problems(rows, again)
    cells = {
        code: category_tables.by_row((cell for cell, fault in block.faults.items() if fault == code), settled)
        for code in ("missing-value", "not-a-number")
    }
    with np.errstate(invalid="ignore"):
        outside = [
            *zip(*np.nonzero((block.values < 0) | (block.values > 1)), strict=True),
            *(cell for cell, fault in block.faults.items() if fault == "not-finite"),
        ]
    rows_outside = category_tables.by_row(((int(row), int(k)) for row, k in outside), settled)
    numbers = block.values[np.isfinite(block.values).all(1)]
    scale = number_parsing.scale_of(numbers) if 2 * len(rows_outside) > len(rows.ids) else ""
    kind = f"are {number_parsing.WORDS[scale]}" if scale in number_parsing.WORDS else LOGITS
    advice = f" These {kind}." if scale else ""
    of_logits = number_parsing.FIXES[number_parsing.LOGITS] if scale else ()
    fixes = number_parsing.FIXES.get(scale, of_logits)
    missing = category_tables.cell_problems(
        rows, "missing-value", cells["missing-value"], places, "holds no number: write one from 0 to 1."
    )
    return [
        *lengths,
        *category_tables.in_row_order([*empty, *missing]),
        *category_tables.cell_problems(rows, "not-a-number", cells["not-a-number"], places, _number_fix),
        *(
            problem.with_fixes(*fixes)
            for problem in category_tables.cell_problems(
                rows, "out-of-range", rows_outside, places, f"is outside 0 to 1.{advice}"
            )
        ),
    ]


def _number_fix(cell: str) -> str:
    if cell.endswith("%"):
        return "is not a number: write 0.45 for 45%."
    if cell.count(",") == 1:
        return "is not a number: write a decimal point, or separate the cells with semicolons."
    return "is not a number: write e.g. 0.73."


def _matched(
    rows: CategoryTable, truth: IsicCases, first: dict[str, int]
) -> tuple[np.ndarray, list[Finding]]:
    """Return the case of every row [rows], and what does not match: `missing-case`, `extra-case`, or one
    `no-common-case`."""
    table = rows.table
    index = dict(zip(truth.ids, range(len(truth)), strict=True))
    if index.keys() == first.keys():
        return np.fromiter(map(index.__getitem__, rows.ids), int, len(rows.ids)), []
    if index.keys().isdisjoint(first):
        start = "no row matches a case of"
        return np.zeros(0, int), [case_tables.nothing_in_common(table.name, start, rows.ids, truth)]
    missing = [
        error("missing-case", name, f"case {name} has no row in {table.name}: add it.")
        for name in truth.ids
        if name not in first
    ]
    extra = [
        error("extra-case", table.place(i), f"case {name} is not in {truth.name}: leave the row out.")
        for name, i in first.items()
        if name and name not in index
    ]
    return np.array([index.get(name, -1) for name in rows.ids]), [*offered(missing), *extra]


def form(truth: IsicCases | None) -> TableForm:
    """Return the columns that a prediction table must have: exactly the categories of the truth."""
    categories = truth.categories if truth else PRESETS["2018"]
    case = truth.id_column if truth and truth.id_column in OFFICIAL_ID_COLUMNS else OFFICIAL_ID_COLUMNS[0]
    return TableForm(case, names_of(categories), (case,), only=True)
