"""Transport: typed values as JSON and raw bytes, for readers in another process.

Nothing is unpickled: only dataclasses in `TYPES` are built.
"""

import json
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

from scoring.common.findings import Finding
from scoring.common.fixes import InputChanges, SuggestedFix

TYPES: dict[str, type] = {each.__name__: each for each in (Finding, SuggestedFix, InputChanges)}
"""Dataclasses that may be sent, by name."""
Class = TypeVar("Class", bound=type)
ARRAYS = "biuf"
"""NumPy types that may be sent: booleans and numbers."""


def crosses(each: Class) -> Class:
    """Decorate a dataclass whose values may be sent."""
    TYPES[each.__name__] = each
    return each


def encode(value: Any) -> list[bytes | memoryview]:
    """Return a value as parts: its JSON text, then the bytes of arrays and byte strings."""
    parts: list[bytes | memoryview] = []
    text = json.dumps(_plain(value, parts), ensure_ascii=False, separators=(",", ":"))
    return [text.encode("utf-8", "surrogatepass"), *parts]


def decode(parts: list[bytearray]) -> Any:
    """Return the value of parts made by `encode`. Raises KeyError, IndexError, ValueError or TypeError for
    invalid parts."""
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
