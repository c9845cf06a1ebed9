"""Tables of a page: columns, cells and names of cases; small tables as Markdown."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from scoring.common.direction_and_range import Better
from scoring.common.findings import SMALL_CLASS
from scoring.common.text import common_start, markdown
from scoring.core.views import Column, Table
from scoring.presentation.figures.number_format import UNDEFINED, decimal, span
from scoring.presentation.figures.theme import Theme, label

COLOURS = {"malignant": "red", "medium": "orange", "benign": "green"}
"""Risk group -> name of its colour in Streamlit's Markdown."""
LEFT_TO_RIGHT = "\u200e"
"""Unicode mark. Without the mark, text that begins with Arabic or Hebrew letters leaves its cell."""
RIGHT_TO_LEFT = re.compile(r"[^A-Za-z]*[\u0591-\u08ff\ufb1d-\ufdfd\ufe70-\ufefc]")
CASE = "case"
"""Table column with the names of cases."""


def shortener(names: Sequence[str]) -> Callable[[str], str]:
    """Return the function that removes the common start of these names."""
    start = common_start(names)
    return lambda name: str(name).removeprefix(start)


def shortened_column(
    rows: pd.DataFrame, columns: dict[str, Any], name: str = CASE
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return rows with shortened case names, and the display of columns: the tooltip of the heading says what
    was removed.

    Args:
        columns: Column -> column_config.
        name: The column of names; unchanged if it contains anything but text.
    """
    named = name in rows and name in columns and pd.api.types.is_string_dtype(rows[name])
    start = common_start(rows[name].tolist()) if named else ""
    if not start:
        return rows, columns
    sentence = (
        f"Names are shown without their common beginning {markdown(start, 60)}; the downloaded table has the "
        "full names."
    )
    before = columns[name].get("help")
    config = {**columns[name], "help": f"{before} {sentence}" if before else sentence}
    return rows.assign(**{name: rows[name].str.removeprefix(start)}), {**columns, name: config}


def with_direction(explain: str | None, better: Better | None) -> str | None:
    """Return an explanation with the better direction added. It belongs into a tooltip: an arrow in a table's
    heading would look like a sort order."""
    direction = f"{better.capitalize()} is better." if better else None
    ended = explain if not explain or explain.endswith((".", "!", "?")) else f"{explain}."
    return " ".join(filter(None, (ended if direction else explain, direction))) or None


def number_column(
    name: str,
    digits: int = 3,
    width: int | None = None,
    explain: str | None = None,
    better: Better | None = None,
):
    """Return a right-aligned column with a fixed number of decimals."""
    explained = with_direction(explain, better)
    return st.column_config.NumberColumn(
        name, format=f"%.{digits}f", width=width, alignment="right", help=explained
    )


def text_column(name: str, width: int | None = None, right: bool = False, explain: str | None = None):
    """Return a column of text; intervals are aligned right."""
    return st.column_config.TextColumn(
        name, width=width, alignment="right" if right else "left", help=explain
    )


def cells_of(column: Column, entry: Table) -> list[Any]:
    """Return the values of a column for a grid; numbers and bars stay numbers, which the grid formats."""
    values = list(entry.rows[column.name])
    match column.kind:
        case "class":
            return [label(str(name), entry.risks.get(name)) for name in values]
        case "count":
            return [None if n is None else f"{n}{'*' if n < SMALL_CLASS else ''}" for n in values]
        case "interval":
            return [span(pair, column.digits, sign=column.sign) for pair in values]
    return [
        LEFT_TO_RIGHT + text if isinstance(text, str) and RIGHT_TO_LEFT.match(text) else text
        for text in values
    ]


def written(entry: Table) -> str:
    """Return a table as Markdown: numbers right-aligned, secondary values in lighter type, classes in the
    colour of their risk group."""
    columns = [column for column in entry.columns if not column.detail]
    heads = [markdown(column.label) for column in columns]
    sides = [":--" if column.kind in ("text", "class") else "--:" for column in columns]
    rows = zip(*(_texts(column, entry) for column in columns), strict=True)
    return "\n".join(map(_line, (heads, sides, *rows)))


def _line(parts: Iterable[str]) -> str:
    return f"| {' | '.join(parts)} |"


def _texts(column: Column, entry: Table) -> list[str]:
    cells = cells_of(column, entry)
    if column.kind in ("number", "bar"):
        cells = [decimal(value, column.digits, column.sign) + column.unit for value in cells]
    texts = [decimal(None, 0) if value is None else markdown(value) for value in cells]
    if column.lighter:
        return [f":gray[{text}]" for text in texts]
    if column.kind != "class":
        return texts
    colours = [COLOURS.get(entry.risks.get(str(name), "")) for name in entry.rows[column.name]]
    return [f":{colour}[{text}]" if colour else text for colour, text in zip(colours, texts, strict=True)]


def styled(entry: Table, theme: Theme) -> tuple[Styler, dict[str, Any]]:
    """Return the rows in their colours, and how each column is shown."""
    columns = [column for column in entry.columns if not column.detail]
    cells = pd.DataFrame({column.name: cells_of(column, entry) for column in columns})
    configs = {column.name: _config(column, theme) for column in columns}
    cells, configs = shortened_column(cells, configs, entry.cases or CASE)
    risks = {name: theme.risk[risk] for name, risk in entry.risks.items() if risk in theme.risk}
    styler = Styler(cells, na_rep=UNDEFINED)
    for column in columns:
        if column.lighter:
            styler = styler.set_properties(subset=[column.name], color=theme.soft)
        elif column.kind == "class" and risks:
            colours = [risks.get(name) for name in entry.rows[column.name]]
            styles = [f"color: {colour}" if colour else "" for colour in colours]
            styler = styler.apply(lambda _, styles=styles: styles, subset=[column.name])
    return styler, configs


def _config(column: Column, theme: Theme):
    name, width = column.label, column.width
    explain = with_direction(column.help or column.full, column.better)
    unit = column.unit.replace("%", "%%")
    match column.kind:
        case "number":
            return st.column_config.NumberColumn(
                name,
                format=f"%{'+' * column.sign}.{column.digits}f{unit}",
                width=width,
                alignment="right",
                help=explain,
            )
        case "bar":
            colour = theme.risk.get(column.colour) or getattr(theme, column.colour)
            return st.column_config.ProgressColumn(
                name,
                min_value=0,
                max_value=column.most,
                format=f"%.{column.digits}f{unit}",
                color=colour,
                width=width,
                help=explain,
            )
    return text_column(name, width, column.kind in ("count", "interval", "written"), explain)


def frame(entry: Table) -> pd.DataFrame:
    """Return all content of a table for a download: unrounded, with the ends of an interval in two
    columns."""
    columns: dict[str, list] = {}
    for column in entry.columns:
        values = list(entry.rows[column.name])
        if column.kind == "interval":
            pairs = [pair or (None, None) for pair in values]
            columns[f"{column.name}_low"] = [low for low, _ in pairs]
            columns[f"{column.name}_high"] = [high for _, high in pairs]
        else:
            columns[column.name] = values
    return pd.DataFrame(columns)
