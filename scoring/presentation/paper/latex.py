"""LaTeX tables with booktabs, and CSV with unrounded numbers."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

from scoring.common.citation import latex
from scoring.common.text import csv_cell, shortened
from scoring.core.scorecard import plain
from scoring.core.views import Column, Table, directed
from scoring.presentation.figures.number_format import MINUS, UNDEFINED
from scoring.presentation.figures.theme import SHAPES
from scoring.presentation.html.page_template import words_of
from scoring.presentation.html.report_blocks import RIGHT, cell, shown_column

WRITTEN = {
    MINUS: "$-$",
    UNDEFINED: "--",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "→": r"$\rightarrow$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "τ": r"$\tau$",
    "µ": r"$\mu$",
    "μ": r"$\mu$",
    "²": "$^2$",
    "…": r"\ldots{}",
    "’": "'",
    "⋅": r"$\cdot$",
    "·": r"$\cdot$",
    SHAPES["malignant"]: r"$\triangle$",
    SHAPES["medium"]: r"$\diamond$",
    SHAPES["benign"]: r"$\bullet$",
}
"""Characters that LaTeX cannot print without packages -> their replacements."""
CAPTION = 2000
"""Maximum number of characters of a caption. Only captions are cut."""
ROOM = 75
"""Number of characters that fit the width of a page with usual margins."""
GAP = 2
"""Width of the gap between two columns, in characters."""


def text(value: str, most: int = 400) -> str:
    """Return a text on one line, cut to `most` characters and then escaped for LaTeX."""
    line = latex(shortened(value, most))
    written = "".join(WRITTEN.get(character, character) for character in line).strip()
    return f"{{}}{written}" if written.startswith(("[", "*")) else written  # else an option of the row before


def table(block: Table, caption: str, label: str) -> str:
    """Return a table as LaTeX with booktabs."""
    columns = [shown_column(column, block) for column in block.columns]
    cells = [
        [words_of(cell(column, value, block)) for value in block.rows[column.name]] for column in columns
    ]
    sides = "".join("r" if column.kind in RIGHT else "l" for column in columns)
    full, short = (
        [directed(name, c.better) for c, name in zip(columns, names, strict=True)]
        for names in (
            [column.full or column.label for column in columns],
            [column.label for column in columns],
        )
    )
    heads = full if _width(full, cells) <= ROOM else short
    is_wide = _width(heads, cells) > ROOM
    rows = [" & ".join(map(text, row)) for row in zip(*cells, strict=True)]
    lines = (
        r"% \usepackage{booktabs, graphicx}" if is_wide else r"% \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{text(caption, CAPTION)}}}",
        rf"\label{{tab:{label}}}",
        *([r"\resizebox{\linewidth}{!}{%"] if is_wide else []),
        rf"\begin{{tabular}}{{{sides}}}",
        r"\toprule",
        " & ".join(map(text, heads)) + r" \\",
        r"\midrule",
        *(rf"{row} \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}" + "}" * is_wide,
        r"\end{table}",
    )
    return "\n".join(lines) + "\n"


def _width(heads: Sequence[str], cells: Sequence[Sequence[str]]) -> int:
    """Return how many characters the columns of a table take side by side."""
    return sum(max(map(len, (head, *column))) + GAP for head, column in zip(heads, cells, strict=True))


def comma_separated(block: Table) -> str:
    """Return a table as CSV with unrounded numbers. An interval becomes two columns. Text is written so that
    spreadsheet programs do not read it as a formula."""
    columns = [named for column in block.columns for named in _columns(column, block)]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([csv_cell(name) for name, _ in columns])
    writer.writerows(zip(*(values for _, values in columns), strict=True))
    return file.getvalue()


def _columns(column: Column, block: Table) -> Iterator[tuple[str, Sequence[Any]]]:
    name, values = column.full or column.label, [plain(value) for value in block.rows[column.name]]
    if column.kind == "interval":
        pairs = [value or (None, None) for value in values]
        yield f"{name}, low", ["" if low is None else low for low, _ in pairs]
        yield f"{name}, high", ["" if high is None else high for _, high in pairs]
    else:
        yield name, ["" if value is None else csv_cell(value) for value in values]
