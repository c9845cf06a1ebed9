"""The preflight of a model: would its challenge run it, and what comes out of trial runs?"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import Any, Self

import numpy as np

from scoring.common.arrays import Floats
from scoring.common.findings import Finding, InputRefused, split, warning
from scoring.inference import preflight, probe
from scoring.inference.case_images import CaseImages, missing_images
from scoring.inference.devices import CPU
from scoring.inference.pool import Cancelled
from scoring.inference.preprocessing import Pixels, Recipe
from scoring.inference.probe import Probe
from scoring.inference.process import ModelProcess
from scoring.inference.results import ModelFacts, ModelFailed, ModelOutput
from scoring.inference.task import ModelFile, Task
from scoring.metrics.calibration import output_kind

MIB = 1 << 20
SLOW_SECONDS = 5


@dataclass(frozen=True)
class Inspection:
    """Result of a preflight.

    Attributes:
        findings: Warnings and notes about the model.
        model: What was inspected, for `model` in JSON.
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
    """Inspect a model, with trial runs on up to 8 images of the cases, or on fixed noise without images.

    Args:
        file: The model.
        task: What its challenge does with models.
        cases: Cases with images; each one without an image is a problem.
        timings: Whether to add the time per image and the layers of confinement. They differ between runs,
            so scorecards leave them out.
        cancelled: Called now and then; true ends the inspection.

    Raises:
        InputRefused: Lists every problem.
        Cancelled: `cancelled` returned true.
    """
    try:
        with CancellableProcess(file.data, cancelled) as process:
            return _inspect(process, file.name, task, cases, timings)
    except ModelFailed as failed:
        raise_if(cancelled)
        findings = task.size_findings(len(file.data) / MIB, file.name)
        raise InputRefused([preflight.failure(file.name, failed)], findings) from failed


def declared_size(model: Mapping[str, Any] | None) -> tuple[int | None, int | None]:
    """Return (width, height) of the first input of an inspected model (`Inspection.model`), None where it is
    symbolic or there is no model."""
    shape = (model["inputs"][0]["shape"] if model else None) or (None,) * 4
    return shape[3], shape[2]


class CancellableProcess:
    """A loaded model whose runs stop when `cancelled` returns true, even in the middle of one."""

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
    """Raise Cancelled where `cancelled` returns true."""
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
    trial = process.run(preflight.noise(*recipe.steps[-1][:2]), recipe, base)
    findings = _examined(facts, name, task, trial, absent, refuse_absent=True)
    found = probe.probe(process, _trial_pictures(cases), recipe, base, task.changes)
    problems, repeatable = split(preflight.repeatability(facts, name, found.repeat_move))
    if problems:
        raise InputRefused(problems, [*findings, *repeatable])
    findings += [*repeatable, *probe.vector_findings(found, name)]
    finite = found.outputs[np.isfinite(found.outputs).all(1)] if found.outputs.ndim == 2 else found.outputs
    if len(finite) < len(found.outputs):
        words = (
            f"{len(found.outputs) - len(finite)} of {len(found.outputs)} trial outputs hold NaN or infinity"
        )
        findings.append(warning("not-finite", name, f"{words}{task.wording.not_finite_trial}"))
    model = described(facts, name) | {"output_kind": output_kind(finite) if len(finite) else None}
    if timings:
        model |= {"cpu_ms_per_image": _milliseconds(found), "confinement": list(facts.confinement)}
        findings += _slow(_milliseconds(found), name, task)
    return Inspection(tuple(findings), model, found.outputs)


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
            *preflight.examine(facts, task.contract, name, trial),
            *task.size_findings(facts.size_bytes / MIB, name),
        ]
    )
    if problems or (refuse_absent and absent):
        raise InputRefused([*problems, *absent], findings)
    return findings


def described(facts: ModelFacts, name: str) -> dict[str, Any]:
    """Return what `model` in JSON says of a loaded model."""
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


def _milliseconds(found: Probe) -> float:
    return float(np.median(found.cpu_ms))


def _slow(milliseconds: float, name: str, task: Task) -> list[Finding]:
    if milliseconds <= 1000 * SLOW_SECONDS:
        return []
    words = f"{milliseconds / 1000:.1f} s of processor time for one image; beyond 20 s {task.wording.slow}"
    return [warning("slow-model", name, words)]


def _trial_pictures(cases: CaseImages | None) -> list[bytes]:
    """Return the first images that can be read; the run itself reports the others."""
    found: list[bytes] = []
    if cases is None:
        return found
    for index in range(len(cases)):
        if len(found) == probe.MOST_PICTURES:
            break
        try:
            picture = cases.picture(index)
        except InputRefused:
            continue
        if picture is not None:
            found.append(picture)
    return found
