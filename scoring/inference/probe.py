"""Trial runs: outputs on a few images, and how the second input moves them."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from scoring.common.arrays import Floats
from scoring.common.findings import Finding, note, warning
from scoring.inference.pool import first_output
from scoring.inference.preflight import noise
from scoring.inference.preprocessing import ImageUnreadable, Pixels, Recipe
from scoring.inference.results import ModelOutput

MOST_PICTURES = 8
SMALLEST_MOVE = 1e-6


class RunnableModel(Protocol):
    """A loaded model; see `ModelProcess.run`."""

    def run(
        self,
        picture: bytes | Pixels,
        recipe: Recipe,
        vector: Floats | None = None,
        want_pixels: bool = False,
    ) -> ModelOutput: ...


@dataclass(frozen=True)
class Effect:
    """How one field of the second input moves the first output.

    Attributes:
        largest_move: Largest absolute difference.
        changed_classes: In how many trials the top class changed.
        trials: Number of trials.
    """

    largest_move: float
    changed_classes: int
    trials: int


@dataclass(frozen=True)
class Probe:
    """Result of trial runs.

    Attributes:
        fields: Effect of each field of the second input.
        outputs: First outputs at the base vector, float64 [images, K]; empty if their lengths differ.
        cpu_ms: Processor time per image, from the file to the outputs, in milliseconds.
        repeat_move: Largest absolute difference between two runs on the same image.
    """

    fields: Mapping[str, Effect] = field(default_factory=dict)
    outputs: Floats = field(default_factory=lambda: np.empty((0, 0)))
    cpu_ms: tuple[float, ...] = ()
    repeat_move: float = 0.0

    @property
    def largest_move(self) -> float:
        return max((effect.largest_move for effect in self.fields.values()), default=0.0)


def probe(
    process: RunnableModel,
    pictures: Sequence[bytes | Pixels],
    recipe: Recipe,
    base: Floats | None = None,
    changes: Mapping[str, Sequence[Floats]] | None = None,
) -> Probe:
    """Run a model on up to 8 images, twice at a base vector and at others.

    Images are decoded once. Without a readable image one fixed noise image stands in.

    Args:
        process: The model.
        pictures: Image files or prepared pixels.
        recipe: How image files are prepared.
        base: Second input [k]; None where the model has none.
        changes: Other second inputs by the field in which they differ from `base`.

    Raises:
        ModelFailed: The model failed.
    """
    changes = changes if changes and base is not None else {}
    outputs, cpu_ms, repeated = [], [], []
    moves: dict[str, list[float]] = {name: [] for name in changes}
    switches: dict[str, list[bool]] = {name: [] for name in changes}
    for pixels, answer in _trials(process, pictures[:MOST_PICTURES], recipe, base):
        output = np.ravel(first_output(answer))
        outputs.append(output)
        cpu_ms.append(answer.cpu_ms)
        repeated.append(move(output, np.ravel(first_output(process.run(pixels, recipe, base)))))
        for name, vectors in changes.items():
            for vector in vectors:
                other = np.ravel(first_output(process.run(pixels, recipe, vector)))
                moves[name].append(move(output, other))
                switches[name].append(_top(other) != _top(output))
    effects = {
        name: Effect(max(moves[name], default=0.0), sum(switches[name]), len(switches[name]))
        for name in changes
    }
    width = {len(output) for output in outputs}
    stacked = np.stack(outputs) if len(width) == 1 else np.empty((0, 0))
    return Probe(effects, stacked, tuple(cpu_ms), max(repeated))


def move(before: Floats, after: Floats) -> float:
    """Return the largest absolute difference of two outputs; infinite where one of two values is NaN or
    infinite and where the shapes differ."""
    if before.shape != after.shape:
        return np.inf
    with np.errstate(invalid="ignore"):
        differences = np.where(
            (before == after) | (np.isnan(before) & np.isnan(after)), 0.0, np.abs(after - before)
        )
    return float(np.max(np.nan_to_num(differences, nan=np.inf, posinf=np.inf), initial=0.0))


def vector_findings(result: Probe, file_name: str) -> list[Finding]:
    """Return `demographics-ignored`, or `demographics-probe` with the effect of each field; nothing for a
    model without a second input."""
    if not result.fields:
        return []
    if not result.largest_move > SMALLEST_MOVE:
        words = f"No output moves when {', '.join(result.fields)} change: the model does not use them."
        return [warning("demographics-ignored", file_name, words)]
    effects = "; ".join(
        f"{name}: largest move {effect.largest_move:.3g}, other class in {effect.changed_classes} "
        f"of {effect.trials} trials"
        for name, effect in result.fields.items()
    )
    words = f"Effect of the demographics on {len(result.outputs)} trial images. {effects}."
    return [note("demographics-probe", file_name, words)]


def _top(output: Floats) -> int:
    return int(np.argmax(output)) if output.size else -1


def _trials(
    process: RunnableModel, pictures: Sequence[bytes | Pixels], recipe: Recipe, base: Floats | None
) -> list[tuple[Pixels, ModelOutput]]:
    """Return the prepared pixels of each readable image, and the answer to it at the base vector."""
    trials = []
    for picture in pictures:
        with suppress(ImageUnreadable):
            answer = process.run(picture, recipe, base, want_pixels=True)
            if answer.pixels is not None:
                trials.append((answer.pixels, answer))
    if not trials:
        pixels = noise(*(recipe.steps[-1][:2] if recipe.steps else (512, 512)))
        trials.append((pixels, process.run(pixels, recipe, base)))
    return trials
