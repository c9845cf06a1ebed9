"""Thumbnails of cases, and the pixels that a model receives.

A confined worker decodes the images and returns plain pixels, which this module encodes as PNG or JPEG.
"""

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from scoring.common.arrays import Floats
from scoring.common.findings import InputRefused
from scoring.inference.challenge_task import CaseImages
from scoring.inference.image_sanitizer import UPRIGHT
from scoring.inference.model_pool import first_output
from scoring.inference.model_process import ImageProcess, ModelProcess
from scoring.inference.preprocessing import FIT, ImageInfo, ImageUnreadable, Pixels, Recipe
from scoring.inference.worker_results import ModelFacts, ModelFailed, PreparedImage

THUMBNAIL_SIDE = 320
TILE_SIDE, TILE_QUALITY = 4096, 90


@dataclass(frozen=True)
class Stage:
    """Pixels after one step of preparing an image for a model, as PNG."""

    png: bytes
    width: int
    height: int


def thumbnails(cases: CaseImages, indices: Sequence[int], side: int = THUMBNAIL_SIDE) -> list[bytes | None]:
    """Return JPEG thumbnails of cases, made upright by EXIF; None if there is no image or it cannot be
    read."""
    if all(cases.images[i] is None for i in indices):
        return [None] * len(indices)
    with ImageProcess() as process:
        return [_thumbnail(process, cases, i, side) for i in indices]


def _thumbnail(process: ImageProcess, cases: CaseImages, index: int, side: int) -> bytes | None:
    picture = _fitted(process, cases, index, side)
    return None if picture is None else _encoded(upright(picture.pixels, picture.seen), "JPEG", quality=85)


def tile(cases: CaseImages, index: int, side: int = TILE_SIDE) -> bytes | None:
    """Return a case's image as JPEG for a viewer, as `sized_tile` does; None if it is missing or
    unreadable."""
    return sized_tile(cases, index, side)[0]


def sized_tile(
    cases: CaseImages, index: int, side: int = TILE_SIDE
) -> tuple[bytes | None, tuple[int, int] | None]:
    """Return a case's image as JPEG for a viewer, and the width and height of its file. Both are None if the
    image is missing or unreadable.

    The JPEG is at most `side` px wide and high. EXIF rotation is not applied, because annotations use the
    pixels of the file.
    """
    if cases.images[index] is None:
        return None, None
    with ImageProcess() as process:
        picture = _fitted(process, cases, index, side)
    if picture is None:
        return None, None
    size = (picture.seen.width, picture.seen.height)
    return _encoded(picture.pixels, "JPEG", quality=TILE_QUALITY), size


def _fitted(process: ImageProcess, cases: CaseImages, index: int, side: int) -> PreparedImage | None:
    """Return a case's image at most `side` px wide and high; None if there is none or it cannot be read."""
    try:
        data = cases.picture(index)
        return None if data is None else process.pixels(data, Recipe(((side, side, FIT),)))
    except (ImageUnreadable, InputRefused):
        return None


def upright(pixels: Pixels, seen: ImageInfo) -> Pixels:
    """Return pixels turned by their EXIF orientation, for display only. The challenges' pipelines do not turn
    images."""
    turn = UPRIGHT.get(seen.orientation)
    return pixels if turn is None else np.asarray(Image.fromarray(pixels).transpose(turn))


def received(cases: CaseImages, index: int, recipe: Recipe) -> tuple[list[Stage], ImageInfo]:
    """Return the pixels of a case after each step of a recipe, without EXIF rotation. Raises ImageUnreadable,
    InputRefused."""
    data = cases.picture(index)
    if data is None:
        raise ImageUnreadable("there is no image for this case")
    with ImageProcess() as process:
        steps = [
            process.pixels(data, Recipe(recipe.steps[:count])) for count in range(1, len(recipe.steps) + 1)
        ]
    stages = [Stage(_encoded(f.pixels, "PNG"), f.pixels.shape[1], f.pixels.shape[0]) for f in steps]
    return stages, steps[-1].seen


def sweep(
    model: bytes,
    cases: CaseImages,
    index: int,
    recipe_for: Callable[[ModelFacts], Recipe],
    vectors: Mapping[str, Floats],
) -> dict[str, Floats]:
    """Return the first output of a model for one case and different second inputs: name in `vectors` ->
    outputs [n, K], one for each row of the inputs [n, k] with this name. Raises ModelFailed,
    ImageUnreadable."""
    data = cases.picture(index)
    if data is None:
        raise ImageUnreadable("there is no image for this case")
    with ModelProcess(model) as process:
        if len(process.facts.inputs) < 2:
            raise ModelFailed(
                "single-input", "The model takes the image only: nothing else can change its outputs."
            )
        recipe, rows = recipe_for(process.facts), {name: list(values) for name, values in vectors.items()}
        first = process.run(data, recipe, next(iter(rows.values()))[0], want_pixels=True)
        prepared = data if first.pixels is None else first.pixels
        return {
            name: np.stack([np.ravel(first_output(process.run(prepared, recipe, v))) for v in values])
            for name, values in rows.items()
        }


def _encoded(pixels: Pixels, kind: str, **options: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, kind, **options)
    return file.getvalue()
