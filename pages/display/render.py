"""Renderer of the blocks of `scoring.core.views` with Streamlit, built once per content.

Views, figures and tables are cached by scorecard, block and theme: those of samples for all sessions, those
of visitors' files in their session, deleted with it. The cache contains what is sent to the browser, so
showing it again costs only the sending.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import pandas as pd
import streamlit as st

from pages.display import finding_list, layout, tables
from pages.display import headline as score_bar
from pages.server import deferred_widgets
from scoring.common.findings import Finding
from scoring.common.text import file_name, markdown
from scoring.comparison.case_list import ANY
from scoring.core.views import (
    Block,
    Choice,
    Facts,
    Figure,
    Gallery,
    Headline,
    Panels,
    SideBySide,
    Table,
    Text,
)
from scoring.presentation.figures.plotly_figure import Drawing
from scoring.presentation.figures.theme import Theme

SHARED_BLOCKS, SESSION_BLOCKS = 512, 128
"""Maximum cached figures and tables per theme."""
TO_CASES = "_to_cases"
TALL, SHORT = 470, 12
"""Height in px of a table that scrolls, and the number of rows from which it does."""
Numbers = Callable[[], pd.DataFrame]
Chosen = Callable[[str], Callable[[], None]]
"""Key of a figure in the session -> function that is called when one of its points is clicked."""


@dataclass(frozen=True)
class CaseLink:
    """case: session key of the case's name, also used by the viewer. parameter: address parameter for the
    position within the case."""

    case: str
    parameter: str

    def row(self, key: str, names: Sequence[str]) -> Callable[[], None]:
        """Return the `on_select` function of the table `key`, whose rows are these cases."""

        def chosen() -> None:
            rows = st.session_state[key].selection.rows
            if rows:
                self.open(names[rows[0]])

        return chosen

    def point(self, key: str) -> Callable[[], None]:
        """Return the `on_select` function of the figure `key`, whose points carry their case first."""

        def chosen() -> None:
            points = st.session_state[key].selection.points
            if points and points[0].get("customdata"):
                self.open(points[0]["customdata"][0])

        return chosen

    def leave(self) -> None:
        """Forget the position, because it belongs to the previous case."""
        st.query_params.pop(self.parameter, None)

    def open(self, name: str) -> None:
        """Open the viewer on a case."""
        st.session_state[self.case], st.session_state["tab"] = name, "Viewer"
        self.leave()


def _to_cases(figure: str) -> Callable[[], None]:
    """Return the function that opens the cases of the clicked class, or of the clicked pair of truth and
    prediction. figure: its key."""

    def chosen() -> None:
        points = st.session_state[figure].selection.points
        if points and (classes := points[0].get("customdata")):
            truth, called = (*classes, None)[:2]
            st.session_state[TO_CASES] = True
            open_cases(of_truth=truth, of_called=called or ANY, cases="all" if called else "mistakes")

    return chosen


def open_cases(**wanted: str | list[str]) -> None:
    """Open the tab of cases with exactly these filters. wanted: key of a filter -> its value."""
    none = {"of_truth": ANY, "of_called": ANY, "of_groups": [], "cases": "all"}
    st.session_state.update(none | wanted | {"tab": "Cases"})
    st.session_state.pop("of_scores", None)


@dataclass(frozen=True)
class BlockPath:
    """The path of a block. content: identifies the card; None: no caching. own: whether any input is a
    visitor's file. path: of the block in the card. link: opens a case in the viewer."""

    content: tuple[str, ...] | None
    own: bool
    path: str
    link: CaseLink | None = None

    def inside(self, step: object) -> BlockPath:
        """Return the path of a block within this one."""
        return replace(self, path=f"{self.path}/{step}")


def _cached(path: BlockPath, theme: Theme, draw: Callable[[], Any]) -> Any:
    """Draw elements that are not widgets, or send again what was drawn before; return what `draw` gave, which
    may also be something to be drawn."""
    if path.content is None:
        return draw()
    keep = _own_elements if path.own else _shared_elements
    return keep(repr((path.content, path.path, theme.name)), draw)


# Streamlit sends again what a cached function has drawn. Their key is one text, since Streamlit looks at the
# signature anew for every argument.
@st.cache_resource(max_entries=SHARED_BLOCKS, show_spinner=False)
def _shared_elements(key: str, _draw: Callable[[], Any]) -> Any:
    return _draw()


@st.cache_resource(max_entries=SESSION_BLOCKS, scope="session", show_spinner=False)
def _own_elements(key: str, _draw: Callable[[], Any]) -> Any:
    return _draw()


