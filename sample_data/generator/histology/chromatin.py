"""Nuclei as pixels: membrane, chromatin, nucleoli."""

from dataclasses import dataclass

import numpy as np

from sample_data.generator.canvas import Canvas, smoothstep
from sample_data.generator.histology.nuclei import KINDS, Nucleus


@dataclass
class Stained:
    """Height x width: cover, 0..1, how much of a pixel is nucleus; haematoxylin and eosin of that nucleus."""

    cover: np.ndarray
    haematoxylin: np.ndarray
    eosin: np.ndarray


@dataclass(frozen=True)
class Window:
    """The part of a canvas around a nucleus: a slice of it, and the positions of its pixels' middles in px,
    height x width."""

    part: tuple[slice, slice]
    x: np.ndarray
    y: np.ndarray


def window(canvas: Canvas, centre: tuple[float, float], reach: float) -> Window:
    """All pixels up to `reach` px from a centre, each way, that are on the canvas."""
    left, right = (int(np.clip(centre[0] + side, 0, canvas.width)) for side in (-reach, reach + 1))
    top, bottom = (int(np.clip(centre[1] + side, 0, canvas.height)) for side in (-reach, reach + 1))
    rows, columns = np.mgrid[top:bottom, left:right].astype(np.float32) + np.float32(0.5)
    return Window((slice(top, bottom), slice(left, right)), columns, rows)


def depth(curve: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Distance to a closed curve (vertices x 2) in px, positive inside, of each position: the exact one to
    its straight edges."""
    start, ahead = curve.astype(np.float32), np.roll(curve, -1, axis=0).astype(np.float32)
    edge = ahead - start
    px, py = x[..., None] - start[:, 0], y[..., None] - start[:, 1]
    along = np.clip((px * edge[:, 0] + py * edge[:, 1]) / np.maximum((edge**2).sum(1), 1e-9), 0, 1)
    nearest = np.sqrt(((px - along * edge[:, 0]) ** 2 + (py - along * edge[:, 1]) ** 2).min(-1))
    above = (start[:, 1] > y[..., None]) != (ahead[:, 1] > y[..., None])
    slope = edge[:, 0] / np.where(edge[:, 1] == 0, 1e-9, edge[:, 1])
    inside = (above & (px < py * slope)).sum(-1) % 2 == 1
    return np.where(inside, nearest, -nearest)


@dataclass(frozen=True)
class Grain:
    """Noise that all nuclei of a tile are made from, height x width, deviation 1: clumps of a few px, specks
    of one or two."""

    clumps: np.ndarray
    specks: np.ndarray


def grain(canvas: Canvas) -> Grain:
    return Grain(canvas.noise(0.6, 34, 110), canvas.noise(0.1, 110, 256))


def _nucleoli(canvas: Canvas, nucleus: Nucleus, here: Window) -> np.ndarray:
    """One to three dark spots, larger ones fewer."""
    spots = np.zeros_like(here.x)
    count = int(canvas.random.choice((0, 1, 2, 3), p=(0.25, 0.45, 0.22, 0.08)))
    for _ in range(count):
        angle, far = canvas.uniform(0, 2 * np.pi), 0.45 * nucleus.radius * canvas.random.random() ** 0.5
        size = nucleus.radius * canvas.uniform(0.13, 0.27) / max(1, count - 1) ** 0.5
        x, y = nucleus.centre[0] + far * np.cos(angle), nucleus.centre[1] + far * np.sin(angle)
        spots = np.maximum(
            spots, smoothstep(size * 1.25, size * 0.7, np.hypot(here.x - x, 1.15 * (here.y - y)))
        )
    return spots


def _texture(canvas: Canvas, nucleus: Nucleus, here: Window, noise: Grain, inside: np.ndarray) -> np.ndarray:
    """Relative amount of chromatin, about 1."""
    kind, clumps, specks = KINDS[nucleus.kind], noise.clumps[here.part], noise.specks[here.part]
    near_rim = np.exp(-((inside / (0.34 * nucleus.radius)) ** 2))
    if nucleus.kind == "plasma_cells":
        angle = np.arctan2(here.y - nucleus.centre[1], here.x - nucleus.centre[0])
        spokes = smoothstep(
            -0.3, 1.2, np.cos(canvas.integer(5, 8) * angle + canvas.uniform(0, 6)) + 0.75 * clumps
        )
        return 0.76 + 0.58 * spokes * smoothstep(0.85, 0.25, inside / nucleus.radius) + 0.08 * specks
    # Chromatin gathers in clumps that sit on the membrane more often than not, and leaves paler nucleoplasm
    # between them.
    gathered = smoothstep(0.1, 1.5, clumps + 0.8 * near_rim)
    return 1 + kind.clumps * (1.5 * gathered - 0.55) + 0.10 * kind.clumps * clumps + 0.07 * specks


def stain(canvas: Canvas, nucleus: Nucleus, noise: Grain, onto: Stained) -> None:
    """Paints the nucleus over what `onto` has there."""
    kind = KINDS[nucleus.kind]
    here = window(canvas, nucleus.centre, 2.2 * nucleus.radius * max(nucleus.length, 1.3) ** 0.5 + 4)
    inside = np.maximum.reduce([depth(part, here.x, here.y) for part in nucleus.parts])
    focus = canvas.uniform(0.7, 1.5)
    cover = smoothstep(-focus, focus, inside) * canvas.uniform(0.88, 1.0)
    strength = kind.dark * max(0.45, canvas.random.normal(1, 0.22 if nucleus.kind == "tumor" else 0.12))
    # Some tumour nuclei are dense all through, most are open ones that one sees into.
    dense = nucleus.kind == "tumor" and canvas.chance(0.16)
    texture = _texture(canvas, nucleus, here, noise, inside)
    if dense:
        texture, strength = 1 + 0.4 * (texture - 1), 1.55 * strength
    uneven = 0.75 + 0.35 * noise.clumps[here.part]
    membrane = (
        kind.membrane * np.clip(uneven, 0.25, 1.6) * np.exp(-(((inside - 1.1) / (0.75 + 0.45 * focus)) ** 2))
    )
    haematoxylin = strength * np.maximum(texture * (1 - 0.25 * kind.membrane) + membrane, 0.06)
    eosin = kind.pink * canvas.uniform(0.6, 1.4) + 0.04 * noise.clumps[here.part]
    if nucleus.kind in ("tumor", "epithelium") and not dense:
        spots = _nucleoli(canvas, nucleus, here) * (0.55 if nucleus.kind == "epithelium" else 1)
        haematoxylin = haematoxylin + 0.55 * spots
        eosin = eosin + 0.40 * spots
    for layer, value in ((onto.haematoxylin, haematoxylin), (onto.eosin, eosin)):
        layer[here.part] += cover * (value - layer[here.part])
    onto.cover[here.part] = np.maximum(onto.cover[here.part], cover)
