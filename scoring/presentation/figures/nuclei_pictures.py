"""Pictures of nuclei for papers. Nuclei are outlines, or marks if they have no outline, on the tissue or on a
plain background."""

import io
from collections.abc import Mapping

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from scoring.common.arrays import Array, Floats

Pen = ImageDraw.ImageDraw
COLOURS = ("#009e73", "#d55e00", "#56b4e9")
STATUSES = ("TP", "FP", "FN")
CASINGS = ("#ffffff", "#ffffff", "#062a42")
"""Colours of wider lines under the coloured lines. Without them, sky blue could not be seen on pink
tissue."""
DASHES = ((0, 0), (7.0, 4.0), (2.0, 3.0))
"""Lengths of dashes and gaps in px, for TP, FP, FN; (0, 0): a solid line."""
GROUND, INK, CAUTION = "#f4f6f7", "#0c161c", "research use only"
FINER = 2
"""Factor by which a picture is drawn larger and then reduced, because PIL cannot draw smooth lines."""
MOST_OUTLINES = 5000
PREDICTION = 1
STRIP, FONT, MARK = 30, 13, 3.0
BAR_UM, BAR = 50, "0.05 mm"
"""Length of the scale bar in µm, and its label in mm, because PIL's font has no µ."""


def overlay_png(
    drawn: Mapping[str, Array],
    size: tuple[int, int],
    name: str,
    um_per_px: float,
    side: int,
    ground: bytes | None = None,
    colours: int | None = None,
) -> bytes:
    """Return a PNG of nuclei with a legend below it.

    Args:
        drawn: Columns of n nuclei, as the viewer uses them: xy, start, centroids, kind, status.
        size: Width and height of the image in px.
        side: Longest side of the picture in px.
        ground: The encoded image, of any size; None for a plain background.
        colours: Maximum number of colours of the PNG, which makes the file small; None keeps all colours.
    """
    scale = side / max(size)
    width, height = (max(1, round(scale * length)) for length in size)
    sheet = Image.new("RGB", (FINER * width, FINER * (height + STRIP)), "#ffffff")
    sheet.paste(_ground(ground, (FINER * width, FINER * height)), (0, 0))
    pen = ImageDraw.Draw(sheet)
    _nuclei(pen, drawn, scale)
    pen.rectangle((0, FINER * height, FINER * width, FINER * (height + STRIP)), fill="#ffffff")
    _legend(pen, drawn, width, height, name, BAR_UM / um_per_px * scale)
    sheet = sheet.resize((width, height + STRIP), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    (sheet if colours is None else sheet.quantize(colours, Image.Quantize.MAXCOVERAGE)).save(
        file, "PNG", optimize=colours is not None
    )
    return file.getvalue()


def _ground(ground: bytes | None, size: tuple[int, int]) -> Image.Image:
    if ground is None:
        return Image.new("RGB", size, GROUND)
    with Image.open(io.BytesIO(ground)) as image:
        return image.convert("RGB").resize(size, Image.Resampling.BILINEAR)


def _nuclei(pen: Pen, drawn: Mapping[str, Array], scale: float) -> None:
    """Draw what was found below what is spurious below what was missed, as in the viewer."""
    start, k = np.asarray(drawn["start"]).astype(int), scale * FINER
    outlined = np.diff(start) > 2 if len(start) - 1 <= MOST_OUTLINES else np.zeros(len(start) - 1, bool)
    for i in np.argsort(drawn["status"], kind="stable").tolist():
        status = int(drawn["status"][i])
        if outlined[i]:
            _outline(
                pen,
                np.asarray(drawn["xy"][start[i] : start[i + 1]], float) * k,
                status,
                status == 0 and drawn["kind"][i] != PREDICTION,
            )
        elif status or drawn["kind"][i] == PREDICTION:
            x, y = (drawn["centroids"][i] * k).tolist()
            _mark(pen, x, y, status)


def _outline(pen: Pen, points: Floats, status: int, thin: bool) -> None:
    """thin: the truth of a pair, whose prediction carries the line."""
    width = FINER if thin else 2 * FINER
    lines = _dashes(points, *DASHES[status])
    if status:
        for line in lines:
            pen.line(line, fill=CASINGS[status], width=width + 2 * FINER)
    for line in lines:
        pen.line(line, fill=COLOURS[status], width=width)


def _dashes(points: Floats, drawn: float, gap: float) -> list[list[tuple[float, float]]]:
    """Return the pieces of a closed outline [n, 2] that are drawn; lengths in px of the picture."""
    ring = np.vstack([points, points[:1]])
    if not drawn:
        return [[(x, y) for x, y in ring.tolist()]]
    along = np.r_[0, np.cumsum(np.hypot(*np.diff(ring, axis=0).T))]
    begins = np.arange(0, along[-1], FINER * (drawn + gap))
    ends = np.minimum(begins + FINER * drawn, along[-1])
    pieces = np.stack(
        [np.interp(places, along, ring[:, axis]) for places in (begins, ends) for axis in (0, 1)], axis=-1
    )
    return [[(x0, y0), (x1, y1)] for x0, y0, x1, y1 in pieces.tolist()]


def _mark(pen: Pen, x: float, y: float, status: int) -> None:
    """Draw a dot for found, a cross for spurious, a ring around it for missed: told apart without colour and
    where one covers the other."""
    r, colour, width = FINER * MARK * (1.6 if status == 2 else 1.0), COLOURS[status], round(1.5 * FINER)
    if status == 1:
        pen.line([(x - r, y - r), (x + r, y + r)], fill=colour, width=width)
        pen.line([(x - r, y + r), (x + r, y - r)], fill=colour, width=width)
    else:
        pen.ellipse(
            (x - r, y - r, x + r, y + r), fill=None if status else colour, outline=colour, width=width
        )


def _legend(pen: Pen, drawn: Mapping[str, Array], width: int, height: int, name: str, bar: float) -> None:
    font = ImageFont.load_default(FONT * FINER)
    middle, x = FINER * (height + STRIP / 2), 8.0 * FINER
    alone, lines = (drawn["kind"] == PREDICTION) | (drawn["status"] != 0), drawn["start"][-1] > 0
    for status, status_name in enumerate(STATUSES):
        if lines:
            _outline(pen, np.array([[x, middle], [x + 22 * FINER, middle]]), status, False)
        else:
            _mark(pen, x + 11 * FINER, middle, status)
        text = f"{status_name} {int((alone & (drawn['status'] == status)).sum()):,}"
        pen.text((x + 28 * FINER, middle), text, fill=INK, font=font, anchor="lm")
        x += 40 * FINER + pen.textlength(text, font=font)
    pen.line([(x, middle), (x + bar * FINER, middle)], fill=INK, width=2 * FINER)
    x += bar * FINER + 6 * FINER
    pen.text((x, middle), BAR, fill=INK, font=font, anchor="lm")
    x += 14 * FINER + pen.textlength(BAR, font=font)
    footer = f"{' '.join(name.split())[:60].encode('ascii', 'replace').decode()} · {CAUTION}"
    if x + pen.textlength(footer, font=font) < width * FINER:
        pen.text((width * FINER - 8 * FINER, middle), footer, fill=INK, font=font, anchor="rm")
