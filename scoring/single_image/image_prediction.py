"""Computes the output of a model for one photograph, and for its turned and mirrored copies."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from scoring.common.arrays import Floats, Ints
from scoring.inference.model_pool import Cancelled
from scoring.inference.preprocessing import Pixels
from scoring.inference.single_image_task import ModelTask
from scoring.metrics import calibration
from scoring.metrics.output_kinds import is_certain, kind, probabilities
from scoring.single_image.model import COPY, OpenModel
from scoring.single_image.photograph import Photograph
from scoring.single_image.similar_cases import TIE, Reference


@dataclass(frozen=True)
class ImagePrediction:
    """A model's answer to one image.

    Attributes:
        prepared: The pixels that the model received, uint8 (H, W, 3).
        vector: The second input [3]; None if there is none.
        outputs: Raw outputs [k], as the challenge scores them.
        kind: Kind of the outputs, such as "logits" (`output_kinds.kind`).
        probabilities: Probabilities with sum 1 [K].
        scaled: Probabilities after temperature scaling that was fitted on the test set [K]; None without a
            test set.
        cpu_ms: Processor time of the run in milliseconds.
        official: Class number by the challenge's own decision on the raw outputs, -1 for none; None if
            unknown.
        official_caution: Short text that says that the challenge does not decide by the highest score; "" if
            it does.
        scale_known: Whether `kind` is certain: by the outputs for a test set, or because the model can only
            give such numbers. Otherwise `probabilities` mean nothing.
    """

    prepared: np.ndarray
    vector: np.ndarray | None
    outputs: np.ndarray
    kind: str
    probabilities: np.ndarray
    scaled: np.ndarray | None
    cpu_ms: float
    official: int | None = None
    official_caution: str = ""
    scale_known: bool = True

    @property
    def order(self) -> tuple[int, ...]:
        """Class numbers by decreasing probability. Classes with equal probability keep their order."""
        return tuple(np.argsort(-self.probabilities, kind="stable").tolist())

    @property
    def top(self) -> int:
        """Number of the highest-scoring class."""
        return self.order[0]

    @property
    def official_line(self) -> str:
        """`official_caution` as a sentence; "" without one."""
        words = self.official_caution
        return f"{words[0].upper()}{words[1:]}." if words else ""

    @property
    def tied(self) -> tuple[int, ...]:
        """Numbers of the classes with the highest score, several if they are tied."""
        return tuple(np.flatnonzero(self.probabilities >= self.probabilities.max() - TIE).tolist())


@dataclass(frozen=True)
class TurnedViews:
    """Answers to the turned and mirrored copies of a photograph. The first copy is unchanged. There are eight
    copies, or four if the model's input is not square.

    Attributes:
        probabilities: Probabilities [v, K].
        official: Class numbers [v] by the challenge's own decision, -1 for none; None if unknown.
    """

    probabilities: np.ndarray
    official: Ints | None = None

    @property
    def low(self) -> Floats:
        """Lowest probability of each class over all copies [K]."""
        low: Floats = self.probabilities.min(0)
        return low

    @property
    def high(self) -> Floats:
        """Highest probability of each class over all copies [K]."""
        high: Floats = self.probabilities.max(0)
        return high

    @property
    def mean(self) -> Floats:
        mean: Floats = self.probabilities.mean(0)
        return mean

    @property
    def deviation(self) -> Floats:
        """Standard deviation of the probability of each class over all copies [K]."""
        deviation: Floats = self.probabilities.std(0)
        return deviation

    @property
    def changed(self) -> int:
        """Number of turned or mirrored copies with another highest-scoring class."""
        return _others_than_first(self.probabilities.argmax(1))

    @property
    def changed_by_rule(self) -> int | None:
        """Number of copies that get another class by the challenge's own decision; None if this is unknown,
        or the number by the highest score."""
        by_rule = self.changed if self.official is None else _others_than_first(self.official)
        return None if by_rule == self.changed else by_rule

    @property
    def count_line(self) -> str:
        """How many copies get another class, as text."""
        by_rule = self.changed_by_rule
        more = "" if by_rule is None else f" ({by_rule} of {self.others} by the challenge's rule)"
        return f"{self.changed} of {self.others}{more}"

    @property
    def most_changed(self) -> int:
        """Number of copies that get another class by the highest score or by the challenge's own decision,
        whichever is larger."""
        return max(self.changed, self.changed_by_rule or 0)

    @property
    def others(self) -> int:
        """Number of copies besides the unchanged photograph."""
        return len(self.probabilities) - 1


def _others_than_first(classes: Ints) -> int:
    return int((classes[1:] != classes[0]).sum())


def predict(
    model: OpenModel,
    photograph: Photograph,
    vector: np.ndarray | None = None,
    reference: Reference | None = None,
) -> ImagePrediction:
    """Run a model on a photograph that is prepared as the challenge requires.

    Args:
        vector: Result of `model_inputs.vector`; required if `model.takes_vector`.

    Raises:
        InputRefused: If the model fails.
        ValueError: If the model needs a vector and none is given.
    """
    return asked(model, model.prepared(photograph.pixels), vector, reference)


def asked(
    model: OpenModel, prepared: Pixels, vector: np.ndarray | None = None, reference: Reference | None = None
) -> ImagePrediction:
    """Run a model on pixels that are already prepared. Everything else is as in `predict`."""
    if model.takes_vector and vector is None:
        raise ValueError("the model takes a vector")
    outputs, cpu_ms = model.run(prepared, vector)
    output_kind = kind(outputs[None] if reference is None else np.vstack([reference.outputs, outputs]))
    row = probabilities(outputs[None], output_kind)[0]
    scaled = (
        None
        if reference is None or not len(reference)
        else calibration.apply_temperature(row, reference.temperature)
    )
    official = int(model.task.official.decide(outputs[None])[0])
    return ImagePrediction(
        prepared,
        vector if model.takes_vector else None,
        outputs,
        output_kind,
        row,
        scaled,
        cpu_ms,
        official,
        _official_caution(model.task, official, int(np.argmax(row)), output_kind),
        bool(reference) or model.process.facts.graph.from_0_to_1 or is_certain(outputs[None]),
    )


def _official_caution(task: ModelTask, official: int, top: int, kind: str) -> str:
    """Return that the challenge predicts another class than the highest-scoring one, or decides by another
    scale; "" otherwise."""
    if official != top:
        predicted = "no class" if official < 0 else task.names[official]
        return f"the challenge predicts {predicted} ({task.official.words})"
    if task.outputs == 1 and kind != "probabilities":
        return f"the challenge decides by the raw output ({task.official.words})"
    return ""


def views(
    model: OpenModel, prediction: ImagePrediction, cancelled: Callable[[], bool] | None = None
) -> TurnedViews:
    """Run the model on the turned and mirrored copies of a photograph, without interpolation. Raises
    InputRefused, Cancelled. The copies are those of `turned`; the unchanged one is not run again."""
    rows, raw = [prediction.probabilities], [prediction.outputs]
    for pixels in turned(prediction.prepared)[1:]:
        if cancelled and cancelled():
            raise Cancelled
        outputs, _ = model.run(np.ascontiguousarray(pixels), prediction.vector, COPY)
        rows.append(probabilities(outputs[None], prediction.kind)[0])
        raw.append(outputs)
    return TurnedViews(np.array(rows), model.task.official.decide(np.array(raw)))


def turned(pixels: np.ndarray) -> list[np.ndarray]:
    """Return the eight turned and mirrored copies of pixels (h, w, 3), the unchanged one first. Copies with
    another shape are left out."""
    quarters = [np.rot90(pixels, k) for k in range(4)]
    return [view for turn in quarters for view in (turn, turn[:, ::-1]) if view.shape == pixels.shape]
