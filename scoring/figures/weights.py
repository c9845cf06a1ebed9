"""The map of all weights of three parts of a score: who would be first."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from scoring.figures.numerals import percent
from scoring.figures.theme import Theme, figure, safe, short

SYMBOLS = (
    "circle",
    "square",
    "diamond",
    "triangle-up",
    "cross",
    "star",
    "hexagon",
    "triangle-down",
    "x",
    "pentagon",
)


def weight_map(
    question: str,
    parts: Sequence[str],
    weights: np.ndarray,
    first: np.ndarray,
    teams: Sequence[str],
    official: Sequence[float],
    theme: Theme,
) -> go.Figure:
    """Who is first under all weights of three parts: weights [G, 3] summing to 1, first [G, A] shares of the
    first place. official: the point marked.

    A team keeps its colour and its symbol in every map of the same teams. The legend says how much of the map
    is its own.
    """
    alone = np.where(first.max(1) == 1, first.argmax(1), -1)
    drawn = [(name, alone == k, theme.categorical[k % 10], SYMBOLS[k % 10]) for k, name in enumerate(teams)]
    drawn.append(("several", alone == -1, theme.zero, "circle-open"))
    drawn = [entry for entry in drawn if entry[1].any()]
    fig = figure(
        theme,
        question,
        400 + 20 * len(drawn),
        margin={"l": 40, "r": 40, "t": 34, "b": 70 + 20 * len(drawn)},
        showlegend=True,
        legend={
            "orientation": "v",
            "y": -0.16,
            "yanchor": "top",
            "x": 0,
            "font": {"size": 12, "color": theme.ink},
            "itemsizing": "constant",
            "tracegroupgap": 0,
        },
    )
    for name, chosen, colour, symbol in drawn:
        hovers = [
            _words(point, parts, [team for team, share in zip(teams, shares, strict=True) if share])
            for point, shares in zip(weights[chosen], first[chosen], strict=True)
        ]
        mark = {"color": colour, "symbol": symbol, "size": 6}
        _points(
            fig,
            weights[chosen],
            f"{safe(short(name))}: first on {percent(chosen.mean())} of the map",
            mark,
            hovers,
        )
    mark = {"color": theme.paper, "size": 13, "symbol": "circle", "line": {"color": theme.ink, "width": 3}}
    words = " ".join(f"{value:.2f}" for value in official)
    _points(fig, np.array([official]), f"official weights {words}", mark, [f"official weights {words}"])
    axis = {
        "gridcolor": theme.grid,
        "linecolor": theme.zero,
        "tickfont": {"color": theme.ink, "size": 11},
        "dtick": 0.25,
        "min": 0,
        "tickformat": ".2~f",
    }
    axes = {
        f"{letter}axis": axis | {"title": {"text": safe(part), "font": {"size": 12, "color": theme.soft}}}
        for letter, part in zip("abc", parts, strict=True)
    }
    return fig.update_layout(ternary={"bgcolor": "rgba(0,0,0,0)", "sum": 1, **axes})


def _points(fig: go.Figure, weights: np.ndarray, name: str, mark: dict, hovers: Sequence[str]) -> None:
    a, b, c = weights.T
    fig.add_scatterternary(
        a=a,
        b=b,
        c=c,
        mode="markers",
        name=name,
        marker=mark,
        hovertext=list(hovers),
        hoverinfo="text",
        cliponaxis=False,
    )


def _words(weights: np.ndarray, parts: Sequence[str], first: Sequence[str]) -> str:
    named = ", ".join(first[:5]) + (f" and {len(first) - 5} more" if len(first) > 5 else "")
    return f"<b>{safe(named)}</b>" + "".join(
        f"<br>{safe(part)} {value:.2f}" for part, value in zip(parts, weights, strict=True)
    )
