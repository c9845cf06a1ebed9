"""Converts blocks of `scoring.core.views` to HTML, and makes the front page of a report."""

import base64
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from scoring.common.findings import SMALL_CLASS, Finding, tally
from scoring.common.text import markdown
from scoring.core.challenge import Challenge
from scoring.core.scorecard import plain
from scoring.core.views import (
    Block,
    Choice,
    Column,
    Fact,
    Facts,
    Figure,
    Gallery,
    Headline,
    Panels,
    Section,
    SideBySide,
    Status,
    Table,
    Text,
    directed,
)
from scoring.presentation.figures.number_format import span
from scoring.presentation.figures.theme import label
from scoring.presentation.html.page_template import Cell, Figures, Number, render, table
from scoring.version import __version__

STATUS = 1200
"""Maximum number of characters of the text that says whether a score is official."""
PANEL, WIDE_PANEL = 210, 330
"""Width in pixels of a small figure, and of a figure that needs more room."""
RIGHT = ("number", "bar", "count", "interval", "written")
"""Kinds of columns that are aligned right."""
FRONT_FIGURES = 3
"""Number of figures on the front page."""
HALF_WIDTH = 440
"""Width in pixels with which a figure that shares a row is drawn; the page shows it smaller."""

Lines = Sequence[tuple[str, str]]
"""Lines below the title, as names and texts: test set, submission, team, date."""


def sections(entries: Iterable[Section], figures: Figures) -> Iterator[str]:
    """Yield the sections as HTML, each with its name and its figures."""
    for section in entries:
        parts = [html(block, figures) for block in section.blocks]
        if any(parts):
            yield render("chapter", name=section.name, parts=[Markup(part) for part in parts])


def html(block: Block, figures: Figures) -> str:
    """Return a block as HTML. Blocks that a page shows side by side or one at a time are put one below the
    other; only texts stay side by side."""
    match block:
        case Figure():
            return figures.place(block)
        case Panels():
            return _panels(block, figures)
        case Table():
            return _table(block)
        case Facts():
            rows = fact_rows(block.facts)
            return render("facts", question=block.question, facts=rows, caption=block.caption)
        case Text():
            return render("text", question=block.question, text=block.text, kind=block.kind)
        case Gallery():
            return _gallery(block)
        case SideBySide() if all(isinstance(inner, Text) for column in block.columns for inner in column):
            texts = [Markup("".join(html(inner, figures) for inner in column)) for column in block.columns]
            return render("beside", texts=texts)
        case SideBySide():
            return "".join(html(inner, figures) for column in block.columns for inner in column)
        case Choice():
            options = list(block.options.values())[: block.printed]
            return "".join(html(inner, figures) for inner in options)


def headline(entry: Headline, below: str, figures: Figures) -> str:
    """Return the score, the numbers beside it, and its parts as HTML. `below` is the text below the score."""
    score, facts = entry.score, fact_rows(entry.facts)
    name = directed(score.name, score.better)
    parts = [render("hero", name=name, value=score.value, below=below, method=score.explain or "")]
    parts += _status(entry.status)
    if facts:
        parts.append(render("facts", question="", facts=facts, caption=""))
    if entry.strip:
        parts.append(figures.place(entry.strip))
    if entry.arithmetic:
        parts.append(render("text", question="", text=entry.arithmetic, kind="plain"))
    return "".join((*parts, *(html(note, figures) for note in (*entry.parts, *entry.notes))))


def _status(status: Status) -> Iterator[str]:
    """Yield what the submission lacks, and whether the score is official."""
    if status.incomplete:
        text = f"**Incomplete: {markdown(status.incomplete, STATUS)}.**"
        yield render("text", question="", text=text, kind="caution")
    if status.official:
        kind = "plain" if status.is_official else "caution"
        text = f"**{markdown(status.badge)}**  \n{markdown(status.official, STATUS)}"
        yield render("text", question="", text=text, kind=kind)


def fact_rows(facts: Iterable[Fact]) -> list[tuple[str, str, str, str | None]]:
    """Return name, value, text below and explanation of each fact."""
    return [(directed(fact.name, fact.better), fact.value, fact.below, fact.explain) for fact in facts]


