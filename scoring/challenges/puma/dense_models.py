"""Dense models: they turn a tile of stained tissue into a map of probabilities, whose peaks are nuclei.
Tiles of any size are processed in overlapping windows, whose maps are blended.

docs/models.md describes the contract: input float32 (1, 3, H, W) in 0..1, output (1, 11, h, w) with h = H /
stride, first background, then the ten classes, in the challenge's order or in the order of the model's entry
`categories`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.ndimage import center_of_mass, gaussian_filter, label, maximum_filter
from scipy.spatial import cKDTree

from scoring.challenges.puma.nucleus_classes import CLASSES, position
from scoring.common.arrays import Floats
from scoring.common.findings import Finding, InputRefused, error, note, split
from scoring.common.fixes import editing
from scoring.inference import model_contract
from scoring.inference.model_contract import Contract
from scoring.inference.model_process import RunnableModel
from scoring.inference.preflight import move
from scoring.inference.preprocessing import Pixels, Recipe
from scoring.inference.worker_results import ModelFacts
from scoring.inputs.nuclei.reader import Nuclei

SMOOTHING, NEIGHBOURS = 0.8, 5
"""Width of the smoothing filter, and distance within which only the highest peak counts, both in cells of the
output."""
REACH = 8
"""Minimum distance in px within which only the highest peak counts. It is needed because a model with an
output for every pixel has many cells per nucleus."""
LEAST = 0.40
"""A peak is a nucleus if its probability, summed over the classes, is at least this."""
RAYS, LONGEST = 16, 40.0
"""Number of vertices of an outline (even), and their maximum distance from the peak in px."""
CLOSE = 6
"""Number of neighbouring peaks that limit an outline; the outline ends halfway to each of them."""
GRID = 64
"""Coordinates are multiples of 1 / 64 px, so that their sums are exact and files store them exactly."""


def peaks(answer: Floats, stride: float, least: float = LEAST) -> Nuclei:
    """Return nuclei at the local maxima of the probability of "not background".

    Equal neighbouring maxima are one nucleus. An outline ends where the probability falls below `least`, and
    at most halfway to the next maxima. An outline extends equally far in opposite directions. The mean of its
    vertices, which is scored, is therefore the position of the maximum.

    Args:
        answer: Probabilities [1 + 10, h, w], first background.
        stride: Width of a cell in px.

    Returns:
        Nuclei with the probability of their class as confidence. Its key is `probability`, as on the
        platform, so that their `scores` are 1.
    """
    smooth = gaussian_filter(answer, (0, SMOOTHING, SMOOTHING))
    some = 1 - smooth[0]
    summits, count = label(
        (some == maximum_filter(some, max(NEIGHBOURS, 2 * round(REACH / stride) + 1))) & (some > least),
        np.ones((3, 3)),
    )
    cells = np.reshape(center_of_mass(summits > 0, summits, range(1, count + 1)), (count, 2))
    rows, columns = np.rint(cells).astype(int).T
    classes = smooth[1:, rows, columns].argmax(0)
    confidences = np.clip(smooth[1 + classes, rows, columns], 0, 1).astype(float)
    centres = _on_grid((cells[:, ::-1] + 0.5) * stride)
    outlines = centres[:, None] + _offsets(some > least, centres, stride)
    return Nuclei(
        classes.astype(np.int8),
        centres,
        confidences,
        np.ones(count),
        np.arange(count, dtype=np.int32),
        outlines.reshape(-1, 2).astype(np.float32),
        (np.arange(count + 1) * RAYS).astype(np.uint32),
    )


def _offsets(inside: np.ndarray, centres: Floats, stride: float) -> Floats:
    """Return the vertices of each outline from its centre [n, RAYS, 2], px. inside: cells [h, w]."""
    angles = np.arange(RAYS) * (2 * np.pi / RAYS)
    directions = np.stack([np.cos(angles), np.sin(angles)], 1)
    away = np.arange(1, int(2 * LONGEST / stride) + 2) * (stride / 2)
    places = centres[:, None, None] + away[:, None] * directions[:, None]
    columns, rows = np.moveaxis(np.floor(places / stride).astype(int), -1, 0)
    height, width = inside.shape
    within = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    within[within] = inside[rows[within], columns[within]]
    beyond = np.concatenate([~within, np.ones((*within.shape[:2], 1), bool)], 2)
    reach = np.minimum((beyond.argmax(2) + 0.5) * (stride / 2), _halfway(centres, directions))
    opposite = np.roll(reach, RAYS // 2, axis=1)
    half = np.clip((reach + opposite)[:, : RAYS // 2] / 2, max(1.0, stride / 2), LONGEST)
    offsets = _on_grid(half[..., None] * directions[: RAYS // 2])
    return np.concatenate([offsets, -offsets], 1)


def _halfway(centres: Floats, directions: Floats) -> Floats:
    """Return how far each direction [r, 2] goes from each centre until another is as near [n, r]."""
    if len(centres) < 2:
        return np.full((len(centres), len(directions)), LONGEST)
    near = np.asarray(cKDTree(centres).query(centres, min(CLOSE + 1, len(centres)))[1])
    apart = centres[near[:, 1:]] - centres[:, None]
    along = apart @ directions.T
    squared = (apart**2).sum(2, keepdims=True)
    ends: Floats = np.divide(squared, 2 * along, out=np.full(along.shape, LONGEST), where=along > 0)
    halfway: Floats = ends.min(1)
    return halfway


def _on_grid(places: Floats) -> Floats:
    """Return places rounded to the grid, px."""
    return np.rint(places * GRID) / GRID


WINDOW, OVERLAP = 1024, 128
"""Window size in px for models that take any size, and overlap of neighbouring windows. Windows that are
smaller than twice this overlap by half of their width."""
SMALLEST_SIDE, TRIAL_SIDE = 32, 256
MOST_CELLS = 1 << 24
"""Maximum size of a tile's map: 4096 x 4096 px for a model with one output per pixel."""
TOLERANCE = 1e-3
BACKGROUND = "background"
AS_IT_IS = Recipe(())


