"""Cells of tables as text, and small tables that are text altogether."""

from collections.abc import Iterable
from typing import Any

from scoring.common.text import markdown
from scoring.core.views import Column, Table
from scoring.presentation.figures.numerals import decimal, span
from scoring.presentation.figures.theme import SMALL, label

COLOURS = {"malignant": "red", "medium": "orange", "benign": "green"}
"""Risk group -> what Streamlit's Markdown calls its colour."""


def cells(column: Column, entry: Table) -> list[Any]:
    """Return what a grid shows of a column; numbers and bars stay numbers, which it writes by itself."""
    values = list(entry.rows[column.name])
    match column.kind:
        case "class":
            return [label(str(name), entry.risks.get(name)) for name in values]
        case "count":
            return [None if n is None else f"{n}{'*' if n < SMALL else ''}" for n in values]
        case "interval":
            return [span(pair, column.digits, sign=column.sign) for pair in values]
    return values


def written(entry: Table) -> str:
    """Return a table as Markdown: numbers to the right, in lighter type what is lighter, classes in the
    colour of their risk group."""
    columns = [column for column in entry.columns if not column.detail]
    heads = [markdown(column.label) for column in columns]
    sides = [":--" if column.kind in ("text", "class") else "--:" for column in columns]
    rows = zip(*(_texts(column, entry) for column in columns), strict=True)
    return "\n".join(map(_line, (heads, sides, *rows)))


def _line(parts: Iterable[str]) -> str:
    return f"| {' | '.join(parts)} |"


def _texts(column: Column, entry: Table) -> list[str]:
    found = cells(column, entry)
    if column.kind in ("number", "bar"):
        found = [decimal(value, column.digits, column.sign) + column.unit for value in found]
    texts = [decimal(None, 0) if value is None else markdown(value) for value in found]
    if column.lighter:
        return [f":gray[{text}]" for text in texts]
    if column.kind != "class":
        return texts
    colours = [COLOURS.get(entry.risks.get(str(name), "")) for name in entry.rows[column.name]]
    return [f":{colour}[{text}]" if colour else text for colour, text in zip(colours, texts, strict=True)]
