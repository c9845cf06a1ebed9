"""Turning and cropping of a visitor's photograph before a model receives it."""

from dataclasses import dataclass, replace

import numpy as np
from PIL import Image

from scoring.inference.image_sanitizer import small
from scoring.single_image.photograph import Photograph

QUARTERS = (0, 1, 2, 3)
SMALLEST = 32
"""Minimum length of the shorter side of a part, in px."""
Box = tuple[int, int, int, int]
"""Left, top, width and height, px."""


@dataclass(frozen=True)
class Framing:
    """The part of a photograph that a model receives.

    Attributes:
        quarters: Number of quarter turns to the right, 0..3. The photograph is turned before it is cropped.
        part: Part of the turned photograph; None for the whole.
        square: Whether to extend the part to a square around its centre, because models distort other shapes.
    """

    quarters: int = 0
    part: Box | None = None
    square: bool = False

    def box(self, width: int, height: int) -> Box:
        """Return the part in pixels of the turned photograph.

        Args:
            width: Width of the turned photograph, px.
            height: Height of the turned photograph, px.
        """
        left, top, wide, tall = self.part or (0, 0, width, height)
        middle = left + wide / 2, top + tall / 2
        if self.square:
            wide = tall = min(max(wide, tall), width, height)
        wide, tall = (min(max(a, SMALLEST), most) for a, most in ((wide, width), (tall, height)))
        left, top = (
            min(max(round(at - length / 2), 0), most - length)
            for at, length, most in zip(middle, (wide, tall), (width, height), strict=True)
        )
        return left, top, wide, tall


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
        cropped=photograph.cropped or (wide, tall) != (turned.shape[1], turned.shape[0]),
    )


def framing_line(framing: Framing, width: int, height: int) -> str:
    """Return a sentence that says how a photograph of width x height px was turned and cropped; "" if it was
    not."""
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
    return f"Changed by hand: {', '.join(parts)}." if parts else ""


def _limit(start_name: str, start: int, name: str, length: int, most: int) -> list[str]:
    """Return a sentence with the limit of a start or a length that reaches beyond a side of `most` px."""
    if not 0 <= start < most:
        return [f"{start_name} must be from 0 to {most - 1} px."]
    if start + length > most:
        return [f"At {start_name} {start}, the {name} can be at most {most - start} px."]
    return []


def not_applied_line(framing: Framing, width: int, height: int) -> str:
    """Return a sentence that says that a part reaches beyond a turned photograph of width x height px, or is
    too small, and which part is used instead; "" if the part is used."""
    if framing.part is None:
        return ""
    left, top, wide, tall = framing.part
    limits = [*_limit("Left", left, "width", wide, width), *_limit("Top", top, "height", tall, height)]
    why = ["reaches beyond the picture"] * bool(limits)
    sides = [max(wide, tall)] * 2 if framing.square else [wide, tall]
    if any(side < min(SMALLEST, most) for side, most in zip(sides, (width, height), strict=True)):
        why.append("is too small")
        limits.append(f"Each side must have at least {SMALLEST} px.")
    if not why:
        return ""
    x, y, used_width, used_height = framing.box(width, height)
    return (
        f"The frame {' and '.join(why)}{',' * (len(why) > 1)} and is not applied. Left {x}, Top {y}, "
        f"Width {used_width} and Height {used_height} are used instead. {' '.join(limits)}"
    )
