"""A model handed in for a challenge: inspected (the preflight), and run on the cases of a test set."""

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

import numpy as np

from scoring.findings import Finding, InputRefused, error, note, split, warning
from scoring.metrics.calibration import output_kind
from scoring.models import pool, preflight
from scoring.models.case_images import CaseImages
from scoring.models.pool import Cancelled
from scoring.models.preprocessing import ImageUnreadable, Recipe, Seen
from scoring.models.process import ModelProcess
from scoring.models.results import ModelFacts, ModelFailed
from scoring.readers.sources import sha256

MIB = 1 << 20
PROBE_PICTURES = 8

Model = str | os.PathLike | bytes


@dataclass(frozen=True)
class Wording:
    """How messages about images and outputs go on: what the challenge's official program does with them."""

    missing_image: str = "Add it."
    unreadable_image: str = "Export it again as JPEG or PNG."
    small_image: str = "."
    transparent_image: str = "; it is dropped."
    not_finite: str = ". Mend the model."
    not_finite_trial: str = "; such cases are refused."
    slow: str = "the model is stopped."


@dataclass(frozen=True)
class Task:
    """How a challenge runs a model.

    Attributes:
        contract: What it gives to a model and takes from it.
        recipe_for: How images are prepared for a model.
        base: Second input of the trial runs; None where the model gets the image only.
        changes: Other second inputs of the probe, by field.
        shortest_side: Pixels below which the rules call an image too small.
        wording: How messages go on.
    """

    contract: preflight.Contract
    recipe_for: Callable[[ModelFacts], Recipe]
    base: np.ndarray | None = None
    changes: Mapping[str, Sequence[np.ndarray]] | None = None
    shortest_side: int = 0
    wording: Wording = Wording()


@dataclass(frozen=True)
class Inspection:
    """What the preflight found. model: what was inspected, for `model` in JSON and for the page. outputs: of
    the trial runs [pictures, K], may be empty."""

    findings: tuple[Finding, ...]
    model: Mapping
    outputs: np.ndarray


@dataclass(frozen=True)
class Run:
    """A model's outputs [N, K] float64, NaN rows where there is none; `faults` says why, as errors; images:
    SHA-256 by member."""

    outputs: np.ndarray
    faults: tuple[Finding, ...]
    findings: tuple[Finding, ...]
    images: Mapping[str, str]


def model_bytes(model: Model, name: str | None = None) -> tuple[bytes, str]:
    """The bytes of a model and what messages call it. Raises InputRefused (`model-unreadable`) where the file
    cannot be read."""
    if isinstance(model, (bytes, bytearray, memoryview)):
        return bytes(model), name or "the model"
    path = Path(model)
    try:
        return path.read_bytes(), name or path.name
    except OSError as problem:
        raise InputRefused(
            [
                error(
                    "model-unreadable",
                    name or path.name,
                    f"The file cannot be read: {problem.strerror}. Check the path.",
                )
            ]
        ) from problem


def inspect(
    data: bytes,
    name: str,
    task: Task,
    cases: CaseImages | None,
    size_findings: Callable[[float, str], list[Finding]],
    timings: bool = False,
    cancelled: Callable[[], bool] | None = None,
) -> Inspection:
    """The preflight of a model, with trial runs on up to 8 pictures of the cases (else on fixed noise).

    timings: also how long a picture took and what confines the worker; they differ between runs, so
    scorecards leave them out. Raises InputRefused with every problem; Cancelled.
    """
    try:
        with _Process(data, cancelled) as process:
            return _inspect(process, name, task, cases, size_findings, timings)
    except ModelFailed as failed:
        _raise_if(cancelled)
        raise InputRefused(
            [preflight.failure(name, failed)], size_findings(len(data) / MIB, name)
        ) from failed


