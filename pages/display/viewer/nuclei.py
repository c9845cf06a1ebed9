"""Data of one image's nuclei for the viewer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pages.display.viewer.payload import Payload, pack
from scoring.inputs.nuclei.reader import Nuclei
from scoring.presentation.figures.theme import LIGHT

STEPS = 16
"""Vertices are sent in units of a sixteenth of a pixel."""
MOST_VERTICES = 4096
"""Maximum drawn vertices of an outline; a longer outline is drawn with every second, third, ... vertex."""
TRUTH, PREDICTION = 0, 1
DETECTED = 4
"""Status of a nucleus in an image without a truth; 0, 1, 2 are TP, FP, FN."""


@dataclass(frozen=True)
class TileInfo:
    """Facts about an image for the viewer, besides its nuclei.

    Attributes:
        size: Width and height in px.
        um_per_px: Micrometres per pixel, 0 if unknown: lengths are then in px.
        jpeg: The image, of any size, with the same frame; None if there is none.
        noun: Name of a marked object, in the singular and plural.
    """

    name: str
    size: tuple[int, int]
    classes: Sequence[str]
    um_per_px: float
    jpeg: bytes | None = None
    noun: tuple[str, str] = ("nucleus", "nuclei")


def results(
    overlay: Mapping[str, np.ndarray], image: TileInfo, reasons: Sequence[str], radius: float
) -> Payload:
    """Pack truth and prediction of an image with the outcome of each nucleus.

    Args:
        overlay: Columns of n nuclei, truth first: xy float [v, 2] vertices in px, one outline after the
            other; start [n + 1] where each begins (equal neighbours: no outline); centroids float [n, 2] px;
            kind [n] 0 truth, 1 prediction; cls [n] position among the classes; status [n] 0 TP, 1 FP, 2 FN;
            reason [n] position in `reasons`; partner [n] row of the nucleus it matches or that the reason is
            about, -1 = none; number [n] position in its file's list; score [n] confidence; distance [n] px to
            the partner, NaN = none; iou [n] of the outlines of a match, NaN = none.
        reasons: Codes of the reasons; "" = none.
        radius: Matching radius in px.
    """
    return _payload(overlay, image, {"reasons": list(reasons), "radius": radius, "detections": False})


def detections(nuclei: Nuclei, image: TileInfo) -> Payload:
    """Pack a model's detections in one image without a truth."""
    n = len(nuclei.classes)
    columns = {
        "xy": nuclei.vertices,
        "start": nuclei.starts,
        "centroids": nuclei.centroids,
        "kind": np.full(n, PREDICTION),
        "cls": nuclei.classes,
        "status": np.full(n, DETECTED),
        "reason": np.zeros(n),
        "partner": np.full(n, -1),
        "number": nuclei.numbers,
        "score": nuclei.confidences,
        "distance": np.full(n, np.nan),
        "iou": np.full(n, np.nan),
    }
    return _payload(columns, image, {"reasons": [""], "radius": None, "detections": True})


def _payload(columns: Mapping[str, np.ndarray], image: TileInfo, head: Mapping[str, object]) -> Payload:
    colours = LIGHT.categorical
    about = {
        "mode": "nuclei",
        "name": image.name,
        "width": int(image.size[0]),
        "height": int(image.size[1]),
        "um_per_px": image.um_per_px,
        "noun": list(image.noun),
        "classes": list(image.classes),
        "palette": [colours[c % len(colours)] for c in range(len(image.classes))],
    }
    xy, start = thinned(columns["xy"], columns["start"])
    arrays = {
        "xy": sixteenths(xy),
        "start": start,
        "centre": np.asarray(columns["centroids"], "<f4"),
        **{
            column: np.asarray(columns[column]).astype("u1") for column in ("kind", "cls", "status", "reason")
        },
        "partner": np.asarray(columns["partner"]).astype("<i4"),
        "number": np.asarray(columns["number"]).astype("<u4"),
        "score": np.asarray(columns["score"], "<f4"),
        "distance": np.nan_to_num(np.asarray(columns["distance"], "<f4")),
        "iou": np.nan_to_num(np.asarray(columns["iou"], "<f4"), nan=-1),
    }
    return pack({**head, **about}, arrays if image.jpeg is None else arrays | {"jpeg": image.jpeg})


def sixteenths(xy: np.ndarray) -> np.ndarray:
    """Return coordinates in px, of any shape, in sixteenths of a pixel: int16, or int32 if one exceeds 2,047
    px."""
    scaled = np.rint(np.asarray(xy) * STEPS)
    wide = scaled.size > 0 and max(scaled.max(), -scaled.min()) > np.iinfo(np.int16).max
    return scaled.astype("<i4" if wide else "<i2")


def thinned(xy: np.ndarray, start: np.ndarray, most: int = MOST_VERTICES) -> tuple[np.ndarray, np.ndarray]:
    """Return outlines [v, 2] that begin at start [n + 1], and start as uint32; outlines with more than `most`
    vertices keep only every k-th."""
    start = np.asarray(start, np.int64)
    lengths = np.diff(start)
    step = np.maximum(1, -(-lengths // most))
    if (step == 1).all():
        return xy, start.astype("<u4")
    index = np.arange(len(xy)) - np.repeat(start[:-1], lengths)
    counts = -(-lengths // step)
    return xy[index % np.repeat(step, lengths) == 0], np.concatenate([[0], np.cumsum(counts)]).astype("<u4")
