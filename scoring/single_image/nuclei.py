"""Nuclei of one tile of stained tissue: from a dense model's probabilities, or from a prediction file, to
points that can be counted.

A dense model takes the tile as float32 (1, 3, H, W) in 0..1 and gives (1, 11, h, w) probabilities, h = H /
stride: first background, then the ten classes, in the challenge's order or in that of its own entry
`categories`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import center_of_mass, gaussian_filter, label, maximum_filter

from scoring.challenges.puma.clinic import square_millimetres, til_share
from scoring.challenges.puma.names import CLASSES, position
from scoring.challenges.puma.predictions import read_predictions
from scoring.findings import InputRefused, error, split
from scoring.models import preflight
from scoring.models.preflight import Contract
from scoring.models.preprocessing import Recipe
from scoring.models.probe import move
from scoring.models.process import LoadedModel, ModelProcess
from scoring.models.results import ModelFailed
from scoring.readers.nuclei import Nuclei
from scoring.single_image.model import CALLED
from scoring.single_image.photograph import CALLED as IMAGE

SMOOTHING, NEIGHBOURS = 0.8, 5
"""Cells of the output: the width of the smoothing, and within how many only the highest peak counts."""
REACH = 8
"""And how far at least, px to each side: a model that answers for every pixel has many cells per nucleus."""
LEAST = 0.40
"""Probability that some nucleus is there."""
SMALLEST_SIDE, LARGEST_SIDE = 32, 2048
TRIAL_SIDE = 256
BACKGROUND = "background"


@dataclass(frozen=True)
class Detector:
    """A dense model in a worker of its own, which lives until `close`; one thread at a time may use it.
    places: class of each output channel after the first [10]."""

    process: LoadedModel
    places: tuple[int, ...]

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
        detector = Detector(process, _places(process.facts.metadata))
        problems = [f for f in preflight.examine(process.facts, Contract(), CALLED) if f.level == "error"]
        if problems:
            raise InputRefused(problems)
        width, height = preflight.image_size(process.facts)
        noise = preflight.noise(width or TRIAL_SIDE, height or TRIAL_SIDE)
        moved = move(probabilities(detector, noise), probabilities(detector, noise))
        problems, _ = split(preflight.repeatability(process.facts, CALLED, moved))
        if problems:
            raise InputRefused(problems)
    except BaseException:
        process.close()
        raise
    return detector


def probabilities(detector: Detector, pixels: np.ndarray) -> np.ndarray:
    """A dense model's answer to pixels uint8 (H, W, 3), float32 [1 + 10, h, w], classes in the challenge's
    order. Raises InputRefused."""
    height, width = pixels.shape[:2]
    wanted = preflight.image_size(detector.process.facts)
    if not SMALLEST_SIDE <= min(height, width) <= max(height, width) <= LARGEST_SIDE:
        words = (
            f"It has {width} x {height} px; tiles of {SMALLEST_SIDE} to {LARGEST_SIDE} px a side are "
            "taken: cut out a part."
        )
        raise InputRefused([error("image-size", IMAGE, words)])
    if any(given not in (None, side) for given, side in zip(wanted, (width, height), strict=True)):
        words = (
            f"It has {width} x {height} px; this model takes tiles of {wanted[0]} x {wanted[1]} px "
            "only, and stretching would change the size of nuclei."
        )
        raise InputRefused([error("image-size", IMAGE, words)])
    try:
        output = detector.process.run(pixels, Recipe(())).outputs[0]
    except ModelFailed as failed:
        raise InputRefused([preflight.failure(CALLED, failed)]) from failed
    if (
        output is None
        or output.ndim != 4
        or output.shape[:2] != (1, 1 + len(CLASSES))
        or not _covers(output.shape[2:], (height, width))
    ):
        words = (
            f"It gives no map of {1 + len(CLASSES)} probabilities (background and {len(CLASSES)} "
            "classes) over the tile: choose the challenge that it was made for."
        )
        raise InputRefused([error("wrong-output", CALLED, words)])
    if not np.isfinite(output).all():
        raise InputRefused(
            [
                error(
                    "wrong-output",
                    CALLED,
                    (
                        "Its answer to this tile holds values that are no finite numbers: there is "
                        "nothing to show."
                    ),
                )
            ]
        )
    found = np.empty(output.shape[1:], np.float32)
    found[0] = output[0, 0]
    found[[1 + place for place in detector.places]] = output[0, 1:]
    return found


def peaks(found: np.ndarray, stride: float, least: float = LEAST) -> Nuclei:
    """Nuclei where "not background" is highest around and above `least`, from probabilities [1 + 10, h, w];
    confidence: of their class.

    Cells that are equally high and touch are one nucleus: a sure model gives 1 all over it. stride: px per
    cell.
    """
    smooth = gaussian_filter(found, (0, SMOOTHING, SMOOTHING))
    some = 1 - smooth[0]
    summits, count = label(
        (some == maximum_filter(some, max(NEIGHBOURS, 2 * round(REACH / stride) + 1))) & (some > least),
        np.ones((3, 3)),
    )
    centres = np.reshape(center_of_mass(summits > 0, summits, range(1, count + 1)), (count, 2))
    rows, columns = np.rint(centres).astype(int).T
    classes = smooth[1:, rows, columns].argmax(0)
    confidences = smooth[1 + classes, rows, columns].astype(float)
    return Nuclei(
        classes.astype(np.int8),
        (centres[:, ::-1] + 0.5) * stride,
        confidences,
        confidences.copy(),
        np.arange(count, dtype=np.int32),
        np.empty((0, 2), np.float32),
        np.zeros(count + 1, np.uint32),
    )


def detected(detector: Detector, pixels: np.ndarray) -> Nuclei:
    """The nuclei that a dense model finds in upright pixels uint8 (H, W, 3). Raises InputRefused."""
    found = probabilities(detector, pixels)
    return peaks(found, _stride(pixels.shape[0], found.shape[1]))


def listed(data: bytes, size: tuple[int, int]) -> Nuclei:
    """The nuclei of a prediction file for a tile of this width and height, px. Raises InputRefused with every
    problem, and where most lie outside."""
    nuclei = read_predictions(data, None, "prediction.json").nuclei[0]
    outside = nuclei.outside(size)
    if outside.sum() > len(nuclei) / 2:
        words = (
            f"{int(outside.sum())} of {len(nuclei)} nuclei lie outside the tile of {size[0]} x "
            f"{size[1]} px: it is another tile's file."
        )
        raise InputRefused([error("wrong-tile", "prediction.json", words)])
    return nuclei


def overview(nuclei: Nuclei, size: tuple[int, int], least_confidence: float = 0.0) -> Overview:
    """Counts of the nuclei with at least this confidence in a tile of this width and height, px."""
    counts = np.bincount(nuclei.classes[nuclei.confidences >= least_confidence], minlength=len(CLASSES))
    area = float(square_millimetres(np.array([size]))[0])
    share = float(til_share(counts)) if counts.sum() else None
    return Overview(counts, counts / area, area, share)


def _covers(cells: Sequence[int], sides: tuple[int, int]) -> bool:
    """Whether h x w cells lie over a tile of H x W px at one stride, the last cell of each way perhaps
    cut."""
    stride = _stride(sides[0], cells[0])
    return stride >= 1 and all(-(-side // stride) == cell for side, cell in zip(sides, cells, strict=True))


def _stride(side: int, cells: int) -> int:
    """Px per cell, 0 without cells; the last cell may be cut."""
    return round(side / cells) if cells else 0


def _places(metadata: dict[str, str]) -> tuple[int, ...]:
    names = [name.strip() for name in metadata.get("categories", "").split(",") if name.strip()]
    if not names:
        return tuple(range(len(CLASSES)))
    found = [position(name) for name in names[1:]]
    places = tuple(place for place in found if place is not None)
    if names[0] != BACKGROUND or None in found or sorted(places) != list(range(len(CLASSES))):
        words = (
            f"Its entry `categories` names other outputs than {BACKGROUND} and the ten classes "
            f"{', '.join(CLASSES)}: choose the challenge that it was made for."
        )
        raise InputRefused([error("wrong-output", CALLED, words)])
    return places
