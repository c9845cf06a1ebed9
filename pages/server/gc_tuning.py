"""Garbage collection tuned so that it costs a click little.

Streamlit collects all garbage at the end of every run, which takes the longer the more is kept: modules,
samples, cards, figures. What has survived a collection is therefore left out of the next ones, but for one
every few seconds, which looks at everything.
"""

import gc
import time
from collections.abc import Mapping

WHOLE_SECONDS = 30.0
"""Least time between two collections that look at everything."""
_last = 0.0


def keep_short() -> None:
    """Collect once, and from now on look at everything only once in a while."""
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