def score_account(head: Headline, path: BlockPath) -> None:
    """Draw the parts of a score."""
    strip = partial(_figure, head.strip, path, early=True) if head.strip else None
    score_bar.account(head.facts, strip, head.arithmetic)
    draw_all(head.parts, path.inside("parts"))


def draw_findings(entries: Sequence[Finding], path: BlockPath) -> None:
    """Draw findings, worst first."""
    _cached(path, layout.theme(), lambda: finding_list.findings(entries))


def draw_all(entries: Sequence[Block], path: BlockPath) -> None:
    """Draw blocks one below the other."""
    for number, entry in enumerate(entries):
        draw(entry, path.inside(number))


def draw(entry: Block, path: BlockPath) -> None:
    """Draw a block."""
    match entry:
        case Figure():
            _figure(entry, path)
        case Panels():
            _cached(path, layout.theme(), partial(layout.panels, entry, path.path))
        case Table():
            _table(entry, path)
        case Facts():
            if entry.question:
                layout.heading(entry.question)
            layout.facts(entry.facts)
            if entry.caption:
                st.caption(entry.caption)
        case Text():
            _text(entry)
        case Gallery():
            _cached(path, layout.theme(), partial(_gallery, entry))
        case SideBySide():
            drawn = st.columns(list(entry.widths), gap="medium")
            for number, (column, blocks) in enumerate(zip(drawn, entry.columns, strict=True)):
                with column:
                    draw_all(blocks, path.inside(number))
        case Choice():
            _choice(entry, path)


@st.fragment
def _choice(entry: Choice, path: BlockPath) -> None:
    """A click repaints these blocks and nothing else."""
    names = list(entry.options)
    with st.container(key=f"choice_{entry.key}"):
        chosen = st.segmented_control(
            entry.label, names, key=entry.key, bind="query-params", required=True, default=names[0]
        )
    draw(entry.options[chosen], path.inside(chosen))


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
        layout.draw_picture(picture.build(), markdown(picture.caption))


def _figure(entry: Figure, path: BlockPath, early: bool = False) -> None:
    theme, key = layout.theme(), entry.key or None
    if entry.cases and path.link:
        caption = f"{entry.caption} A click opens the {path.link.case}."
        draw_clickable(entry, path, caption, path.link.point)
        return
    if entry.classes:
        draw_clickable(entry, path, f"{entry.caption} A click shows its cases.", _to_cases)
        if st.session_state.pop(TO_CASES, False):
            st.rerun()  # a click in a fragment repaints that alone, and the tab changes
        return

    def picture() -> Drawing:
        return layout.early_plot(entry.build(theme))

    with st.container(gap="xsmall"):
        built: Drawing | None = None
        if early:
            built = _cached(path.inside("picture"), theme, picture)
            deferred_widgets.pause()

        def plot() -> str:
            figure = built or entry.build(theme)
            layout.plot(figure, entry.caption, key, headed=not early)
            return figure.question

        question = _cached(path, theme, plot)
        layout.footer(entry.caption, _numbers(entry), question, key, index=False)


def draw_clickable(entry: Figure, path: BlockPath, caption: str, chosen: Chosen) -> None:
    """Draw a figure whose points can be clicked, with a caption that says so."""
    theme, key = layout.theme(), entry.key or None
    figure = _cached(path, theme, lambda: entry.build(theme))
    question = figure.question
    choose = chosen(f"figure_{file_name(key or question)}")
    with st.container(gap="xsmall"):
        layout.plot(figure, caption, key, on_select=choose, selection_mode="points")
        layout.footer(caption, _numbers(entry), question, key, index=False)


def _numbers(entry: Figure) -> Numbers | None:
    return None if entry.data is None else partial(pd.DataFrame, entry.data)


def _table(entry: Table, path: BlockPath) -> None:
    if entry.detail:
        return
    theme, key, caption = layout.theme(), entry.key or None, entry.caption
    if entry.cases and path.link:
        caption += f" A click on a row opens the {path.link.case}."
        choose = path.link.row(entry.key, entry.rows[entry.cases])
        style, columns = _cached(path, theme, lambda: tables.styled(entry, theme))
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
        _cached(path, theme, partial(_plain_table, entry, theme))
    layout.footer(caption, partial(tables.frame, entry), entry.question, key, index=False)


def _plain_table(entry: Table, theme: Theme) -> None:
    if entry.written:
        layout.heading(entry.question)
        st.markdown(tables.written(entry))
        return
    layout.styled_table(
        entry.question, *tables.styled(entry, theme), entry.key or None, height=_height(entry)
    )


def _height(entry: Table) -> int | Literal["content"]:
    return TALL if len(entry.rows[entry.columns[0].name]) > SHORT else "content"
