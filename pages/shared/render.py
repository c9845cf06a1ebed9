"""Draw the blocks of `scoring.views` with Streamlit: built once, shown often.

Views, figures and tables are kept by what the scorecard rests on, by block and by theme: those of samples for
all sessions, those of own files in their session, gone with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from pages.shared import layout
from pages.shared.case_link import CaseLink
from pages.shared.kept import Kept
from scoring.figures.numerals import span
from scoring.figures.theme import SMALL, Theme, label
from scoring.report import views_of
from scoring.text import file_name
from scoring.views import (
    Block,
    Choice,
    Column,
    Facts,
    Figure,
    Panels,
    SideBySide,
    Table,
    Text,
    Views,
    directed,
)

if TYPE_CHECKING:
    from pages.shared.challenge_page import ScoredSubmission

SHARED_CARDS, SESSION_CARDS, BLOCKS = 32, 4, 256
"""Cards of which something is kept, and how many built figures and tables of each."""


@dataclass(frozen=True)
class Rendered:
    """What is kept of a card: its views, and the figures and tables that were built of them."""

    views: Views
    built: Kept


def rendered(shown: ScoredSubmission) -> Rendered:
    """Return what is kept of a card."""
    card = shown.card
    content = (card.challenge, repr(card.provenance), shown.truth_key, shown.given.key)
    store = st.session_state.setdefault("_rendered", Kept(SESSION_CARDS)) if shown.own else _shared()
    return store.get(content, lambda: Rendered(views_of(card), Kept(BLOCKS)))


@st.cache_resource(show_spinner=False)
def _shared() -> Kept[Rendered]:
    return Kept(SHARED_CARDS)


@dataclass(frozen=True)
class _Context:
    """What blocks are drawn with. built: what is kept of the card. link: opens a case in the viewer."""

    built: Kept
    link: CaseLink | None = None


def headline(shown: ScoredSubmission, link: CaseLink | None = None) -> None:
    """Draw the score, what made it, and what must be known before it is read."""
    kept = rendered(shown)
    context = _Context(kept.built, link)
    head, strip = kept.views.headline, None
    if head.strip:
        strip = _built(context, head.strip, "headline")
    layout.headline(
        head.score,
        head.facts,
        strip,
        head.strip.caption if head.strip else head.arithmetic,
        head.under_score,
    )
    for place, note in enumerate(head.notes):
        _block(note, context, f"headline/{place}")


def section(shown: ScoredSubmission, name: str, link: CaseLink | None = None) -> bool:
    """Draw the section of that name; False if there is none."""
    kept = rendered(shown)
    found = kept.views.section(name)
    if found is None:
        return False
    for place, entry in enumerate(found.blocks):
        _block(entry, _Context(kept.built, link), f"{name}/{place}")
    return True


def block(entry: Block, shown: ScoredSubmission | None = None, path: str = "") -> None:
    """Draw a block that a live tab made. With `shown` and a path, which must say all that it depends on, it
    is kept with the blocks of that card."""
    _block(entry, _Context(Kept(0) if shown is None else rendered(shown).built), f"live/{path}")


def _block(entry: Block, context: _Context, path: str) -> None:
    match entry:
        case Figure():
            _figure(entry, context, path)
        case Panels():
            _panels(entry, context, path)
        case Table():
            _table(entry, context, path)
        case Facts():
            if entry.question:
                layout.heading(entry.question)
            layout.facts(entry.facts)
            if entry.caption:
                st.caption(entry.caption)
        case Text():
            _text(entry)
        case SideBySide():
            drawn = st.columns(list(entry.widths), gap="medium")
            for k, (place, column) in enumerate(zip(drawn, entry.columns, strict=True)):
                with place:
                    for n, inner in enumerate(column):
                        _block(inner, context, f"{path}/{k}.{n}")
        case Choice():
            _choice(entry, context, path)


@st.fragment
def _choice(entry: Choice, context: _Context, path: str) -> None:
    """A click repaints these blocks and nothing else."""
    names = list(entry.options)
    chosen = st.segmented_control(
        entry.label, names, key=entry.key, bind="query-params", required=True, default=names[0]
    )
    _block(entry.options[chosen], context, f"{path}/{chosen}")


def _text(entry: Text) -> None:
    if entry.question:
        layout.heading(entry.question)
    if entry.kind == "plain":
        st.markdown(entry.text)
    elif entry.kind == "note":
        st.info(entry.text, icon=":material/info:")
    else:
        st.warning(entry.text, icon=":material/warning:")


def _figure(entry: Figure, context: _Context, path: str) -> None:
    figure, caption, more = _built(context, entry, path), entry.caption, {}
    if entry.cases and context.link:
        key = f"figure_{file_name(entry.key or figure.layout.meta['question'])}"
        caption += f" A click opens the {context.link.case}."
        more = {"on_select": context.link.point(key), "selection_mode": "points"}
    layout.chart(figure, caption, entry.data, entry.key or None, **more)


def _built(context: _Context, entry: Figure, path: str):
    theme = layout.theme()
    return context.built.get((path, theme.name), lambda: entry.build(theme))


def _panels(entry: Panels, context: _Context, path: str) -> None:
    theme = layout.theme()
    figures = context.built.get((path, theme.name), lambda: [panel.build(theme) for panel in entry.panels])
    cards = [(panel.title, figure, panel.below) for panel, figure in zip(entry.panels, figures, strict=True)]
    layout.panels(entry.question, cards, entry.caption, path)


@dataclass(frozen=True)
class _Prepared:
    """A table as it is handed to Streamlit."""

    style: object
    config: dict


def _table(entry: Table, context: _Context, path: str) -> None:
    if entry.detail:
        return
    theme = layout.theme()
    ready = context.built.get((path, theme.name), lambda: _prepare(entry, theme))
    caption, more = entry.caption, {}
    if entry.cases and context.link:
        caption += f" A click on a row opens the {context.link.case}."
        choose = context.link.row(entry.key, entry.rows[entry.cases])
        more = {"on_select": choose, "selection_mode": "single-row"}
    layout.styled_table(
        entry.question,
        ready.style,
        ready.config,
        caption,
        lambda: frame(entry),
        entry.key or None,
        **more,
    )


def _prepare(entry: Table, theme: Theme) -> _Prepared:
    columns = [column for column in entry.columns if not column.detail]
    cells = {column.name: _cells(column, entry) for column in columns}
    style = pd.DataFrame(cells).style
    lighter = [column.name for column in columns if column.lighter]
    if lighter:
        style = style.set_properties(subset=lighter, color=theme.soft)
    for column in columns:
        if column.kind == "class" and entry.risks:
            colours = [theme.risk.get(entry.risks.get(name, ""), "") for name in entry.rows[column.name]]
            style = style.apply(_coloured, colours=colours, subset=[column.name])
    return _Prepared(style, {column.name: _config(column, theme) for column in columns})


def _coloured(cells: pd.Series, colours: Sequence[str]) -> list[str]:
    return [f"color: {colour}" if colour else "" for colour in colours]


def _cells(column: Column, entry: Table) -> list:
    values = list(entry.rows[column.name])
    match column.kind:
        case "class":
            return [label(str(name), entry.risks.get(name)) for name in values]
        case "count":
            return [None if n is None else f"{n}{'*' if n < SMALL else ''}" for n in values]
        case "interval":
            return [span(pair, column.digits) for pair in values]
    return values


def _config(column: Column, theme: Theme):
    name, width = directed(column.label, column.better), column.width
    explain = column.help or column.full or None
    unit = column.unit.replace("%", "%%")
    match column.kind:
        case "number":
            return st.column_config.NumberColumn(
                name, format=f"%.{column.digits}f{unit}", width=width, alignment="right", help=explain
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
    """Return all that a table holds, for a download: unrounded, the ends of an interval in columns of their
    own."""
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
