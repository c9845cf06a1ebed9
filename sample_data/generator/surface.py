"""Bare skin before there is a lesion: tone, redness, furrows, pores."""

import numpy as np

from sample_data.generator.canvas import Canvas, smoothstep
from sample_data.generator.optics import TONE_MELANIN, Skin

PALE_KERATIN = (0.97, 0.93, 0.84)


def _furrows(canvas: Canvas) -> np.ndarray:
    """The polygons of ordinary skin."""
    return canvas.cells(canvas.uniform(17, 26), 0.5, 6).walls(2.6)


def _ridges(canvas: Canvas) -> np.ndarray:
    """The parallel ridges of palms and soles."""
    angle, spacing = canvas.uniform(0, np.pi), canvas.uniform(15, 21)
    along = canvas.columns * np.cos(angle) + canvas.rows * np.sin(angle) + canvas.noise(2.2, 1, 6) * 14
    return smoothstep(0.1, 1, np.sin(2 * np.pi * along / spacing)) * 0.8


def bare(canvas: Canvas, tone: int, location: str) -> Skin:
    """Skin of `tone` 0 (very dark) to 5 (very light) at a body location."""
    melanin = TONE_MELANIN[tone] * canvas.uniform(0.85, 1.2)
    blood = canvas.uniform(0.09, 0.24) + 0.03 * (location == "Head")
    patches, mottling, fine = canvas.noise(2.4, 1, 7), canvas.noise(1.9), canvas.noise(1.2, 6, 90)
    palmar = location in ("Feet", "Hand") and canvas.chance(0.45)
    lines = _ridges(canvas) if palmar else _furrows(canvas)
    pores = (
        canvas.discs(canvas.integer(30, 90), 1.4, 3.0)
        if location == "Head"
        else canvas.discs(canvas.integer(8, 40), 1.2, 2.4)
    )
    return Skin(
        melanin=melanin * (0.6 if palmar else 1) * (1 + 0.10 * patches + 0.05 * fine) * (1 - 0.16 * lines)
        + 0.10 * pores,
        deep=canvas.blank(),
        blood=np.maximum(blood * (1 + 0.22 * patches + 0.10 * mottling), 0.02),
        keratin=0.05 * lines,
        keratin_colour=PALE_KERATIN,
        tone=melanin,
    )
