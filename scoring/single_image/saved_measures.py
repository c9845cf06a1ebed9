"""Measurements of the sample test sets' images, stored in files beside the samples. Measuring a test set
takes half a minute, for which a visitor would have to wait.

The name of a file depends on the bytes of the images and on `VERSION`, so that it is never used for other
images or measures.
"""

import hashlib
from pathlib import Path

import numpy as np

from scoring.challenges.samples import FOLDER
from scoring.metrics.image_quality import STEPS
from scoring.single_image.out_of_distribution import KnownImages
from scoring.single_image.quality import MeasuredImages, Pictures, Quality

VERSION = 2
"""Version of the measures. It must be raised whenever quality or appearance is measured in another way."""
PLACE = FOLDER / "measured"
OFFSET = 1 << 15
"""Number that is added to stored steps so that they are positive."""


def place(truth: Pictures, folder: Path = PLACE) -> Path:
    """Return the path of the file that stores the measurements of a test set's images."""
    digest = hashlib.sha256(f"{VERSION}".encode())
    for index in range(len(truth)):
        digest.update(hashlib.sha256(truth.picture(index) or b"").digest())
    return folder / f"{digest.hexdigest()[:16]}.npz"


def saved(truth: Pictures, tile: bool = False, folder: Path = PLACE) -> MeasuredImages | None:
    """Return the stored measurements of a test set's images. None if nothing is stored for exactly these
    images.

    Args:
        tile: Whether the test set contains tiles.
    """
    path = place(truth, folder)
    if not path.exists():
        return None
    with np.load(path) as file:
        indices, rows, steps = (
            file["indices"],
            file["qualities"],
            file["fine"] + 256 * file["coarse"].astype(int),
        )
        features = np.moveaxis(steps - OFFSET, -1, 0) * STEPS
        known = KnownImages(features, indices, tile, file["factors"], generated=True)
        names = file["names"].tolist()
    qualities: list[Quality | None] = [None] * len(truth)
    for index, row in zip(indices.tolist(), rows.tolist(), strict=True):
        qualities[index] = Quality.of_dict(dict(zip(names, row, strict=True)))
    return MeasuredImages(tuple(qualities), known)


def save(truth: Pictures, measured: MeasuredImages, folder: Path = PLACE) -> Path:
    """Store the measurements of a test set's images, and return the path of the file."""
    path, known = place(truth, folder), measured.known
    rows = [quality.as_dict() for quality in measured.qualities if quality is not None]
    # Packs best by feature, high bytes apart from low ones.
    steps = np.moveaxis(np.round(known.features / STEPS).astype(int) + OFFSET, 0, -1)
    np.savez_compressed(
        path,
        names=list(rows[0]),
        qualities=[list(row.values()) for row in rows],
        indices=known.indices,
        factors=known.left_out,
        fine=(steps & 255).astype(np.uint8),
        coarse=(steps >> 8).astype(np.uint8),
    )
    return path
