"""Quality badges of an image before a model runs, compared with the test set's images.

If there is a test set, a value outside the range of nearly all its images is a caution: the model was never
tested on such images. Without one, limits come from synthetic lesions, blurred on purpose, and from a few
free photographs; such limits can rank pictures, but they prove nothing.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from scoring.common.arrays import Floats
from scoring.common.findings import InputRefused
from scoring.inference.model_pool import Cancelled
from scoring.inference.model_process import ImageProcess
from scoring.metrics.image_quality import Quality as Quality
from scoring.metrics.image_quality import appearance, patches, quality
from scoring.single_image.out_of_distribution import (
    FEWEST,
    PHOTOGRAPH_PATCHES,
    TILE_PATCHES,
    KnownImages,
    known_images,
    prediction_limit,
)
from scoring.single_image.photograph import Photograph, received
from scoring.statistics.intervals import counted

GOOD, NOTE, CAUTION, STOP = "good", "note", "caution", "stop"
BLURRED, VERY_BLURRED, LEAST_RELATIVE = 0.8, 0.25, 1.1
MOST_LOST = 0.10
LEAST_SKIN = 0.35
STOP_SHOWN = 0.05
STAINED, LEAST_STAINED, MOST_WHITE = 0.5, 0.4, 0.5
TILE_SIDE = 1024
MOST_RESCALED = 1.2
LEAST_SIDE = 224
SHARPNESS = "sharpness_in_usual_light"
NO_LESION, FAINT_LESION = 0.005, 0.05
"""Limits for weak edges, as shares of images like the test set's that are below the limit: no answer is
given, or a caution is shown. They assume that the logarithms are normally distributed."""
FAINTEST = 1e-4
"""Edges that are weaker than this count as no edges."""
USUAL_EDGES = (
    "Edges in the middle are as strong as in the test images. Such edges do not prove that there is a lesion."
)
USUAL = (0.01, 0.99)
"""Quantiles of a value over the test set's images; a value between both quantiles is usual."""
ENOUGH = 20
"""Minimum number of test set images that define a usual range."""


@dataclass(frozen=True)
class QualityBadge:
    """A badge that states one property of an image.

    Attributes:
        name: Name of the property: "size", "scale", "sharpness", "exposure", "colours", "lesion", "frame",
            "tissue" or "likeness".
        level: "good", "note", "caution" or "stop". "stop" means that there is no answer: the challenge
            refuses such a picture, hardly anything is sharp, it is tissue instead of skin, it is completely
            unlike the test set's images, or no lesion is visible.
        value: The measured value as text.
        percentile: Share of the test set's other images with a lower value, 0..1; None if unknown.
    """

    name: str
    level: str
    value: str
    words: str
    percentile: float | None = None


class Pictures(Protocol):
    """Cases with at most one image each."""

    def __len__(self) -> int: ...
    def picture(self, index: int, /) -> bytes | None: ...


def of_photograph(photograph: Photograph) -> Quality:
    """Return the quality of a photograph or tile."""
    return quality(photograph.small, round(min(photograph.size) * photograph.reduction))


@dataclass(frozen=True)
class MeasuredImages:
    """Quality of each image of a test set (None without an image), and the appearance of all images."""

    qualities: tuple[Quality | None, ...]
    known: KnownImages


def seen_parts(photograph: Photograph, tile: bool = False) -> Floats:
    """Return the appearance [p, d] of a photograph as a whole and of its parts. For a tile, only the parts
    are returned."""
    if tile:
        return patches(photograph.small, TILE_PATCHES)
    return np.vstack([appearance(photograph.small), patches(photograph.small, PHOTOGRAPH_PATCHES)])


def measured(
    truth: Pictures,
    progress: Callable[[int, int], object] | None = None,
    cancelled: Callable[[], bool] | None = None,
    tile: bool = False,
) -> MeasuredImages:
    """Measure quality and appearance of each image of a test set, in about 80 ms each. The result is None for
    an unreadable image. Raises Cancelled if `cancelled` returns True."""
    qualities: list[Quality | None] = []
    appearances: list[Floats | None] = []
    with ImageProcess() as process:
        for index in range(len(truth)):
            if cancelled and cancelled():
                raise Cancelled
            photograph = _received(process, truth, index)
            qualities.append(None if photograph is None else of_photograph(photograph))
            appearances.append(None if photograph is None else seen_parts(photograph, tile))
            if progress:
                progress(index + 1, len(truth))
    known = known_images(appearances, tile)
    if len(known) >= FEWEST:
        _ = known.left_out  # takes a second: kept before an image asks for it
    return MeasuredImages(tuple(qualities), known)


def _received(process: ImageProcess, truth: Pictures, index: int) -> Photograph | None:
    try:
        data = truth.picture(index)
        return None if data is None else received(data, process)
    except InputRefused:
        return None


