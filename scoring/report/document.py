"""Reports as one HTML file: the templates, the pieces that every report is made of, and the figures in it."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import jinja2
import plotly.graph_objects as go
from markupsafe import Markup

from scoring import markup
from scoring.figures import export
from scoring.figures.numerals import UNDEFINED, decimal
from scoring.figures.theme import DARK, LIGHT, Theme
from scoring.findings import LEVELS, Finding
from scoring.scorecard import plain

# Whatever a label or a name may try, the browser is told to load nothing.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)
Build = Callable[[Theme], go.Figure]


@dataclass(frozen=True)
class Cell:
    """Text of a table's cell. kind: a class of the style sheet. tag: an element to wrap it in."""

    text: object
    kind: str = ""
    tag: str = "span"


@dataclass(frozen=True)
class Number:
    """A number of a table's cell, shown with `digits` decimals and a unit; the cell carries it unrounded."""

    value: float
    digits: int = 3
    unit: str = ""
    sign: bool = False


@dataclass
class Figures:
    """The figures of a document in the order in which they were placed, each drawn in both themes.

    drawn: False leaves them out, where no script may run.
    """

    drawn: bool = True
    pairs: list[tuple[go.Figure, go.Figure]] = field(default_factory=list)

    def place(self, build: Build, caption: str = "") -> str:
        """Return a figure's place in the document, under the question it answers. caption: Markdown."""
        if not self.drawn:
            return ""
        drawn, question = self.draw(build)
        return render("figure", drawn=Markup(drawn), question=question, caption=caption)

    def draw(self, build: Build, panel: bool = False) -> tuple[str, str]:
        """Return the element that a figure is drawn into, and its question. panel: one of several small
        ones."""
        self.pairs.append((build(LIGHT), build(DARK)))
        figure = self.pairs[-1][0]
        return export.place(len(self.pairs) - 1, figure, panel), str(figure.layout.meta["question"])

    def scripts(self) -> str:
        """Return the scripts that draw them all."""
        return export.self_contained(self.pairs)


def document(title: str, sections: Iterable[str], figures: Figures) -> str:
    """Return one HTML file of sections (HTML, "" for none) and the figures that were placed in them."""
    # The sections place the figures: all of them first.
    written = [Markup(section) for section in sections if section]
    return (
        _templates()
        .get_template("document.html")
        .render(title=title, policy=POLICY, sections=written, figures=figures)
    )


def opening(title: str, formula: str, how: str, rule: str) -> str:
    """Return heading, what is scored and how it is read, what the report is not, and the rule (Markdown)
    behind a click."""
    return render("opening", title=title, formula=formula, how=how, rule=rule)


def findings(entries: Iterable[Finding]) -> str:
    """Return what was noticed, worst first."""
    ordered = sorted(entries, key=lambda finding: LEVELS.index(finding.level))
    if not ordered:
        return section("What was noticed?", "<p>Nothing was noticed about these files.</p>")
    return section("What was noticed?", finding_table(ordered))


def finding_table(entries: Iterable[Finding]) -> str:
    """Return findings as a table, in their order."""
    rows = [(Cell(f.level, kind=f.level), Cell(f.code, tag="code"), f.where, f.message) for f in entries]
    return table(("level", "code", "where", "what and how to mend it"), rows)


def provenance(entries: Mapping[str, object]) -> str:
    """Return where the numbers come from, an entry a line."""
    rows = [
        (
            Cell(name),
            Cell(
                value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False), tag="code"
            ),
        )
        for name, value in entries.items()
    ]
    return section("Where do the numbers come from?", table(("what", "value"), rows))


def section(question: str, *parts: str) -> str:
    """Return parts (HTML) under the question that they answer."""
    return render("question", question=question) + "".join(parts)


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]], right: Sequence[bool] = ()) -> str:
    """Return an HTML table. Numbers carry their unrounded value and have three decimals if they are not
    whole.

    right: for each column whether it stands to the right; columns of numbers if not given.
    """
    cells = [[_cell(value) for value in row] for row in rows]
    columns = [[row[k] for row in cells if row[k] is not None] for k in range(len(heads))]
    right = right or [bool(column) and all(map(_is_number, column)) for column in columns]
    return render("table", heads=heads, rows=cells, right=right)


def render(macro: str, **values: object) -> str:
    """Return what a macro of `macros.html` makes of the values."""
    return str(getattr(_templates().get_template("macros.html").module, macro)(**values))


def template(name: str) -> jinja2.Template:
    """Return a template of a whole document."""
    return _templates().get_template(name)


@cache
def _templates() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("scoring.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "decimal": decimal,
        "markdown": lambda text: Markup(markup.html(text)),
        "inline": lambda text: Markup(markup.inline_html(text)),
        "plain": markup.plain,
        "repr": repr,
        "words": _words,
    }
    made.tests |= {
        "measured": lambda value: isinstance(value, Number),
        "styled": lambda value: isinstance(value, Cell),
    }
    return made


def _is_number(value: object) -> bool:
    return isinstance(value, (int, Number)) and not isinstance(value, bool)


def _cell(value: object) -> object:
    if isinstance(value, (Cell, Number)):
        return value
    value = plain(value)
    return Number(value) if isinstance(value, float) else value


def _words(value: object) -> str:
    if value is None:
        return UNDEFINED
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
