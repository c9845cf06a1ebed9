"""What the browser reads from a message of the viewer, read here."""

import json
import struct
import zlib

import numpy as np


def read(message: bytes) -> tuple[dict, dict[str, np.ndarray]]:
    """Header and arrays of a message."""
    assert message[:4] == b"BSV1"
    (length,) = struct.unpack("<I", message[4:8])
    head, body = json.loads(message[8 : 8 + length]), message[8 + length :]
    arrays = {}
    for name, (kind, offset, size, packed) in head["arrays"].items():
        part = body[offset : offset + size]
        arrays[name] = np.frombuffer(zlib.decompress(part) if packed else part, f"<{kind}")
    return head, arrays
