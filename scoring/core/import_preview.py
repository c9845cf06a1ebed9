"""Import preview: a guess at the columns of a refused table, and the score that it gives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from scoring.common.findings import Finding, InputRefused
from scoring.common.fixes import ANY, InputChanges, SuggestedFix, renaming
from scoring.core.file_contents import values_of
from scoring.inputs.case_tables import WITH_METADATA, find_table
from scoring.inputs.column_guess import ColumnGuess, TableForm, guess
from scoring.inputs.sources import FixedSource, PlainSource, Source, open_source
from scoring.inputs.tables import TextTable, key
from scoring.metrics import calibration

if TYPE_CHECKING:
    from scoring.core.challenge import Challenge

OF_COLUMNS = ("missing-column", "extra-column")
ROWS = 5
WIDTH = 60


class WithIds(Protocol):
    """Cases with ids."""

    @property
    def ids(self) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class ImportPreview:
    """A table whose columns are not those that are needed.

    Attributes:
        rows: Its first rows.
        scale: What the numbers are: "probabilities", "percent", "logits" or "other numbers".
        marks: What separates its cells and decimals, in words.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    form: TableForm
    guess: ColumnGuess
    scale: str
    marks: str


def with_columns(
    refused: InputRefused, source: Source, form: TableForm, truth: WithIds | None
) -> InputRefused:
    """Return a refusal with the fix that reads all columns as guessed, where that finds all that are needed.

    Args:
        refused: The refusal.
        source: What was read.
        form: The columns that are needed.
        truth: The cases.
    """
    first = next((i for i, p in enumerate(refused.problems) if p.code in OF_COLUMNS), None)
    table = None if first is None else _table(source)
    if first is None or table is None:
        return refused
    guessed = guess(table, form, truth.ids if truth is not None else None)
    changes = guessed.changes(table.header, form)
    if not guessed.is_whole or len(changes.columns) < 2:
        return refused  # a fix of one column stands with its problem
    known = {key(name) for name in (form.case, *form.case_names)}
    if key(guessed.case or "") in known and any(map(_has_pattern, refused.problems)):
        return refused  # so does one of what all columns have in common
    fix = renaming("column", changes.columns)
    if guessed.in_order:
        fix = replace(fix, label=f"{fix.label}, in the order of the challenge's classes")
    problems = list(refused.problems)
    problems[first] = replace(problems[first], fixes=(fix, *problems[first].fixes))
    return InputRefused(problems, refused.findings)


def _has_pattern(problem: Finding) -> bool:
    return any(ANY in old for fix in problem.fixes for old, _ in fix.changes.columns)


def _table(source: Source) -> TextTable | None:
    """Return the table of a source; None where none can be read."""
    try:
        files = open_source(source)
        return files.read_table(find_table(files, WITH_METADATA))[1]
    except InputRefused:
        return None


def preview(source: Source, form: TableForm, truth: WithIds | None, name: str) -> ImportPreview | None:
    """Return what a refused table holds; None where none can be read.

    Args:
        source: What was submitted.
        form: The columns that are needed.
        truth: The cases.
        name: What messages call it.
    """
    table = _table(open_source(source, name))
    if table is None:
        return None
    rows = tuple(
        tuple(column[row][:WIDTH] for column in table.columns) for row in range(min(ROWS, len(table)))
    )
    guessed = guess(table, form, truth.ids if truth is not None else None)
    headers = [header for header in guessed.columns.values() if header]
    return ImportPreview(table.header, rows, form, guessed, _scale(table, headers), _marks(table))


def _scale(table: TextTable, headers: Sequence[str]) -> str:
    values = values_of(table, [table.header.index(header) for header in headers])
    if not values:
        return "other numbers"
    outputs = np.column_stack(values)
    outputs = outputs[~np.isnan(outputs).any(1)]
    if not len(outputs):
        return "other numbers"
    if calibration.are_percent(outputs):
        return "percent"
    if outputs.min() >= 0 and outputs.max() <= 1:
        return "probabilities"
    return "logits" if outputs.min() < 0 else "other numbers"


def _marks(table: TextTable) -> str:
    named = {",": "commas", ";": "semicolons", "\t": "tabs"}[table.delimiter]
    decimal = table.delimiter != "," and any(
        "," in cell for column in table.columns for cell in column[:ROWS]
    )
    between = table.written.other_format or f"{named} between cells"
    return f"{between}, decimal {'commas' if decimal else 'points'}"


def chosen(
    preview: ImportPreview, case: str | None, columns: Mapping[str, str | None]
) -> SuggestedFix | None:
    """Return the fix that reads a table by the columns that were chosen; None where one is still open.

    Args:
        columns: Needed column -> header.
    """
    guessed = ColumnGuess(case, columns, False)
    taken = [header for header in (case, *columns.values()) if header]
    if not guessed.is_whole or len({*taken}) < len(taken):
        return None
    changes = guessed.changes(preview.header, preview.form)
    return renaming("column", changes.columns) if changes.columns else None


def score_of(
    challenge: "Challenge[Any, Any]", source: PlainSource, changes: InputChanges, truth: Any, name: str
) -> float | None:
    """Return the score that a table has with changes; None where it is refused for another reason.

    Args:
        challenge: The challenge.
        source: The table.
        changes: What is changed of it.
        truth: The cases.
        name: What messages call it.
    """
    try:
        read = challenge.read_predictions(FixedSource(source, changes), truth, name)
        return challenge.score(truth, read, resamples=0, with_curves=False).score
    except InputRefused:
        return None
