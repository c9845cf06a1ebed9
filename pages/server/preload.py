"""Preloading of challenges and libraries before the first visitor."""

from importlib import import_module

import threadpoolctl

from scoring.challenges import challenge_ids, load_challenge

_WHEN_NEEDED = (
    "pandas",
    "scipy.sparse",
    "scipy.special",
    "scoring.presentation.figures.confusion",
    "scoring.presentation.html",
)
"""Modules that would otherwise be imported for the first visitor who needs them."""


def preload() -> None:
    """Import all challenges, figures and reports with their lazy imports, and limit matrix products to one
    thread.

    Several threads wait for each other if visitors share the cores: measuring an image took 8 s instead of
    0.4.
    """
    for name in _WHEN_NEEDED:
        import_module(name)
    for challenge_id in challenge_ids():
        load_challenge(challenge_id)
    import plotly.graph_objects as go

    go.Figure(go.Scatter(x=[0]))  # the first figure costs what no later one does
    threadpoolctl.threadpool_limits(1, "blas")
