"""Models of Melanoma: prepares inputs, checks a model, and runs it on a test set."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from scoring.challenges.doubtful_results import upside_down
from scoring.challenges.melanoma.formula import CLASSES, ID, NAMES, THRESHOLD
from scoring.challenges.melanoma.measures import are_risks, predicted_positive, score_warnings
from scoring.challenges.safe_scan.cases import SafeScanCases
from scoring.challenges.safe_scan.models import CONTRACT, WORDING, predictions_of, with_images
from scoring.common.arrays import Floats
from scoring.common.findings import Finding, note, warning
from scoring.common.fixes import InputChanges, SuggestedFix, editing
from scoring.core.challenge import Context
from scoring.core.submission import Predictions
from scoring.inference import preflight, run_model, thumbnails
from scoring.inference.challenge_task import Model, Task, read_model
from scoring.inference.cluster.inference import run_on_all
from scoring.inference.model_contract import image_size
from scoring.inference.preflight import Inspection, declared_size
from scoring.inference.preprocessing import ImageInfo, Recipe
from scoring.inference.single_image_task import ModelTask, OfficialRule
from scoring.inference.worker_results import ModelFacts
from scoring.inputs import number_parsing
from scoring.metrics import curves

PICTURE_SIDE = 224


def recipe_for(facts: ModelFacts) -> Recipe:
    """Return how images are resized for a model: in one bicubic step to the size that it declares, otherwise
    to 224 x 224."""
    return recipe_of_size(*image_size(facts))


def recipe_of_size(width: int | None, height: int | None) -> Recipe:
    """Return how images are prepared for a model that declares this size. None stands for a size that the
    model leaves open."""
    return Recipe(((width or PICTURE_SIDE, height or PICTURE_SIDE, "bicubic"),))


def size_findings(size_mib: float, name: str) -> list[Finding]:
    """Return a finding about the size of a model, which does not affect the score of this challenge."""
    return [
        note("model-size", name, f"the model has {size_mib:.2f} MiB; this challenge does not score the size.")
    ]


TASK = Task(CONTRACT, recipe_for, size_findings, wording=WORDING, run_images=run_on_all)


def image_task(_categories: Sequence[str] | None) -> ModelTask:
    """Return the contract of a model for single photographs: what it must output."""
    rule = OfficialRule(predicted_positive, f"melanoma only if the raw output is above {THRESHOLD}")
    return ModelTask(ID, CLASSES, NAMES, ("benign", "malignant"), 1, TASK.contract, recipe_for, rule)


def inspect(
    model: Model, truth: SafeScanCases | None = None, name: str | None = None, timings: bool = False
) -> Inspection:
    """Check whether the official code would run the model, and inspect its outputs. Raises InputRefused with
    every problem."""
    file = read_model(model, name)
    return _described(preflight.inspect(file, TASK, truth, timings), file.name, trial=True)


def _described(inspected: Inspection, name: str, trial: bool) -> Inspection:
    """Add to an inspection this challenge's findings about shapes and, for a trial, about outputs."""
    shape, more = inspected.model["inputs"][0]["shape"] or (None,) * 4, []
    if shape[0] == 1:
        sentence = (
            "the batch axis is fixed to 1, but the rules ask for a dynamic batch. Until 2025 the challenge "
            "ran models on batches of 200 images."
        )
        more.append(warning("fixed-batch-1", name, sentence))
    if any(side not in (None, PICTURE_SIDE) for side in shape[2:]):
        sentence = (
            f"the model takes {shape[3]} x {shape[2]} pixels, but the challenge gives 224 x 224 "
            "pixels, so the model would have failed there. Benchside gives images of the size "
            "that the model declares."
        )
        more.append(warning("input-size", name, sentence))
    first = inspected.outputs[:, 0] if inspected.outputs.ndim == 2 and inspected.outputs.size else np.empty(0)
    first = first[np.isfinite(first)]
    if trial:
        more += score_warnings(first, name)
        if inspected.outputs.ndim == 2 and inspected.outputs.shape[1] > 1:
            sentence = (
                f"the model gives {inspected.outputs.shape[1]} numbers per image: the first is "
                "scored, as in the official code."
            )
            more.append(warning("two-column-output", name, sentence))
    model = {
        **inspected.model,
        "output_kind": None if not len(first) else "risks" if are_risks(first) else "logits",
    }
    return replace(inspected, findings=(*inspected.findings, *more), model=model)


def predict(model: Model, cases: SafeScanCases, context: Context) -> Predictions:
    """Check a model and run it on every case: on CPU, with one thread, one image at a time. The first number
    of the model's first output is the score of the case.

    Raises:
        InputRefused: If the model or an image cannot be used.
        scoring.inference.model_pool.Cancelled: If the run is cancelled.
    """
    file = read_model(model, context.name)
    seen = preflight.inspect(file, TASK, with_images(cases), cancelled=context.cancelled)
    inspected = _described(seen, file.name, trial=False)
    run = run_model.run(file, TASK, cases, None, progress=context.progress, cancelled=context.cancelled)
    outputs = run.outputs[:, :1]
    scores = outputs[~np.isnan(outputs[:, 0]), 0]
    about = [*score_warnings(scores, file.name), *_column_findings(run.outputs, cases, file.name)]
    if run.outputs.shape[1] == 1 and cases.labels is not None:
        sigmoid = () if not len(scores) or are_risks(scores) else (("sigmoid", "yes"),)
        reversed_scores = upside_down(outputs[:, 0], cases.labels == 1, file.name, sigmoid)
        is_multiple = any(found.code in number_parsing.WORDS for found in about)  # no edit divides
        about += [replace(found, fixes=()) if is_multiple else found for found in reversed_scores]
    return predictions_of(run, inspected, file.name, outputs, predicted_positive(outputs), about)


def _column_findings(outputs: Floats, cases: SafeScanCases, name: str) -> Iterator[Finding]:
    """Yield which column of several is scored, and whether another would be better."""
    if outputs.shape[1] < 2:
        return
    sentence = (
        f"the model gives {outputs.shape[1]} numbers per image: the first is scored, as in the official code."
    )
    has = ~np.isnan(outputs).any(1)
    fixes: tuple[SuggestedFix, ...] = ()
    if cases.labels is not None and len(set(cases.labels[has])) == 2:
        areas = [curves.auc(outputs[has, k], cases.labels[has] == 1) for k in range(outputs.shape[1])]
        best = int(np.argmax(areas))
        sentence += f" AUC by column: {', '.join(f'{a:.4f}' for a in areas)}."
        if areas[best] > areas[0]:
            sentence += f" Column {best + 1} is better: make this column the first."
            others = [str(k + 1) for k in range(len(areas)) if k != best]
            order = " ".join((str(best + 1), *others))
            column = f"column {best + 1} of the model's output"
            fixes = (editing("order", order, f"Score {column}"),)
            if not are_risks(outputs[has]):
                edits = (("softmax", "yes"), ("order", order))
                fixes += (SuggestedFix(f"Apply a softmax and score {column}", InputChanges(edits=edits)),)
    yield warning("two-column-output", name, sentence).with_fixes(*fixes)


def received(
    truth: SafeScanCases, index: int, model: Mapping[str, Any] | None = None
) -> tuple[list[thumbnails.Stage], ImageInfo]:
    """Return the pixels that a model receives for one case: at 224 x 224, or at the size that the model
    declares (`Inspection.model`)."""
    return thumbnails.received(truth, index, recipe_of_size(*declared_size(model)))
