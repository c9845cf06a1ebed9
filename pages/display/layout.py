"""Layout of every page: header, findings, headline, sections of figures and tables, tabs, footer,
and choices, which a phone shows in a sheet."""

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import pyarrow as pa
import streamlit as st
from pandas.io.formats.style import Styler
from streamlit.delta_generator import DeltaGenerator

from pages.display.downloads import csv_button
from pages.display.tables import shortened_column, with_direction
from pages.server.streamlit_internals import ColumnConfig
from scoring.common.rendered_markdown import plain
from scoring.common.text import file_name, markdown
from scoring.core.views import Fact, Panels
from scoring.presentation.figures.number_format import UNDEFINED
from scoring.presentation.figures.plotly_figure import Drawing
from scoring.presentation.figures.theme import DARK, LIGHT, Theme
from scoring.presentation.svg.draw_figure import svg

ROW, EDGES = 33, 3
"""Height in px of a table's row, and of its edges. With a numeric height, browsers reserve a table's space
before the table's code is loaded."""
COLUMN = 1130
"""Width in px of a page's content in a window of 1280 px."""
CONFIG = {"displaylogo": False, "displayModeBar": "hover", "modeBarButtons": [["toImage"]]}

# A change of theme reruns nothing, and figures carry their colours: this asks for one rerun when the page is
# no longer the colour they were
# made for.
WATCH = st.components.v2.component(
    "theme_watch",
    html="<span></span>",
    js="""
export default function ({data, parentElement, setTriggerValue}) {
  let told = data.paper;
  const timer = setInterval(() => {
    const style = getComputedStyle(parentElement.querySelector("span"));
    const paper = style.getPropertyValue("--st-background-color").trim().toLowerCase();
    if (paper && paper !== told) { told = paper; setTriggerValue("paper", paper); }
  }, 500);
  return () => clearInterval(timer);
}""",
)


