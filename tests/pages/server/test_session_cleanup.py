"""Sessions that left are ended in time, also when nobody else comes."""

import gc
import weakref
from types import SimpleNamespace

import numpy as np
import pytest

from pages.server import session_cleanup
from pages.server.session_cleanup import DOWNLOADS_SECONDS, SESSION_SECONDS, Departures
from scoring.inference import image_cache
from scoring.inference.image_cache import PICTURES
from scoring.inference.preprocessing import Recipe
from scoring.inference.worker_results import PreparedImage


class Server:
    """Streamlit's runtime, as far as sessions leave it."""

    def __init__(self):
        self.away: dict[str, dict] = {}
        self.closed: list[str] = []
        stored = SimpleNamespace(list=self._stored)
        self._session_mgr = SimpleNamespace(_session_storage=stored)

    def _stored(self):
        return [
            SimpleNamespace(
                session=SimpleNamespace(id=name, session_state=SimpleNamespace(filtered_state=state))
            )
            for name, state in self.away.items()
        ]

    def close_session(self, name: str) -> None:
        self.closed.append(name)
        del self.away[name]


@pytest.fixture
def forgotten(monkeypatch) -> list[str]:
    names: list[str] = []
    monkeypatch.setattr(
        session_cleanup.streamlit_internals, "forget_downloads", lambda _, part: names.append(part)
    )
    return names


def test_downloads_go_first_and_then_the_session(forgotten):
    now, server = [0.0], Server()
    departures = Departures(server, lambda: now[0])
    server.away["one"] = {"_download_nonce": "abcd"}
    assert not departures.sweep()
    now[0] = DOWNLOADS_SECONDS
    assert not departures.sweep()
    assert not departures.sweep()
    assert forgotten == ["abcd"]
    now[0] = SESSION_SECONDS
    assert departures.sweep()
    assert server.closed == ["one"]


def test_who_comes_back_keeps_everything(forgotten):
    """A lost connection, or a phone that slept for a moment."""
    now, server = [0.0], Server()
    departures = Departures(server, lambda: now[0])
    for second in range(0, 200, SESSION_SECONDS - 1):
        now[0] = second
        server.away["one"] = {}
        departures.sweep()
        server.away.clear()
        departures.sweep()
    assert server.closed == []


def test_images_and_cycles_are_freed():
    class Node:
        pass

    node = Node()
    node.itself = node
    gone = weakref.ref(node)
    gc.freeze()
    pixels = np.zeros((4, 4, 3), np.uint8)
    pixels.flags.writeable = False
    key = image_cache.key(b"image", Recipe(()))
    PICTURES.put(key, PreparedImage(pixels, None))
    del node
    session_cleanup.give_memory_back()
    assert gone() is None
    assert PICTURES.get(key) is None
