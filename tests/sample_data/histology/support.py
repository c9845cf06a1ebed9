"""A small tile's makings."""

import numpy as np

from sample_data.generator.canvas import Canvas
from sample_data.generator.histology.tissue import Setting

MIXED = Setting(
    nuclei=60,
    epidermis=False,
    tumour=0.5,
    inflammation=0.4,
    plasma=0.3,
    neutrophils=0.3,
    pigment=0.3,
    apoptosis=0.1,
)
SKIN = Setting(nuclei=90, epidermis=True, tumour=0.4, inflammation=0.2)


def canvas(seed: int = 0, side: int = 256) -> Canvas:
    return Canvas(np.random.default_rng(seed), side, side)
