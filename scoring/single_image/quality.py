"""Image quality before a model is run: measurements, and their place among the test set's images.

Where a test set is at hand, what lies beyond nearly all of its images, on either side, is a caution: a model
was never tried on such. Without one, limits that were found on drawn lesions, blurred on purpose, and on a
few free photographs; they order pictures, they prove nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from scoring.common.arrays import Floats
from scoring.common.findings import InputRefused
from scoring.inference.pool import Cancelled
from scoring.inference.process import ImageProcess
from scoring.metrics.quality import Quality as Quality
from scoring.metrics.quality import appearance, patches, quality
from scoring.single_image.out_of_distribution import TILE_PATCHES, KnownImages, OutlierScore, known_images
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
LIKENESS = "likeness"
USUAL = (0.01, 0.99)
"""Quantiles of the test set's images between which a value is usual."""
ENOUGH = 20
"""Images of a test set from which on it says what is usual."""


@dataclass(frozen=True)
class QualityBadge:
    """One statement about a picture.

    Attributes:
        name: "size", "sharpness", "exposure", "colours", "frame", "tissue", "likeness".
        level: Of LEVELS; "stop" where the challenge refuses such a picture, hardly anything in it is sharp,
            it is a tile of tissue instead of skin, or nothing like the test set's.
        value: What was measured, for people.
        words: A sentence.
        percentile: Share 0..1 of the test set's images with a lower value, None where unknown.
    """

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


@dataclass(frozen=True)
class MeasuredImages:
    """What was measured of a test set's images. qualities: of each case, None without an image. known: their
    appearance."""

    qualities: tuple[Quality | None, ...]
    known: KnownImages


def seen_parts(photograph: Photograph, tile: bool = False) -> Floats:
    """Return the appearance [p, d] of a photograph as a whole, or of the parts of a tile."""
    return patches(photograph.small, TILE_PATCHES) if tile else appearance(photograph.small)[None]


def measured(
    truth: Pictures,
    progress: Callable[[int, int], object] | None = None,
    cancelled: Callable[[], bool] | None = None,
    tile: bool = False,
) -> MeasuredImages:
    """Return quality and appearance of each image of a test set; nothing of one that cannot be read. About 40
    ms each. Raises Cancelled."""
    qualities: list[Quality | None] = []
    appearances: list[Floats | None] = []
    with ImageProcess() as process:
        for index in range(len(truth)):
            if cancelled and cancelled():
                raise Cancelled
            found = _received(process, truth, index)
            qualities.append(None if found is None else of_photograph(found))
            appearances.append(None if found is None else seen_parts(found, tile))
            if progress:
                progress(index + 1, len(truth))
    return MeasuredImages(tuple(qualities), known_images(appearances))


def _received(process: ImageProcess, truth: Pictures, index: int) -> Photograph | None:
    try:
        data = truth.picture(index)
        return None if data is None else received(data, process)
    except InputRefused:
        return None


def likeness_chip(found: OutlierScore | None, anything: str = "image") -> tuple[QualityBadge, ...]:
    """Return the chip that says whether an image is like the test set's; none where too little is known.
    anything: what the test set holds, "image" or "tile"."""
    if found is None:
        return ()
    alarms = found.far_alarms if found.far else found.false_alarms
    rate = (
        f"Of the test set's own {found.images} {anything}s, each left out in turn, "
        f"{'this is' if found.unlike else 'unlike the others are'} "
        f"{'said of ' if found.unlike else ''}{alarms} ({alarms / found.images:.0%})."
    )
    if found.far:
        words = f"This is nothing like the {anything}s of the test set, in colours and texture. {rate}"
        return (QualityBadge(LIKENESS, STOP, "nothing like the test set", words),)
    if found.unlike:
        words = (
            f"This is unlike the {anything}s of the test set, in colours and texture: how well the model "
            f"does on such is not known. {rate}"
        )
        return (QualityBadge(LIKENESS, CAUTION, "unlike the test set", words),)
    words = f"Colours and texture are such as the test set's {anything}s have. {rate}"
    return (QualityBadge(LIKENESS, GOOD, "as in the test set", words),)


def photograph_chips(
    found: Quality, shortest_side: int = 0, among: Sequence[Quality | None] = ()
) -> tuple[QualityBadge, ...]:
    """Return chips of a photograph of skin. shortest_side: px that the challenge requires, 0 = any. among:
    the test set's images."""
    return (
        _size(found, shortest_side),
        _sharpness(found, among),
        _exposure(found, among),
        _colours(found),
        *_frame(found),
    )


def tile_chips(
    found: Quality, width: int, height: int, micrometres_per_pixel: float
) -> tuple[QualityBadge, ...]:
    """Return chips of a tile of stained tissue of `width` x `height` px. micrometres_per_pixel: of the
    challenge's tiles."""
    usual = width == height == TILE_SIDE
    size = f"{width} x {height} px"
    words = (
        "The size of the challenge's tiles."
        if usual
        else (
            f"The challenge's tiles have {TILE_SIDE} x {TILE_SIDE} px at 40x: counts per area assume "
            f"{micrometres_per_pixel} µm per px."
        )
    )
    return (
        QualityBadge("size", GOOD if usual else NOTE, size, words),
        _sharpness(found),
        _exposure(found),
        _tissue(found),
    )


