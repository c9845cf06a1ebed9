"""Session cleanup: frees memory and files of a session soon after it ended or its visitor left.

Streamlit keeps it until the next visitor's click, and serves files that were downloaded for longer still.
"""

import asyncio
import ctypes
import gc
import logging
import sys
from collections.abc import Callable
from time import monotonic

from pages.server import memory_budget, streamlit_internals
from pages.server.streamlit_internals import Runtime
from scoring.inference.image_cache import PICTURES

NONCE = "_download_nonce"
"""In the session: the part that the names of its downloads alone have."""
DOWNLOADS_SECONDS = 2
"""So long after a session left, its downloads are gone. A lost connection is taken up again within a
second."""
SESSION_SECONDS = 20
"""So long after it left, a session is gone with all that it held, on a busy machine up to 10 s later. Until
then a reload takes over its files."""
PAUSE_SECONDS = 1
REFUSAL_BYTES = 5_000_000
"""Refusals from this size on go when anybody leaves; whoever still looks at one waits for it once more."""
LOG = logging.getLogger(__name__)


class Departures:
    """Frees the memory of sessions that left. Call `sweep` about once a second, on the thread of the server's
    event loop.

    Args:
        clock: Seconds that never go back.
    """

    def __init__(self, runtime: Runtime, clock: Callable[[], float] = monotonic):
        self._runtime, self._clock = runtime, clock
        self._left: dict[str, float] = {}
        self._without_downloads: set[str] = set()

    def sweep(self) -> bool:
        """Free the memory of ended sessions, and return whether there was one."""
        now, gone = self._clock(), streamlit_internals.disconnected_sessions(self._runtime)
        self._left = {key: self._left.get(key, now) for key in gone}
        self._without_downloads &= gone.keys()
        ended = False
        for key, since in list(self._left.items()):
            if now - since >= DOWNLOADS_SECONDS and key not in self._without_downloads:
                self._without_downloads.add(key)
                part = streamlit_internals.state_of(gone[key]).get(NONCE)
                streamlit_internals.forget_downloads(self._runtime, part)
            if now - since >= SESSION_SECONDS:
                self._runtime.close_session(key)
                ended = True
        return ended


async def watch() -> None:
    """Sweep as long as the server runs."""
    departures = Departures(Runtime.instance())
    while True:
        await asyncio.sleep(PAUSE_SECONDS)
        try:
            ended = departures.sweep()
        except Exception:  # what follows must be freed all the same
            LOG.exception("sweeping failed")
            continue
        if ended:
            await asyncio.to_thread(give_memory_back)


def give_memory_back() -> None:
    """Free what sessions left behind, prepared images, problems of large refused files and cycles, and return
    it to the operating system."""
    PICTURES.clear()
    memory_budget.RESULTS.forget(lambda outcome: getattr(outcome, "refused", None) is not None, REFUSAL_BYTES)
    gc.unfreeze()
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of the GNU library alone
        if trim:
            trim(0)
