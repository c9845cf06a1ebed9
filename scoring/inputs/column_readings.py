"""Readings of a foreign table: all changes by which its columns, as they are guessed, give what is needed."""

from dataclasses import replace

import numpy as np

from scoring.common.fixes import InputChanges, SuggestedFix
from scoring.inputs.column_guess import ColumnGuess, TableForm
from scoring.inputs.fix_suggestions import IN_PERCENT
from scoring.inputs.number_parsing import parse_numbers
from scoring.inputs.probability_scales import FIXES, LOGITS, PERCENT, scale_of
from scoring.inputs.tables import TextTable


def readings_of(table: TextTable, form: TableForm, guessed: ColumnGuess) -> list[SuggestedFix]:
    """Return the fixes that read columns as guessed, alternatives to each other: those that are numbered in
    either of two orders, and any that may be the one that is needed.

    Args:
        table: The table.
        form: The columns that are needed.
        guessed: Which they may be.
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
        SuggestedFix(f"Read {_named(c).words()}{how * guessed.in_order}", c)
        for how, c in reversed(distinct.values())
    ]


def _named(changes: InputChanges) -> InputChanges:
    """Return changes without the columns that are left out, which a label does not name."""
    return replace(changes, columns=tuple((old, new) for old, new in changes.columns if new))


def _changes(table: TextTable, form: TableForm, guessed: ColumnGuess) -> InputChanges:
    """Return what reads columns as guessed; percent, numbers up to 255 and logits of classes as
    probabilities."""
    changes = guessed.changes(table.header, form)
    cells = [table.cells(table.header.index(header)) for header in guessed.columns.values() if header]
    if not cells or not form.of_probabilities:
        return changes
    if all(map(IN_PERCENT.fullmatch, (cell for column in cells for cell in column))):
        scale = PERCENT
    else:
        points = ([cell.replace(",", ".") for cell in column] for column in cells)
        scale = scale_of(np.column_stack([parse_numbers(column).values for column in points]))
    fixes = FIXES.get(scale, ())[: 1 if scale != LOGITS or len(cells) > 1 else 0]
    return changes.joined(fixes[0].changes) if fixes else changes
