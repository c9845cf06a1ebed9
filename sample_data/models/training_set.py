"""Training images from the same generator with other seeds, through the official preprocessing.

`python -m sample_data.models.training_set images.npz [per_class] [first_seed]` draws them (about 0.3 CPU seconds each); the training
scripts read that file.
"""
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sample_data.generator.case import SYMBOLS
from sample_data.generator.testset import ClassPlan, Entry, Plan, encode, entries
from sample_data.generator.tricorder3 import PLAN, SHARES, SIZES
from scoring.models.preprocessing import Recipe, pixels

SIDE = 512
POOL = 4  # the k-means model averages 4 x 4 pixels before anything else: its training images are kept that small
SMALL_SIDE = 160
OFFICIAL = Recipe(((SIDE, SIDE, "lanczos"),))
SMALL = Recipe(((SIDE, SIDE, "lanczos"), (SMALL_SIDE, SMALL_SIDE, "lanczos")))
FIRST_SEED = 5_000_000
PER_CLASS = 60
UNKNOWN_SHARE = 0.10
UNKNOWN = (0, -1, -1)  # age, gender, location as the official code hands over missing ones


@dataclass(frozen=True)
class Examples:
    """pooled: uint8, n x 128 x 128 x 3. small: uint8, n x 160 x 160 x 3. labels: class number 0..10. looks: the class that was drawn.
    demographics: float32, n x 3, as models receive them.
    """

    pooled: np.ndarray
    small: np.ndarray
    labels: np.ndarray
    looks: np.ndarray
    demographics: np.ndarray


def plan(per_class: int, first_seed: int) -> Plan:
    return Plan(tuple(ClassPlan(symbol, symbol, per_class) for symbol in SYMBOLS), SIZES, SHARES, first_seed)


def pooled(picture: np.ndarray) -> np.ndarray:
    """Means of POOL x POOL pixels of a uint8 picture, SIDE x SIDE x 3; uint8."""
    side = SIDE // POOL
    means = picture.astype(np.float32).reshape(side, POOL, side, POOL, 3).mean((1, 3))
    return np.rint(means).astype(np.uint8)


def _example(entry: Entry) -> tuple:
    drawn = entry.draw()
    jpeg = encode(drawn.picture, PLAN.quality)
    (large, _), (small, _) = pixels(jpeg, OFFICIAL), pixels(jpeg, SMALL)
    return pooled(large), small, SYMBOLS.index(drawn.symbol), SYMBOLS.index(drawn.look), drawn.demographics.encoded()


def draw(per_class: int, first_seed: int, workers: int = 2) -> Examples:
    with ProcessPoolExecutor(workers) as pool:
        columns = list(zip(*pool.map(_example, entries(plan(per_class, first_seed)), chunksize=8), strict=True))
    images = [np.stack(column) for column in columns[:2]]
    return Examples(*images, np.array(columns[2]), np.array(columns[3]), np.array(columns[4], np.float32))


def save(examples: Examples, path: Path) -> None:
    np.savez(path, **vars(examples))


def load(paths: list[str]) -> Examples:
    """The examples of several saved files, one after the other."""
    parts = [dict(np.load(path)) for path in paths]
    return Examples(**{name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


def forget_some(demographics: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A copy, n x 3, in which each number is unknown with probability UNKNOWN_SHARE, so that a model has met the codes for it."""
    unknown = np.broadcast_to(np.float32(UNKNOWN), demographics.shape)
    return np.where(random.random(demographics.shape) < UNKNOWN_SHARE, unknown, demographics)


if __name__ == "__main__":
    arguments = dict(enumerate(sys.argv))
    save(draw(int(arguments.get(2, PER_CLASS)), int(arguments.get(3, FIRST_SEED))), Path(sys.argv[1]))
