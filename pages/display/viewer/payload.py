"""The message to the viewer: a header and arrays in one byte string, without copying arrays into JSON."""

import hashlib
import json
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

MAGIC = b"BSV1"
TYPES = ("u1", "i2", "u4", "i4", "f4")
"""Little-endian element types that the browser can read."""


@dataclass(frozen=True, eq=False)
class Payload:
    """The content of the viewer for a case. Cache it by the SHA-256 of its source files.

    Attributes:
        head: JSON values: mode, name, data of the mode, `arrays` (name -> [type, offset, bytes, 1 if
            deflated]), `id` (hash of everything: the browser unpacks data only once per id).
        body: The arrays, one after the other.
    """

    head: Mapping[str, object]
    body: bytes

    @property
    def name(self) -> str:
        """The name of the case."""
        return str(self.head["name"])

    def message(self, **view: object) -> bytes:
        """Return magic, length of the header (uint32, little-endian), header, arrays.

        view: header entries that may change without a new `id`.
        """
        text = json.dumps({**self.head, **view}).encode()
        return MAGIC + struct.pack("<I", len(text)) + text + self.body


def pack(
    head: Mapping[str, object], arrays: Mapping[str, np.ndarray | bytes], deflate: bool = False
) -> Payload:
    """Return a payload.

    Args:
        arrays: Arrays by name, packed in C order; bytes as uint8.
        deflate: Whether to deflate them.

    Raises:
        ValueError: If the type of an array is not in TYPES.
    """
    table, parts, offset = {}, [], 0
    for name, value in arrays.items():
        array = np.frombuffer(value, "u1") if isinstance(value, bytes) else np.ascontiguousarray(value)
        kind = array.dtype.newbyteorder("<").str[1:]
        if kind not in TYPES:
            raise ValueError(f"{name} is {array.dtype}: the browser reads {', '.join(TYPES)}")
        raw = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        part = zlib.compress(raw, 1) if deflate else raw
        table[name] = [kind, offset, len(part), int(deflate)]
        parts.append(part)
        offset += len(part)
    body = b"".join(parts)
    described = {**head, "arrays": table}
    digest = hashlib.sha256(json.dumps(described).encode())
    digest.update(body)
    return Payload({**described, "id": digest.hexdigest()[:16]}, body)
