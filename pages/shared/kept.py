"""What was made once and is shown often, bounded: values by key.

The one that was used least lately goes first.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Kept(Generic[Value]):
    """Values by key, at most `most` of them. Several threads may ask at once."""

    def __init__(self, most: int):
        self._most, self._lock = most, Lock()
        self._values: OrderedDict[Hashable, Value] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made if it is not here."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        made = make()  # not under the lock: others need not wait; at worst it is made twice
        with self._lock:
            self._values[key] = made
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        return made

    def __len__(self) -> int:
        return len(self._values)
