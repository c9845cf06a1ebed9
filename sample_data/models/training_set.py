"""Training images from the same generator with other seeds, through each challenge's own preprocessing.

`python -m sample_data.models.training_set TASK images.npz [per_class] [first_seed]` draws them (0.3 to 0.8
CPU seconds each); the training scripts read that file.
"""

import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from sample_data.generator.skin_image import SYMBOLS
from sample_data.generator.testset import Entry, encode, entries
from sample_data.models.task import TASKS, Task
from scoring.inference.preprocessing import pixels

FIRST_SEED = 5_000_000
PER_CLASS = 60
UNKNOWN_SHARE = 0.10
UNKNOWN = (0, -1, -1)  # age, gender, location as the official code hands over missing ones


@dataclass(frozen=True)
class Examples:
    """pooled: uint8, n x side/pool x side/pool x 3, for filter banks. small: uint8, n x h x w x 3, for
    networks. classes: number of the class in SYMBOLS. looks: of the class that was drawn. demographics:
    float32, n x 3, as models receive them.
    """

    pooled: np.ndarray
    small: np.ndarray
    classes: np.ndarray
    looks: np.ndarray
    demographics: np.ndarray


def pooled(picture: np.ndarray, pool: int) -> np.ndarray:
    """Means of pool x pool pixels of a square uint8 picture, side x side x 3; uint8."""
    side = len(picture) // pool
    means = picture.astype(np.float32).reshape(side, pool, side, pool, 3).mean((1, 3))
    return np.rint(means).astype(np.uint8)


def _example(entry: Entry, task: Task) -> tuple:
    drawn = entry.draw()
    jpeg = encode(drawn.picture, task.sample.quality)
    (large, _), (small, _) = pixels(jpeg, task.recipe), pixels(jpeg, task.small)
    return (
        pooled(large, task.pool),
        small,
        SYMBOLS.index(drawn.symbol),
        SYMBOLS.index(drawn.look),
        drawn.demographics.encoded(),
    )


def draw(task: Task, per_class: int, first_seed: int, workers: int = 2) -> Examples:
    with ProcessPoolExecutor(workers) as pool:
        columns = list(
            zip(
                *pool.map(
                    partial(_example, task=task), entries(task.plan(per_class, first_seed)), chunksize=8
                ),
                strict=True,
            )
        )
    images = [np.stack(column) for column in columns[:2]]
    return Examples(*images, np.array(columns[2]), np.array(columns[3]), np.array(columns[4], np.float32))


def labelled(examples: Examples, task: Task) -> tuple[Examples, np.ndarray]:
    """The examples that the task has a label for, and these labels."""
    labels = task.numbers(examples.classes)
    known = labels >= 0
    return Examples(**{name: values[known] for name, values in vars(examples).items()}), labels[known]


def save(examples: Examples, path: Path) -> None:
    np.savez(path, **vars(examples))


def load(paths: list[str]) -> Examples:
    """The examples of several saved files, one after the other."""
    parts = [dict(np.load(path)) for path in paths]
    return Examples(**{name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


def forget_some(demographics: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A copy, n x 3, in which each number is unknown with probability UNKNOWN_SHARE, so that a model has met
    the codes for it."""
    unknown = np.broadcast_to(np.float32(UNKNOWN), demographics.shape)
    return np.where(random.random(demographics.shape) < UNKNOWN_SHARE, unknown, demographics)


if __name__ == "__main__":
    arguments = dict(enumerate(sys.argv))
    counted = int(arguments.get(3, PER_CLASS)), int(arguments.get(4, FIRST_SEED))
    save(draw(TASKS[sys.argv[1]], *counted), Path(sys.argv[2]))