def theme() -> Theme:
    """Return the theme that the visitor sees."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def plain_opening(title: str, line: str) -> None:
    """Draw the title and one line, for pages that score nothing themselves. Both are Markdown."""
    with st.container(key="plain_opening", gap=None):
        st.title(title, anchor=False)
        st.markdown(line)


def opening(title: str, formula: str, rule: str, is_known: bool = False) -> None:
    """Draw the title and one line about what is scored; a click shows the complete rule. All three are
    Markdown. is_known: whether the challenge is built in; phones then omit the line."""
    with opening_row(title):
        scored(formula, rule, "known_rule" if is_known else "own_rule")


def opening_row(title: str) -> DeltaGenerator:
    """Draw a title, and return the row beside it."""
    row = st.container(key="opening", horizontal=True, vertical_alignment="center", gap="small", wrap=False)
    row.title(title, anchor=False, width="content")
    return row


def scored(formula: str, rule: str, key: str = "known_rule") -> None:
    """Draw one line about what is scored; a click shows the complete rule. key: of its button."""
    st.markdown(f"Scored: {formula}", width="content")
    with st.popover("Rule in full", type="tertiary", icon=":material/function:", key=key):
        st.markdown(f"Scored: {formula}")
        st.markdown(rule)


def facts(entries: Sequence[Fact]) -> None:
    """Draw secondary numbers in a grid: name, value, and interval or basis in lighter type."""
    with st.grid(min_column_width=145, gap="small"):
        for fact in entries:  # one text each: every element costs the server and the browser
            below = f" :small[:gray[{markdown(fact.below)}]]" if fact.below else ""
            st.markdown(
                f":small[:gray[{markdown(fact.name)}]]  \n**{markdown(fact.value)}**{below}",
                help=with_direction(fact.explain, fact.better),
            )


def draw_picture(picture: bytes, caption: str | None = None, **appearance: Any) -> None:
    """Draw an encoded picture in a message of this session, so that it has no address. caption: Markdown.
    appearance: arguments of `st.image`."""
    kind = "png" if picture.startswith(b"\x89PNG") else "jpeg"
    st.image(f"data:image/{kind};base64,{base64.b64encode(picture).decode()}", caption, **appearance)


def heading(question: str) -> None:
    st.header(markdown(question), anchor=False)


def table(
    question: str,
    rows: pd.DataFrame,
    columns: Mapping[str, ColumnConfig],
    caption: str,
    *,
    key: str | None = None,
    height: int | Literal["content"] = "content",
    **more,
):
    """Draw a table under its question. columns: name in rows -> column_config. more: for `st.dataframe`
    (on_select ...)."""
    numbers = rows[list(columns)]
    selection = styled_table(question, *shortened_column(numbers, dict(columns)), key, height=height, **more)
    footer(caption, numbers, question, key, index=False)
    return selection


def styled_table(
    question: str,
    style: pd.DataFrame | Styler | pa.Table,
    columns: Mapping[str, ColumnConfig],
    key: str | None = None,
    *,
    height: int | Literal["content"] = "content",
    **more,
):
    """Draw a table under its question, without a caption. style: rows, styled or not."""
    heading(question)
    rows = style.index if isinstance(style, Styler) else style
    return st.dataframe(
        style,
        hide_index=True,
        height=ROW * (max(1, len(rows)) + 1) + EDGES if height == "content" else height,
        column_config=dict(columns),
        alt=question,
        key=key,
        placeholder=UNDEFINED,
        **more,
    )


def footer(
    caption: str,
    numbers: pd.DataFrame | Callable[[], pd.DataFrame] | None,
    question: str,
    key: str | None = None,
    index: bool = True,
) -> None:
    """Draw the caption of a figure or table beside a download of its numbers as CSV."""
    if not caption and numbers is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", wrap=False, gap="small"):
        st.caption(caption.replace(" = ", "\u00a0=\u00a0"), width="stretch")
        if numbers is not None:
            csv_button(numbers, question, f"csv_{file_name(key or question)}", index=index)


def chart(figure: Drawing, caption: str, numbers: pd.DataFrame | None = None, key: str | None = None, **more):
    """Draw the question as a heading, the figure, and the caption with n and method beside a download of the
    numbers as CSV.

    caption: Markdown. key: required if a question occurs twice on a page. more: for `st.plotly_chart`
    (on_select ...).
    """
    with st.container(gap="xsmall"):
        selection = plot(figure, caption, key, **more)
        footer(caption, numbers, figure.question, key)
    return selection


def plot(figure: Drawing, caption: str, key: str | None = None, *, headed: bool = True, **more):
    """Draw a figure under its question. caption: additional text for screen readers. headed: whether to draw
    the question."""
    question = figure.question
    slug = file_name(key or question)
    if headed:
        heading(question)
    # With a height in numbers, browsers leave its room before the code of charts is loaded.
    height: Any = int(figure.own_layout["height"]) if headed else "content"
    return st.plotly_chart(
        figure,
        theme=None,
        key=f"figure_{slug}",
        alt=f"{question} {plain(caption)}",
        config=CONFIG | {"toImageButtonOptions": {"format": "svg", "filename": slug}},
        height=height,
        **more,
    )


def early_plot(figure: Drawing) -> Drawing:
    """Draw the question of a figure and, as an inline picture, the figure itself, because browsers need over
    a second to load the chart code. The interactive figure then replaces it (page.css).

    Returns:
        The figure.
    """
    heading(figure.question)
    drawn = base64.b64encode(svg(figure, COLUMN, alone=True, ground="").encode()).decode()
    with st.container(key="early_figure"):
        st.markdown(f"![](data:image/svg+xml;base64,{drawn})")
    return figure


def panels(entry: Panels, key: str) -> None:
    """Draw small multiples of 155 px width: six in a row, or two on a phone."""
    heading(entry.question)
    with st.grid(min_column_width=entry.width, gap="small"):
        for number, panel in enumerate(entry.panels):
            with st.container(border=True, gap="xsmall"):
                figure = panel.build(theme())
                st.markdown(panel.title)
                st.plotly_chart(
                    figure,
                    theme=None,
                    key=f"{key}_{number}",
                    config=CONFIG,
                    alt=panel.alt or f"{figure.question} {panel.below}",
                )
                if panel.below:
                    st.caption(panel.below)
    if entry.caption:
        st.caption(entry.caption)


def tabs(bodies: Mapping[str, Callable], *arguments, key: str = "tab", bound: bool = True) -> None:
    """Draw tabs, of which only the open one runs; the address stores its name. bound: whether the address
    follows the tabs; an unknown name is then removed from it."""
    bind: Literal["query-params"] | None = "query-params" if bound else None
    drawn = st.tabs(list(bodies), key=key, on_change="rerun", bind=bind)
    for tab, body in zip(drawn, bodies.values(), strict=True):
        if tab.open:
            with tab:
                body(*arguments)


@dataclass(frozen=True)
class GalleryCard:
    """A card of a gallery. image: encoded bytes, or None if there is none. alt: text for screen readers.
    lines: Markdown (`class_name` and numbers). caption: plain text."""

    image: bytes | None
    alt: str
    lines: Sequence[str]
    caption: str


def gallery(
    title: str,
    caption: str,
    count: int,
    pictures: Callable[[int, int], Sequence[GalleryCard]],
    key: str,
    per_page: int = 12,
) -> None:
    """Draw cases in a grid with pages; the address stores the page. pictures: function that makes those from
    a first to a last index (exclusive)."""
    heading(title)
    st.caption(caption)
    if not count:
        return
    pages, cards, page = -(-count // per_page), st.container(), 1
    if pages > 1:
        page = st.pagination(pages, key=key, bind="query-params")
    with cards, st.container(key=f"gallery_{file_name(key)}"), st.grid(min_column_width=150, gap="small"):
        for picture in pictures((page - 1) * per_page, min(page * per_page, count)):
            with st.container(border=True, gap="xsmall", height="stretch", vertical_alignment="distribute"):
                if picture.image is not None:
                    draw_picture(picture.image, width="stretch", alt=picture.alt)
                with st.container(gap="xsmall"):
                    st.markdown("  \n".join(picture.lines))
                    st.caption(markdown(picture.caption))


def closing(files: str = "Files are deleted when your session ends.") -> None:
    """Draw the end of every page. files: text on where files are stored."""
    WATCH(key="theme_watch", data={"paper": theme().paper}, on_paper_change=lambda: None, height=1)
    st.caption(f"Research use only. Not a medical device; no output of this page is a diagnosis. {files}")


FOLDER = Path(__file__).parent
_button = st.components.v2.component(
    "sheet_button",
    html="<button type='button' aria-expanded='false'></button>",
    css=(FOLDER / "bar_button.css").read_text(encoding="utf-8") + "button { height: 40px; width: 100%; }",
    js="""
