"""Models of ISIC: one photograph in, one score per category out; the scores of a lesion's photographs are
averaged.

There is no official program that runs models, so the rules in this module are Benchside's own.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scoring.challenges.isic.categories import ID, MALIGNANT, NAMES, UNKNOWN, of_width
from scoring.challenges.isic.predictions import label
from scoring.challenges.isic.truth import IsicCases
from scoring.common.findings import Finding, InputRefused, error
from scoring.core import submission
from scoring.core.challenge import Context
from scoring.core.submission import Predictions
from scoring.inference import run_model
from scoring.inference.challenge_task import Model, Task, read_model
from scoring.inference.classifiers import (
    inspect_on_images,
    named_outputs,
    output_order,
    recipe_for,
)
from scoring.inference.cluster.inference import run_on_all
from scoring.inference.model_contract import Contract
from scoring.inference.preflight import Inspection
from scoring.inference.single_image_task import ModelTask, OfficialRule
from scoring.inputs import number_parsing
from scoring.inputs.sources import SourceFiles
from scoring.metrics.output_kinds import TOLERANCE


@dataclass(frozen=True)
class Photographs:
    """All photographs of the cases as input of a model, in the order of the cases."""

    ids: tuple[str, ...]
    images: tuple[str, ...]
    of_case: np.ndarray
    pictures: SourceFiles
    findings: tuple[Finding, ...]

    def __len__(self) -> int:
        return len(self.ids)

    def picture(self, index: int) -> bytes:
        """Return the bytes of a photograph file. Raises InputRefused if the file cannot be read."""
        return self.pictures.read(self.images[index])


def photographs(cases: IsicCases) -> Photographs:
    """Return all photographs of the cases."""
    rows = [(i, member) for i, members in enumerate(cases.photographs) for member in members]
    return Photographs(
        tuple(cases.ids[i] for i, _ in rows),
        tuple(m for _, m in rows),
        np.array([i for i, _ in rows], int),
        cases.pictures,
        cases.findings,
    )


def inspect(
    model: Model,
    truth: IsicCases | None = None,
    name: str | None = None,
    timings: bool = False,
    cancelled: Callable[[], bool] | None = None,
    any_scale: bool = False,
) -> Inspection:
    """Check whether a model can run, and, unless `any_scale`, whether its outputs are scores from 0 to 1.
    Raises InputRefused with every problem, and Cancelled."""
    file = read_model(model, name)
    usable = photographs(truth) if truth is not None and any(truth.photographs) else None
    categories = truth.categories if truth is not None else ()

    def about(inspection: Inspection) -> Sequence[Finding]:
        outputs = inspection.outputs if inspection.outputs.ndim == 2 else np.empty((0, 0))
        if not any_scale and not _are_scores(outputs):
            raise InputRefused(
                [_bad_output(file.name, number_parsing.scale_of(outputs))], inspection.findings
            )
        return output_order(inspection.model["metadata"], categories, file.name)[1] if categories else ()

    task = _task(len(categories) or None)
    inspection = inspect_on_images(file, task, truth, usable, about, timings, cancelled)
    return replace(inspection, findings=tuple(f for f in inspection.findings if f.code != "not-finite"))


def predict(model: Model, cases: IsicCases, context: Context) -> Predictions:
    """Check a model and run it on every photograph: on CPU, with one thread, one image at a time.

    Without a truth, the first of these that exists names the outputs: the option `categories`; the metadata
    entry `categories` of the model; the challenge year with this number of outputs.

    Raises:
        InputRefused: If the model or an image cannot be used.
        scoring.inference.model_pool.Cancelled: If the run is cancelled.
    """
    file = read_model(model, context.name)
    any_scale = context.any_scale
    inspected = inspect(file.data, cases, file.name, cancelled=context.cancelled, any_scale=any_scale)
    names = cases.categories or named(inspected, context.options.get("categories"), file.name)
    photos = photographs(cases)
    run = run_model.run(
        file, _task(len(names)), photos, len(names), progress=context.progress, cancelled=context.cancelled
    )
    order, _ = output_order(inspected.model["metadata"], names, file.name) if cases.categories else (None, ())
    scale = number_parsing.scale_of(run.outputs)
    faults = [
        f if f.code == "image-unreadable" else _bad_output(file.name, scale, f.where) for f in run.faults
    ]
    answers = run.outputs if order is None else run.outputs[:, order]
    if not any_scale:
        off = [i for i, row in enumerate(answers) if not _are_scores(row[None]) and not np.isnan(row).any()]
        faults += [_bad_output(file.name, scale, photos.ids[i]) for i in off]
        answers = np.clip(answers, 0, 1)
    outputs = _means(answers, photos.of_case, len(cases))
    described = {**inspected.model, "categories": list(names)}
    return Predictions(
        file.name,
        outputs,
        label(outputs),
        False,
        tuple(faults),
        inspected.findings,
        None,
        described,
        run.images,
    )


def table(cases: IsicCases, predictions: Predictions) -> str:
    """Return a CSV for the official scorer, with normalised ids and each score as `repr(float(x))`."""
    names = cases.categories or tuple((predictions.model or {})["categories"])
    return submission.table(cases, predictions, names, cases.id_name)


def image_task(classes: Sequence[str] | None) -> ModelTask:
    """Return the contract of a model for single photographs: what it must output.

    Args:
        classes: Categories of the test set.
    """
    names = tuple(classes or ())
    return ModelTask(
        ID,
        names,
        tuple(NAMES.get(name, name) for name in names),
        tuple("" if name == UNKNOWN else "malignant" if name in MALIGNANT else "benign" for name in names),
        len(names),
        Contract(outputs=len(names)),
        recipe_for,
        OfficialRule(label, "a class only if it alone has the highest output"),
        order_for=lambda metadata, where: output_order(metadata, names, where),
    )


def named(inspected: Inspection, categories: str | Iterable[str] | None, where: str) -> tuple[str, ...]:
    """Return the categories of a model's outputs for images without a truth. Raises InputRefused
    (`bad-option`, `wrong-output`)."""
    width = inspected.outputs.shape[1]
    if categories is not None:
        names = tuple(
            c.strip() for c in (categories.split(",") if isinstance(categories, str) else categories)
        )
        if len(names) != width or len(set(names)) < width or not all(names):
            sentence = (
                f"there are {len(set(names))} different names, but {width} outputs per image: "
                "name each output once, in order."
            )
            raise InputRefused([error("bad-option", "--categories", sentence)])
        return names
    usual = of_width(width) or ()
    names = named_outputs(inspected.model["metadata"], usual)
    if names and len(names) != width:
        sentence = (
            f"the model gives {width} outputs per image, but its entry `categories` names {len(names)}."
        )
        raise InputRefused([error("wrong-output", where, sentence)])
    preset_names = names or usual
    if not preset_names:
        sentence = (
            f"the model gives {width} numbers per image, but no preset has so many categories: "
            "name them with --categories A,B,…"
        )
        raise InputRefused([error("bad-option", "--categories", sentence)])
    return preset_names


def _task(width: int | None) -> Task:
    return Task(Contract(outputs=width), recipe_for, run_images=run_on_all)


def _are_scores(outputs: np.ndarray) -> bool:
    return not outputs.size or bool(
        np.isfinite(outputs).all() and outputs.min() >= -TOLERANCE and outputs.max() <= 1 + TOLERANCE
    )


def _bad_output(model: str, scale: str, where: str | None = None) -> Finding:
    """Return the finding about outputs beyond 0..1. scale: of the outputs of all images (`scale_of`)."""
    is_multiple = scale in number_parsing.WORDS
    advice = (
        f"they are {number_parsing.WORDS[scale]}"
        if is_multiple
        else "end the network with a softmax or sigmoid"
    )
    message = f"the outputs{f' for {where}' if where else ''} are not finite numbers from 0 to 1: {advice}."
    fixes = () if is_multiple else number_parsing.FIXES[number_parsing.LOGITS]
    return error("model-output", where or model, message).with_fixes(*fixes)


def _means(rows: np.ndarray, of_case: Sequence[int] | np.ndarray, n: int) -> np.ndarray:
    """Mean of the rows [photographs, K] of each case, [n, K]; NaN for a case with none."""
    sums = np.zeros((n, rows.shape[1]))
    np.add.at(sums, of_case, rows)
    count = np.bincount(of_case, minlength=n)[:, None]
    means: np.ndarray = np.divide(sums, count, out=np.full(sums.shape, np.nan), where=count > 0)
    return means
