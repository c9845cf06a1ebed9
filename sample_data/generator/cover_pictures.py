"""Cover pictures of the challenges, from their samples: `python -m sample_data.generator.cover_pictures`."""

import json
from pathlib import Path

import nibabel
import numpy as np
from PIL import Image, ImageDraw

FOLDER = Path(__file__).parents[1]
SIZE = (480, 240)
LESIONS = {
    "tricorder3": "tricorder3/images/L0020.jpg",
    "melanoma": "melanoma/images/M0002.jpg",
    "isic": "isic2019/images/ISIC_0099029.jpg",
}
"""Challenge -> an image of its sample."""
TILE = "sample_primary_roi_002"
CORNER = (300, 420)
"""px of the part of the tile that is shown."""
PATIENT = "ALD-003"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#f0e442", "#ffffff", "#7a4fa3")
STRUCTURES = {1: "#f0b429", 2: "#56b4e9"}
WINDOW = (-160, 240)
"""Hounsfield units of black and white."""


def write(folder: Path) -> None:
    """Write the pictures of all challenges into a folder, each some 20 kB."""
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {name: _lesion(FOLDER / path) for name, path in LESIONS.items()}
    for name, picture in {**pictures, "puma": _tile(), "hecktor2026": _slice()}.items():
        picture.save(folder / f"{name}.jpg", quality=82, optimize=True)


def _lesion(path: Path) -> Image.Image:
    with Image.open(path) as image:
        return _fitted(image.convert("RGB"))


def _fitted(image: Image.Image) -> Image.Image:
    """Return the middle of an image, as wide as the picture."""
    width, height = image.size
    scale = max(SIZE[0] / width, SIZE[1] / height)
    whole = image.resize((round(width * scale), round(height * scale)), Image.Resampling.LANCZOS)
    left, top = (whole.width - SIZE[0]) // 2, (whole.height - SIZE[1]) // 2
    return whole.crop((left, top, left + SIZE[0], top + SIZE[1]))


def _tile() -> Image.Image:
    """Return a part of a tile with the outlines of its nuclei, a colour for each class."""
    truth = FOLDER / "puma" / "truth"
    nuclei = json.loads((truth / f"{TILE}_nuclei.geojson").read_text(encoding="utf-8"))["features"]
    with Image.open(truth / f"{TILE}.tif") as image:
        width, height = SIZE
        part = image.convert("RGB").crop((*CORNER, CORNER[0] + width, CORNER[1] + height))
    finer = part.resize((2 * width, 2 * height), Image.Resampling.LANCZOS)
    pen = ImageDraw.Draw(finer)
    classes = sorted({one["properties"]["classification"]["name"] for one in nuclei})
    for one in nuclei:
        colour = COLOURS[classes.index(one["properties"]["classification"]["name"]) % len(COLOURS)]
        ring = 2 * (np.array(one["geometry"]["coordinates"][0])[:, :2] - CORNER)
        pen.line([tuple(point) for point in ring.tolist()], fill=colour, width=4)
    return finer.resize(SIZE, Image.Resampling.LANCZOS)


def _slice() -> Image.Image:
    """Return the slice of a patient's CT that holds most tumour, with the borders of both structures."""
    folder = FOLDER / "hecktor2026" / PATIENT
    image, mask = (nibabel.load(folder / f"{PATIENT}{ending}.nii.gz") for ending in ("__CT", ""))
    labels = np.asarray(mask.dataobj)
    place = int(np.argmax((labels > 0).sum((0, 1))))
    to_image = np.linalg.inv(image.affine) @ mask.affine
    values, cut = np.asarray(image.dataobj), labels[:, :, place].astype(int)
    grid = np.stack([*np.indices(cut.shape), np.full(cut.shape, place), np.ones(cut.shape)])
    voxels = np.rint(np.tensordot(to_image[:3], grid, 1)).astype(int)
    inside = [np.clip(axis, 0, length - 1) for axis, length in zip(voxels, values.shape, strict=True)]
    low, high = WINDOW
    grey = np.clip((values[tuple(inside)] - low) / (high - low), 0, 1)
    scale = 8
    drawn = Image.fromarray((255 * grey.T).astype(np.uint8)).convert("RGB")
    drawn = drawn.resize((drawn.width * scale, drawn.height * scale), Image.Resampling.BICUBIC)
    pixels = np.array(drawn)
    for label, colour in STRUCTURES.items():
        pixels[_border(np.kron((cut == label).T, np.ones((scale, scale), bool)))] = _rgb(colour)
    return _fitted(_around(Image.fromarray(pixels), cut.T > 0, scale))


def _border(mask: np.ndarray, thickness: int = 3) -> np.ndarray:
    """Return the pixels of a mask that lie at its edge."""
    inner = mask.copy()
    for _ in range(thickness):
        padded = np.pad(inner, 1)
        inner = inner & padded[2:, 1:-1] & padded[:-2, 1:-1] & padded[1:-1, 2:] & padded[1:-1, :-2]
    return mask & ~inner


def _around(image: Image.Image, mask: np.ndarray, scale: int) -> Image.Image:
    """Return the part of a slice around a mask, in the ratio of the picture."""
    rows = np.flatnonzero(mask.any(1))
    middle, half = scale * (rows[0] + rows[-1] + 1) // 2, image.width * SIZE[1] // SIZE[0] // 2
    top = min(max(middle - half, 0), max(image.height - 2 * half, 0))
    return image.crop((0, top, image.width, min(top + 2 * half, image.height)))


def _rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))


if __name__ == "__main__":
    write(FOLDER / "pictures")
