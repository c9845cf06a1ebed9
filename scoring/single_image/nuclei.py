"""Nuclei of one tile of stained tissue: from a dense model, or from a prediction file, to points that can be
counted."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from scoring.challenges.puma import model as models
from scoring.challenges.puma.dense import DenseModel, examined
from scoring.challenges.puma.names import CLASSES
from scoring.challenges.puma.predictions import read_predictions
from scoring.challenges.puma.tissue_statistics import square_millimetres, til_share
from scoring.common.findings import InputRefused, error
from scoring.inference import preflight
from scoring.inference.process import LoadedModel, ModelProcess
from scoring.inference.results import ModelFailed
from scoring.inputs.nuclei import Nuclei
from scoring.single_image.model import CALLED
from scoring.single_image.photograph import CALLED as IMAGE


@dataclass(frozen=True)
class Detector:
    """A dense model in a worker of its own, which lives until `close`; one thread at a time may use it."""

    process: LoadedModel
    dense: DenseModel

    @property
    def sha256(self) -> str:
        return self.process.facts.sha256

    @property
    def ended(self) -> bool:
        """Whether the worker is gone, after `close` or a failure, and the model is to be opened again."""
        return self.process.ended

    def close(self) -> None:
        self.process.close()


@dataclass(frozen=True)
class Overview:
    """What a tile holds. counts [10] by class; per_mm2 [10]; area_mm2: of the tile at 0.23 um per px;
    til_share: lymphocytes / all nuclei, None without any."""

    counts: np.ndarray
    per_mm2: np.ndarray
    area_mm2: float
    til_share: float | None

    @property
    def total(self) -> int:
        return int(self.counts.sum())


def opened(model: bytes, start: Callable[[bytes], LoadedModel] = ModelProcess) -> Detector:
    """Open a dense model and try it on noise. Raises InputRefused where it is none.

    start: loads the model; what it raises besides ModelFailed goes through.
    """
    try:
        process = start(model)
    except ModelFailed as failed:
        raise InputRefused([preflight.failure(CALLED, failed)]) from failed
    try:
        return Detector(process, examined(process, process.facts, CALLED))
    except ModelFailed as failed:
        process.close()
        raise InputRefused([preflight.failure(CALLED, failed)]) from failed
    except BaseException:
        process.close()
        raise


def detected(detector: Detector, pixels: np.ndarray) -> Nuclei:
    """Return the nuclei that a dense model finds in upright pixels uint8 (H, W, 3). Raises InputRefused."""
    try:
        return models.detected(detector.process, detector.dense, pixels, IMAGE)
    except ModelFailed as failed:
        raise InputRefused([preflight.failure(CALLED, failed)]) from failed


def listed(data: bytes, size: tuple[int, int], name: str = "prediction.json") -> Nuclei:
    """Return the nuclei of a prediction file of that name for a tile of this width and height, px. Raises
    InputRefused with every problem, and where most lie outside."""
    nuclei = read_predictions(data, None, name).nuclei[0]
    outside = nuclei.outside(size)
    if outside.sum() > len(nuclei) / 2:
        words = (
            f"{int(outside.sum())} of {len(nuclei)} nuclei lie outside the tile of {size[0]} x "
            f"{size[1]} px: it is another tile's file."
        )
        raise InputRefused([error("wrong-tile", name, words)])
    return nuclei


def overview(nuclei: Nuclei, size: tuple[int, int], least_confidence: float = 0.0) -> Overview:
    """Counts of the nuclei with at least this confidence in a tile of this width and height, px."""
    counts = np.bincount(nuclei.classes[nuclei.confidences >= least_confidence], minlength=len(CLASSES))
    area = float(square_millimetres(np.array([size]))[0])
    share = float(til_share(counts)) if counts.sum() else None
    return Overview(counts, counts / area, area, share)