export default function ({data, parentElement}) {
  const button = parentElement.querySelector("button"), page = document.documentElement;
  button.textContent = data.label;
  if (button.forget) return button.forget;
  const open = (is) => {
    page.toggleAttribute("data-sheet", is);
    button.setAttribute("aria-expanded", is);
  };
  const isOpen = () => page.hasAttribute("data-sheet");
  // Lists and tooltips of controls stand outside of the main area: a touch there closes nothing.
  const away = ({target}) => {
    if (isOpen() && target.closest("[data-testid=stMain]") && !target.closest(".st-key-choices")
      && !target.contains(parentElement.host ?? parentElement)) open(false);
  };
  const escape = ({key}) => { if (key === "Escape" && isOpen()) open(false); };
  button.onclick = () => open(!isOpen());
  document.addEventListener("pointerdown", away);
  document.addEventListener("keydown", escape);
  return button.forget = () => {
    document.removeEventListener("pointerdown", away);
    document.removeEventListener("keydown", escape);
    open(false);
  };
}""",
)


def choices(label: str) -> DeltaGenerator:
    """Return the place where a page draws its choices: a row, or on a phone a sheet behind a button with this
    label."""
    with st.container(key="sheet_button"):
        _button(key="open_sheet", data={"label": label}, height=42)
    return st.container(key="choices", horizontal=True, vertical_alignment="bottom", gap="small")
