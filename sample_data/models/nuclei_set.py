"""Training tiles for the nuclei model, from the generator of the PUMA sample with other seeds and settings.

`python -m sample_data.models.nuclei_set tiles.npz [count] [first_seed]` draws them, about three CPU seconds
each; the training script reads that file.
"""

import io
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from sample_data.generator.annotations import Annotation
from sample_data.generator.histology import tile
from sample_data.generator.histology.nuclei import CLASSES
from sample_data.generator.histology.tile import SIDE
from sample_data.generator.histology.tissue import Setting
from sample_data.generator.puma import encoded

FIRST_SEED = 9_000_000
COUNT = 80
STRIDE = 4  # px per cell of the model's output, each way
BACKGROUND, NEITHER = (
    0,
    255,
)  # class k of CLASSES is k + 1; NEITHER is the rim of a nucleus, which is not to be learnt from
CORE, RIM = (
    0.55,
    1.15,
)  # radii, in those of the nucleus, of what is its middle and of what is not yet background
SMALLEST_CORE = 5.0  # px


@dataclass(frozen=True)
class Tiles:
    """pictures: uint8, n x side x side x 3, as they come out of their files. labels: uint8, n x side/STRIDE x
    side/STRIDE."""

    pictures: np.ndarray
    labels: np.ndarray


def any_setting(random: np.random.Generator) -> Setting:
    """Some place in some melanoma; rare classes are in more of them than among patients."""
    return Setting(
        nuclei=int(random.integers(350, 1100)),
        epidermis=bool(random.random() < 0.4),
        tumour=float(random.uniform(0.15, 0.9)),
        inflammation=float(random.uniform(0, 0.9)),
        plasma=float(random.choice((0.05, 0.3, 0.8))),
        neutrophils=float(random.choice((0, 0.2, 0.7))),
        pigment=float(random.choice((0, 0.1, 0.3, 0.5))),
        apoptosis=float(random.uniform(0, 0.08)),
        spindle=float(random.uniform(0, 1)),
        vessels=int(random.integers(1, 8)),
    )


def labels(annotations: Sequence[Annotation], side: int = SIDE) -> np.ndarray:
    """What the model shall answer: the class near the middle of each nucleus (nearest if several), uint8,
    side/STRIDE each way."""
    size = side // STRIDE
    found, nearest = np.full((size, size), BACKGROUND, np.uint8), np.full((size, size), np.inf)
    middles = (np.arange(size) + 0.5) * STRIDE
    for annotation in annotations:
        x, y = annotation.main.mean(0)
        radius = (annotation.outline.area / np.pi) ** 0.5
        away = np.hypot(middles - x, (middles - y)[:, None])
        found[(away < RIM * radius) & (found == BACKGROUND)] = NEITHER
        core = (away < max(CORE * radius, SMALLEST_CORE)) & (away < nearest)
        found[core], nearest[core] = CLASSES.index(annotation.kind) + 1, away[core]
    return found


def _example(seed: int) -> tuple[np.ndarray, np.ndarray]:
    drawn = tile.draw(seed, any_setting(np.random.default_rng(seed)))
    picture = Image.open(io.BytesIO(encoded(drawn.picture))).convert("RGB")
    return np.asarray(picture), labels(drawn.annotations)


def draw(count: int, first_seed: int, workers: int = 2) -> Tiles:
    with ProcessPoolExecutor(workers) as pool:
        pictures, answers = zip(*pool.map(_example, range(first_seed, first_seed + count)), strict=True)
    return Tiles(np.stack(pictures), np.stack(answers))


def load(paths: Sequence[str]) -> Tiles:
    """The tiles of several saved files, one after the other."""
    parts = [dict(np.load(path)) for path in paths]
    return Tiles(**{name: np.concatenate([part[name] for part in parts]) for name in ("pictures", "labels")})


if __name__ == "__main__":
    arguments = dict(enumerate(sys.argv))
    drawn = draw(int(arguments.get(2, COUNT)), int(arguments.get(3, FIRST_SEED)))
    np.savez(Path(sys.argv[1]), **vars(drawn))