def run(
    data: bytes,
    name: str,
    task: Task,
    cases: CaseImages,
    width: int | None,
    progress: Callable[[int, int], object] | None = None,
    cancelled: Callable[[], bool] | None = None,
    vectors: np.ndarray | None = None,
) -> Run:
    """Run a model on every case, with the second input `vectors` [N, k] if there is one; `width` numbers are
    needed per picture, None = as many as the first gave.
    Raises InputRefused where the model as a whole fails; Cancelled."""
    images: dict[str, str] = {}

    def reader(index: int, member: str) -> Callable[[], bytes]:
        def read() -> bytes:
            picture = cases.picture(index)
            images[member] = sha256(picture)
            return picture

        return read

    pictures = [reader(i, member) if member else None for i, member in enumerate(cases.images)]
    try:
        found = pool.predict(data, pictures, vectors, task.recipe_for, progress=progress, cancelled=cancelled)
    except ModelFailed as failed:
        where = name if failed.picture is None else f"{name} on {cases.ids[failed.picture]}"
        raise InputRefused([error(failed.code, where, failed.message)], cases.findings) from failed
    outputs, faults = _rows(found.outputs, cases, name, width, task.wording)
    return Run(outputs, tuple(faults), tuple(_picture_findings(found.seen, cases, task)), images)


def no_images(name: str) -> Finding:
    """`image-missing` for a whole source that holds no image of any case."""
    return error(
        "image-missing",
        name,
        "it holds none of the images, which a model needs: give a folder or zip with images, or --images.",
    )


def missing_images(cases: CaseImages, wording: Wording) -> list[Finding]:
    """Return `image-missing` for every case without an image; a single one where there is no image at all."""
    absent = [i for i, member in enumerate(cases.images) if member is None]
    if len(absent) == len(cases):
        return [no_images(cases.pictures.name)]
    return [
        error(
            "image-missing",
            cases.ids[i],
            f"the image of case {cases.ids[i]} is not in {cases.pictures.name}. {wording.missing_image}",
        )
        for i in absent
    ]


def with_pictures(cases: CaseImages) -> CaseImages:
    """The cases for trial runs: those that lack an image are the run's own affair, unless all do. Raises
    InputRefused then."""
    kept = [i for i, member in enumerate(cases.images) if member is not None]
    if not kept:
        raise InputRefused([no_images(cases.pictures.name)], cases.findings)
    return replace(cases, ids=tuple(cases.ids[i] for i in kept), images=tuple(cases.images[i] for i in kept))


def declared_size(model: Mapping | None) -> tuple[int | None, int | None]:
    """(width, height) of the first input of an inspected model (`Inspection.model`), None where it is
    symbolic or there is no model."""
    shape = (model["inputs"][0]["shape"] if model else None) or (None,) * 4
    return shape[3], shape[2]


class _Process:
    """A loaded model whose runs stop when `cancelled` says so, even in the middle of one."""

    def __init__(self, data: bytes, cancelled: Callable[[], bool] | None):
        self._cancelled, self._stop, self._over = cancelled, threading.Event(), threading.Event()
        if cancelled:
            threading.Thread(target=self._poll, daemon=True).start()
        try:
            self._process = ModelProcess(data, stop=self._stop)
        except ModelFailed:
            self._over.set()
            raise
        self.facts = self._process.facts

    def _poll(self) -> None:
        while not self._over.wait(0.1):
            if self._cancelled():
                self._stop.set()
                return

    def run(self, *arguments, **options):
        _raise_if(self._cancelled)
        return self._process.run(*arguments, **options)

    def __enter__(self) -> "_Process":
        return self

    def __exit__(self, *_) -> None:
        self._over.set()
        self._process.close()


def _raise_if(cancelled: Callable[[], bool] | None) -> None:
    if cancelled and cancelled():
        raise Cancelled


