"""Isolation: readers of strangers' files, which a server runs in a confined process instead of its own.

The processes, their seconds and their memory: `scoring.inference.reader_pool`.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")
Run = Callable[[str, tuple[Any, ...]], Any]
"""Runs the reader of a name with its arguments."""

READERS: dict[str, Callable[..., Any]] = {}
"""`module:function` -> the reader itself, of every reader that was imported."""
_run: list[Run] = []


def isolated(reader: Callable[Arguments, Value]) -> Callable[Arguments, Value]:
    """Decorate a reader: a plain function of a module, called with (data, name, ...) by position, whose
    arguments and result `transport` can send."""
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
    """Let `run` call the readers from now on; None: they run in the caller's own process."""
    _run[:] = [] if run is None else [run]