@dataclass(frozen=True)
class DenseModel:
    """A model that returns a probability map (dense model).

    Attributes:
        places: Class of each output channel after the first [10].
        size: Width and height that the model requires; None: any size.
    """

    name: str
    places: tuple[int, ...]
    size: tuple[int | None, int | None]
    findings: tuple[Finding, ...] = ()


def examined(process: RunnableModel, facts: ModelFacts, name: str) -> DenseModel:
    """Check what a model declares, and run it twice on noise.

    Raises:
        InputRefused: If the model cannot be used; it lists all problems. ModelFailed: If the model failed.
    """
    problems, findings = split(model_contract.examine(facts, Contract(), name))
    places, wrong = _places(facts.graph.metadata, name)
    if problems or wrong:
        raise InputRefused([*problems, *wrong], findings)
    if facts.outputs and _are_last(facts.outputs[0].shape or ()):
        findings.append(note("adapted-output", name, "The model's map is read with the channels last."))
    model = DenseModel(name, places, model_contract.image_size(facts))
    width, height = model.size
    noise = model_contract.noise(width or TRIAL_SIDE, height or TRIAL_SIDE)
    moved = move(probabilities(process, model, noise).values, probabilities(process, model, noise).values)
    problems, repeatable = split(model_contract.repeatability(facts, name, moved))
    findings += repeatable
    if problems:
        raise InputRefused(problems, findings)
    return DenseModel(name, places, model.size, tuple(findings))


class Map(NamedTuple):
    """Probability map of a tile.

    Attributes:
        values: float32 [1 + 10, h, w], first background, then the classes in the challenge's order.
        stride: Width of a cell in px; the last cells of rows and columns may be cut off by the tile's edge.
    """

    values: Floats
    stride: int


