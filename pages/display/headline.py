"""The score of a page: a bar that stays visible, and the parts of the score."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.display.layout import facts, with_direction
from pages.server import deferred_widgets
from scoring.common.text import markdown
from scoring.core.views import Fact, Status

FOLDER = Path(__file__).parent
FINDINGS = "findings"
"""Anchor of the findings on a page, for links."""
STATUS, NOTED = 1200, 240
"""Maximum characters of the text about the official score, and of its part in a note."""
_change = st.components.v2.component(
    "change_inputs",
    html="<button type='button'>Change</button>",
    css=(FOLDER / "bar_button.css").read_text(encoding="utf-8"),
    js="""
export default function ({parentElement}) {
  parentElement.querySelector("button").onclick = () => {
    const main = document.querySelector("[data-testid=stMain]");
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    main.scrollTo({top: 0, behavior: calm ? "instant" : "smooth"});
    main.querySelector("[role=combobox], [data-testid=stFileUploader] button")?.focus({preventScroll: true});
  };
}""",
)


def place(title: str = "") -> DeltaGenerator:
    """Draw the bar, which sticks to the top of the window, the tabs below it; its score may come later.

    Args:
        title: Whose score it is; "" where the score says it.
    """
    row = st.container(key="bar", horizontal=True, vertical_alignment="center", gap="small", wrap=False)
    if title:
        row.container(key="bar_title").markdown(f"**{markdown(title, 80)}**")
    return row


def bar(row: DeltaGenerator, score: Fact, status: Status, noticed: str = "") -> None:
    """Draw the score with its interval, and whether it is official.

    Args:
        row: Place of the bar, from `place`.
        score: The score; its `below` is the interval.
        status: What the score is worth, in short.
        noticed: Badges of the findings, which stand further down (Markdown of our own).
    """
    with row:
        _early(score)
        deferred_widgets.pause()
        st.metric(
            markdown(score.name),
            score.value,
            delta=score.below or None,
            delta_color="off",
            delta_arrow="off",
            help=with_direction(score.explain, score.better),
            width="content",
        )
        if status.official_score:
            st.metric(status.official_name, status.official_score, width="content")
        with st.container(key="bar_status", width="stretch"):
            link = f" [{noticed}](#{FINDINGS})" if noticed else ""
            st.markdown(f"{' '.join(_badges(status))}{link}" or " ", help=_whole(status) or None)
        _change(key="change_inputs", height=36, width=70)


def sentence(status: Status) -> None:
    """Draw the important facts about an unofficial score or an incomplete submission."""
    said = replace(status, official="") if status.official_score else status
    if text := _whole(said, NOTED):
        st.markdown(f":small[{text}]")


def anchor(name: str = FINDINGS) -> None:
    """Mark a position as the target of links, such as that of the findings for the bar's badges."""
    with st.container(key="findings_place"):
        st.html(f"<span id={name}></span>")


def _early(score: Fact) -> None:
    """Draw the score as text, which is seen at once: browsers load what draws a metric together with widgets
    and charts. The metric then takes its place (page.css)."""
    interval = f" :gray-badge[{markdown(score.below)}]" if score.below else ""
    with st.container(key="bar_early", width="content"):
        st.markdown(f"**{markdown(score.value)}**{interval}", width="content")


def _badges(status: Status) -> list[str]:
    """Say in short whether the score is official, and whether the submission lacks something."""
    badges = []
    if status.badge:
        mark = ":green-badge[✓" if status.is_official else ":orange-badge[▲"
        badges.append(f"{mark} {markdown(status.badge)}]")
    if status.incomplete:
        badges.append(":orange-badge[▲ incomplete]")
    return badges


def _whole(status: Status, most: int = STATUS) -> str:
    """Return what must be known of a score that is not official, or of an incomplete submission."""
    lacks = f":orange[▲ {markdown(status.incomplete, most)}]" if status.incomplete else ""
    official = "" if status.is_official else markdown(status.official, most)
    return "  \n".join(filter(None, (lacks, official)))


def account(others: Sequence[Fact], strip: Callable[[], object] | None, arithmetic: str = "") -> None:
    """Draw the parts of the score.

    Args:
        strip: Function that draws the figure of the parts.
        arithmetic: The arithmetic as text (Markdown), if there is no figure.
    """
    if strip is not None:
        strip()
    facts(others)
    if arithmetic:
        st.caption(arithmetic)
