"""Nuclei of one tile of stained tissue: from a dense model, or from a prediction file, to points that can be
counted."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.challenges import load_challenge
from scoring.common.findings import InputRefused, error
from scoring.inference import preflight
from scoring.inference.model_task import TileSupport
from scoring.inference.process import LoadedModel, ModelProcess
from scoring.inference.results import ModelFailed
from scoring.inputs.nuclei import Nuclei
from scoring.single_image.model import CALLED, ModelHandle, loaded
from scoring.single_image.photograph import CALLED as IMAGE


@dataclass(frozen=True)
class Detector(ModelHandle):
    """A dense model."""

    support: TileSupport
    process: LoadedModel
    dense: Any


@dataclass(frozen=True)
class Overview:
    """Nuclei of a tile. counts [K] by class; per_mm2 [K]; area_mm2: of the tile at the challenge's
    resolution; til_share: lymphocytes / all nuclei, None without any."""

    support: TileSupport
    counts: np.ndarray
    per_mm2: np.ndarray
    area_mm2: float
    til_share: float | None

    @property
    def total(self) -> int:
        return int(self.counts.sum())


def tile_support(challenge_id: str) -> TileSupport:
    """Return the support of tiles of a challenge. Raises KeyError for a challenge without tiles."""
    support = load_challenge(challenge_id).display.single_image
    if support is None or support.tile is None:
        raise KeyError(challenge_id)
    return support.tile()


def opened(
    support: TileSupport, model: bytes, start: Callable[[bytes], LoadedModel] = ModelProcess
) -> Detector:
    """Open a dense model and try it on noise, as `model.loaded` does."""
    return loaded(model, start, lambda process: Detector(support, process, support.examine(process, CALLED)))


def detected(detector: Detector, pixels: np.ndarray) -> Nuclei:
    """Return the nuclei that a dense model finds in upright pixels uint8 (H, W, 3). Raises InputRefused."""
    try:
        return detector.support.detect(detector.process, detector.dense, pixels, IMAGE)
    except ModelFailed as failed:
        raise InputRefused([preflight.failure(CALLED, failed)]) from failed


def listed(support: TileSupport, data: bytes, size: tuple[int, int], name: str = "prediction.json") -> Nuclei:
    """Return the nuclei of a prediction file of that name for a tile of this width and height, px. Raises
    InputRefused with every problem, and where most lie outside."""
    nuclei = support.read(data, name)
    outside = nuclei.outside(size)
    if outside.sum() > len(nuclei) / 2:
        sentence = (
            f"{int(outside.sum())} of {len(nuclei)} nuclei lie outside the tile of {size[0]} x "
            f"{size[1]} px: it is another tile's file."
        )
        raise InputRefused([error("wrong-tile", name, sentence)])
    return nuclei


def overview(
    support: TileSupport, nuclei: Nuclei, size: tuple[int, int], least_confidence: float = 0.0
) -> Overview:
    """Counts of the nuclei with at least this confidence in a tile of this width and height, px."""
    counts = np.bincount(
        nuclei.classes[nuclei.confidences >= least_confidence], minlength=len(support.classes)
    )
    area = float(size[0] * size[1]) * support.micrometres_per_pixel**2 / 1e6
    share = float(support.til_share(counts)) if counts.sum() else None
    return Overview(support, counts, counts / area, area, share)