def probabilities(process: RunnableModel, model: DenseModel, pixels: Pixels, where: str = "the image") -> Map:
    """Return the probability map of a tile of any size.

    A tile as large as one window needs one run. A larger tile is processed in overlapping windows, whose
    weight falls towards their edges. A smaller tile is extended by reflection.

    Args:
        pixels: RGB, uint8 [H, W, 3].

    Raises:
        InputRefused: If the tile is too small or too large, or if the output is not a map of probabilities of
            the tile.
        ModelFailed: If the model failed.
    """
    height, width = pixels.shape[:2]
    if min(height, width) < SMALLEST_SIDE:
        message = f"The tile has {width} x {height} px; each side needs {SMALLEST_SIDE} px or more."
        raise InputRefused([error("image-size", where, message)])
    wide, tall = (own or min(WINDOW, side) for own, side in zip(model.size, (width, height), strict=True))
    first, stride = _answer(process, model, _cut(pixels, 0, 0, wide, tall))
    rows, columns = -(-height // stride), -(-width // stride)
    if rows * columns > MOST_CELLS:
        message = (
            f"The tile has {width} x {height} px, {rows * columns:,} cells of the model's map; at most "
            f"{MOST_CELLS:,} are allowed: cut out a part."
        )
        raise InputRefused([error("image-size", where, message)])
    if wide >= width and tall >= height:
        return Map(first[:, :rows, :columns], stride)
    total, weight = np.zeros((len(first), rows, columns), np.float32), np.zeros((rows, columns), np.float32)
    down, across = _starts(height, tall, stride), _starts(width, wide, stride)
    for y, x in product(down, across):
        part_map = _answer(process, model, _cut(pixels, x, y, wide, tall)).values if x or y else first
        ramp = np.multiply.outer(_ramp(down, y, tall, stride), _ramp(across, x, wide, stride))
        row, column = y // stride, x // stride
        part = np.s_[: rows - row, : columns - column]
        window = np.s_[row : row + ramp.shape[0], column : column + ramp.shape[1]]
        total[:, *window] += part_map[:, *part] * ramp[part]
        weight[window] += ramp[part]
    return Map(total / weight, stride)


def _cut(pixels: Pixels, x: int, y: int, width: int, height: int) -> Pixels:
    """Return a window, continued by its mirror image where the tile ends."""
    part = pixels[y : y + height, x : x + width]
    beyond = ((0, height - part.shape[0]), (0, width - part.shape[1]), (0, 0))
    return np.pad(part, beyond, "symmetric") if part.shape[:2] != (height, width) else part


def _starts(side: int, window: int, stride: int) -> list[int]:
    """Return where windows begin along a side, px: multiples of the stride."""
    if window >= side:
        return [0]
    step = max(stride, (window - _overlap(window)) // stride * stride)
    last = -(-(side - window) // stride) * stride
    return [*range(0, last, step), last]


def _overlap(window: int) -> int:
    return min(OVERLAP, window // 2)


def _ramp(starts: Sequence[int], start: int, window: int, stride: int) -> Floats:
    """Return the weights of the cells of the window that begins at `start` along a side: 1 in the middle,
    falling towards neighbours to 0 before the edge, where a model sees less; 1 up to the tile's own edges."""
    cells, overlap = -(-window // stride), _overlap(window)
    unused = overlap / 4 if overlap >= 4 * stride else 0.0
    away = (np.arange(cells) + 0.5) * stride
    before = np.inf if start == starts[0] else away
    after = np.inf if start == starts[-1] else away[::-1]
    edge = np.minimum(before, after) * np.ones(cells)
    return np.clip((edge - unused) / max(overlap - 2 * unused, stride), 0, 1).astype(np.float32)


def _answer(process: RunnableModel, model: DenseModel, window: Pixels) -> Map:
    """Return the answer to one window."""
    output = process.run(window, AS_IT_IS).outputs[0]
    is_last = output is not None and _are_last(output.shape)
    output = np.moveaxis(output, -1, 1) if output is not None and is_last else output
    is_map = output is not None and output.ndim == 4 and output.shape[:2] == (1, 1 + len(CLASSES))
    stride = _stride(window.shape[:2], output.shape[2:]) if output is not None and is_map else None
    if output is None or stride is None:
        shape = "no tensor of numbers" if output is None else f"of shape {output.shape}"
        message = (
            f"The model's first output for {window.shape[1]} x {window.shape[0]} px is {shape}, not a map of "
            f"{1 + len(CLASSES)} probabilities (background and {len(CLASSES)} classes) over the tile: choose "
            "the challenge that it was made for."
        )
        raise InputRefused([error("wrong-output", model.name, message)])
    low, high = float(output.min()), float(output.max())
    if not np.isfinite([low, high]).all():
        message = "The model's output has values that are not finite numbers: fix the model."
        raise InputRefused([error("wrong-output", model.name, message)])
    if low < -TOLERANCE or high > 1 + TOLERANCE:
        message = (
            f"The model's outputs range from {low:.3g} to {high:.3g}, but probabilities range from 0 to "
            "1: end the network "
            "with a softmax over the channels."
        )
        softmax = (editing("softmax", label="Read a softmax over the channels"),) * (not is_last)
        raise InputRefused([error("wrong-output", model.name, message).with_fixes(*softmax)])
    values = np.empty(output.shape[1:], np.float32)
    values[0] = output[0, 0]
    values[[1 + k for k in model.places]] = output[0, 1:]
    return Map(values, stride)


def _are_last(shape: Sequence[int | None]) -> bool:
    """Return whether the channels of a map stand last."""
    width = 1 + len(CLASSES)
    return len(shape) == 4 and shape[3] == width != shape[1]


def _stride(sides: Sequence[int], cells: Sequence[int]) -> int | None:
    """Return px per cell of h x w cells over a window of H x W px, the last cell of each way perhaps cut;
    if several are possible, the one with the most factors 2. None if they cannot cover it so."""
    if not all(cells):
        return None
    least = max(-(-side // count) for side, count in zip(sides, cells, strict=True))
    possible = [
        stride
        for stride in range(least, min(2 * least, max(sides)) + 1)
        if all(-(-side // stride) == count for side, count in zip(sides, cells, strict=True))
    ]
    return max(possible, key=lambda stride: stride & -stride, default=None)


def _places(metadata: dict[str, str], where: str) -> tuple[tuple[int, ...], list[Finding]]:
    """Return the class of each output channel after the first, and the problems of the entry that names
    them."""
    names = [name.strip() for name in metadata.get("categories", "").split(",") if name.strip()]
    if not names:
        return tuple(range(len(CLASSES))), []
    classes = [position(name) for name in names[1:]]
    places = tuple(k for k in classes if k is not None)
    if names[0] == BACKGROUND and None not in classes and sorted(places) == list(range(len(CLASSES))):
        return places, []
    message = (
        f"The model's entry `categories` names other outputs than {BACKGROUND} and the ten classes "
        f"{', '.join(CLASSES)}: choose the challenge that the model was made for."
    )
    return (), [error("wrong-output", where, message)]
