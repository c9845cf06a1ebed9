"""Session cleanup: frees memory and files of a session soon after it ended or its visitor left.

Streamlit keeps a session until the next visitor's click, and serves downloaded files even longer.
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
"""Session key of the random part in the names of the session's downloads."""
DOWNLOADS_SECONDS = 2
"""Time after a session left until its downloads are deleted. A lost connection is usually restored within a
second."""
SESSION_SECONDS = 20
"""Time after which a session that left is deleted with all its data; on a busy machine up to 10 s later.
Until then a reload can take over its files."""
PAUSE_SECONDS = 1
REFUSAL_BYTES = 5_000_000
"""Size from which cached refusals are deleted when any visitor leaves. Benchside reads the file again for a
visitor who still views the refusal."""
LOG = logging.getLogger(__name__)


class Departures:
    """Frees the memory of sessions that left. Call `sweep` about once a second, on the thread of the server's
    event loop.

    Args:
        clock: Clock in seconds that never goes back.
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
    """Delete the data of sessions that left, as long as the server runs."""
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
    """Free the remains of ended sessions (prepared images, problems of large refused files, reference
    cycles), and return the memory to the operating system."""
    PICTURES.clear()
    memory_budget.RESULTS.forget(lambda outcome: getattr(outcome, "refused", None) is not None, REFUSAL_BYTES)
    gc.unfreeze()
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of the GNU library alone
        if trim:
            trim(0)
