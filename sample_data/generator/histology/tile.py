"""One tile: the picture, and the outline and class of every nucleus, all from a seed and a setting."""

from dataclasses import dataclass

import numpy as np

from sample_data.generator.annotations import Annotation, on_grid
from sample_data.generator.canvas import Canvas
from sample_data.generator.histology.chromatin import Stained, grain, stain
from sample_data.generator.histology.cytoplasm import background
from sample_data.generator.histology.nuclei import annotated
from sample_data.generator.histology.placement import populate
from sample_data.generator.histology.stain import Layers, photograph
from sample_data.generator.histology.tissue import Setting, lay

SIDE = 1024  # px
SMALLEST_AREA = 25  # px^2; less than that of a nucleus in view, and nobody would annotate it


@dataclass(frozen=True)
class Tile:
    """picture: uint8, side x side x 3. annotations: from top to bottom."""

    picture: np.ndarray
    annotations: tuple[Annotation, ...]


def draw(seed: int, setting: Setting, side: int = SIDE) -> Tile:
    """The tile of (seed, setting, side in px): the same every time, up to changes in NumPy's random
    streams."""
    canvas = Canvas(np.random.default_rng(seed), side, side)
    tissue = lay(canvas, setting)
    nuclei = populate(canvas, setting, tissue)
    noise = grain(canvas)
    ground = background(canvas, setting, tissue, nuclei, noise)
    stained = Stained(canvas.blank(), canvas.blank(), canvas.blank())
    for index in canvas.random.permutation(len(nuclei)):
        stain(canvas, nuclei[index], noise, stained)
    cover = stained.cover
    layers = Layers(
        haematoxylin=ground.haematoxylin * (1 - cover) + stained.haematoxylin * cover,
        eosin=ground.eosin * (1 - cover) + stained.eosin * cover,
        melanin=ground.melanin * (1 - 0.7 * cover),
        blood=ground.blood * (1 - cover),
        cleared=ground.cleared * (1 - cover),
    )
    outlines = [(nucleus.kind, on_grid(annotated(nucleus, side))) for nucleus in nuclei]
    seen = [
        Annotation(kind, outline)
        for kind, outline in outlines
        if outline is not None and outline.area >= SMALLEST_AREA
    ]
    seen.sort(key=lambda annotation: (annotation.outline.bounds[1], annotation.outline.bounds[0]))
    return Tile(photograph(canvas, layers), tuple(seen))
