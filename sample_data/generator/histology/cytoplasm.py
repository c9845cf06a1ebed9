"""Everything but nuclei: cells, fibres, horn, blood."""

import numpy as np
from scipy.ndimage import zoom
from scipy.spatial import cKDTree

from sample_data.generator.canvas import Canvas, smoothstep
from sample_data.generator.histology.bodies import surround
from sample_data.generator.histology.chromatin import Grain, window
from sample_data.generator.histology.nuclei import Nucleus
from sample_data.generator.histology.stain import Layers
from sample_data.generator.histology.tissue import Setting, Tissue


def _territories(canvas: Canvas, nuclei: list[Nucleus]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each pixel: distance in px to the nearest nucleus's middle, how much farther the second is, and a
    number per cell, deviation 1.

    Computed at half resolution: nothing drawn from it is finer than two pixels.
    """
    centres = np.array([nucleus.centre for nucleus in nuclei])
    rows, columns = np.mgrid[0 : canvas.height : 2, 0 : canvas.width : 2].astype(np.float32) + 1
    bend = [
        4 * canvas.noise(1.8, 5, 40)[::2, ::2] + 1.0 * canvas.noise(1.2, 30, 120)[::2, ::2] for _ in range(2)
    ]
    distances, order = cKDTree(centres).query(
        np.stack([columns + bend[0], rows + bend[1]], -1).reshape(-1, 2), k=2
    )
    tints = np.clip(canvas.random.standard_normal(len(nuclei)), -2, 2)[order[:, 0]]
    first, gap, tint = (
        zoom(values.reshape(rows.shape).astype(np.float32), 2, order=1)[: canvas.height, : canvas.width]
        for values in (distances[:, 0], distances[:, 1] - distances[:, 0], tints)
    )
    return first, gap, tint


def background(
    canvas: Canvas, setting: Setting, tissue: Tissue, nuclei: list[Nucleus], noise: Grain
) -> Layers:
    """The tissue without its nuclei."""
    first, gap, tint = _territories(canvas, nuclei)
    cloud, foam, mottle = canvas.noise(1.7, 1, 30), canvas.noise(0.9, 20, 90), canvas.noise(2.0, 0.5, 6)
    stroma, tumour, epidermis = tissue.stroma, tissue.tumour, tissue.epidermis
    body = tumour * smoothstep(48, 26, first)
    # Where two cells meet there is a fine line, here pink, there pale, in most places neither.
    line, kind_of_line = smoothstep(3.6, 0.6, gap + 0.5 * noise.clumps), canvas.noise(1.4, 3, 26)
    pink_line, pale_line = (
        line * smoothstep(0.1, 1.2, kind_of_line),
        line * smoothstep(-0.1, -1.2, kind_of_line),
    )
    eosin = (
        0.40
        + 0.035 * cloud
        + stroma * (0.10 + 0.10 * tissue.fibres)
        + body * (-0.03 + 0.070 * tint + 0.055 * foam + 0.14 * pink_line)
        + epidermis * (0.10 + 0.05 * tint + 0.03 * foam)
        - 0.10 * tumour * (1 - body)
        + tissue.horn * (0.38 + 0.10 * canvas.noise(1.2, 4, 60))
    )
    haematoxylin = (
        0.05
        + 0.015 * mottle
        + body * (0.12 + 0.045 * tint + 0.03 * foam)
        + epidermis * (0.09 + 0.13 * tissue.basal)
        + tissue.inflamed * stroma * (0.05 + 0.02 * foam)
        + stroma * 0.015 * tissue.fibres
    )
    spines = (
        smoothstep(4.6, 0.8, gap) * epidermis * (1 - tissue.horn) * np.clip(0.30 + 0.16 * noise.specks, 0, 1)
    )
    cleared = np.clip(
        tissue.lumen + tissue.cleft + 0.38 * body * pale_line + spines + _basket(canvas, tissue), 0, 1
    )
    layers = Layers(
        np.maximum(haematoxylin, 0.01),
        np.maximum(eosin, 0.06),
        canvas.blank(),
        _red_cells(canvas, tissue),
        cleared,
    )
    for nucleus in nuclei:
        surround(canvas, nucleus, 0.5 * setting.pigment, noise, layers)
    np.maximum(layers.eosin, 0.02, out=layers.eosin)
    return layers


def _basket(canvas: Canvas, tissue: Tissue) -> np.ndarray:
    """The horny layer's basket weave of thin scales, 0..1 of it torn."""
    height = canvas.rows + 7 * canvas.noise(1.8, 1, 12) + 3 * canvas.noise(1.5, 6, 30)
    waves = np.sin(2 * np.pi * height / 11 + 3 * canvas.noise(1.8, 1, 6))
    return tissue.horn * smoothstep(0.5, 1.3, waves + 0.8 * canvas.noise(1.6, 4, 30)) * 0.8


def _red_cells(canvas: Canvas, tissue: Tissue) -> np.ndarray:
    """Red blood cells in some of the lumens: discs of 7 um that are paler in the middle."""
    blood = canvas.blank()
    for vessel in tissue.vessels:
        if canvas.chance(0.25):
            continue
        for _ in range(int(vessel.axes[0] * vessel.axes[1] / 130)):
            along, aside = canvas.random.normal(0, 0.42, 2) * vessel.axes
            c, s = np.cos(vessel.turn), np.sin(vessel.turn)
            x, y = vessel.centre[0] + along * c - aside * s, vessel.centre[1] + along * s + aside * c
            here = window(canvas, (x, y), 18)
            squash, turn = canvas.uniform(0.75, 1.0), canvas.uniform(0, np.pi)
            across, down = here.x - x, here.y - y
            away = np.hypot(
                across * np.cos(turn) + down * np.sin(turn),
                (down * np.cos(turn) - across * np.sin(turn)) / squash,
            )
            disc = (
                smoothstep(12.5, 11, away) * (0.55 + 0.35 * smoothstep(1, 9, away)) * tissue.lumen[here.part]
            )
            blood[here.part] = np.maximum(blood[here.part], disc)
    return blood
