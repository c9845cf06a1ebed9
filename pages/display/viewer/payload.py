"""The message to the viewer: a header and arrays in one byte string, without copying arrays into JSON;
the data of masks and images."""

import hashlib
import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.inputs.scenes import Background, Scene

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
        """Return magic, length of the header (uint32, little-endian), header, arrays. view: header entries
        that may change without a new `id`."""
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


LABELS = ("none", "GTVp", "GTVn")


@dataclass(frozen=True)
class ImageWindow:
    """Display of an image.

    Attributes:
        inverted: Whether high values are dark.
        windows: Name, value drawn black, value drawn white; the first is the default.
    """

    unit: str
    digits: int
    inverted: bool
    windows: tuple[tuple[str, float, float], ...]


DISPLAYS = {
    "CT": ImageWindow(
        "HU", 0, False, (("Soft tissue", -160, 240), ("Bone", -450, 1050), ("Air and fat", -1000, 200))
    ),
    "PET": ImageWindow("SUV", 1, True, (("0 to 10", 0, 10), ("0 to 5", 0, 5), ("0 to 20", 0, 20))),
}


def slice_results(
    scene: Scene,
    *,
    name: str,
    labels: Sequence[str] = LABELS,
    regions: Sequence[tuple[str, Sequence[int]]] = (),
) -> Payload:
    """Pack truth and prediction of a patient in slices, over the images of the scene.

    The viewer returns and accepts {voxel: index in the truth's file, plane: "axial", "coronal" or
    "sagittal"}.

    Args:
        labels: Names of the labels 0, 1, 2 ...
        regions: Structures that can be shown alone, each with its labels; (): each label.
    """
    arrays = {"labels": _stored(scene.labels)} | {
        f"image{i}": _stored(image.values) for i, image in enumerate(scene.backgrounds)
    }
    head = {
        "mode": "slices",
        "name": name,
        "shape": scene.labels.shape,
        "spacing": scene.spacing_mm,
        "affine": scene.affine[:3].tolist(),
        "to_file": scene.to_file[:3].tolist(),
        "file_shape": scene.file_shape,
        "labels": list(labels),
        "regions": regions or [(label, [code]) for code, label in enumerate(labels) if code],
        "backgrounds": [_described(image, f"image{i}") for i, image in enumerate(scene.backgrounds)],
    }
    return pack(head, arrays, deflate=True)


def _stored(volume: np.ndarray) -> np.ndarray:
    """Return the volume with its first axis fastest, as in the files."""
    return np.ascontiguousarray(volume.transpose(2, 1, 0))


def _described(image: Background, array: str) -> dict[str, object]:
    display = DISPLAYS.get(image.name) or ImageWindow("", 1, False, (("All", *_range(image)),))
    return {
        "name": image.name,
        "array": array,
        "shape": image.values.shape,
        "spacing": image.spacing_mm,
        "corner": image.corner_mm,
        "scale": image.scale,
        "unit": display.unit,
        "digits": display.digits,
        "invert": display.inverted,
        "windows": display.windows,
    }


def _range(image: Background) -> tuple[float, float]:
    return float(image.values.min()) * image.scale, float(image.values.max()) * image.scale
