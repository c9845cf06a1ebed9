"""Memory budgets: limits for cached results of all sessions and of each; the oldest are deleted first.

The limit on uploaded bytes is in `pages.input_widgets.upload_quota`.
"""

import sys
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
import streamlit as st

from scoring.common import limits
from scoring.inputs.text_columns import LazyColumns

OWN = "_own_results"
"""Session key of the session's memory budget."""
LEAST = 3
"""Number of results that stay regardless of size, because a page shows as many."""
SAMPLED = 200
"""Number of measured items of a large collection; the others are assumed to be similar."""


@dataclass(frozen=True)
class _Held:
    """A result in a cache. size: bytes. forget: takes it out of its cache. result: gone once no cache and no
    page holds it."""

    size: int
    forget: Callable[[], object]
    result: weakref.ref[Any]


class MemoryBudget:
    """Cached results with their sizes, least recently used first. Used on any thread.

    Args:
        crowded: Whether results must be deleted for another reason than their size.
    """

    def __init__(self, most_bytes: int, least: int = 1, crowded: Callable[[], bool] = lambda: False):
        self._most, self._least, self._crowded, self._lock = most_bytes, least, crowded, threading.Lock()
        self._results: OrderedDict[str, _Held] = OrderedDict()
        self.dropped = 0

    @property
    def held_bytes(self) -> int:
        """Memory of the results."""
        with self._lock:
            return self._total()

    def bound(self, cached: Any, **arguments: Any) -> Any:
        """Return the result of a function that Streamlit caches, and delete the oldest results beyond the
        budget, but never this one or the `least` latest.

        Args:
            arguments: Its arguments by name. Arguments with an underscore are not part of its key.
        """
        result = cached(**arguments)
        key = {name: None if name.startswith("_") else value for name, value in arguments.items()}
        self._use(f"{cached.__qualname__} {key!r}", result, lambda: cached.clear(**key))
        return result

    def forget(self, is_over: Callable[[Any], bool], from_bytes: int) -> None:
        """Delete unused results of this size or more."""
        with self._lock:
            large = [(key, held) for key, held in self._results.items() if held.size >= from_bytes]
            over = [(key, held) for key, held in large if is_over(held.result())]
            for key, _ in over:
                del self._results[key]
        for _, held in over:
            held.forget()

    def _use(self, key: str, result: object, forget: Callable[[], object]) -> None:
        with self._lock:
            known = self._results.pop(key, None)
            is_known = known is not None and known.result() is result
            size = known.size if known is not None and is_known else size_of(result)
            self._results[key] = _Held(size, forget, weakref.ref(result))
        while held := self._oldest_beyond():
            self.dropped += 1
            held.forget()

    def _oldest_beyond(self) -> _Held | None:
        """Take out the oldest result if it has to make room, and return it."""
        crowded = self._crowded()
        with self._lock:
            if (self._total() <= self._most and not crowded) or len(self._results) <= self._least:
                return None
            return self._results.popitem(last=False)[1]

    def _total(self) -> int:
        gone = [key for key, held in self._results.items() if held.result() is None]
        for key in gone:
            del self._results[key]
        return sum(held.size for held in self._results.values())


RESULTS = MemoryBudget(limits.RESULTS.value * limits.MEGABYTE)
"""Cache of this server: scorecards and predictions by content."""


_SESSIONS: weakref.WeakSet[MemoryBudget] = weakref.WeakSet()
_sessions_lock = threading.Lock()


def sessions_bytes() -> int:
    """Return the memory of all sessions' results from visitors' files."""
    with _sessions_lock:
        budgets = list(_SESSIONS)
    return sum(budget.held_bytes for budget in budgets)


def bound_own(cached: Any, **arguments: Any) -> Any:
    """Return the result of a function that Streamlit caches for this session, and delete its oldest results
    beyond the budgets of a session and of all sessions; the page says so."""
    budget: MemoryBudget | None = st.session_state.get(OWN)
    if budget is None:
        everybody = limits.RESULTS.value * limits.MEGABYTE
        own = limits.SESSION_RESULTS.value * limits.MEGABYTE
        budget = st.session_state[OWN] = MemoryBudget(own, LEAST, lambda: sessions_bytes() > everybody)
        with _sessions_lock:
            _SESSIONS.add(budget)
    before = budget.dropped
    result = budget.bound(cached, **arguments)
    if budget.dropped > before:
        st.toast(
            "The memory for results of your own files is full, so the oldest results were deleted. "
            "Benchside computes them again when you open them."
        )
    return result


def size_of(value: object, deep: int = 8) -> int:
    """Return the approximate bytes of memory of a value; in large collections only a sample is measured."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if deep == 0 or value is None or isinstance(value, (str, bytes, int, float, bool)):
        return sys.getsizeof(value)
    if isinstance(value, LazyColumns):
        return value.held_bytes
    if isinstance(value, BaseException):  # a refusal, with what could be read
        return size_of(vars(value), deep)
    if isinstance(value, Mapping):
        return sys.getsizeof(value) + _of_items(value.keys(), deep) + _of_items(value.values(), deep)
    if isinstance(value, (list, tuple, set, frozenset)):
        return sys.getsizeof(value) + _of_items(value, deep)
    if is_dataclass(value) and not isinstance(value, type):
        return sum(size_of(getattr(value, field.name), deep - 1) for field in fields(value))
    return sys.getsizeof(value)


def _of_items(items: Collection[object], deep: int) -> int:
    """Return the bytes of items; if there are many, an evenly spread sample is measured."""
    step = max(1, len(items) // SAMPLED)
    return step * sum(size_of(item, deep - 1) for k, item in enumerate(items) if k % step == 0)
