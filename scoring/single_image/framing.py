"""Framing: an own photograph turned, zoomed and cropped before a model receives it."""

from dataclasses import dataclass, replace

import numpy as np
from PIL import Image

from scoring.inference.image_upload import small
from scoring.single_image.photograph import Photograph

QUARTERS = (0, 1, 2, 3)
MOST_ZOOM = 8.0


@dataclass(frozen=True)
class Framing:
    """The part of a photograph that a model receives.

    Attributes:
        quarters: Quarters of a turn to the right, 0..3; first of all.
        zoom: How many times the part is smaller than the whole each way, 1..8.
        across: Middle of the part from left to right, 0..1, as far as the edges let it.
        down: The same from top to bottom.
        square: Whether the part is a square: models stretch what is none.
    """

    quarters: int = 0
    zoom: float = 1.0
    across: float = 0.5
    down: float = 0.5
    square: bool = False

    def box(self, width: int, height: int) -> tuple[int, int, int, int]:
        """Return left, top, width and height of the part, px of the turned photograph.

        Args:
            width: Of the turned photograph, px.
            height: Of the turned photograph, px.
        """
        sides = (min(width, height),) * 2 if self.square else (width, height)
        wide, tall = (max(1, round(side / self.zoom)) for side in sides)
        return (
            round((width - wide) * min(max(self.across, 0), 1)),
            round((height - tall) * min(max(self.down, 0), 1)),
            wide,
            tall,
        )


def framed(photograph: Photograph, framing: Framing) -> Photograph:
    """Return the part of a photograph that a model receives."""
    turned = np.rot90(photograph.pixels, -framing.quarters)
    left, top, wide, tall = framing.box(turned.shape[1], turned.shape[0])
    if not framing.quarters and (wide, tall) == photograph.size:
        return photograph
    pixels = turned[top : top + tall, left : left + wide]
    pixels.flags.writeable = False
    sentences = (photograph.framed, framing_line(framing, *photograph.size))
    return replace(
        photograph,
        pixels=pixels,
        small=np.asarray(small(Image.fromarray(pixels))),
        framed=" ".join(filter(None, sentences)),
    )


def framing_line(framing: Framing, width: int, height: int) -> str:
    """Return what was done to a photograph of width x height px, as a sentence; "" for nothing."""
    turned = (height, width) if framing.quarters % 2 else (width, height)
    left, top, wide, tall = framing.box(*turned)
    parts = []
    if framing.quarters:
        parts.append(f"turned by {90 * framing.quarters} degrees to the right")
    if (wide, tall) != turned:
        parts.append(
            f"cropped to {wide} x {tall} px, {left} px from the left and {top} px from the top of "
            f"{turned[0]} x {turned[1]} px"
        )
    return f"By hand: {', '.join(parts)}." if parts else ""