def photograph_chips(
    measures: Quality,
    shortest_side: int = 0,
    among: Sequence[Quality | None] = (),
    own: int | None = None,
    cropped: bool = False,
) -> tuple[QualityBadge, ...]:
    """Return the quality badges of a photograph of skin.

    Args:
        shortest_side: Minimum pixels of the shorter side that the challenge requires; 0: none.
        among: Quality of the test set's images.
        own: Position of the photograph in the test set, if it is one of the test set's images.
        cropped: Whether the photograph is a frame that was cropped by hand.
    """
    return (
        _size(measures, shortest_side, cropped),
        _sharpness(measures, among, own),
        _exposure(measures),
        _colours(measures, among),
        *_lesion(measures, among),
        *_frame(measures),
    )


def before_comparison(badges: Iterable[QualityBadge]) -> tuple[QualityBadge, ...]:
    """Return the badges that do not depend on a comparison with the test set. Its images decide which
    sharpness and colours are usual, but an image without any detail is refused in any case."""
    return tuple(
        badge
        for badge in badges
        if badge.name not in ("sharpness", "colours") or (badge.name, badge.level) == ("sharpness", STOP)
    )


def tile_chips(
    measures: Quality, width: int, height: int, usual: float, micrometres: float | None
) -> tuple[QualityBadge, ...]:
    """Return the quality badges of a tile of stained tissue.

    Args:
        width: Width of the tile, px; `height` likewise.
        usual: Micrometres per pixel in the challenge's tiles.
        micrometres: Micrometres per pixel of this tile; None if unknown.
    """
    as_usual = width == height == TILE_SIDE
    size = (
        "The tile has the size of the challenge's tiles."
        if as_usual
        else f"The challenge's tiles have {TILE_SIDE} x {TILE_SIDE} px at 40x."
    )
    return (
        QualityBadge("size", GOOD if as_usual else NOTE, f"{width} x {height} px", size),
        _scale(usual, micrometres),
        _sharpness(measures),
        _exposure(replace(measures, bright=0.0)),  # glass is white
        _tissue(measures),
    )


def _scale(usual: float, micrometres: float | None) -> QualityBadge:
    models = f"models of this challenge are made for {usual:g} µm per px"
    if micrometres is None:
        sentence = f"Micrometres per pixel are unknown, so nuclei are counted without densities; {models}."
        return QualityBadge("scale", NOTE, "not known", sentence)
    value = f"{micrometres:.3g} µm per px"
    if abs(np.log(micrometres / usual)) > np.log(MOST_RESCALED):
        sentence = f"This tile has {value}; {models}: nuclei look {usual / micrometres:.2g} times as large."
        return QualityBadge("scale", CAUTION, value, sentence)
    return QualityBadge("scale", GOOD, value, "The tile has the scale of the challenge's tiles.")


def percentile(name: str, value: float, among: Sequence[Quality | None]) -> float | None:
    """Return the share of the images `among` with a lower value of the field `name`. None without images."""
    values = np.array([getattr(image, name) for image in among if image is not None])
    return float((values < value).mean()) if len(values) else None


def _floored(share: float) -> str:
    """Return a share below 1 as per cent that never reach 100."""
    return f"{min(round(100 * share), 99)}%"


def _size(measures: Quality, shortest_side: int, cropped: bool) -> QualityBadge:
    called = "frame" if cropped else "photograph"
    value = f"shorter side {measures.short_side} px in the {'frame' if cropped else 'file'}"
    if measures.short_side < shortest_side:
        return QualityBadge(
            "size",
            STOP,
            value,
            f"The challenge asks for {shortest_side} px or more: it would not accept this {called}.",
        )
    if measures.short_side < LEAST_SIDE:
        return QualityBadge(
            "size",
            CAUTION,
            value,
            f"The {called} is smaller than the images that models receive ({LEAST_SIDE} px or more): it "
            "is enlarged, but "
            "has no more detail.",
        )
    return QualityBadge("size", GOOD, value, "Large enough.")


def _beyond(name: str, value: float, among: Sequence[Quality | None]) -> str:
    """Return whether a value is "low", "high" or "" (usual) among the test set's images; "" if they are
    too few to say."""
    values = np.array([getattr(image, name) for image in among if image is not None])
    if len(values) < ENOUGH:
        return ""
    low, high = np.quantile(values, USUAL)
    return "low" if value < low else "high" if value > high else ""


def _enough(among: Sequence[Quality | None]) -> bool:
    return sum(image is not None for image in among) >= ENOUGH


