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
"""Modules that are otherwise imported by the first visitor who needs them."""


def preload() -> None:
    """Import all challenges, figures and reports, and what they import when they need it, and let each
    product of matrices have one thread.

    Several threads wait for each other where visitors share the cores: to measure an image took 8 s instead
    of 0.4.
    """
    for name in _WHEN_NEEDED:
        import_module(name)
    for challenge_id in challenge_ids():
        load_challenge(challenge_id)
    import plotly.graph_objects as go

    go.Figure(go.Scatter(x=[0]))  # the first figure costs what no later one does
    threadpoolctl.threadpool_limits(1, "blas")
