"""App start: challenges and libraries are loaded before the first visitor; garbage collection is tuned.

Streamlit collects all garbage at the end of every run. This takes longer with more objects in memory:
modules, samples, cards, figures. So objects that survived a collection are excluded from the next ones,
except for a complete collection every few seconds.
"""

import gc
import time
from collections.abc import Mapping
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


WHOLE_SECONDS = 30.0
"""Minimum time between two complete garbage collections."""
_last = 0.0


def tune_garbage_collection() -> None:
    """Collect once, and from now on run a complete collection only occasionally."""
    if _around not in gc.callbacks:
        gc.callbacks.append(_around)
    gc.collect()


def _around(phase: str, info: Mapping[str, int]) -> None:
    global _last
    if info["generation"] != 2:
        return
    if phase == "stop":
        gc.freeze()
    elif time.monotonic() - _last > WHOLE_SECONDS:
        gc.unfreeze()
        _last = time.monotonic()
