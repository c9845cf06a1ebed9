"""HTML document of a report, one file made from templates and figures. `report_blocks` makes the body."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import jinja2
from markupsafe import Markup

from scoring.common import rendered_markdown
from scoring.common.findings import Finding, grouped, tally
from scoring.core.scorecard import plain
from scoring.core.views import Figure
from scoring.presentation.figures.number_format import UNDEFINED, decimal
from scoring.presentation.figures.plotly_figure import Drawing
from scoring.presentation.figures.theme import LIGHT, Theme
from scoring.presentation.svg.draw_figure import WIDTH, svg

# Whatever a label or a name may try, the browser is told to load nothing.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
Build = Callable[[Theme], Drawing]


@dataclass(frozen=True)
class Cell:
    """Text of a table cell. `kind` is a class of the style sheet, `tag` an HTML element around the text."""

    text: object
    kind: str = ""
    tag: str = "span"


@dataclass(frozen=True)
class Number:
    """A number in a table cell, shown with `digits` decimals and a unit. The HTML also contains the unrounded
    number."""

    value: float
    digits: int = 3
    unit: str = ""
    sign: bool = False


@dataclass
class Figures:
    """Figures of a report, drawn in colours for paper.

    Attributes:
        drawn: Whether figures are drawn; False if there is no room for them.
        shown: Figures of the front page, which are not repeated later.
    """

    drawn: bool = True
    shown: list[Figure] = field(default_factory=list)
    count: int = 0

    def place(self, figure: Figure) -> str:
        """Return a figure as HTML, with its question above and its caption below; "" if no figures are drawn,
        or if the front page shows it."""
        if not self.drawn or any(figure is other for other in self.shown):
            return ""
        drawn, question = self.draw(figure.build)
        return render("figure", drawn=Markup(drawn), question=question, caption=figure.caption)

    def draw(self, build: Build, width: int | None = None) -> tuple[str, str]:
        """Return a figure as HTML, and the question that it answers. `width` is its width in pixels if
        several figures share a row."""
        figure, number = build(LIGHT), self.count
        self.count += 1
        kind = "figure part" if width else "figure"
        drawn = svg(figure, width or WIDTH, f"f{number}")
        return f'<div id="figure-{number}" class="{kind}">{drawn}</div>', figure.question


def document(title: str, sections: Iterable[str]) -> str:
    """Return one HTML file made of sections. Each section is HTML, or "" to be left out."""
    written = [Markup(section) for section in sections if section]
    return template("document.html").render(title=title, policy=POLICY, sections=written)


def rule(text: str) -> str:
    """Return the scoring rule of a challenge (Markdown) as HTML, collapsed on a screen."""
    written = Markup(rendered_markdown.html(text))
    return render("folded", question="What is the rule?", summary="Rule in full", parts=[written])


def findings(entries: Iterable[Finding], more: str = "") -> str:
    """Return findings as HTML, worst first and collapsed on a screen. Repeated findings are joined. `more` is
    plain text that follows them."""
    noticed = list(entries)
    if not noticed:
        return section("What was noticed?", "<p>No finding about these files.</p>")
    rows = [
        (Cell(fold.level, kind=fold.level), Cell(fold.code, tag="code"), fold.where, fold.message)
        for fold in grouped(noticed)
    ]
    heads = ("level", "code", "where", "problem and fix")
    listed = Markup(f'<div class="noticed">{table(heads, rows)}</div>')
    below = Markup(render("text", question="", text=more, kind="note")) if more else ""
    return render("folded", question="What was noticed?", summary=tally(noticed), parts=[listed, below])


def provenance(entries: Mapping[str, object]) -> str:
    """Return the provenance of the numbers as HTML, one entry per line."""
    rows = [(name, Cell(_written(value), tag="code")) for name, value in _lines(entries)]
    return section("Where do the numbers come from?", table(("what", "value"), rows))


def _lines(entries: Mapping[str, object], of: str = "") -> Iterator[tuple[str, object]]:
    """Yield name and value of each entry; what holds several, such as teams, each in lines of its own."""
    for name, value in entries.items():
        if isinstance(value, Mapping) and value and all(isinstance(v, Mapping) for v in value.values()):
            for key, held in value.items():
                yield from _lines(held, f"{key}: ")
        elif value is not None:
            yield f"{of}{name.replace('_', ' ')}", value


def _written(value: object) -> str:
    """Return an entry of the provenance in a line: options by name, what holds others as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping) and not any(isinstance(inner, Mapping) for inner in value.values()):
        return "; ".join(f"{name} = {_written(inner)}" for name, inner in value.items() if inner is not None)
    return json.dumps(plain(value), ensure_ascii=False)


def section(question: str, *parts: str) -> str:
    """Return a section: a question, and the parts (HTML) that answer it."""
    return render("question", question=question) + "".join(parts)


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]], right: Sequence[bool] = ()) -> str:
    """Return an HTML table. Numbers have three decimals unless they are integers; cells also contain the
    unrounded numbers.

    Args:
        right: Whether each column is aligned right; by default columns of numbers are.
    """
    cells = [[_cell(value) for value in row] for row in rows]
    columns = [[row[k] for row in cells if row[k] is not None] for k in range(len(heads))]
    right = right or [bool(column) and all(map(_is_number, column)) for column in columns]
    return render("table", heads=heads, rows=cells, right=right)


def render(macro: str, **values: object) -> str:
    """Render a macro of the template file `macros.html` with the given values."""
    return str(getattr(_templates().get_template("macros.html").module, macro)(**values))


def template(name: str) -> jinja2.Template:
    """Return the template of a whole document."""
    return _templates().get_template(name)


@cache
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("scoring.presentation.html"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "decimal": decimal,
        "markdown": lambda text: Markup(rendered_markdown.html(text)),
        "inline": lambda text: Markup(rendered_markdown.inline_html(text)),
        "plain": rendered_markdown.plain,
        "repr": repr,
        "words": _words,
    }
    environment.tests |= {
        "measured": lambda value: isinstance(value, Number),
        "styled": lambda value: isinstance(value, Cell),
    }
    return environment


def _is_number(value: object) -> bool:
    return isinstance(value, (int, Number)) and not isinstance(value, bool)


def _cell(value: object) -> object:
    if isinstance(value, (Cell, Number)):
        return value
    value = plain(value)
    return Number(value) if isinstance(value, float) else value


def words_of(cell: object) -> str:
    """Return the content of a cell as plain text."""
    if isinstance(cell, Cell):
        return words_of(cell.text)
    if isinstance(cell, Number):
        return f"{decimal(cell.value, cell.digits, cell.sign)}{cell.unit}"
    return words_of(Number(cell)) if isinstance(cell, float) else _words(plain(cell))


def _words(value: object) -> str:
    if value is None:
        return UNDEFINED
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
