"""A check of every figure that is drawn."""

import base64
import json

import numpy as np
import plotly.graph_objects as go
import pytest
from plotly.io import to_json

from scoring.presentation.figures.canvas import Canvas
from scoring.presentation.figures.plotly_figure import MANY


def read(sent):
    """Return what was sent with its arrays as lists, those of many numbers with seven digits."""
    if isinstance(sent, dict) and "bdata" in sent:
        values = np.frombuffer(base64.b64decode(sent["bdata"]), sent["dtype"])
        if values.dtype.kind == "f" and len(values) >= MANY:
            values = values.astype(np.float32)
        return [sent.get("shape"), *("nan" if value != value else value for value in values.tolist())]
    if isinstance(sent, dict):
        return {name: read(value) for name, value in sent.items()}
    return [read(value) for value in sent] if isinstance(sent, list) else sent


@pytest.fixture(autouse=True)
def checked(monkeypatch):
    """Plotly knows every property of every figure that a test draws, and would send each the same way, but
    for the digits of long curves."""
    build = Canvas.figure

    def figure(canvas: Canvas) -> go.Figure:
        built = build(canvas)
        description = {"data": built.traces, "layout": built.own_layout}
        sent = json.loads(to_json(built.to_dict(), validate=False))
        whole = json.loads(to_json(go.Figure(description, _validate=False), validate=False))
        assert read(sent) == read(whole)
        assert json.loads(go.Figure(built.to_dict()).to_json()) == sent
        return built

    monkeypatch.setattr(Canvas, "figure", figure)
