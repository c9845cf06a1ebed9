"""Runs a model on every case of a test set."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.common.arrays import Floats
from scoring.common.findings import Finding, InputRefused, error, note
from scoring.inference import model_pool
from scoring.inference.challenge_task import CaseImages, ModelFile, Task, Wording, missing_images
from scoring.inference.preprocessing import ImageInfo
from scoring.inference.worker_results import ModelFailed
from scoring.inputs.sources import sha256


@dataclass(frozen=True)
class ModelRun:
    """Outputs of a model for N cases.

    Attributes:
        outputs: Float64 [N, K], with rows of NaN for cases without outputs.
        faults: Reasons why cases have no outputs, as errors.
        images: File name -> SHA-256 of the image.
    """

    outputs: Floats
    faults: tuple[Finding, ...]
    findings: tuple[Finding, ...]
    images: Mapping[str, str]


def run(
    file: ModelFile,
    task: Task,
    cases: CaseImages,
    width: int | None,
    vectors: Floats | None = None,
    progress: Callable[[int, int], object] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> ModelRun:
    """Run a model on every case.

    Args:
        width: Number of outputs per image; None: as many as the model returns for the first image.
        vectors: Second inputs [N, k], for models with a second input.
        progress: Called with (done, total).
        cancelled: Called regularly; True ends the run.

    Raises:
        InputRefused: If the model as a whole fails, or with `wrong-output` if an output has another number of
            values.
        Cancelled: If `cancelled` returned True.
    """
    pictures, images = readers(cases)
    try:
        results = model_pool.predict(
            file.data,
            pictures,
            vectors,
            task.recipe_for,
            progress=progress,
            cancelled=cancelled,
            settings=model_pool.PoolSettings(run=task.run_images),
        )
    except ModelFailed as failed:
        raise refusal(file, cases, failed) from failed
    outputs, faults = _rows(results.outputs, cases, file.name, width, task.wording)
    return ModelRun(outputs, tuple(faults), tuple(_image_findings(results.seen, cases, task)), images)


def readers(cases: CaseImages) -> tuple[list[Callable[[], bytes] | None], Mapping[str, str]]:
    """Return a function per case that reads its image (None without an image), and file name -> SHA-256 of
    the images, which is filled while images are read."""
    digests: dict[str, str] = {}

    def reader(member: str) -> Callable[[], bytes]:
        def read() -> bytes:
            picture = cases.pictures.read(member)
            digests[member] = sha256(picture)
            return picture

        return read

    return [reader(member) if member else None for member in cases.images], digests


def refusal(file: ModelFile, cases: CaseImages, failed: ModelFailed) -> InputRefused:
    """Return the exception that refuses a model that failed as a whole or on a case."""
    if failed.picture is None:
        return InputRefused([error(failed.code, file.name, failed.message)], cases.findings)
    name = cases.ids[failed.picture]
    message = failed.on(f"test image {name}")
    return InputRefused([error(failed.code, f"{file.name} on {name}", message)], cases.findings)


def _rows(
    outputs: Sequence[Floats | Exception | None],
    cases: CaseImages,
    name: str,
    width: int | None,
    wording: Wording,
) -> tuple[Floats, list[Finding]]:
    """Return outputs as rows [N, width], and a fault for every case without."""
    if width is None:
        width = next((np.size(o) for o in outputs if isinstance(o, np.ndarray) and np.size(o)), 1)
    rows = np.full((len(cases), width), np.nan)
    faults = missing_images(cases, wording.missing_image)
    for i, output in enumerate(outputs):
        if output is None:
            continue
        if isinstance(output, Exception):
            faults.append(_unreadable(cases.ids[i], output, wording))
        elif np.size(output) != width:
            sentence = (
                f"For {cases.ids[i]} the first output has {np.size(output)} numbers; {width} are needed."
            )
            raise InputRefused([error("wrong-output", name, sentence)], cases.findings)
        elif not np.isfinite(output).all():
            faults.append(_not_finite(cases.ids[i], output, wording))
        else:
            rows[i] = np.ravel(output)
    return rows, faults


def _unreadable(case: str, fault: Exception, wording: Wording) -> Finding:
    sentence = "; ".join(p.message for p in fault.problems) if isinstance(fault, InputRefused) else str(fault)
    return error("image-unreadable", case, f"{sentence} {wording.unreadable_image}".rstrip())


def _not_finite(case: str, output: Floats, wording: Wording) -> Finding:
    code, value = ("missing-value", "NaN") if np.isnan(output).any() else ("not-finite", "infinity")
    return error(code, case, f"the model's output for {case} holds {value}{wording.not_finite}")


def _image_findings(seen: Sequence[ImageInfo | None], cases: CaseImages, task: Task) -> list[Finding]:
    """Return one note each for images that are too small and for transparent ones."""
    small = [i for i, s in enumerate(seen) if s and min(s.width, s.height) < task.shortest_side]
    alpha = [i for i, s in enumerate(seen) if s and s.alpha]
    too_small = f"a shorter side below the {task.shortest_side} pixels that the rules ask for"
    findings = []
    for code, rows, verb, sentence in (
        ("small-image", small, ("has", "have"), f"{too_small}{task.wording.small_image}"),
        ("alpha-dropped", alpha, ("has", "have"), f"transparency{task.wording.transparent_image}"),
    ):
        if rows:
            named = ", ".join(cases.ids[i] for i in rows[:5]) + (", ..." if len(rows) > 5 else "")
            several = len(rows) > 1
            sentence = f"{len(rows)} image{'s' * several} ({named}) {verb[several]} {sentence}"
            findings.append(note(code, cases.ids[rows[0]], sentence))
    return findings
