"""What a session holds is freed soon after it left, whether or not anybody else comes.

Streamlit keeps it until the next visitor's click, and serves files that were downloaded for longer still.
"""

import asyncio
import ctypes
import gc
import logging
import sys
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSession

from pages.display import downloads
from scoring.inference.cache import PICTURES

DOWNLOADS_SECONDS = 2
"""So long after a session left, its downloads are gone. A lost connection is taken up again within a
second."""
SESSION_SECONDS = 25
"""So long after it left, a session is gone with all that it held. Until then a reload takes over its
files."""
PAUSE_SECONDS = 1
LOG = logging.getLogger(__name__)


class Departures:
    """Frees what sessions that left hold. Call `sweep` about once a second, on the thread of the server's
    event loop.

    Args:
        runtime: The server.
        clock: Seconds that never go back.
    """

    def __init__(self, runtime: Runtime, clock: Callable[[], float] = monotonic):
        self._runtime, self._clock = runtime, clock
        self._left: dict[str, float] = {}
        self._without_downloads: set[str] = set()

    def sweep(self) -> bool:
        """Free what is due, and return whether a session was ended."""
        now, gone = self._clock(), _disconnected(self._runtime)
        self._left = {key: self._left.get(key, now) for key in gone}
        self._without_downloads &= gone.keys()
        ended = False
        for key, since in list(self._left.items()):
            if now - since >= DOWNLOADS_SECONDS and key not in self._without_downloads:
                self._without_downloads.add(key)
                downloads.forget(self._runtime, _state(gone[key]).get(downloads.NONCE))
            if now - since >= SESSION_SECONDS:
                self._runtime.close_session(key)
                ended = True
        return ended


def _disconnected(runtime: Runtime) -> Mapping[str, AppSession]:
    """Return the sessions that Streamlit keeps for those who come back, by id."""
    stored = runtime._session_mgr._session_storage.list()  # type: ignore[attr-defined]
    return {info.session.id: info.session for info in stored}


def _state(session: AppSession) -> Mapping[str, Any]:
    return session.session_state.filtered_state


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
    """Free what sessions left behind, prepared images and cycles, and return it to the operating system."""
    PICTURES.clear()
    gc.unfreeze()
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of the GNU library alone
        if trim:
            trim(0)