def percentile(name: str, value: float, among: Sequence[Quality | None]) -> float | None:
    """Return the share of the images `among` whose `name` (a field of Quality) lies below value; None without
    any."""
    values = np.array([getattr(one, name) for one in among if one is not None])
    return float((values < value).mean()) if len(values) else None


def _size(found: Quality, shortest_side: int) -> QualityBadge:
    value = f"{found.short_side} px on the shorter side"
    if found.short_side < shortest_side:
        return QualityBadge(
            "size",
            STOP,
            value,
            f"The challenge asks for {shortest_side} px or more: it would not take this photograph.",
        )
    if found.short_side < LEAST_SIDE:
        return QualityBadge(
            "size",
            CAUTION,
            value,
            f"Smaller than what models are given ({LEAST_SIDE} px or more): it is enlarged and stays coarse.",
        )
    return QualityBadge("size", GOOD, value, "Large enough.")


def _beyond(name: str, value: float, among: Sequence[Quality | None]) -> str:
    """Return whether a value is "low", "high" or "" (usual) among the test set's images; "" where they are
    too few to say."""
    values = np.array([getattr(one, name) for one in among if one is not None])
    if len(values) < ENOUGH:
        return ""
    low, high = np.quantile(values, USUAL)
    return "low" if value < low else "high" if value > high else ""


def _enough(among: Sequence[Quality | None]) -> bool:
    return sum(one is not None for one in among) >= ENOUGH


def _sharpness(found: Quality, among: Sequence[Quality | None] = ()) -> QualityBadge:
    place, value = (
        percentile("sharpness", found.sharpness, among),
        f"{found.sharpness:{'.0f' if found.sharpness >= 10 else '.2g'}}",
    )
    beyond = _beyond("sharpness", found.sharpness, among)
    blurred = found.sharpness < BLURRED or found.relative_sharpness < LEAST_RELATIVE
    if found.sharpness < VERY_BLURRED or beyond == "low" or (blurred and not _enough(among)):
        words = "This image is blurred." if place is None else _blurrier(1 - place)
        level = STOP if found.sharpness < VERY_BLURRED else CAUTION
        return QualityBadge("sharpness", level, value, f"{words} The score may not mean anything.", place)
    if beyond == "high":
        words = (
            f"This image has more fine detail than {place:.0%} of the test images: hair, print, noise or "
            "another camera. The score may not mean anything."
        )
        return QualityBadge("sharpness", CAUTION, value, words, place)
    return QualityBadge("sharpness", GOOD, value, "Sharp enough.", place)


def _blurrier(share: float) -> str:
    return f"This image is blurrier than {share:.0%} of the test images."


def _exposure(found: Quality, among: Sequence[Quality | None] = ()) -> QualityBadge:
    place = percentile("brightness", found.brightness, among)
    value = f"mean {found.brightness:.0f} of 255"
    low, high = BRIGHTNESS
    faults = []
    if found.brightness < low or found.dark > MOST_LOST:
        faults.append("too dark")
    if found.brightness > high or found.bright > MOST_LOST:
        faults.append("too bright")
    if faults:
        words = f"Parts of this image are {' and '.join(faults)}: what is lost there the model cannot see."
        return QualityBadge("exposure", CAUTION, value, words, place)
    beyond = _beyond("brightness", found.brightness, among)
    if beyond:
        words = f"This image is {'darker' if beyond == 'low' else 'brighter'} than nearly all test images."
        return QualityBadge("exposure", CAUTION, value, words, place)
    return QualityBadge("exposure", GOOD, value, "Neither too dark nor too bright.", place)


def _colours(found: Quality) -> QualityBadge:
    value = f"{found.skin:.0%} as of skin"
    if found.skin >= LEAST_SKIN:
        return QualityBadge(
            "colours", GOOD, value, "Nothing in the colours speaks against skin; that does not make it skin."
        )
    if found.tissue.stained >= STAINED:
        return QualityBadge(
            "colours",
            STOP,
            value,
            "This looks like stained tissue, not like skin: choose PUMA for a tile.",
        )
    return QualityBadge(
        "colours", CAUTION, value, "This does not look like skin. The score may not mean anything."
    )


def _frame(found: Quality) -> tuple[QualityBadge, ...]:
    if found.field_stop <= STOP_SHOWN:
        return ()
    words = "A black frame lies around the picture; some models take it for a sign."
    return (QualityBadge("frame", NOTE, f"{found.field_stop:.0%} of the area", words),)


def _tissue(found: Quality) -> QualityBadge:
    value = f"{found.tissue.stained:.0%} of it stained, {found.tissue.white:.0%} of the tile white"
    if found.tissue.white > MOST_WHITE:
        return QualityBadge(
            "tissue",
            CAUTION,
            value,
            "Most of this tile is empty glass: densities per area speak of what little is there.",
        )
    if found.tissue.stained < LEAST_STAINED:
        return QualityBadge(
            "tissue",
            CAUTION,
            value,
            "The colours are not those of haematoxylin and eosin. What is found may not mean anything.",
        )
    return QualityBadge("tissue", GOOD, value, "The colours of haematoxylin and eosin.")
