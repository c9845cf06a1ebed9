"""Data of a patient's masks and images for the viewer."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pages.display.viewer.payload import Payload, pack
from scoring.inputs.scenes import Background, Scene

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


def results(
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
