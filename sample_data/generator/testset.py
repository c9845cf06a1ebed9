"""A folder of drawn images, and the tables that go with them."""

import csv
import io
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image

from sample_data.generator import skin_image
from sample_data.generator.skin_image import DERMATOSCOPE, Case, View

ORIENTATION_TAG = 0x0112
UPRIGHT, TURN_RIGHT = 1, 6  # EXIF: shown as stored; shown after a quarter turn clockwise
WORKERS = 2
RETAKE_SEEDS = 100_000_000  # further pictures of a lesion are varied from seeds that no lesion is drawn from


@dataclass(frozen=True)
class ClassPlan:
    """`count` cases called `label` in the tables, of the generator's class `symbol`."""

    label: str
    symbol: str
    count: int


@dataclass(frozen=True)
class Plan:
    """What to draw. sizes: (width, height) px. shares: how often each size is drawn, sum 1. first_seed:
    lesion i is drawn from first_seed + i. view: how pictures are taken. turned: number of images that are
    stored lying, with an EXIF orientation that sets them upright. retaken: number of further pictures of
    lesions that there is one of already. quality: of the JPEG files. name: of image
    number i, from 1 on, without its ending.
    """

    classes: tuple[ClassPlan, ...]
    sizes: tuple[tuple[int, int], ...]
    shares: tuple[float, ...]
    first_seed: int
    ambiguity: float = 0.17
    view: View = DERMATOSCOPE
    turned: int = 0
    retaken: int = 0
    quality: int = 82
    name: str = "L{:04d}"

    @property
    def labels(self) -> tuple[str, ...]:
        """The tables' classes in the order in which the plan first names them."""
        return tuple(dict.fromkeys(a_class.label for a_class in self.classes))


@dataclass(frozen=True)
class Entry:
    """One image of a plan: its file's stem, what it is called, and everything it is drawn from.

    lesion: number of the lesion from 0 on. take: 0 for its first picture, 1 and more for others of it.
    """

    name: str
    label: str
    symbol: str
    seed: int
    size: tuple[int, int]
    ambiguity: float
    view: View
    orientation: int
    lesion: int
    take: int = 0

    def draw(self) -> Case:
        drawn = skin_image.draw(self.seed, self.symbol, self.size, self.ambiguity, self.view)
        return (
            replace(drawn, picture=skin_image.retaken(drawn.picture, RETAKE_SEEDS * self.take + self.seed))
            if self.take
            else drawn
        )


def entries(plan: Plan) -> list[Entry]:
    """The plan's images in the shuffled order of the tables, named by their place in it."""
    random = np.random.default_rng(plan.first_seed)
    classes = [a_class for a_class in plan.classes for _ in range(a_class.count)]
    order = random.permutation(len(classes))
    sizes = random.choice(len(plan.sizes), len(classes), p=plan.shares)
    turned = set(random.choice(len(classes), plan.turned, replace=False).tolist())
    lesions = [
        Entry(
            name="",
            label=classes[index].label,
            symbol=classes[index].symbol,
            seed=plan.first_seed + place,
            size=plan.sizes[sizes[place]],
            ambiguity=plan.ambiguity,
            view=plan.view,
            orientation=TURN_RIGHT if place in turned else UPRIGHT,
            lesion=place,
        )
        for place, index in enumerate(order)
    ]
    images = _with_retakes(lesions, plan.retaken, random) if plan.retaken else lesions
    return [replace(entry, name=plan.name.format(place + 1)) for place, entry in enumerate(images)]


def _with_retakes(lesions: list[Entry], count: int, random: np.random.Generator) -> list[Entry]:
    """`count` further pictures, one more of each lesion that is drawn and two of some, shuffled among the
    first ones."""
    twice = random.choice(len(lesions), count - count // 4, replace=False)
    again = [replace(lesions[index], take=1) for index in twice] + [
        replace(lesions[index], take=2) for index in twice[: count // 4]
    ]
    images = lesions + again
    return [images[index] for index in random.permutation(len(images))]


def stored(pixels: np.ndarray, orientation: int) -> np.ndarray:
    """An upright array, height x width (x 3), as a camera with that EXIF orientation stores it."""
    return np.ascontiguousarray(np.rot90(pixels)) if orientation == TURN_RIGHT else pixels


def encode(picture: np.ndarray, quality: int, orientation: int = UPRIGHT) -> bytes:
    """A JPEG file with no metadata but the orientation, and that only if it is not upright."""
    exif = Image.Exif()
    exif[ORIENTATION_TAG] = orientation
    metadata = {} if orientation == UPRIGHT else {"exif": exif}
    buffer = io.BytesIO()
    Image.fromarray(stored(picture, orientation)).save(
        buffer, "JPEG", quality=quality, optimize=True, **metadata
    )
    return buffer.getvalue()


def _write_one(entry: Entry, plan: Plan, folder: Path) -> dict:
    drawn = entry.draw()
    (folder / "images" / f"{entry.name}.jpg").write_bytes(
        encode(drawn.picture, plan.quality, entry.orientation)
    )
    person = drawn.demographics
    return {
        "name": entry.name,
        "label": entry.label,
        "age": person.age,
        "location": person.location,
        "gender": person.gender,
        "symbol": entry.symbol,
        "look": drawn.look,
        "skin_tone": drawn.tone,
        "seed": entry.seed,
        "lesion": entry.lesion,
        "take": entry.take,
        "width": entry.size[0],
        "height": entry.size[1],
        "orientation": entry.orientation,
    }


def write_images(plan: Plan, folder: Path, workers: int = WORKERS) -> list[dict]:
    """Draws the plan into folder/images/*.jpg; returns one row per image: everything its tables can say."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(partial(_write_one, plan=plan, folder=folder), entries(plan), chunksize=4))


def write_table(path: Path, header: Sequence[str], rows: Sequence[Sequence]) -> None:
    """UTF-8, commas, line feeds."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