def _panels(block: Panels, figures: Figures) -> str:
    if not figures.drawn:
        return ""
    width = panel_width(block)
    panels = [
        (panel.title, Markup(figures.draw(panel.build, width)[0]), panel.below) for panel in block.panels
    ]
    return render("panels", question=block.question, panels=panels, caption=block.caption, wide=width > PANEL)


def panel_width(block: Panels) -> int:
    """Return the width in pixels with which a report draws each small figure of a block."""
    return WIDE_PANEL if block.width > PANEL else PANEL


def _gallery(block: Gallery) -> str:
    pictures = [
        (f"data:image/png;base64,{base64.b64encode(picture.build()).decode()}", picture.alt, picture.caption)
        for picture in block.pictures
    ]
    return render("gallery", question=block.question, pictures=pictures, caption=block.caption)


def _table(block: Table) -> str:
    columns = [shown_column(column, block) for column in block.columns]
    values = [[cell(column, value, block) for value in block.rows[column.name]] for column in columns]
    heads = [directed(column.full or column.label, column.better) for column in columns]
    right = [column.kind in RIGHT for column in columns]
    return render(
        "titled_table",
        question=block.question,
        table=Markup(table(heads, zip(*values, strict=True), right)),
        caption=block.caption,
    )


def shown_column(column: Column, block: Table) -> Column:
    """Return the column as it is shown: without decimals if all its numbers are counts."""
    values = [value for value in map(plain, block.rows[column.name]) if value is not None]
    whole = column.kind == "number" and all(isinstance(value, int) for value in values)
    return replace(column, digits=0) if whole else column


def cell(column: Column, raw: object, block: Table) -> object:
    """Return a value of a table as a cell of the document."""
    value: Any = plain(raw)
    if value is None:
        return None
    match column.kind:
        case "number" | "bar":
            return Number(value, column.digits, column.unit, column.sign)
        case "count":
            return f"{value}{'*' if value < SMALL_CLASS else ''}"
        case "interval":
            return Cell(span(value, column.digits, sign=column.sign), kind="soft")
        case "class":
            risk = block.risks.get(str(value))
            return Cell(label(str(value), risk), kind=risk or "")
    return Cell(value, kind="soft") if column.lighter else value


def front_figures(strip: Figure | None, sections: Iterable[Section]) -> list[Figure]:
    """Return the figures of the front page: the parts of the score, and the first figure of each section,
    `FRONT_FIGURES` at most."""
    firsts = (next(_each_figure(section.blocks), None) for section in sections)
    return [figure for figure in (strip, *firsts) if figure is not None][:FRONT_FIGURES]


def _each_figure(blocks: Iterable[Block]) -> Iterator[Figure]:
    for block in blocks:
        match block:
            case Figure():
                yield block
            case SideBySide():
                for column in block.columns:
                    yield from _each_figure(column)
            case Choice():
                yield from _each_figure(list(block.options.values())[:1])


def front_page(title: str, formula: str, lines: Lines) -> str:
    """Return the front page as HTML: title, description of the score, lines from the caller, and a note on
    the limits of the report."""
    return render("front", title=title, formula=formula, lines=[line for line in lines if line[1]])


def front_pictures(figures: Figures, chosen: Sequence[Figure]) -> str:
    """Return HTML with the first figure over the whole width, and two more side by side. Later sections do
    not repeat these figures."""
    drawn = [
        (question, Markup(drawing), figure.caption)
        for k, figure in enumerate(chosen)
        for drawing, question in (figures.draw(figure.build, None if not k else HALF_WIDTH),)
    ]
    figures.shown.extend(chosen)
    return render("pictures", first=drawn[:1], others=drawn[1:]) if drawn else ""


def noticed(entries: Iterable[Finding]) -> str:
    """Return a sentence with the number of findings as HTML; "" if there are none."""
    text = tally(entries)
    return render("noticed", words=text) if text else ""


def citation(challenge: Challenge[Any, Any]) -> str:
    """Return as HTML how to cite the challenge and Benchside."""
    text = " ".join(citation.words() for citation in challenge.words.citations)
    return render("cite", citation=text, version=__version__)
