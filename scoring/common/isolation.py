"""Isolation: readers of untrusted files, which a server runs in a confined process.

`scoring.inference.reader_pool` has the processes and their limits of time and memory.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")
Run = Callable[[str, tuple[Any, ...]], Any]
"""Function that runs a reader by its name with arguments."""

READERS: dict[str, Callable[..., Any]] = {}
"""`module:function` -> the reader, for every imported reader."""
_run: list[Run] = []


def isolated(reader: Callable[Arguments, Value]) -> Callable[Arguments, Value]:
    """Decorate a reader: a module-level function that is called with (data, name, ...) by position, with
    arguments and result that `transport` can send."""
    reader_name = f"{reader.__module__}:{reader.__qualname__}"
    READERS[reader_name] = reader

    @wraps(reader)
    def read(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Value:
        if kwargs:
            raise TypeError(f"{reader_name} takes its arguments by position")
        if not _run:
            return reader(*args, **kwargs)
        result: Value = _run[0](reader_name, args)
        return result

    return read


def use(run: Run | None) -> None:
    """Make `run` call the readers from now on; None: they run in the caller's process."""
    _run[:] = [] if run is None else [run]
