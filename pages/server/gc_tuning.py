"""Garbage collection tuned so that clicks stay fast.

Streamlit collects all garbage at the end of every run. This takes longer with more objects in memory:
modules, samples, cards, figures. So objects that survived a collection are excluded from the next ones,
except for a complete collection every few seconds.
"""

import gc
import time
from collections.abc import Mapping

WHOLE_SECONDS = 30.0
"""Minimum time between two complete garbage collections."""
_last = 0.0


def keep_short() -> None:
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
