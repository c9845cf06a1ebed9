"""A folder of drawn images and lesion masks, and the tables that go with them."""
import csv
import io
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from sample_data.generator import case
from sample_data.generator.case import Case

JPEG_QUALITY = 82
ORIENTATION_TAG = 0x0112
UPRIGHT, TURN_RIGHT = 1, 6  # EXIF: shown as stored; shown after a quarter turn clockwise
WORKERS = 2


@dataclass(frozen=True)
class ClassPlan:
    """`count` cases called `label` in the tables, of the generator's class `symbol`."""

    label: str
    symbol: str
    count: int


@dataclass(frozen=True)
class Plan:
    """What to draw. sizes: (width, height) px. shares: how often each size is drawn, sum 1. turned: number of images that are stored
    lying, with an EXIF orientation that sets them upright. prefix: of the file names. first_seed: case i is drawn from first_seed + i.
    """

    classes: tuple[ClassPlan, ...]
    sizes: tuple[tuple[int, int], ...]
    shares: tuple[float, ...]
    first_seed: int
    ambiguity: float = 0.17
    turned: int = 0
    prefix: str = "L"


@dataclass(frozen=True)
class Entry:
    """One image of a plan: its file's stem, what it is called, and everything it is drawn from."""

    name: str
    label: str
    symbol: str
    seed: int
    size: tuple[int, int]
    ambiguity: float
    orientation: int

    def draw(self) -> Case:
        return case.draw(self.seed, self.symbol, self.size, self.ambiguity)


def entries(plan: Plan) -> list[Entry]:
    """The plan's images in the shuffled order of the tables, named by their place in it."""
    random = np.random.default_rng(plan.first_seed)
    classes = [a_class for a_class in plan.classes for _ in range(a_class.count)]
    order = random.permutation(len(classes))
    sizes = random.choice(len(plan.sizes), len(classes), p=plan.shares)
    turned = set(random.choice(len(classes), plan.turned, replace=False).tolist())
    return [
        Entry(
            name=f"{plan.prefix}{place + 1:04d}",
            label=classes[index].label,
            symbol=classes[index].symbol,
            seed=plan.first_seed + place,
            size=plan.sizes[sizes[place]],
            ambiguity=plan.ambiguity,
            orientation=TURN_RIGHT if place in turned else UPRIGHT,
        )
        for place, index in enumerate(order)
    ]


def stored(pixels: np.ndarray, orientation: int) -> np.ndarray:
    """An upright array, height x width (x 3), as a camera with that EXIF orientation stores it."""
    return np.ascontiguousarray(np.rot90(pixels)) if orientation == TURN_RIGHT else pixels


def encode(picture: np.ndarray, orientation: int = UPRIGHT) -> bytes:
    """A JPEG file with no metadata but the orientation, and that only if it is not upright."""
    exif = Image.Exif()
    exif[ORIENTATION_TAG] = orientation
    metadata = {} if orientation == UPRIGHT else {"exif": exif}
    buffer = io.BytesIO()
    Image.fromarray(stored(picture, orientation)).save(buffer, "JPEG", quality=JPEG_QUALITY, optimize=True, **metadata)
    return buffer.getvalue()


def _write_one(entry: Entry, folder: Path) -> Case:
    drawn = entry.draw()
    (folder / "images" / f"{entry.name}.jpg").write_bytes(encode(drawn.picture, entry.orientation))
    Image.fromarray(stored(drawn.mask, entry.orientation)).save(folder / "masks" / f"{entry.name}.png", optimize=True)
    return drawn


def _row(entry: Entry, folder: Path) -> dict:
    drawn = _write_one(entry, folder)
    person = drawn.demographics
    return {
        "name": entry.name, "label": entry.label, "age": person.age, "location": person.location, "gender": person.gender,
        "symbol": entry.symbol, "look": drawn.look, "skin_tone": drawn.tone, "seed": entry.seed,
        "width": entry.size[0], "height": entry.size[1], "orientation": entry.orientation,
    }


def write_images(plan: Plan, folder: Path, workers: int = WORKERS) -> list[dict]:
    """Draws the plan into folder/images/*.jpg and folder/masks/*.png; returns one row per image: everything its tables can say."""
    for name in ("images", "masks"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    drawn = entries(plan)
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(_row, drawn, [folder] * len(drawn), chunksize=4))


def write_table(path: Path, header: list[str], rows: list[list]) -> None:
    """UTF-8, commas, line feeds."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
