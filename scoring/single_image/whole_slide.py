"""Whole slide of a visitor: an overview, and the region of it that becomes the tile. The confined worker
reads the file (`scoring.inference.slide`)."""

from dataclasses import dataclass, replace

import numpy as np
from PIL import Image

from scoring.common.findings import InputRefused, error
from scoring.inference.image_sanitizer import SLIDE_DECODERS, decoders, small
from scoring.inference.preprocessing import TIFF, ImageUnreadable
from scoring.inference.timed_worker import Limits
from scoring.inference.worker_results import SlideView
from scoring.single_image.photograph import CALLED, WHOLE_PIXELS, Photograph, SpareDecoder
from scoring.single_image.quality import TILE_SIDE
from scoring.single_image.turn_and_crop import Box

NO_TISSUE = (
    "The file is a whole slide of tissue, but this challenge takes photographs of skin: choose a challenge "
    "of stained tissue."
)

SPARE = SpareDecoder(Limits(decoders=SLIDE_DECODERS))


@dataclass(frozen=True)
class WholeSlide:
    """An uploaded whole slide image.

    Attributes:
        data: Bytes of the file, which are not decoded yet.
        size: Width and height at full resolution, px.
        overview: The whole slide, reduced, uint8 (height, width, 3), read-only.
        box: The most stained region of the slide.
        micrometres: Micrometres per pixel, 0 if unknown.
        magnification: Magnification of the objective, 0 if unknown.
    """

    data: bytes
    size: tuple[int, int]
    overview: np.ndarray
    box: Box
    levels: int
    micrometres: float
    magnification: float = 0.0


def opened(data: bytes, is_tile: bool = True) -> tuple[WholeSlide, Photograph] | None:
    """Return the slide in a file and its most stained region; None if the file is no slide.

    Args:
        is_tile: Whether the page accepts tiles; if not, every slide is refused.

    Raises:
        InputRefused: With `image-unreadable` and one sentence.
    """
    if bytes(data[:4]) not in TIFF:
        return None
    try:
        view = _view(data, None, WHOLE_PIXELS if is_tile else len(data) << 20)
    except InputRefused:
        if decoders(data):  # DICOM, whose first bytes may also be the header of a TIFF: its reader says more
            return None
        raise
    if view is None:
        return None
    if not is_tile:
        raise InputRefused([error("image-unreadable", CALLED, NO_TISSUE)])
    assert view.overview is not None
    size = (view.seen.width, view.seen.height)
    scale = (view.seen.micrometres, view.magnification)
    slide = WholeSlide(data, size, view.overview, view.box, view.levels, *scale)
    return slide, _photograph(slide, view)


def region(slide: WholeSlide, box: Box) -> Photograph:
    """Return a region at full resolution. Raises InputRefused (`image-unreadable`) with one sentence."""
    view = _view(slide.data, box, 0)
    assert view is not None
    return _photograph(slide, view)


def around(slide: WholeSlide, x: float, y: float) -> Box:
    """Return the region of `TILE_SIDE` px around a point, within the slide."""
    wide, tall = (min(TILE_SIDE, side) for side in slide.size)
    left, top = round(x - wide / 2), round(y - tall / 2)
    return min(max(left, 0), slide.size[0] - wide), min(max(top, 0), slide.size[1] - tall), wide, tall


def region_line(slide: WholeSlide, box: Box) -> str:
    """Return a sentence that says which part of a slide a region is."""
    left, top, wide, tall = box
    width, height = slide.size
    scale = f"{slide.micrometres:.4g} µm per px" if slide.micrometres else "micrometres per pixel unknown"
    if slide.magnification and not slide.micrometres:
        scale = f"magnification {slide.magnification:g}x, {scale}"
    return (
        f"Region of a slide of {width:,} × {height:,} px: {wide:,} × {tall:,} px at x {left:,}, y {top:,}, "
        f"level 0 of {slide.levels} (full resolution), {scale}."
    )


def smaller_line(slide: WholeSlide) -> str:
    """Return a sentence that says what a model receives if a slide is smaller than a tile; "" for larger
    slides."""
    wide, tall = slide.box[2:]
    if wide == tall == TILE_SIDE:
        return ""
    return (
        f"The slide is smaller than {TILE_SIDE:,} × {TILE_SIDE:,} px, so the region has {wide:,} × {tall:,} "
        "px. A model that needs more receives the region continued by its mirror image."
    )


def _view(data: bytes, box: Box | None, least_pixels: int) -> SlideView | None:
    try:
        with SPARE.take() as process:
            return process.slide(data, TILE_SIDE, least_pixels, box)
    except ImageUnreadable as fault:
        raise InputRefused([error("image-unreadable", CALLED, str(fault))]) from fault


def _photograph(slide: WholeSlide, view: SlideView) -> Photograph:
    tall, wide = view.pixels.shape[:2]
    seen = replace(view.seen, width=wide, height=tall)
    copy = np.asarray(small(Image.fromarray(view.pixels)))
    framed = region_line(slide, view.box)
    return Photograph(view.pixels, copy, seen, view.dropped, framed, of_slide=True)
