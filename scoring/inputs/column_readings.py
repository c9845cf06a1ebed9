"""Possible readings of an unknown table: sets of changes that turn its guessed columns into the required
ones."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scoring.common.fixes import SHOWN, InputChanges, SuggestedFix
from scoring.inputs.column_guess import ColumnGuess, TableForm, guess
from scoring.inputs.fix_suggestions import IN_PERCENT
from scoring.inputs.number_parsing import parse_numbers
from scoring.inputs.probability_scales import FIXES, LOGITS, PERCENT, scale_of
from scoring.inputs.tables import TextTable, key

LOOKED_AT = 2_000
"""Rows, spread over a table, by which its scale is told."""


def readings_of(table: TextTable, form: TableForm, guessed: ColumnGuess) -> list[SuggestedFix]:
    """Return alternative fixes that apply guessed columns: numbered columns in either of two orders, or each
    column that could be the required one.

    Args:
        table: The table.
        form: The required columns.
        guessed: The guessed columns.
    """
    readings = {"": guessed}
    if guessed.any_of and guessed.case is not None:
        named = [dict.fromkeys(form.columns, header) for header in guessed.any_of]
        readings = {f" {i}": replace(guessed, columns=columns) for i, columns in enumerate(named)}
    elif guessed.in_order:
        by_name = dict(zip(sorted(guessed.columns), guessed.columns.values(), strict=True))
        readings = {
            ", in the order of the challenge's classes": guessed,
            ", in the order of their names": replace(guessed, columns=by_name),
        }
    changes = {how: _changes(table, form, reading) for how, reading in readings.items()}
    distinct = {frozenset(c.columns): (how, c) for how, c in reversed(changes.items()) if c}
    return [
        SuggestedFix(f"{_named(c).command()}{how * guessed.in_order}", c)
        for how, c in reversed(distinct.values())
    ]


def rival_of(
    table: TextTable, form: TableForm, guessed: ColumnGuess, ids: Sequence[str] | None
) -> tuple[SuggestedFix, ...]:
    """Return the fixes that read one of two whole sets of columns, of which one may be the truth: those that
    are called as needed, and others of the same names with something before or after; none for one set.

    Args:
        table: The table.
        form: The columns that are needed.
        guessed: The first set.
        ids: Cases of the truth.
    """
    own = {*guessed.columns.values()}
    if (
        not guessed.is_whole
        or guessed.in_order
        or {*map(key, form.columns)} != {key(name or "") for name in own}
    ):
        return ()
    unread = [index for index, header in enumerate(table.header) if header not in own]
    rest = replace(
        table,
        header=tuple(table.header[index] for index in unread),
        keys=tuple(table.keys[index] for index in unread),
        columns=[table.columns[index] for index in unread],
    )
    other = guess(rest, form, ids)
    if not other.is_whole or other.in_order or len(form.columns) < 2:
        return ()
    changes = _changes(table, form, other)
    dropped = tuple((written, "") for written in other.columns.values() if written)
    first = InputChanges(
        columns=tuple((dict(guessed.changes(table.header, form).columns) | dict(dropped)).items())
    )
    names = ", ".join(f"“{name}”" for name in list(form.columns)[:SHOWN])
    return (
        SuggestedFix(_named(changes).command(), changes),
        SuggestedFix(f"Read columns {names} and so on by their names", first),
    )


def _named(changes: InputChanges) -> InputChanges:
    """Return changes without the columns that are left out, which a label names only where nothing else
    is changed."""
    columns = tuple((old, new) for old, new in changes.columns if new)
    return replace(changes, columns=columns or changes.columns)


def _changes(table: TextTable, form: TableForm, guessed: ColumnGuess) -> InputChanges:
    """Return what reads columns as guessed; percent, numbers up to 255 and logits of classes as
    probabilities."""
    changes = guessed.changes(table.header, form)
    step = -(-len(table) // LOOKED_AT)
    columns = [table.columns[table.header.index(header)] for header in guessed.columns.values() if header]
    cells = [[cell.strip() for cell in list(column)[::step]] for column in columns]
    if not cells or not form.of_probabilities:
        return changes
    if all(map(IN_PERCENT.fullmatch, (cell for column in cells for cell in column))):
        scale = PERCENT
    else:
        points = ([cell.replace(",", ".") for cell in column] for column in cells)
        scale = scale_of(np.column_stack([parse_numbers(column).values for column in points]))
    fixes = FIXES.get(scale, ())[: 1 if scale != LOGITS or len(cells) > 1 else 0]
    return changes.joined(fixes[0].changes) if fixes else changes
