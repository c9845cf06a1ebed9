"""Cell bodies that are told from their neighbours': what a nucleus of some classes has around it."""

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from sample_data.generator.canvas import Canvas, smoothstep
from sample_data.generator.histology.chromatin import Grain, Window, window
from sample_data.generator.histology.nuclei import Nucleus
from sample_data.generator.histology.stain import Layers

REACH = 4.2  # radii of a nucleus that its cell may extend to


@dataclass(frozen=True)
class Site:
    """A nucleus and what is around it: the window, the tile's grain and, to be painted on, its layers
    there."""

    canvas: Canvas
    nucleus: Nucleus
    here: Window
    clumps: np.ndarray
    specks: np.ndarray
    ground: Layers

    def cell(self, size: float, rough: float, shift: float = 0, length: float = 1.2) -> np.ndarray:
        """Distance of each pixel to the middle of an irregular cell, in units of its radius there: below 1
        inside.

        size: in radii of the nucleus. rough: how far it strays from an ellipse. shift: of its middle from the
        nucleus's, in radii. length: ratio of the axes.
        """
        angle, radius = self.canvas.uniform(0, 2 * np.pi), self.nucleus.radius
        turn = self.canvas.uniform(0, np.pi)
        across = self.here.x - (self.nucleus.centre[0] + shift * radius * np.cos(angle))
        down = self.here.y - (self.nucleus.centre[1] + shift * radius * np.sin(angle))
        along = (across * np.cos(turn) + down * np.sin(turn)) / length**0.5
        aside = (down * np.cos(turn) - across * np.sin(turn)) * length**0.5
        around, reach = np.arctan2(aside, along), np.ones_like(across)
        for period in range(2, 6):
            height = rough * self.canvas.random.normal() / period**0.5
            reach += height * np.cos(period * around + self.canvas.uniform(0, 2 * np.pi))
        return np.hypot(along, aside) / (size * radius * np.maximum(reach, 0.3))

    def fill(self, body: np.ndarray) -> None:
        """No gaps in the tissue where the cell is (body: 0..1)."""
        self.ground.cleared *= 1 - body


def _plasma_cell(site: Site) -> None:
    """Purple, the nucleus at one end, a pale court beside it."""
    body = smoothstep(1.05, 0.85, site.cell(1.95, 0.06, 0.65, 1.35))
    pale = smoothstep(1.1, 0.5, site.cell(0.75, 0.05, 0.95))
    site.ground.haematoxylin += body * (0.22 + 0.04 * site.clumps) * (1 - 0.6 * pale)
    site.ground.eosin += body * (0.06 - 0.10 * pale)
    site.fill(body)


def _histiocyte(site: Site) -> None:
    """Large, pale and foamy."""
    body = smoothstep(1.15, 0.75, site.cell(2.1, 0.12, 0.3))
    site.ground.eosin += body * (-0.10 + 0.07 * site.clumps)
    site.ground.haematoxylin *= 1 - 0.35 * body
    site.fill(0.5 * body)


def _neutrophil(site: Site) -> None:
    """Pink and finely granular."""
    body = smoothstep(1.1, 0.9, site.cell(1.65, 0.05))
    site.ground.eosin += body * (0.05 + 0.04 * site.specks)
    site.ground.haematoxylin *= 1 - 0.6 * body
    site.fill(body)


def _apoptotic_cell(site: Site) -> None:
    """Shrunken, strongly eosinophilic, and loose from what was around it on one side more than on the
    other."""
    away = site.cell(site.canvas.uniform(1.7, 2.2), 0.12, 0.2)
    body = smoothstep(1.06, 0.92, away)
    angle = np.arctan2(site.here.y - site.nucleus.centre[1], site.here.x - site.nucleus.centre[0])
    one_side = np.clip(0.45 + 0.55 * np.cos(angle - site.canvas.uniform(0, 2 * np.pi)), 0, 1)
    site.ground.eosin += body * (0.36 + 0.05 * site.clumps)
    site.fill(body)
    gap = 0.8 * np.exp(-(((away - 1.22) / 0.13) ** 2)) * one_side
    np.minimum(site.ground.cleared + gap, 1, out=site.ground.cleared)


def _melanophage(site: Site) -> None:
    """Stuffed with brown granules."""
    body = smoothstep(
        1.12, 0.80, site.cell(site.canvas.uniform(1.7, 2.5), 0.20, 0.35, site.canvas.uniform(1.0, 1.9))
    )
    granules = smoothstep(-0.5, 1.3, site.clumps + 0.7 * site.specks)
    brown = body * (0.18 + 0.95 * granules) * site.canvas.uniform(0.5, 1.2)
    np.maximum(site.ground.melanin, brown, out=site.ground.melanin)
    site.fill(body)


def _dusty_tumour_cell(site: Site) -> None:
    """A little fine pigment."""
    body = smoothstep(1.2, 0.6, site.cell(2.0, 0.15, 0.3))
    dust = smoothstep(0.3, 1.8, site.specks + 0.6 * site.clumps)
    brown = body * (0.05 + 0.40 * dust) * site.canvas.uniform(0.4, 1.0)
    np.maximum(site.ground.melanin, brown, out=site.ground.melanin)


BODIES: dict[str, Callable[[Site], None]] = {
    "plasma_cells": _plasma_cell,
    "histiocytes": _histiocyte,
    "neutrophils": _neutrophil,
    "apoptotic_cells": _apoptotic_cell,
    "melanophages": _melanophage,
    "tumor": _dusty_tumour_cell,
}


def surround(canvas: Canvas, nucleus: Nucleus, pigmented: float, noise: Grain, ground: Layers) -> None:
    """Paints the cell of a nucleus onto the ground, if its class is one of BODIES. pigmented: share of the
    tumour cells that hold pigment."""
    if nucleus.kind not in BODIES or (nucleus.kind == "tumor" and not canvas.chance(pigmented)):
        return
    here = window(canvas, nucleus.centre, REACH * nucleus.radius)
    views = Layers(**{field.name: getattr(ground, field.name)[here.part] for field in fields(Layers)})
    BODIES[nucleus.kind](Site(canvas, nucleus, here, noise.clumps[here.part], noise.specks[here.part], views))