def _inspect(
    process, name: str, task: Task, cases: CaseImages | None, size_findings, timings: bool
) -> Inspection:
    facts = process.facts
    found = [*preflight.examine(facts, task.contract, name), *size_findings(facts.size_bytes / MIB, name)]
    problems, findings = split(found)
    model = {
        "name": PurePosixPath(name).name,
        "sha256": facts.sha256,
        "size_mib": facts.size_bytes / MIB,
        "ir_version": facts.ir_version,
        "opset": facts.opset,
        "nodes": facts.nodes,
        "metadata": dict(facts.metadata),
        "inputs": [vars(t) for t in facts.inputs],
        "outputs": [vars(t) for t in facts.outputs],
        "output_kind": None,
    }
    absent = missing_images(cases, task.wording) if cases is not None else []
    if problems:
        raise InputRefused([*problems, *absent], findings)
    recipe = task.recipe_for(facts)
    base = task.base if len(facts.inputs) > 1 else None
    trial = process.run(preflight.noise(*recipe.steps[-1][:2]), recipe, base)
    problems, findings = split(
        [*preflight.examine(facts, task.contract, name, trial), *size_findings(facts.size_bytes / MIB, name)]
    )
    if problems or absent:
        raise InputRefused([*problems, *absent], findings)
    probe = preflight.probe(process, _trial_pictures(cases), recipe, base, task.changes)
    findings += preflight.vector_findings(probe, name)
    finite = probe.outputs[np.isfinite(probe.outputs).all(1)] if probe.outputs.ndim == 2 else probe.outputs
    if len(finite) < len(probe.outputs):
        findings.append(
            warning(
                "not-finite",
                name,
                f"{len(probe.outputs) - len(finite)} of {len(probe.outputs)} trial outputs hold NaN "
                f"or infinity{task.wording.not_finite_trial}",
            )
        )
    model["output_kind"] = output_kind(finite) if len(finite) else None
    if timings:
        milliseconds = float(np.median(probe.cpu_ms))
        model |= {"cpu_ms_per_image": milliseconds, "confinement": list(facts.confinement)}
        if milliseconds > 1000 * preflight.SLOW_SECONDS:
            findings.append(
                warning(
                    "slow-model",
                    name,
                    (
                        f"{milliseconds / 1000:.1f} s of processor time for one image; beyond 20 s "
                        f"{task.wording.slow}"
                    ),
                )
            )
    return Inspection(tuple(findings), model, probe.outputs)


def _trial_pictures(cases: CaseImages | None) -> list[bytes]:
    if cases is None:
        return []
    found = []
    for index, member in enumerate(cases.images):
        if len(found) == PROBE_PICTURES:
            break
        if member is not None:
            try:
                found.append(cases.picture(index))
            except InputRefused:
                continue  # the run itself reports it
    return found


def _rows(
    outputs: Sequence, cases: CaseImages, name: str, width: int | None, wording: Wording
) -> tuple[np.ndarray, list[Finding]]:
    if width is None:
        width = next(
            (np.size(output) for output in outputs if isinstance(output, np.ndarray) and np.size(output)), 1
        )
    rows, faults = np.full((len(cases), width), np.nan), missing_images(cases, wording)
    for i, output in enumerate(outputs):
        case = cases.ids[i]
        if isinstance(output, (ImageUnreadable, InputRefused)):
            words = (
                "; ".join(p.message for p in output.problems)
                if isinstance(output, InputRefused)
                else str(output)
            )
            faults.append(error("image-unreadable", case, f"{words} {wording.unreadable_image}".rstrip()))
        elif output is not None and np.size(output) != width:
            raise InputRefused(
                [
                    error(
                        "wrong-output",
                        name,
                        f"For {case} the first output has {np.size(output)} numbers; {width} are needed.",
                    )
                ],
                cases.findings,
            )
        elif output is not None and not np.isfinite(output).all():
            code = "missing-value" if np.isnan(output).any() else "not-finite"
            faults.append(
                error(
                    code,
                    case,
                    f"the model's output for {case} holds "
                    f"{'NaN' if code == 'missing-value' else 'infinity'}{wording.not_finite}",
                )
            )
        elif output is not None:
            rows[i] = np.ravel(output)
    return rows, faults


def _picture_findings(seen: Sequence[Seen | None], cases: CaseImages, task: Task) -> list[Finding]:
    small = [i for i, s in enumerate(seen) if s and min(s.width, s.height) < task.shortest_side]
    alpha = [i for i, s in enumerate(seen) if s and s.alpha]
    found = []
    for code, rows, words in (
        (
            "small-image",
            small,
            (
                f"below {task.shortest_side} pixels on the shorter side, which the rules ask for"
                f"{task.wording.small_image}"
            ),
        ),
        (
            "alpha-dropped",
            alpha,
            f"with transparency{task.wording.transparent_image}",
        ),
    ):
        if rows:
            shown = ", ".join(cases.ids[i] for i in rows[:5]) + (", ..." if len(rows) > 5 else "")
            found.append(
                note(code, cases.ids[rows[0]], f"{len(rows)} image{'s' * (len(rows) > 1)} ({shown}) {words}")
            )
    return found
