"""Models for single images: loads a model, runs it once, and checks whether it meets the requirements of the
challenge."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from scoring.common.findings import Finding, InputRefused, error, split, warning
from scoring.inference import model_contract
from scoring.inference.classifiers import own_names
from scoring.inference.model_pool import first_output
from scoring.inference.model_process import LoadedModel, ModelProcess
from scoring.inference.preflight import move
from scoring.inference.preprocessing import Recipe, stretched
from scoring.inference.single_image_task import ModelTask, OutputOrder
from scoring.inference.worker_results import ModelFailed, ModelOutput

CALLED = "the model"
CRASHED = "The model crashed on {}."
THIS_IMAGE, COPY, CHANGED = (
    "this image",
    "a turned or mirrored copy of this image",
    "a changed copy of this image",
)
NOISE = "a trial image of random pixels"
LARGEST_LIST = 64
Examined = TypeVar("Examined")


class ModelHandle:
    """A model in its own worker process, which runs until `close` is called. Only one thread at a time may
    use it."""

    process: LoadedModel

    @property
    def sha256(self) -> str:
        return self.process.facts.sha256

    @property
    def ended(self) -> bool:
        """Whether the worker has ended, after `close` or a failure, so that the model must be opened
        again."""
        return self.process.ended

    def close(self) -> None:
        self.process.close()


@dataclass(frozen=True)
class OpenModel(ModelHandle):
    """An opened model that returns classes or a risk. `findings` are warnings and notes about the model;
    `order` is the order of its outputs."""

    task: ModelTask
    process: LoadedModel
    recipe: Recipe
    findings: tuple[Finding, ...]
    order: OutputOrder = None

    @property
    def takes_vector(self) -> bool:
        """Whether the model takes age, gender and location as a second input."""
        return self.task.contract.vector is not None and len(self.process.facts.inputs) > 1

    def prepared(self, pixels: np.ndarray) -> np.ndarray:
        """Return the model's input for upright pixels, uint8 (h, w, 3), prepared as in the challenge."""
        return stretched(pixels, self.recipe)

    def run(
        self, prepared: np.ndarray, vector: np.ndarray | None = None, on: str = THIS_IMAGE
    ) -> tuple[np.ndarray, float]:
        """Run the model on prepared pixels. Return the first output [k], float64, and the processor time in
        milliseconds. `on` says what the pixels are, for a sentence. Raises InputRefused if the model fails,
        or with `wrong-output` if the output is not a list of enough finite numbers."""
        was_closed = self.ended
        try:
            result: ModelOutput = self.process.run(
                prepared, self.recipe, vector if self.takes_vector else None
            )
            output = np.ravel(first_output(result))
        except ModelFailed as failed:
            message = (
                CRASHED.format(on) if failed.code == "model-crashed" and not was_closed else failed.message
            )
            raise InputRefused([error(failed.code, CALLED, message)]) from failed
        if len(output) < self.task.outputs or not np.isfinite(output).all():
            raise InputRefused(
                [
                    error(
                        "wrong-output",
                        CALLED,
                        "This model's output for the image is not a list of finite numbers, so no answer is "
                        "shown.",
                    )
                ]
            )
        output = output[: self.task.outputs]
        return output if self.order is None else output[list(self.order)], result.cpu_ms


def opened(task: ModelTask, model: bytes, start: Callable[[bytes], LoadedModel] = ModelProcess) -> OpenModel:
    """Open a model, as `loaded` does. Also raises InputRefused if the model does not meet the requirements of
    this challenge."""
    return loaded(model, start, partial(_tried, task))


def loaded(
    model: bytes, start: Callable[[bytes], LoadedModel], examine: Callable[[LoadedModel], Examined]
) -> Examined:
    """Load a model and return the result of `examine`. Raises InputRefused if the model cannot be loaded or
    fails a check.

    Args:
        start: Function that loads the model; exceptions other than ModelFailed are passed on.
    """
    try:
        process = start(model)
    except ModelFailed as failed:
        raise InputRefused([model_contract.failure(CALLED, failed)]) from failed
    try:
        return examine(process)
    except ModelFailed as failed:
        process.close()
        raise InputRefused([model_contract.failure(CALLED, failed, NOISE)]) from failed
    except BaseException:
        process.close()
        raise


def _tried(task: ModelTask, process: LoadedModel) -> OpenModel:
    facts = process.facts
    problems, findings = split(model_contract.examine(facts, task.contract, CALLED))
    if not problems:
        recipe = task.recipe_for(facts)
        vector = (
            np.zeros(task.contract.vector, np.float32)
            if task.contract.vector and len(facts.inputs) > 1
            else None
        )
        noise = model_contract.noise(*recipe.steps[-1][:2])
        trial, again = (process.run(noise, recipe, vector) for _ in range(2))
        problems, findings = split(model_contract.examine(facts, task.contract, CALLED, trial))
        if not problems:
            moved = move(first_output(trial), first_output(again))
            problems, repeatable = split(model_contract.repeatability(facts, CALLED, moved))
            findings = [*findings, *repeatable]
        if not problems and task.outputs == 1 and trial.outputs[0] is not None:
            finding = _of_one_risk(trial.outputs[0], len(task.classes), facts.graph.metadata)
            problems, findings = split([*findings, *([finding] if finding else [])])
    if problems:
        raise InputRefused(problems, findings)
    order, about = task.order_for(facts.graph.metadata, CALLED)
    return OpenModel(task, process, recipe, (*findings, *about), order)


def _of_one_risk(output: np.ndarray, classes: int, metadata: Mapping[str, str]) -> Finding | None:
    """Return the finding on the first output of a model that should give one risk: the challenge's own code
    takes its first number, whatever the model's file calls it."""
    if output.size <= 1:
        return None
    if output.ndim > 2 and output.size > LARGEST_LIST:
        return error(
            "wrong-output",
            CALLED,
            "The model's output is a map, not one risk: choose the challenge that the model was made for.",
        )
    if output.size > classes:
        sentence = (
            f"The model gives {output.size} numbers per image, but one risk is needed: choose the challenge "
            "that the model was made for."
        )
        return error("wrong-output", CALLED, sentence)
    sentence = (
        "The model gives 2 numbers per image; the first counts as risk, as in the challenge's own code."
    )
    if own := own_names(metadata, classes):
        sentence += f" The model's file names the first number “{own[0]}” and the second “{own[1]}”."
    return warning("two-column-output", CALLED, sentence)
