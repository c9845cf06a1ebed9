"""Packs the nuclei of one image for the viewer."""

from collections.abc import Mapping, Sequence

import numpy as np

from pages.shared.viewer.payload import Payload, pack
from scoring.figures.theme import LIGHT
from scoring.readers.nuclei import Nuclei

STEPS = 16
"""Vertices are sent in sixteenths of a pixel."""
MOST_VERTICES = 4096
"""An outline of more is drawn from every second, third, ... vertex."""
TRUTH, PREDICTION = 0, 1
DETECTED = 4
"""Status of a nucleus that there is no truth for; 0, 1, 2 are TP, FP, FN."""


def results(
    overlay: Mapping[str, np.ndarray],
    *,
    name: str,
    size: tuple[int, int],
    classes: Sequence[str],
    reasons: Sequence[str],
    um_per_px: float,
    radius: float,
    jpeg: bytes | None = None,
) -> Payload:
    """Truth and prediction of one image with what became of each nucleus.

    overlay: columns of n nuclei, truth first: xy float [v, 2] vertices in px, one outline after the other;
    start [n + 1] where each begins (equal neighbours: no outline); centroids float [n, 2] px; kind [n] 0
    truth, 1 prediction; cls [n] position in `classes`; status [n] 0 TP, 1 FP, 2 FN; reason [n] position in
    `reasons` ("" = none, else a code of the matches); partner [n] row of the nucleus it matches or that the
    reason is about, -1 = none; number [n] position in its file's list; score [n] confidence; distance [n] px
    to the partner, NaN = none. name: of the case. size: width and height in px. jpeg: the image, of any size,
    in the same frame. radius: px, of the matching.
    """
    head = {"reasons": list(reasons), "radius": radius, "detections": False}
    return _packed(head | _frame(name, size, classes, um_per_px), overlay, jpeg)


def detections(
    nuclei: Nuclei,
    *,
    name: str,
    size: tuple[int, int],
    classes: Sequence[str],
    um_per_px: float,
    jpeg: bytes | None = None,
) -> Payload:
    """What a model found in one image that there is no truth for. Arguments as of `results`."""
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
    }
    return _packed(
        {"reasons": [""], "radius": None, "detections": True} | _frame(name, size, classes, um_per_px),
        columns,
        jpeg,
    )


def _frame(name: str, size: tuple[int, int], classes: Sequence[str], um_per_px: float) -> dict[str, object]:
    colours = LIGHT.categorical
    return {
        "mode": "nuclei",
        "name": name,
        "width": int(size[0]),
        "height": int(size[1]),
        "um_per_px": um_per_px,
        "classes": list(classes),
        "palette": [colours[c % len(colours)] for c in range(len(classes))],
    }


def _packed(head: dict[str, object], columns: Mapping[str, np.ndarray], jpeg: bytes | None) -> Payload:
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
    }
    return pack(head, arrays if jpeg is None else arrays | {"jpeg": jpeg})


def sixteenths(xy: np.ndarray) -> np.ndarray:
    """Coordinates in px, any shape, in whole sixteenths: int16, or int32 where one lies beyond 2,047 px."""
    scaled = np.rint(np.asarray(xy) * STEPS)
    wide = scaled.size > 0 and max(scaled.max(), -scaled.min()) > np.iinfo(np.int16).max
    return scaled.astype("<i4" if wide else "<i2")


def thinned(xy: np.ndarray, start: np.ndarray, most: int = MOST_VERTICES) -> tuple[np.ndarray, np.ndarray]:
    """Outlines [v, 2] that begin at start [n + 1], those of more than `most` vertices left with every k-th;
    start as uint32."""
    start = np.asarray(start, np.int64)
    lengths = np.diff(start)
    step = np.maximum(1, -(-lengths // most))
    if (step == 1).all():
        return xy, start.astype("<u4")
    place = np.arange(len(xy)) - np.repeat(start[:-1], lengths)
    kept = -(-lengths // step)
    return xy[place % np.repeat(step, lengths) == 0], np.concatenate([[0], np.cumsum(kept)]).astype("<u4")
