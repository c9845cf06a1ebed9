"""What is kept is left out of most collections, and nothing is left out for good."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from pages.server import preload


class Node:
    """Part of a cycle, which only a collection frees."""

    def __init__(self):
        self.itself = self


@pytest.fixture
def kept_short(monkeypatch) -> Iterator[None]:
    monkeypatch.setattr(preload, "_last", preload._last)
    preload.tune_garbage_collection()
    yield
    gc.callbacks.remove(preload._around)
    gc.unfreeze()


def test_what_survived_is_looked_at_once_in_a_while(kept_short, monkeypatch):
    node = Node()
    gone = weakref.ref(node)
    gc.collect()
    del node
    gc.collect()
    assert gone() is not None
    monkeypatch.setattr(preload, "_last", -preload.WHOLE_SECONDS)
    gc.collect()
    assert gone() is None


def test_what_is_new_goes_at_once(kept_short):
    gone = weakref.ref(Node())
    gc.collect()
    assert gone() is None
