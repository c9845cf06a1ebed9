"""Draw the blocks of `scoring.core.views` with Streamlit: built once, shown often.

Views, figures and tables are kept by what the scorecard rests on, by block and by theme: those of samples for
all sessions, those of own files in their session, gone with it. What is kept is what goes to the browser, so
showing it again costs its sending only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler
from streamlit.delta_generator import DeltaGenerator

from pages.challenge import deferred_widgets
from pages.display import finding_list, layout, text_tables
from pages.display import headline as score_bar
from pages.display.case_link import CaseLink
from pages.display.case_names import CASE, shortened_column
from pages.display.cell_colours import coloured
from pages.display.inline_images import draw_picture
from scoring.common.findings import Finding
from scoring.common.text import file_name, markdown
from scoring.core.views import (
    Block,
    Choice,
    Column,
    Facts,
    Figure,
    Gallery,
    Headline,
    Panels,
    SideBySide,
    Table,
    Text,
)
from scoring.presentation.figures.drawing import Drawing
from scoring.presentation.figures.theme import Theme

SHARED_BLOCKS, SESSION_BLOCKS = 512, 128
"""Figures and tables in one theme that are kept."""
TALL, SHORT = 470, 12
"""px of a table that scrolls, and the rows from which on it does."""
Numbers = Callable[[], pd.DataFrame]
BlockColumns = tuple[DeltaGenerator, DeltaGenerator]
Chosen = Callable[[str], Callable[[], None]]
"""From the key of a figure in the session to what is called when one of its points is clicked."""


@dataclass(frozen=True)
class BlockPath:
    """Where a block stands. content: what the card rests on; None: nothing is kept. own: whether a
    visitor brought any of it. path: of the block in the card. link: opens a case in the viewer."""

    content: tuple[str, ...] | None
    own: bool
    path: str
    link: CaseLink | None = None

    def inside(self, step: object) -> BlockPath:
        """Return the place of a block within this one."""
        return replace(self, path=f"{self.path}/{step}")


def _kept(place: BlockPath, theme: Theme, draw: Callable[[], Any]) -> Any:
    """Draw elements that are no widgets, or send again what was drawn before; return what `draw` gave, which
    may also be something to be drawn."""
    if place.content is None:
        return draw()
    keep = _own_elements if place.own else _shared_elements
    return keep(repr((place.content, place.path, theme.name)), draw)


# Streamlit sends again what a cached function has drawn. Their key is one text, since Streamlit looks at the
# signature anew for every argument.
@st.cache_resource(max_entries=SHARED_BLOCKS, show_spinner=False)
def _shared_elements(key: str, _draw: Callable[[], Any]) -> Any:
    return _draw()


@st.cache_resource(max_entries=SESSION_BLOCKS, scope="session", show_spinner=False)
def _own_elements(key: str, _draw: Callable[[], Any]) -> Any:
    return _draw()


def draw_headline(head: Headline, place: BlockPath) -> None:
    """Draw a headline whole, for pages without a tab for what it is made of."""
    score_bar.bar(score_bar.place(), head.score, "", head.status)
    score_account(head, place)
    draw_all(head.notes, place.inside("notes"))


def score_account(head: Headline, place: BlockPath) -> None:
    strip = partial(_figure, head.strip, place, early=True) if head.strip else None
    score_bar.account(head.facts, strip, head.arithmetic)
    draw_all(head.parts, place.inside("parts"))


def draw_findings(entries: Sequence[Finding], place: BlockPath) -> None:
    """Draw findings, worst first."""
    _kept(place, layout.theme(), lambda: finding_list.findings(entries))


def draw_all(entries: Sequence[Block], place: BlockPath) -> None:
    """Draw blocks one below the other."""
    for number, entry in enumerate(entries):
        draw(entry, place.inside(number))


def draw(entry: Block, place: BlockPath) -> None:
    """Draw a block."""
    match entry:
        case Figure():
            _figure(entry, place)
        case Panels():
            _kept(place, layout.theme(), partial(_panels, entry, place.path, layout.theme()))
        case Table():
            _table(entry, place)
        case Facts():
            if entry.question:
                layout.heading(entry.question)
            layout.facts(entry.facts)
            if entry.caption:
                st.caption(entry.caption)
        case Text():
            _text(entry)
        case Gallery():
            _kept(place, layout.theme(), partial(_gallery, entry))
        case SideBySide():
            drawn = st.columns(list(entry.widths), gap="medium")
            for number, (column, blocks) in enumerate(zip(drawn, entry.columns, strict=True)):
                with column:
                    draw_all(blocks, place.inside(number))
        case Choice():
            _choice(entry, place)


@st.fragment
def _choice(entry: Choice, place: BlockPath) -> None:
    """A click repaints these blocks and nothing else."""
    names = list(entry.options)
    chosen = st.segmented_control(
        entry.label, names, key=entry.key, bind="query-params", required=True, default=names[0]
    )
    draw(entry.options[chosen], place.inside(chosen))


def _text(entry: Text) -> None:
    if entry.question:
        layout.heading(entry.question)
    if entry.kind == "plain":
        st.markdown(entry.text)
    elif entry.kind == "note":
        st.info(entry.text, icon=":material/info:")
    else:
        st.warning(entry.text, icon=":material/warning:")


def _gallery(entry: Gallery) -> None:
    layout.heading(entry.question)
    if entry.caption:
        st.caption(entry.caption)
    for picture in entry.pictures:
        draw_picture(picture.build(), markdown(picture.caption))


def _figure(entry: Figure, place: BlockPath, early: bool = False) -> None:
    theme, key = layout.theme(), entry.key or None
    if entry.cases and place.link:
        caption = f"{entry.caption} A click opens the {place.link.case}."
        draw_clickable(entry, place, caption, place.link.point)
        return

    def picture() -> Drawing:
        return layout.early_plot(entry.build(theme))

    with st.container(gap="xsmall"):
        built: Drawing | None = None
        if early:
            built = _kept(place.inside("picture"), theme, picture)
            deferred_widgets.pause()

        def plot() -> str:
            figure = built or entry.build(theme)
            layout.plot(figure, entry.caption, key, headed=not early)
            return figure.question

        question = _kept(place, theme, plot)
        layout.footer(entry.caption, _numbers(entry), question, key, index=False)


def draw_clickable(entry: Figure, place: BlockPath, caption: str, chosen: Chosen) -> None:
    """Draw a figure whose points can be clicked, with a caption that says so."""
    theme, key = layout.theme(), entry.key or None
    figure = _kept(place, theme, lambda: entry.build(theme))
    question = figure.question
    choose = chosen(f"figure_{file_name(key or question)}")
    with st.container(gap="xsmall"):
        layout.plot(figure, caption, key, on_select=choose, selection_mode="points")
        layout.footer(caption, _numbers(entry), question, key, index=False)


def _numbers(entry: Figure) -> Numbers | None:
    return None if entry.data is None else partial(pd.DataFrame, entry.data)


def _panels(entry: Panels, path: str, theme: Theme) -> None:
    cards = [layout.DrawnPanel(one.title, one.build(theme), one.below, one.alt) for one in entry.panels]
    layout.panels(entry.question, cards, entry.caption, path, entry.width)


def _table(entry: Table, place: BlockPath) -> None:
    if entry.detail:
        return
    theme, key, caption = layout.theme(), entry.key or None, entry.caption
    if entry.cases and place.link:
        caption += f" A click on a row opens the {place.link.case}."
        choose = place.link.row(entry.key, entry.rows[entry.cases])
        style, columns = _kept(place, theme, lambda: _styled(entry, theme))
        layout.styled_table(
            entry.question,
            style,
            columns,
            key,
            height=_height(entry),
            on_select=choose,
            selection_mode="single-row",
        )
    else:
        _kept(place, theme, partial(_plain_table, entry, theme))
    layout.footer(caption, partial(frame, entry), entry.question, key, index=False)


def _plain_table(entry: Table, theme: Theme) -> None:
    if entry.written:
        layout.heading(entry.question)
        st.markdown(text_tables.written(entry))
        return
    layout.styled_table(entry.question, *_styled(entry, theme), entry.key or None, height=_height(entry))


def _height(entry: Table) -> int | Literal["content"]:
    return TALL if len(entry.rows[entry.columns[0].name]) > SHORT else "content"


def _styled(entry: Table, theme: Theme) -> tuple[pd.DataFrame | Styler, dict[str, Any]]:
    """Return the rows in their colours, and how each column is shown."""
    columns = [column for column in entry.columns if not column.detail]
    cells = pd.DataFrame({column.name: text_tables.cells(column, entry) for column in columns})
    shown = {column.name: _config(column, theme) for column in columns}
    cells, shown = shortened_column(cells, shown, entry.cases or CASE)
    colours = {column.name: [theme.soft] * len(cells) for column in columns if column.lighter}
    for column in columns:
        if column.kind == "class" and entry.risks:
            risks = (entry.risks.get(name, "") for name in entry.rows[column.name])
            colours[column.name] = [theme.risk.get(risk, "") for risk in risks]
    return coloured(cells, colours), shown


def _config(column: Column, theme: Theme):
    name, width = column.label, column.width
    explain = layout.with_direction(column.help or column.full, column.better)
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
    return layout.words(name, width, column.kind in ("count", "interval", "written"), explain)


def frame(entry: Table) -> pd.DataFrame:
    """Return all that a table holds, for a download: unrounded, ends of an interval in two columns."""
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
