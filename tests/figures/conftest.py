"""Scorecards of golden cases, and a check of every figure that is drawn."""

import json
from pathlib import Path

import plotly.graph_objects as go
import pytest
from plotly.io import to_json

import scoring
from scoring.figures.canvas import Canvas

GOLDEN = Path(__file__).parents[1] / "golden" / "tricorder3"


def scored(name: str, **options) -> scoring.ScoreCard:
    challenge = scoring.load_challenge("tricorder3")
    truth = challenge.read_truth(GOLDEN / name / "truth.csv")
    return challenge.score(
        truth, challenge.read_predictions(GOLDEN / name / "predictions.csv", truth), **options
    )


@pytest.fixture(scope="session")
def card() -> scoring.ScoreCard:
    return scored("05-all-classes-300", model_size_mib=73.456789, resamples=60)


@pytest.fixture(scope="session")
def absent() -> scoring.ScoreCard:
    """Three of eleven classes have no case."""
    return scored("01-public-a", resamples=0)


@pytest.fixture(autouse=True)
def checked(monkeypatch):
    """Plotly knows every property of every figure that a test draws, and would send each the same way."""
    build = Canvas.figure

    def figure(canvas: Canvas) -> go.Figure:
        built = build(canvas)
        description = {"data": built.traces, "layout": built.own_layout}
        sent = json.loads(to_json(built.to_dict(), validate=False))
        assert sent == json.loads(to_json(go.Figure(description, _validate=False), validate=False))
        assert json.loads(go.Figure(built.to_dict()).to_json()) == json.loads(built.to_json())
        return built

    monkeypatch.setattr(Canvas, "figure", figure)
