"""Converts run-length encoded masks to outlines around their pixels.

Sources of the forms: cocoapi (common/maskApi.c, `rleToString`): {"size": [height, width], "counts"}, numbers
of pixels down each column, background first, as a list or packed into text; CVAT (rle of a mask): the same
along the rows of a box.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

LONGEST_SIDE, LONGEST_NUMBER = 100_000, 12
LATER = 3
"""From the run with this number on, COCO stores the difference to the run two before it."""


def outline(mask: Mapping[str, Any]) -> list[list[float]] | None:
    """Return the outline of a run-length encoded COCO mask; None if it has no pixels or is not a mask."""
    size, counts = mask.get("size"), mask.get("counts")
    if not isinstance(size, list) or len(size) != 2 or not all(map(_is_side, size)):
        return None
    runs: Any = _unpacked(counts) if isinstance(counts, str) else counts
    return _around(runs, size[0]) if _fits(runs, size[0] * size[1]) else None


def outline_in_box(text: str, *box: str | None) -> list[list[float]] | None:
    """Return the outline of a run-length encoded CVAT mask; None if it has no pixels or is not a mask.

    Args:
        text: Run lengths of the mask.
        box: Left, top, width and height of the box that contains the mask.
    """
    if not all(part and len(part) < LONGEST_NUMBER and part.lstrip("-").isdecimal() for part in box):
        return None
    left, top, width, height = (int(str(part)) for part in box)
    parts = [part.strip() for part in text.split(",")]
    if not (
        _is_side(width) and _is_side(height) and all(part.isdecimal() and len(part) < 12 for part in parts)
    ):
        return None
    runs = [*map(int, parts)]
    found = _around(runs, width) if _fits(runs, width * height) else None
    return None if found is None else [[left + x, top + y] for y, x in found]


def _is_side(value: Any) -> bool:
    return type(value) is int and 0 < value <= LONGEST_SIDE


def _fits(runs: Any, pixels: int) -> bool:
    """Return whether runs are numbers of pixels, of no more than there are."""
    is_list = isinstance(runs, list) and all(type(run) is int and 0 <= run <= pixels for run in runs)
    return is_list and sum(runs) <= pixels


def _unpacked(text: str) -> list[int]:
    """Return the runs in a text: five bits a letter from "0" on, the sixth if more follow; none of another
    text."""
    runs: list[int] = []
    value = shift = 0
    for letter in text:
        bits = ord(letter) - 48
        if not 0 <= bits < 64 or shift > 60:
            return []
        value |= (bits & 31) << shift
        shift += 5
        if not bits & 32:
            value -= (1 << shift) if bits & 16 else 0
            runs.append(value + (runs[-2] if len(runs) >= LATER else 0))
            value = shift = 0
    return runs


def _around(runs: Sequence[int], height: int) -> list[list[float]] | None:
    """Return the vertices around the pixels of runs down columns: the tops of all columns, then their ends
    backwards. They are moved so that their mean, which counts, is the middle of the pixels."""
    ends = np.cumsum(np.array(runs, np.int64))
    first, last = ends[:-1:2], ends[1::2] - 1
    first, last = first[: len(last)][last >= first[: len(last)]], last[last >= first[: len(last)]]
    if not len(first):
        return None
    columns = last // height - first // height + 1
    column = np.repeat(first // height, columns) + np.concatenate([np.arange(n) for n in columns.tolist()])
    low = np.maximum(np.repeat(first, columns) - column * height, 0)
    end = np.minimum(np.repeat(last, columns) - column * height, height - 1) + 1
    pixels = end - low
    middle = np.array([column + 0.5, (low + end) / 2]) @ pixels / pixels.sum()
    each, place = np.unique(column, return_inverse=True)
    tops, bottoms = np.full(len(each), height), np.zeros(len(each), np.int64)
    np.minimum.at(tops, place, low)
    np.maximum.at(bottoms, place, end)
    sides = np.stack([each, each + 1], 1).ravel()
    there = np.stack([sides, np.repeat(tops, 2)], 1)
    back = np.stack([sides, np.repeat(bottoms, 2)], 1)[::-1]
    ring = np.concatenate([there, back])
    vertices: list[list[float]] = (ring + middle - ring.mean(0)).tolist()
    return vertices
