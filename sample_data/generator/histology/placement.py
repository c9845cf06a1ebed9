"""Where nuclei lie: thrown one after the other onto the tissue, each class where it belongs, none where there
is no room."""

import numpy as np

from sample_data.generator.canvas import Canvas
from sample_data.generator.histology.nuclei import BENT, KINDS, SMALLEST_RADIUS, Nucleus, shape
from sample_data.generator.histology.tissue import Setting, Tissue, sampled

THROWS = 16  # tries per nucleus that there should be
CROWDING = 0.93  # centres come as near as this share of the two radii
HEAPS = 6  # groups in which neutrophils and plasma cells come

Shares = dict[str, float]


class Crowd:
    """The nuclei so far, and whether there is room for another."""

    def __init__(self) -> None:
        self.nuclei: list[Nucleus] = []
        self._places = np.zeros((4096, 3))

    def has_room(self, x: float, y: float, reach: float) -> bool:
        known = self._places[: len(self.nuclei)]
        return not (np.hypot(known[:, 0] - x, known[:, 1] - y) < CROWDING * (known[:, 2] + reach)).any()

    def add(self, nucleus: Nucleus, reach: float) -> None:
        self._places[len(self.nuclei)] = (*nucleus.centre, reach)
        self.nuclei.append(nucleus)


def _size(random: np.random.Generator, kind: str, spindle: float) -> tuple[float, float, float]:
    """Radius, ratio of the axes, and the distance that it keeps others at."""
    mean, deviation = KINDS[kind].radius
    low, high = KINDS[kind].length
    radius = max(SMALLEST_RADIUS, random.normal(mean, deviation))
    length = random.uniform(low, high) * (1 + spindle * random.uniform(0.2, 1.0) if kind == "tumor" else 1)
    return radius, length, radius * min(length**0.5, 1.25)


def _shares(setting: Setting, tumour: float, epidermis: float, inflamed: float, heap: float) -> Shares:
    """How likely each class is at a place."""
    if epidermis > 0.5:
        return {"epithelium": 0.93, "lymphocytes": 0.04, "tumor": 0.03 * (setting.tumour > 0)}
    granulocytes = setting.neutrophils * (0.15 + 2.5 * heap)
    plasma = setting.plasma * (0.3 + 1.4 * heap)
    if inflamed > 0.4:
        return {
            "lymphocytes": 0.72,
            "histiocytes": 0.12,
            "plasma_cells": plasma,
            "neutrophils": granulocytes,
            "stromal_cells": 0.10,
            "tumor": 0.25 * tumour,
            "melanophages": 0.15 * setting.pigment,
            "apoptotic_cells": setting.apoptosis / 2,
        }
    if tumour > 0.5:
        return {
            "tumor": 0.86,
            "lymphocytes": 0.03 + 0.10 * setting.inflammation,
            "histiocytes": 0.04,
            "apoptotic_cells": setting.apoptosis,
            "melanophages": 0.20 * setting.pigment,
            "neutrophils": 0.4 * granulocytes,
        }
    return {
        "stromal_cells": 0.55,
        "lymphocytes": 0.08 + 0.2 * setting.inflammation,
        "histiocytes": 0.10,
        "melanophages": 0.35 * setting.pigment,
        "endothelium": 0.03,
        "plasma_cells": 0.3 * plasma,
        "neutrophils": 0.3 * granulocytes,
    }


def _turn(canvas: Canvas, setting: Setting, tissue: Tissue, kind: str, x: float, y: float) -> float:
    """Fibroblasts lie along the fibres, spindle-shaped tumour cells roughly so, cells at the base of the
    epidermis upright."""
    if kind in BENT or (kind == "tumor" and setting.spindle > 0.4):
        return float(sampled(tissue.direction, [x], [y])[0]) + canvas.random.normal(0, 0.2)
    if kind == "epithelium" and sampled(tissue.basal, [x], [y])[0] > 0.4:
        return np.pi / 2 + canvas.random.normal(0, 0.25)
    return canvas.uniform(0, np.pi)


def _line_vessels(canvas: Canvas, tissue: Tissue, crowd: Crowd) -> None:
    """Endothelium around each lumen."""
    for vessel in tissue.vessels:
        angle = canvas.uniform(0, 0.6)
        while angle < 2 * np.pi:
            x, y, turn = vessel.at(angle)
            radius, length, reach = _size(canvas.random, "endothelium", 0)
            radius, reach = 0.85 * radius, 0.75 * reach
            if 0 < x < canvas.width and 0 < y < canvas.height and crowd.has_room(x, y, reach):
                crowd.add(shape(canvas.random, "endothelium", (x, y), radius, max(length, 2.2), turn), reach)
            angle += canvas.uniform(0.5, 1.0)


def _heaps(canvas: Canvas) -> np.ndarray:
    """Density of the groups in which some cells come, height x width, 0..1."""
    heaps = canvas.blank()
    for x, y in canvas.random.uniform(0, canvas.width, (HEAPS, 2)):
        spread = canvas.uniform(50, 110)
        heaps += np.exp(-((canvas.columns - x) ** 2 + (canvas.rows - y) ** 2) / (2 * spread**2))
    return np.clip(heaps, 0, 1)


def populate(canvas: Canvas, setting: Setting, tissue: Tissue) -> list[Nucleus]:
    """At most setting.nuclei nuclei: fewer where there is no more room."""
    crowd, heaps = Crowd(), _heaps(canvas)
    _line_vessels(canvas, tissue, crowd)
    count = THROWS * setting.nuclei
    x, y = (
        canvas.random.uniform(2, canvas.width - 2, count),
        canvas.random.uniform(2, canvas.height - 2, count),
    )
    closed = sampled(np.maximum.reduce([tissue.lumen, tissue.horn, 0.9 * tissue.cleft]), x, y) > 0.3
    # Connective tissue has fewer cells than tumour; darts are kept with this chance.
    crowded = [tissue.tumour, 0.5 * tissue.epidermis, tissue.basal, tissue.inflamed, 0.30 + canvas.blank()]
    density = sampled(np.maximum.reduce(crowded), x, y)
    kept = ~closed & (canvas.random.random(count) < density)
    maps = np.stack(
        [sampled(values, x, y) for values in (tissue.tumour, tissue.epidermis, tissue.inflamed, heaps)], 1
    )
    for place in np.flatnonzero(kept):
        if len(crowd.nuclei) >= setting.nuclei:
            break
        shares = _shares(setting, *maps[place])
        chances = np.array(list(shares.values()))
        kind = str(canvas.random.choice(list(shares), p=chances / chances.sum()))
        radius, length, reach = _size(canvas.random, kind, setting.spindle)
        if crowd.has_room(x[place], y[place], reach):
            turn = _turn(canvas, setting, tissue, kind, x[place], y[place])
            crowd.add(
                shape(canvas.random, kind, (float(x[place]), float(y[place])), radius, length, turn), reach
            )
    return crowd.nuclei
