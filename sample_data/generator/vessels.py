"""Blood vessels as dermoscopy shows them: arborising, short linear, hairpin-like and dotted."""

import numpy as np
from PIL import ImageDraw

from sample_data.generator.canvas import OVERSAMPLING, Canvas

STEP = 4  # px walked before a vessel may turn or branch
BLUR = 0.7  # px
DEEPEST = 4  # branchings of a branching


def _walk(
    canvas: Canvas,
    pen: ImageDraw.ImageDraw,
    start: np.ndarray,
    bearing: float,
    width: float,
    length: float,
    branching: int,
) -> None:
    position, steps = np.asarray(start, float), int(length / STEP)
    for step in range(steps):
        bearing += canvas.random.normal(0, 0.17)
        following = position + STEP * np.array([np.cos(bearing), np.sin(bearing)])
        narrowed = max(1.0, width * (1 - 0.55 * step / steps))
        ends = [tuple(OVERSAMPLING * position), tuple(OVERSAMPLING * following)]
        pen.line(ends, fill=int(min(255, 120 + 40 * narrowed)), width=max(1, round(OVERSAMPLING * narrowed)))
        position = following
        if width > 1.1 and branching < DEEPEST and canvas.chance(0.085):
            side = canvas.uniform(0.45, 1.1) * (1 if canvas.chance(0.5) else -1)
            _walk(
                canvas,
                pen,
                position,
                bearing + side,
                width * 0.62,
                length * canvas.uniform(0.35, 0.65),
                branching + 1,
            )


def arborising(canvas: Canvas, count: int, where: np.ndarray) -> np.ndarray:
    """`count` branching trees rooted with the density `where`; height x width in 0..1."""
    sheet, pen = canvas.sheet()
    for root in canvas.points(count, where):
        _walk(
            canvas,
            pen,
            root,
            canvas.uniform(0, 2 * np.pi),
            canvas.uniform(1.6, 3.2),
            canvas.uniform(70, 170),
            0,
        )
    return canvas.develop(sheet, BLUR)


def linear(canvas: Canvas, count: int, where: np.ndarray) -> np.ndarray:
    """`count` short irregular lines; height x width in 0..1."""
    sheet, pen = canvas.sheet()
    for root in canvas.points(count, where):
        _walk(
            canvas,
            pen,
            root,
            canvas.uniform(0, 2 * np.pi),
            canvas.uniform(0.9, 1.6),
            canvas.uniform(12, 46),
            DEEPEST - 1,
        )
    return canvas.develop(sheet, BLUR)


def hairpins(canvas: Canvas, count: int, where: np.ndarray) -> np.ndarray:
    """`count` narrow loops; height x width in 0..1."""
    sheet, pen = canvas.sheet()
    turn = np.linspace(-1.3, 1.3, 9)[:, None]
    for top in canvas.points(count, where):
        bearing, size = canvas.uniform(0, 2 * np.pi), canvas.uniform(4, 9)
        along = np.array([np.cos(bearing), np.sin(bearing)])
        aside = np.array([-along[1], along[0]])
        loop = top + aside * size * 0.42 * np.sin(turn * 1.2) + along * size * 1.6 * np.cos(turn * 1.2)
        pen.line([tuple(OVERSAMPLING * point) for point in loop], fill=canvas.integer(150, 226), width=3)
    return canvas.develop(sheet, BLUR)


def dotted(canvas: Canvas, count: int, where: np.ndarray) -> np.ndarray:
    """`count` dots; height x width in 0..1."""
    return canvas.discs(count, 1.1, 2.3, where, (0.6, 1.0))
