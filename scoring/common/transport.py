"""Transport: lets readers of untrusted files run in a confined process, and sends values between processes.

Values are sent as JSON and raw bytes. Nothing is unpickled: only dataclasses in `TYPES` are built.
`scoring.inference.reader_pool` has the processes and their limits of time and memory.
"""

import json
from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from scoring.common.findings import Finding
from scoring.common.fixes import InputChanges, SuggestedFix

TYPES: dict[str, type] = {each.__name__: each for each in (Finding, SuggestedFix, InputChanges)}
"""Dataclasses that may be sent, by name."""
Class = TypeVar("Class", bound=type)
ARRAYS = "biuf"
"""NumPy types that may be sent: booleans and numbers."""


def crosses(each: Class) -> Class:
    """Decorator that registers a dataclass, so that `encode` and `decode` accept its instances."""
    TYPES[each.__name__] = each
    return each


def encode(value: Any) -> list[bytes | memoryview]:
    """Return a value as parts: its JSON text, then the bytes of arrays and byte strings."""
    parts: list[bytes | memoryview] = []
    text = json.dumps(_plain(value, parts), ensure_ascii=False, separators=(",", ":"))
    return [text.encode("utf-8", "surrogatepass"), *parts]


def decode(parts: list[bytearray]) -> Any:
    """Return the value from the parts that `encode` returned. Raises KeyError, IndexError, ValueError or
    TypeError for invalid parts."""
    return _value(json.loads(parts[0].decode("utf-8", "surrogatepass")), parts[1:])


def _plain(value: Any, parts: list[bytes | memoryview]) -> Any:
    """Return JSON values: plain ones as they are, others as [tag, ...]."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, bytes):
        parts.append(value)
        return ["bytes", len(parts) - 1]
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in ARRAYS:
            raise TypeError(f"arrays of {value.dtype} do not cross")
        parts.append(np.ascontiguousarray(value).reshape(-1).view(np.uint8).data)
        return ["array", value.dtype.str, value.shape, len(parts) - 1]
    if isinstance(value, range):
        value = list(value)
    if type(value) in (tuple, list, frozenset):
        tag = type(value).__name__
        if all(type(item) is str for item in value) or all(type(item) is int for item in value):
            return [f"{tag} of plain", list(value)]
        return [tag, [_plain(item, parts) for item in value]]
    if isinstance(value, dict):
        return ["dict", [[_plain(key, parts), _plain(item, parts)] for key, item in value.items()]]
    name = type(value).__name__
    if TYPES.get(name) is not type(value):
        raise TypeError(f"values of {type(value)} do not cross")
    return [name, {field.name: _plain(getattr(value, field.name), parts) for field in fields(TYPES[name])}]


_COLLECTIONS = {"tuple": tuple, "list": list, "frozenset": frozenset}


def _value(plain: Any, parts: list[bytearray]) -> Any:
    if not isinstance(plain, list):
        return plain
    tag, content, *rest = plain
    if tag == "bytes":
        data, parts[content] = bytes(parts[content]), bytearray()  # large files are not held twice
        return data
    if tag == "array":
        shape, index = rest
        dtype = np.dtype(content)
        if dtype.kind not in ARRAYS:
            raise ValueError(f"arrays of {dtype} do not cross")
        return np.frombuffer(parts[index], dtype).reshape(shape)
    if tag == "dict":
        return {_value(key, parts): _value(item, parts) for key, item in content}
    kind = _COLLECTIONS.get(tag.removesuffix(" of plain"))
    if kind is not None:
        return kind(content if tag.endswith(" of plain") else [_value(item, parts) for item in content])
    return TYPES[tag](**{name: _value(item, parts) for name, item in content.items()})


Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")
Run = Callable[[str, tuple[Any, ...]], Any]
"""Function from (name of a reader, its arguments) to the reader's result."""

READERS: dict[str, Callable[..., Any]] = {}
"""`module:function` -> reader, for every reader that was imported."""
_run: list[Run] = []


def isolated(reader: Callable[Arguments, Value]) -> Callable[Arguments, Value]:
    """Decorator of a reader that may run in a confined process. The reader is a function of a module, and is
    called with (data, name, ...) by position. `encode` must be able to encode arguments and result of the
    reader."""
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
    """Set the function that calls all isolated readers. With None, readers run in the caller's process."""
    _run[:] = [] if run is None else [run]
