"""Checks a model before it is scored: scan of the file (`onnx_scan`), contract (`model_contract`), trial
runs, and time per image."""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import PurePosixPath
from typing import Any, Self

import numpy as np

from scoring.common.arrays import Floats
from scoring.common.findings import Finding, InputRefused, note, split, warning
from scoring.inference import model_contract
from scoring.inference.challenge_task import CaseImages, ModelFile, Task, missing_images
from scoring.inference.devices import CPU
from scoring.inference.model_contract import noise
from scoring.inference.model_pool import Cancelled, first_output
from scoring.inference.model_process import ModelProcess, RunnableModel
from scoring.inference.preprocessing import ImageUnreadable, Pixels, Recipe
from scoring.inference.worker_results import ModelFacts, ModelFailed, ModelOutput
from scoring.metrics.output_kinds import output_kind

MOST_PICTURES = 8
SMALLEST_MOVE = 1e-6


@dataclass(frozen=True)
class Effect:
    """How much one field of the second input changes the first output."""

    largest_move: float
    changed_classes: int
    trials: int


@dataclass(frozen=True)
class Probe:
    """Result of trial runs.

    Attributes:
        fields: Effect of each field of the second input.
        outputs: First output for each image with the base vector, float64 [images, K]; empty if lengths
            differ.
        cpu_ms: Processor time per image, from file to outputs, in milliseconds.
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
    """Run a model on up to 8 images, twice with a base vector and once with each other vector.

    Each image is decoded once. If no image is readable, a fixed noise image is used.

    Args:
        pictures: Image files or prepared pixels.
        base: Second input [k]; None if the model has none.
        changes: Field -> second input that differs from `base` only in this field.

    Raises:
        ModelFailed: If the model failed.
    """
    changes = changes if changes and base is not None else {}
    outputs, cpu_ms, repeated = [], [], []
    moves: dict[str, list[float]] = {name: [] for name in changes}
    switches: dict[str, list[bool]] = {name: [] for name in changes}
    for pixels, result in _trials(process, pictures[:MOST_PICTURES], recipe, base):
        output = np.ravel(first_output(result))
        outputs.append(output)
        cpu_ms.append(result.cpu_ms)
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
    """Return the largest absolute difference of two outputs. The difference is infinite if the shapes differ,
    or if a value is NaN or infinite in only one of them."""
    if before.shape != after.shape:
        return np.inf
    with np.errstate(invalid="ignore"):
        differences = np.where(
            (before == after) | (np.isnan(before) & np.isnan(after)), 0.0, np.abs(after - before)
        )
    return float(np.max(np.nan_to_num(differences, nan=np.inf, posinf=np.inf), initial=0.0))


def vector_findings(result: Probe, file_name: str) -> list[Finding]:
    """Return the finding `demographics-ignored`, or `demographics-probe` with the effect of each field. Empty
    for a model without a second input."""
    if not result.fields:
        return []
    if not result.largest_move > SMALLEST_MOVE:
        sentence = f"No output changes when {', '.join(result.fields)} change: the model ignores them."
        return [warning("demographics-ignored", file_name, sentence)]
    effects = "; ".join(
        f"changing {name} moves an output by up to {effect.largest_move:.3g}, and changes the "
        f"class in {effect.changed_classes} of {effect.trials} trials"
        for name, effect in result.fields.items()
    )
    sentence = f"Effect of the demographics on {len(result.outputs)} trial images. {effects}."
    return [note("demographics-probe", file_name, sentence)]


def _top(output: Floats) -> int:
    return int(np.argmax(output)) if output.size else -1


def _trials(
    process: RunnableModel, pictures: Sequence[bytes | Pixels], recipe: Recipe, base: Floats | None
) -> list[tuple[Pixels, ModelOutput]]:
    """Return the prepared pixels of each readable image, and the answer to it at the base vector."""
    trials = []
    for index, picture in enumerate(pictures):
        with suppress(ImageUnreadable):
            try:
                result = process.run(picture, recipe, base, want_pixels=True)
            except ModelFailed as failed:
                raise ModelFailed(failed.code, failed.message, index, failed.ended) from failed
            if result.pixels is not None:
                trials.append((result.pixels, result))
    if not trials:
        pixels = noise(*(recipe.steps[-1][:2] if recipe.steps else (512, 512)))
        trials.append((pixels, process.run(pixels, recipe, base)))
    return trials


MIB = 1 << 20
SLOW_SECONDS = 5


@dataclass(frozen=True)
class Inspection:
    """Result of the checks.

    Attributes:
        model: Facts about the model: the entry `model` of the JSON output.
        outputs: First outputs of the trial runs [images, K]; may be empty.
    """

    findings: tuple[Finding, ...]
    model: Mapping[str, Any]
    outputs: Floats


def inspect(
    file: ModelFile,
    task: Task,
    cases: CaseImages | None = None,
    timings: bool = False,
    cancelled: Callable[[], bool] | None = None,
) -> Inspection:
    """Check a model with trial runs on up to 8 images of the cases, or on fixed noise without images.

    Args:
        cases: Cases with images; each case without an image is a problem.
        timings: Whether to add the time per image and the layers of confinement. These differ between runs,
            so that scorecards leave them out.
        cancelled: Called regularly; True ends the check.

    Raises:
        InputRefused: With every problem.
        Cancelled: If `cancelled` returned True.
    """
    try:
        with CancellableProcess(file.data, cancelled) as process:
            return _inspect(process, file.name, task, cases, timings)
    except ModelFailed as failed:
        raise_if(cancelled)
        findings = task.size_findings(len(file.data) / MIB, file.name)
        raise InputRefused([model_contract.failure(file.name, failed)], findings) from failed


def declared_size(model: Mapping[str, Any] | None) -> tuple[int | None, int | None]:
    """Return the width and height that the first input of an inspected model declares. None for an axis whose
    size the model leaves open, or without a model."""
    shape = (model["inputs"][0]["shape"] if model else None) or (None,) * 4
    return shape[3], shape[2]


class CancellableProcess:
    """A loaded model whose runs stop when `cancelled` returns True, even in the middle of a run."""

    def __init__(self, data: bytes, cancelled: Callable[[], bool] | None):
        self._cancelled, self._stop, self._over = cancelled, threading.Event(), threading.Event()
        if cancelled:
            threading.Thread(target=self._poll, args=(cancelled,), daemon=True).start()
        try:
            self._process = ModelProcess(data, stop=self._stop)
        except ModelFailed:
            self._over.set()
            raise
        self.facts = self._process.facts

    def _poll(self, cancelled: Callable[[], bool]) -> None:
        while not self._over.wait(0.1):
            if cancelled():
                self._stop.set()
                return

    def run(
        self,
        picture: bytes | Pixels,
        recipe: Recipe,
        vector: Floats | None = None,
        want_pixels: bool = False,
    ) -> ModelOutput:
        raise_if(self._cancelled)
        return self._process.run(picture, recipe, vector, want_pixels)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._process.close()


def raise_if(cancelled: Callable[[], bool] | None) -> None:
    """Raise Cancelled if `cancelled` returns True."""
    if cancelled and cancelled():
        raise Cancelled


def _inspect(
    process: CancellableProcess, name: str, task: Task, cases: CaseImages | None, timings: bool
) -> Inspection:
    facts = process.facts
    absent = missing_images(cases, task.wording.missing_image) if cases is not None else []
    _examined(facts, name, task, None, absent)
    recipe = task.recipe_for(facts)
    base = task.base if len(facts.inputs) > 1 else None
    trial = process.run(model_contract.noise(*recipe.steps[-1][:2]), recipe, base)
    findings = _examined(facts, name, task, trial, absent, refuse_absent=True)
    pictures = _trial_pictures(cases)
    try:
        probed = probe(process, list(pictures.values()), recipe, base, task.changes)
    except ModelFailed as failed:
        if failed.picture is None:
            raise
        message = failed.on(f"test image {list(pictures)[failed.picture]}")
        raise ModelFailed(failed.code, message, failed.picture, failed.ended) from failed
    problems, repeatable = split(model_contract.repeatability(facts, name, probed.repeat_move))
    if problems:
        raise InputRefused(problems, [*findings, *repeatable])
    findings += [*repeatable, *vector_findings(probed, name)]
    finite = (
        probed.outputs[np.isfinite(probed.outputs).all(1)] if probed.outputs.ndim == 2 else probed.outputs
    )
    if len(finite) < len(probed.outputs):
        sentence = (
            f"{len(probed.outputs) - len(finite)} of {len(probed.outputs)} trial outputs hold NaN or infinity"
        )
        findings.append(warning("not-finite", name, f"{sentence}{task.wording.not_finite_trial}"))
    model = described(facts, name) | {"output_kind": output_kind(finite) if len(finite) else None}
    if timings:
        model |= {"cpu_ms_per_image": _milliseconds(probed), "confinement": list(facts.confinement)}
        findings += _slow(_milliseconds(probed), name, task)
    return Inspection(tuple(findings), model, probed.outputs)


def _examined(
    facts: ModelFacts,
    name: str,
    task: Task,
    trial: ModelOutput | None,
    absent: list[Finding],
    refuse_absent: bool = False,
) -> list[Finding]:
    """Return findings about what the model declares and, with a trial, does. Raises InputRefused for
    problems, which then list `absent` images too; with `refuse_absent` also for these alone."""
    problems, findings = split(
        [
            *model_contract.examine(facts, task.contract, name, trial),
            *task.size_findings(facts.size_bytes / MIB, name),
        ]
    )
    if problems or (refuse_absent and absent):
        raise InputRefused([*problems, *absent], findings)
    return findings


def described(facts: ModelFacts, name: str) -> dict[str, Any]:
    """Return the entry `model` of the JSON output for a loaded model."""
    return {
        "name": PurePosixPath(name).name,
        "sha256": facts.sha256,
        "size_mib": facts.size_bytes / MIB,
        "ir_version": facts.graph.ir_version,
        "opset": facts.graph.opset,
        "nodes": facts.graph.nodes,
        "metadata": dict(facts.graph.metadata),
        "inputs": [asdict(tensor) for tensor in facts.inputs],
        "outputs": [asdict(tensor) for tensor in facts.outputs],
        "output_kind": None,
        **({"device": facts.device} if facts.device != CPU else {}),
    }


def _milliseconds(probed: Probe) -> float:
    return float(np.median(probed.cpu_ms))


def _slow(milliseconds: float, name: str, task: Task) -> list[Finding]:
    if milliseconds <= 1000 * SLOW_SECONDS:
        return []
    sentence = (
        f"The model took {milliseconds / 1000:.1f} s of processor time for one image; above 20 s "
        f"{task.wording.slow}"
    )
    return [warning("slow-model", name, sentence)]


def _trial_pictures(cases: CaseImages | None) -> dict[str, bytes]:
    """Return the first images that can be read, by case id; the run itself reports the others."""
    pictures: dict[str, bytes] = {}
    if cases is None:
        return pictures
    for index in range(len(cases)):
        if len(pictures) == MOST_PICTURES:
            break
        try:
            picture = cases.picture(index)
        except InputRefused:
            continue
        if picture is not None:
            pictures[cases.ids[index]] = picture
    return pictures
