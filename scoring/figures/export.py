"""Figures for one HTML file that needs no network: plotly.js stands in it, and what the figures draw."""

from collections.abc import Sequence
from html import escape

import plotly.graph_objects as go
from plotly.io import to_json
from plotly.offline import get_plotlyjs

# Light and dark are two drawings of one figure, and paper is always light. Print shops know no scroll bars:
# 680 px fit A4.
DRAW = """
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const draw = (theme, width) => FIGURES.forEach((figure, i) => {
    const { data, layout } = figure[theme], place = document.getElementById("figure-" + i);
    const narrow = width && place.classList.contains("panel") ? 200 : width;
    Plotly.react(place, data, { ...layout, width: narrow }, { displayModeBar: false, responsive: !width });
  });
  const screen = () => draw(dark.matches ? "dark" : "light");
  addEventListener("beforeprint", () => draw("light", 680));
  addEventListener("afterprint", screen);
  dark.addEventListener("change", screen);
  screen();
})();
"""


def script_json(figure: go.Figure) -> str:
    """Return the figure as JSON that can stand inside a script element: Plotly writes "<" and ">" so that no
    label can end it or begin another.

    The same figure gives the same text, whichever JSON libraries are installed.
    """
    text: str = to_json(figure, validate=False, engine="json")
    return text


def place(number: int, figure: go.Figure, panel: bool = False) -> str:
    """Return the empty element that figure `number` is drawn into; its question is the alternative text.

    panel: whether it is one of several small ones.
    """
    question = escape(str(figure.layout.meta["question"]))
    kind = "figure panel" if panel else "figure"
    return (
        f'<div id="figure-{number}" class="{kind}" role="img" aria-label="{question}" '
        f'style="height:{figure.layout.height}px"></div>'
    )


def self_contained(figures: Sequence[tuple[go.Figure, go.Figure]]) -> str:
    """Return the scripts, for the end of the body, that draw figure i, given as (light, dark), into the
    element `place(i, ...)`."""
    pairs = ",".join(
        f'{{"light":{script_json(light)},"dark":{script_json(dark)}}}' for light, dark in figures
    )
    return (
        f"<script>{get_plotlyjs()}</script>\n<script>const FIGURES = [{pairs}];{DRAW}</script>"
        if figures
        else ""
    )