def _sharpness(
    measures: Quality, among: Sequence[Quality | None] = (), own: int | None = None
) -> QualityBadge:
    sharpness = measures.sharpness_in_usual_light
    others = [image for i, image in enumerate(among) if i != own]
    below, image = (
        percentile(SHARPNESS, sharpness, others),
        "test image" if own is None else "other test image",
    )
    beyond = _beyond(SHARPNESS, sharpness, among)
    blurred = sharpness < BLURRED or measures.relative_sharpness < LEAST_RELATIVE
    if sharpness < VERY_BLURRED or beyond == "low" or (blurred and not _enough(among)):
        sentence = (
            "This image is blurred."
            if below is None
            else f"This image is blurrier than every {image}."
            if below == 0
            else f"This image is blurrier than {_floored(1 - below)} of the {image}s."
        )
        level = STOP if sharpness < VERY_BLURRED else CAUTION
        words = f"{sentence} The score may be meaningless."
        return QualityBadge("sharpness", level, "blurred", words, below)
    if beyond == "high" and below is not None:
        those = f"every {image} has" if below == 1 else f"{_floored(below)} of the {image}s have"
        sentence = (
            f"This image has more fine detail than {those}. Hair, print, noise or another camera "
            "can be the cause. The score may be meaningless."
        )
        return QualityBadge("sharpness", CAUTION, "unusually fine detail", sentence, below)
    value = "enough" if below is None else f"in the usual range (sharper than {below:.0%} of the {image}s)"
    return QualityBadge("sharpness", GOOD, value, "Sharp enough.", below)


def _exposure(measures: Quality) -> QualityBadge:
    """Judge by what is clipped, never by the mean, which is the tone of the skin."""
    value = f"{measures.dark:.0%} too dark, {measures.bright:.0%} too bright"
    shares = {"dark": measures.dark, "bright": measures.bright}
    faults = [f"too {name}" for name, share in shares.items() if share > MOST_LOST]
    if faults:
        sentence = f"Parts of this image are {' and '.join(faults)}: the model cannot use these parts."
        return QualityBadge("exposure", CAUTION, value, sentence)
    return QualityBadge("exposure", GOOD, "few clipped pixels", "Most pixels are neither black nor white.")


def _lesion(measures: Quality, among: Sequence[Quality | None]) -> tuple[QualityBadge, ...]:
    """Say whether anything stands out from the skin, as lesions of the test set do; nothing of too few."""
    edges = np.array([max(image.edges, FAINTEST) for image in among if image is not None])
    for level, share in ((STOP, NO_LESION), (CAUTION, FAINT_LESION)):
        if _enough(among) and measures.edges < (least := prediction_limit(edges, share)):
            rate = counted(int((edges < least).sum()), len(edges))
            sentence = "No lesion was found by its edges" if level == STOP else "The lesion has faint edges"
            words = (
                f"{sentence}: edges in the middle are fainter than usual. In a grey or pale image, this "
                f"check can miss a clear lesion. Edges are as faint in {rate} test images."
            )
            return (QualityBadge("lesion", level, "none found" if level == STOP else "faint", words),)
    return (QualityBadge("lesion", GOOD, "usual", USUAL_EDGES),) if _enough(among) else ()


def _colours(measures: Quality, among: Sequence[Quality | None]) -> QualityBadge:
    """Judge by the test set's images where they are enough: a dermoscope often makes skin blue or grey."""
    value = f"{measures.skin:.0%} in skin colours"
    if measures.tissue.immunostained and not any(one and one.tissue.immunostained for one in among):
        sentence = "The colours look like immunostained tissue (haematoxylin and DAB), not like skin."
        return QualityBadge("colours", STOP if _enough(among) else CAUTION, value, sentence)
    usual = _enough(among) and _beyond("skin", measures.skin, among) != "low"
    if usual or measures.skin >= LEAST_SKIN:
        return QualityBadge(
            "colours",
            GOOD,
            f"{'in the usual range' if usual else 'enough'} ({value})",
            "The colours match skin, but the image may show something else.",
        )
    if measures.tissue.stained >= STAINED:
        return QualityBadge(
            "colours",
            STOP,
            value,
            "Few colours of this image look like skin, and many look like stained tissue. If it is a "
            "tile of tissue, choose PUMA.",
        )
    return QualityBadge(
        "colours",
        CAUTION,
        value,
        "Few colours of this image look like skin. The score may be meaningless.",
    )


def _frame(measures: Quality) -> tuple[QualityBadge, ...]:
    if measures.field_stop <= STOP_SHOWN:
        return ()
    sentence = "The picture has a black frame. Some models mistake the frame for a part of the lesion."
    return (QualityBadge("frame", NOTE, f"{measures.field_stop:.0%} of the area", sentence),)


def _tissue(measures: Quality) -> QualityBadge:
    value = f"{measures.tissue.stained:.0%} in colours of H&E, {measures.tissue.white:.0%} of the tile white"
    if measures.tissue.white > MOST_WHITE:
        return QualityBadge(
            "tissue",
            CAUTION,
            value,
            "Most of this tile is empty glass: densities per area are computed from little tissue.",
        )
    if measures.tissue.stained < LEAST_STAINED:
        return QualityBadge(
            "tissue",
            CAUTION,
            value,
            "The colours do not match haematoxylin and eosin. The results may be meaningless.",
        )
    return QualityBadge(
        "tissue", GOOD, value, "The colours match haematoxylin and eosin. Red skin has similar colours."
    )
