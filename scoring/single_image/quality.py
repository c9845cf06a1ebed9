"""Image quality before a model is run: measurements, and their place among the test set's images.

The limits were found on drawn lesions, blurred on purpose, and on a few free photographs; they order
pictures, they prove nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from scoring.challenges.puma.formula import MICROMETRES_PER_PIXEL
from scoring.findings import InputRefused
from scoring.metrics.quality import Quality, quality
from scoring.models.pool import Cancelled
from scoring.models.process import ImageProcess
from scoring.single_image.photograph import Photograph, received

GOOD, NOTE, CAUTION, STOP = "good", "note", "caution", "stop"
LEVELS = (GOOD, NOTE, CAUTION, STOP)
BLURRED, VERY_BLURRED, LEAST_RELATIVE = 0.8, 0.25, 1.1
BRIGHTNESS = (60, 220)
MOST_LOST = 0.10
LEAST_SKIN = 0.35
STOP_SHOWN = 0.05
STAINED, LEAST_STAINED, MOST_WHITE = 0.5, 0.4, 0.5
TILE_SIDE = 1024
LEAST_SIDE = 224


@dataclass(frozen=True)
class Chip:
    """One statement about a picture. name: "size", "sharpness", "exposure", "colours", "frame", "tissue".
    level: of LEVELS; "stop" where the challenge refuses such a picture, hardly anything in it is sharp, or it
    is a tile of tissue instead of skin. value: what was measured, for people. words: a sentence. percentile:
    share 0..1 of the test set's images with a lower value, None where unknown."""

    name: str
    level: str
    value: str
    words: str
    percentile: float | None = None


class Pictures(Protocol):
    """Cases with an image each, or None."""

    def __len__(self) -> int: ...
    def picture(self, index: int, /) -> bytes | None: ...


def of_photograph(photograph: Photograph) -> Quality:
    """Return the quality of a photograph or tile."""
    return quality(photograph.small, min(photograph.size))


def measured(
    truth: Pictures,
    progress: Callable[[int, int], object] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> tuple[Quality | None, ...]:
    """Return the quality of each image of a test set, None where there is none or it cannot be read. About
    30 ms each. Raises Cancelled."""
    found = []
    with ImageProcess() as process:
        for index in range(len(truth)):
            if cancelled and cancelled():
                raise Cancelled
            found.append(_measured(process, truth, index))
            if progress:
                progress(index + 1, len(truth))
    return tuple(found)


def _measured(process: ImageProcess, truth: Pictures, index: int) -> Quality | None:
    try:
        data = truth.picture(index)
        return None if data is None else of_photograph(received(data, process))
    except InputRefused:
        return None


def photograph_chips(
    found: Quality, shortest_side: int = 0, among: Sequence[Quality | None] = ()
) -> tuple[Chip, ...]:
    """Chips of a photograph of skin. shortest_side: px that the challenge requires, 0 = any. among: the
    test set's images."""
    return (
        _size(found, shortest_side),
        _sharpness(found, among),
        _exposure(found, among),
        _colours(found),
        *_frame(found),
    )


def tile_chips(found: Quality, width: int, height: int) -> tuple[Chip, ...]:
    """Chips of a tile of stained tissue of `width` x `height` px."""
    usual = width == height == TILE_SIDE
    size = f"{width} x {height} px"
    words = (
        "The size of the challenge's tiles."
        if usual
        else (
            f"The challenge's tiles have {TILE_SIDE} x {TILE_SIDE} px at 40x: counts per area assume "
            f"{MICROMETRES_PER_PIXEL} um per px."
        )
    )
    return (
        Chip("size", GOOD if usual else NOTE, size, words),
        _sharpness(found),
        _exposure(found),
        _tissue(found),
    )


def percentile(name: str, value: float, among: Sequence[Quality | None]) -> float | None:
    """Share of the images `among` whose `name` (a field of Quality) lies below value; None without any."""
    values = np.array([getattr(one, name) for one in among if one is not None])
    return float((values < value).mean()) if len(values) else None


def _size(found: Quality, shortest_side: int) -> Chip:
    value = f"{found.short_side} px on the shorter side"
    if found.short_side < shortest_side:
        return Chip(
            "size",
            STOP,
            value,
            f"The challenge asks for {shortest_side} px or more: it would not take this photograph.",
        )
    if found.short_side < LEAST_SIDE:
        return Chip(
            "size",
            CAUTION,
            value,
            f"Smaller than what models are given ({LEAST_SIDE} px or more): it is enlarged and stays coarse.",
        )
    return Chip("size", GOOD, value, "Large enough.")


def _sharpness(found: Quality, among: Sequence[Quality | None] = ()) -> Chip:
    level = (
        STOP
        if found.sharpness < VERY_BLURRED
        else CAUTION
        if found.sharpness < BLURRED or found.relative_sharpness < LEAST_RELATIVE
        else GOOD
    )
    place = percentile("sharpness", found.sharpness, among)
    if level == GOOD:
        words = "Sharp enough."
    elif place is None:
        words = "This image is blurred. The score may not mean anything."
    else:
        words = (
            f"This image is blurrier than {1 - place:.0%} of the test images. The score may not mean "
            "anything."
        )
    return Chip("sharpness", level, f"{found.sharpness:.2g}", words, place)


def _exposure(found: Quality, among: Sequence[Quality | None] = ()) -> Chip:
    place = percentile("brightness", found.brightness, among)
    low, high = BRIGHTNESS
    faults = []
    if found.brightness < low or found.dark > MOST_LOST:
        faults.append("too dark")
    if found.brightness > high or found.bright > MOST_LOST:
        faults.append("too bright")
    words = (
        f"Parts of this image are {' and '.join(faults)}: what is lost there the model cannot see."
        if faults
        else "Neither too dark nor too bright."
    )
    return Chip("exposure", CAUTION if faults else GOOD, f"mean {found.brightness:.0f} of 255", words, place)


def _colours(found: Quality) -> Chip:
    value = f"{found.skin:.0%} as of skin"
    if found.skin >= LEAST_SKIN:
        return Chip(
            "colours", GOOD, value, "Nothing in the colours speaks against skin; that does not make it skin."
        )
    if found.stained >= STAINED:
        return Chip(
            "colours",
            STOP,
            value,
            "This looks like stained tissue, not like skin: choose PUMA for a tile.",
        )
    return Chip("colours", CAUTION, value, "This does not look like skin. The score may not mean anything.")


def _frame(found: Quality) -> tuple[Chip, ...]:
    if found.field_stop <= STOP_SHOWN:
        return ()
    words = "A black frame lies around the picture; some models take it for a sign."
    return (Chip("frame", NOTE, f"{found.field_stop:.0%} of the area", words),)


def _tissue(found: Quality) -> Chip:
    value = f"{found.stained:.0%} of the tissue, {found.white:.0%} white"
    if found.white > MOST_WHITE:
        return Chip(
            "tissue",
            CAUTION,
            value,
            "Most of this tile is empty glass: densities per area speak of what little is there.",
        )
    if found.stained < LEAST_STAINED:
        return Chip(
            "tissue",
            CAUTION,
            value,
            "The colours are not those of haematoxylin and eosin. What is found may not mean anything.",
        )
    return Chip("tissue", GOOD, value, "The colours of haematoxylin and eosin.")
