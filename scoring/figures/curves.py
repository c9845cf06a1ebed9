"""Small ROC and precision-recall panels, one class each."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from scoring.figures.theme import Theme, faded, figure


def _panel(
    theme: Theme, question: str, colour: str, x: np.ndarray, y: np.ndarray, band: tuple | None, name: str
) -> go.Figure:
    fig = figure(theme, question, 130, hovermode="x unified", margin={"l": 2, "r": 14, "t": 10, "b": 2})
    if band is not None:
        grid, low, high = (np.asarray(v, float) for v in band)
        drawn = np.isfinite(low) & np.isfinite(high)
        grid, low, high = grid[drawn], low[drawn], high[drawn]
        fig.add_scatter(
            x=np.r_[grid, grid[::-1]],
            y=np.r_[high, low[::-1]],
            fill="toself",
            fillcolor=faded(colour, 0.2),
            line_width=0,
            mode="lines",
            hoverinfo="skip",
            name="95% band",
        )
    fig.add_scatter(
        x=x, y=y, mode="lines", line={"color": colour, "width": 2}, name=name, hovertemplate="%{y:.2f}"
    )
    ticks = {"tickvals": [0, 0.5, 1], "ticktext": ["0", ".5", "1"]}
    fig.update_xaxes(range=[0, 1], hoverformat=".2f", **ticks)
    return fig.update_yaxes(range=[0, 1.02], **ticks)


def dotted(fig: go.Figure, theme: Theme, ends: Sequence[float], name: str) -> go.Figure:
    return fig.add_scatter(
        x=[0, 1],
        y=list(ends),
        mode="lines",
        line={"color": theme.zero, "width": 1, "dash": "dot"},
        hoverinfo="skip",
        name=name,
    )


def roc_panel(
    name: str,
    false_positive_rate: np.ndarray,
    sensitivity: np.ndarray,
    theme: Theme,
    risk: str | None = None,
    band: tuple | None = None,
) -> go.Figure:
    """One small multiple: sensitivity over 1 − specificity, the chance line, and a pointwise 95% band (grid,
    low, high)."""
    fig = _panel(
        theme,
        f"How well is {name} told from the rest?",
        theme.risk[risk] if risk else theme.accent,
        false_positive_rate,
        sensitivity,
        band,
        "sensitivity",
    )
    return dotted(fig, theme, [0, 1], "chance")


def precision_recall_panel(
    name: str,
    recall: np.ndarray,
    precision: np.ndarray,
    prevalence: float,
    theme: Theme,
    risk: str | None = None,
    band: tuple | None = None,
) -> go.Figure:
    """One small multiple: precision over recall; dotted is the share of the class, the precision of
    guessing."""
    fig = _panel(
        theme,
        f"How many of those called {name} are {name}?",
        theme.risk[risk] if risk else theme.accent,
        recall,
        precision,
        band,
        "precision",
    )
    return dotted(fig, theme, [prevalence, prevalence], "guessing")
