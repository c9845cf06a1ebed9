"""Nuclei of one tile of stained tissue, from a dense model or a prediction file."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.challenges import load_challenge
from scoring.common.arrays import Floats
from scoring.common.findings import InputRefused, error
from scoring.inference import model_contract
from scoring.inference.model_process import LoadedModel, ModelProcess
from scoring.inference.single_image_task import TileSupport
from scoring.inference.worker_results import ModelFailed
from scoring.inputs.nuclei.reader import Nuclei
from scoring.single_image.model import CALLED, THIS_IMAGE, ModelHandle, loaded
from scoring.single_image.photograph import CALLED as IMAGE
from scoring.statistics.intervals import Share, counted


@dataclass(frozen=True)
class Detector(ModelHandle):
    """An opened dense model, which detects nuclei."""

    support: TileSupport
    process: LoadedModel
    dense: Any


@dataclass(frozen=True)
class Overview:
    """Nuclei of a tile.

    Attributes:
        counts: Number of nuclei of each class [K].
        micrometres: Micrometres per pixel; None if unknown, so that densities are unknown too.
        lymphocytes: Share of lymphocytes among the detected nuclei.
        truth: Number of annotated nuclei of each class [K]; None if the tile is not a test case.
    """

    support: TileSupport
    counts: np.ndarray
    micrometres: float | None
    area_px: int
    lymphocytes: Share
    truth: np.ndarray | None = None

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    @property
    def area_mm2(self) -> float | None:
        """Area of the tile in mm²; None if its scale is unknown."""
        return None if self.micrometres is None else self.area_px * self.micrometres**2 / 1e6

    @property
    def per_mm2(self) -> Floats | None:
        """Number of nuclei of each class per mm² [K]; None if the scale is unknown."""
        area = self.area_mm2
        return None if area is None else self.counts / area


def tile_support(challenge_id: str) -> TileSupport:
    """Return a challenge's functions for tiles. Raises KeyError for a challenge without tiles."""
    support = load_challenge(challenge_id).display.single_image
    if support is None or support.tile is None:
        raise KeyError(challenge_id)
    return support.tile()


def opened(
    support: TileSupport, model: bytes, start: Callable[[bytes], LoadedModel] = ModelProcess
) -> Detector:
    """Open a dense model and run it on noise to check it, as `model.loaded` does."""
    return loaded(model, start, lambda process: Detector(support, process, support.examine(process, CALLED)))


def detected(detector: Detector, pixels: np.ndarray) -> Nuclei:
    """Return the nuclei that a dense model detects in upright pixels, uint8 (H, W, 3). Raises InputRefused if
    the model fails or its outputs cannot be used."""
    try:
        return detector.support.detect(detector.process, detector.dense, pixels, IMAGE)
    except ModelFailed as failed:
        raise InputRefused([model_contract.failure(CALLED, failed, THIS_IMAGE)]) from failed


def listed(support: TileSupport, data: bytes, size: tuple[int, int], name: str = "prediction.json") -> Nuclei:
    """Return the nuclei in a prediction file for a tile of this width and height, px. Raises InputRefused
    with every problem, and if most nuclei are outside the tile."""
    nuclei = support.read(data, name)
    outside = nuclei.outside(size)
    if outside.sum() > len(nuclei) / 2:
        sentence = (
            f"{int(outside.sum())} of {len(nuclei)} nuclei lie outside the tile of {size[0]} x "
            f"{size[1]} px: the file may belong to another tile."
        )
        raise InputRefused([error("wrong-tile", name, sentence)])
    return nuclei


def overview(
    support: TileSupport,
    nuclei: Nuclei,
    size: tuple[int, int],
    least_confidence: float = 0.0,
    micrometres: float | None = None,
    annotated: Nuclei | None = None,
) -> Overview:
    """Count, by class, the nuclei of a tile that have a confidence of at least `least_confidence`.

    Args:
        size: Width and height of the tile, px.
    """
    counts = np.bincount(
        nuclei.classes[nuclei.confidences >= least_confidence], minlength=len(support.classes)
    )
    total = int(counts.sum())
    lymphocytes = counted(round(float(support.til_share(counts)) * total) if total else 0, total)
    truth = None if annotated is None else np.bincount(annotated.classes, minlength=len(support.classes))
    return Overview(support, counts, micrometres, size[0] * size[1], lymphocytes, truth)


def truth_line(counts: Overview) -> str:
    """Return sentences that compare the counts of a tile with its annotated nuclei."""
    if counts.truth is None:
        return "These counts were not compared with a truth."
    true, off = int(counts.truth.sum()), int(np.abs(counts.counts - counts.truth).sum())
    return (
        f"{true:,} nuclei are annotated in this tile, and {counts.total:,} are detected. The errors of the "
        f"class counts add up to {off:,}. Counts can agree even if positions differ."
    )
