"""Models of TRICORDER-3: prepares inputs, checks a model, runs it on a test set, and computes outputs for
other ages, genders and body sites."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from scoring.challenges.safe_scan.cases import SafeScanCases
from scoring.challenges.safe_scan.demographics import GENDERS, LOCATIONS, UNKNOWN
from scoring.challenges.safe_scan.models import CONTRACT, WORDING, predictions_of, with_images
from scoring.challenges.tricorder3.formula import CLASSES, FREE_MIB, FULL_MIB, ID, NAMES, RISK
from scoring.challenges.tricorder3.measures import output_findings
from scoring.common.arrays import Floats
from scoring.common.findings import Finding, note, warning
from scoring.core.challenge import Context
from scoring.core.submission import Predictions, largest
from scoring.inference import preflight, run_model, thumbnails
from scoring.inference.challenge_task import Model, Task, read_model
from scoring.inference.classifiers import order_warnings
from scoring.inference.cluster.inference import run_on_all
from scoring.inference.model_contract import image_size
from scoring.inference.preflight import Inspection, declared_size
from scoring.inference.preprocessing import ImageInfo, Recipe
from scoring.inference.single_image_task import ModelTask, OfficialRule, PatientFields
from scoring.inference.worker_results import ModelFacts
from scoring.metrics import output_kinds

PICTURE_SIDE = 512
SWEEP_AGES = tuple(range(0, 95, 5))
SWEEP_SITES = (*LOCATIONS, "unknown")
"""Body sites in the order in which a sweep tries them."""


def recipe_for(facts: ModelFacts) -> Recipe:
    """Return how images are resized for a model. Images are resized to 512 x 512 with LANCZOS. The result
    is resized again if the model declares another size. An axis whose size the model leaves open counts as
    512."""
    return recipe_of_size(*image_size(facts))


def recipe_of_size(width: int | None, height: int | None) -> Recipe:
    """Return how images are prepared for a model that declares this size. None stands for a size that the
    model leaves open."""
    width, height = width or PICTURE_SIDE, height or PICTURE_SIDE
    own = ((width, height, "lanczos"),) if (width, height) != (PICTURE_SIDE, PICTURE_SIDE) else ()
    return Recipe(((PICTURE_SIDE, PICTURE_SIDE, "lanczos"), *own))


def _vector(age: float, gender: float, location: float) -> Floats:
    return np.array([age, gender, location], np.float32)


def size_findings(size_mib: float, name: str) -> list[Finding]:
    """Return a finding about the effect of the model size on the score."""
    if size_mib >= FULL_MIB:
        message = (
            f"the model has {size_mib:.2f} MiB. From {FULL_MIB} MiB on, efficiency is 0, which costs "
            "10 points."
        )
        return [warning("size-score-zero", name, message)]
    cost = (
        f"The {size_mib - FREE_MIB:.2f} MiB above {FREE_MIB} MiB cost "
        f"{0.1 * (size_mib - FREE_MIB):.2f} points of 100"
        if size_mib > FREE_MIB
        else f"This is {FREE_MIB - size_mib:.2f} MiB below {FREE_MIB} MiB, so the size costs no points"
    )
    message = (
        f"the model has {size_mib:.2f} MiB (the challenge's MB). {cost}. Each MiB above "
        f"{FREE_MIB} MiB costs 0.1 points. Efficiency is 0 from {FULL_MIB} MiB on, "
        f"{FULL_MIB - size_mib:.2f} MiB more."
    )
    return [note("model-size", name, message)]


TASK = Task(
    replace(CONTRACT, vector=3, outputs=len(CLASSES)),
    recipe_for,
    size_findings,
    base=_vector(50, 1, 7),
    changes={
        "age": [_vector(20, 1, 7), _vector(80, 1, 7)],
        "gender": [_vector(50, 0, 7)],
        "location": [_vector(50, 1, k) for k in range(1, 7)],
    },
    shortest_side=PICTURE_SIDE,
    wording=WORDING,
    run_images=run_on_all,
)


def image_task(_categories: Sequence[str] | None) -> ModelTask:
    """Return the contract of a model for single photographs: what it must output."""
    return ModelTask(
        ID,
        CLASSES,
        NAMES,
        tuple(RISK[name] for name in CLASSES),
        len(CLASSES),
        TASK.contract,
        recipe_for,
        OfficialRule(largest, "the class with the highest raw output, the first if several are equal"),
        PICTURE_SIDE,
        PatientFields(GENDERS, LOCATIONS, UNKNOWN, sweep_vectors),
        lambda metadata, where: (None, order_warnings(metadata, CLASSES, where)),
    )


def inspect(
    model: Model, truth: SafeScanCases | None = None, name: str | None = None, timings: bool = False
) -> Inspection:
    """Check whether the official validator would run the model, and how the model uses the demographics.
    Raises InputRefused with every problem."""
    file = read_model(model, name)
    inspected = preflight.inspect(file, TASK, truth, timings)
    kind = inspected.model["output_kind"]
    order = order_warnings(inspected.model["metadata"], CLASSES, file.name)
    kinds = _kind_findings(kind, file.name) if kind else ()
    return replace(inspected, findings=(*inspected.findings, *order, *kinds))


def _kind_findings(kind: str, where: str) -> list[Finding]:
    if kind == "probabilities":
        return [note(kind, where, "every trial output is a probability vector.")]
    are = "are logits, not probabilities" if kind == "logits" else "do not sum to 1"
    message = f"the outputs {are}: the score is the same, but the challenge demands a softmax."
    return [warning(kind, where, message)]


def predict(model: Model, cases: SafeScanCases, context: Context) -> Predictions:
    """Check a model and run it on every case as the official validator does: on CPU, with one thread, one
    image at a time, without softmax.

    Raises:
        InputRefused: If the model or an image cannot be used.
        scoring.inference.model_pool.Cancelled: If the run is cancelled.
    """
    file = read_model(model, context.name)
    inspected = preflight.inspect(file, TASK, with_images(cases), cancelled=context.cancelled)
    run = run_model.run(
        file,
        TASK,
        cases,
        len(CLASSES),
        cases.demographics.encoded,
        progress=context.progress,
        cancelled=context.cancelled,
    )
    labels = largest(run.outputs)
    has = labels >= 0
    about_outputs = [
        *output_findings(run.outputs[has], file.name),
        *order_warnings(inspected.model["metadata"], CLASSES, file.name),
    ]
    if has.any() and output_kinds.output_kind(run.outputs[has]) == "probabilities":
        about_outputs.insert(0, note("probabilities", file.name, "every output is a probability vector."))
    return predictions_of(run, inspected, file.name, run.outputs, labels, about_outputs)


def received(
    truth: SafeScanCases, index: int, model: Mapping[str, Any] | None = None
) -> tuple[list[thumbnails.Stage], ImageInfo]:
    """Return the pixels that a model receives for one case: at 512 x 512, and at the size that the model
    declares (`Inspection.model`).

    Raises:
        ImageUnreadable: If the image cannot be read.
        InputRefused: If the case has no usable image.
    """
    return thumbnails.received(truth, index, recipe_of_size(*declared_size(model)))


def sweep(model: Model, truth: SafeScanCases, index: int) -> dict[str, Floats]:
    """Return a model's outputs for one case while age, gender or location varies and the other two stay the
    same.

    Returns:
        "age": outputs [19, 11] at `SWEEP_AGES`; "gender": [3, 11] at male, female, unknown; "location": [8,
            11] at the seven sites and unknown.

    Raises:
        ModelFailed: If the model stops with an error.
        ImageUnreadable: If the image cannot be read.
    """
    return thumbnails.sweep(
        read_model(model).data, truth, index, recipe_for, sweep_vectors(*truth.demographics.encoded[index])
    )


def sweep_vectors(age: float, gender: float, location: float) -> dict[str, Floats]:
    """Return the second input of a model for `sweep`: one field takes every value, the other two stay the
    same.

    Returns:
        "age" [19, 3], "gender" [3, 3], "location" [8, 3].
    """
    return {
        "age": np.array([_vector(a, gender, location) for a in SWEEP_AGES]),
        "gender": np.array([_vector(age, g, location) for g in (1, 0, UNKNOWN)]),
        "location": np.array([_vector(age, gender, k) for k in (*range(1, 8), UNKNOWN)]),
    }
