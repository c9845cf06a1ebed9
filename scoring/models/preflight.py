"""Would the challenge run this model? What a loaded model declares and does, held against what its challenge
gives and takes."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from scoring.findings import Finding, error, note, warning
from scoring.models.pool import first_output
from scoring.models.preprocessing import ImageUnreadable, Recipe
from scoring.models.process import ModelProcess
from scoring.models.results import Answer, ModelFacts, ModelFailed, Tensor

FLOAT = "tensor(float)"
CHANNELS = 3
LARGEST_SIDE = 8192
MOST_PROBE_PICTURES = 8
SMALLEST_MOVE = 1e-6
SLOW_SECONDS = 5


@dataclass(frozen=True)
class Contract:
    """What a challenge gives to a model and takes from it.

    vector: length of the second input, None where there is none. vector_required: False allows a model with
    the image only (`single-input`). outputs: numbers per image in the first output, None where the challenge
    judges that itself. highest_ir_version, highest_opset: what the challenge's own runtime loads; None where
    the challenge names none. runtime: what messages call that runtime.
    """

    vector: int | None = None
    vector_required: bool = False
    outputs: int | None = None
    highest_ir_version: int | None = None
    highest_opset: int | None = None
    runtime: str = "the challenge's runtime"


@dataclass(frozen=True)
class Effect:
    """How one field of the vector moves the first output: the largest absolute move, and in how many `trials`
    the top class changed."""

    largest_move: float
    changed_classes: int
    trials: int


@dataclass(frozen=True)
class Probe:
    """Trial runs. fields: effect per field. outputs: (pictures, k) first outputs at the base vector, float64.

    cpu_ms: processor time per picture, from the file to the outputs.
    """

    fields: Mapping[str, Effect] = field(default_factory=dict)
    outputs: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    cpu_ms: tuple[float, ...] = ()

    @property
    def largest_move(self) -> float:
        return max((effect.largest_move for effect in self.fields.values()), default=0.0)


def failure(file_name: str, failed: ModelFailed) -> Finding:
    """A model that could not be loaded or run, as a finding."""
    return error(failed.code, file_name, failed.message)


def examine(
    facts: ModelFacts, contract: Contract, file_name: str, trial: Answer | None = None
) -> list[Finding]:
    """Everything in which the model departs from the contract: versions, inputs, batch axis, first output.

    With the `trial` of one picture, the first output is judged by what came, not by what the model declares:
    the runtime does not compare the two.
    """
    return [
        *_versions(facts, contract, file_name),
        *_inputs(facts.inputs, contract, file_name),
        *_batch(facts.inputs, file_name),
        *_output(facts, contract, file_name, trial),
    ]


def image_size(facts: ModelFacts) -> tuple[int | None, int | None]:
    """(width, height) that the first input declares, None for a symbolic axis. Meant for a model that
    `examine` found no error in."""
    shape = facts.inputs[0].shape if facts.inputs else None
    return (shape[3], shape[2]) if shape is not None and len(shape) == 4 else (None, None)


def probe(
    process: ModelProcess,
    pictures: Sequence[bytes | np.ndarray],
    recipe: Recipe,
    base: np.ndarray | None = None,
    changes: Mapping[str, Sequence[np.ndarray]] | None = None,
) -> Probe:
    """Run up to 8 pictures at the vector `base`, then at each vector of `changes`, which names a field and
    its other vectors.

    Without a readable picture one fixed noise image stands in. Pictures are decoded once. Raises ModelFailed.
    """
    changes = changes if changes and base is not None else {}
    outputs, cpu_ms = [], []
    moves = {name: [] for name in changes}
    switches = {name: [] for name in changes}
    for pixels, answer in _trials(process, pictures[:MOST_PROBE_PICTURES], recipe, base):
        output = np.ravel(first_output(answer))
        outputs.append(output)
        cpu_ms.append(answer.cpu_ms)
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
    return Probe(effects, np.stack(outputs) if len(width) == 1 else np.empty((0, 0)), tuple(cpu_ms))


def move(before: np.ndarray, after: np.ndarray) -> float:
    """The largest absolute difference of two outputs; infinite where one of two values is NaN or infinite and
    where the shapes differ."""
    if before.shape != after.shape:
        return np.inf
    with np.errstate(invalid="ignore"):
        differences = np.where(
            (before == after) | (np.isnan(before) & np.isnan(after)), 0.0, np.abs(after - before)
        )
    return float(np.max(np.nan_to_num(differences, nan=np.inf, posinf=np.inf), initial=0.0))


def vector_findings(result: Probe, file_name: str) -> list[Finding]:
    """What the probe says of the demographics: `demographics-ignored`, or `demographics-probe` with the
    effect of each field."""
    if not result.fields:
        return []
    if not result.largest_move > SMALLEST_MOVE:
        return [
            warning(
                "demographics-ignored",
                file_name,
                f"No output moves when {', '.join(result.fields)} change: the model does not use them.",
            )
        ]
    effects = "; ".join(
        (
            f"{name}: largest move {effect.largest_move:.3g}, other class in {effect.changed_classes} "
            f"of {effect.trials} trials"
        )
        for name, effect in result.fields.items()
    )
    return [
        note(
            "demographics-probe",
            file_name,
            f"Effect of the demographics on {len(result.outputs)} trial images. {effects}.",
        )
    ]


def noise(width: int, height: int) -> np.ndarray:
    """A fixed noise picture, uint8 (height, width, 3): what a model is tried on where there is no image."""
    return np.random.default_rng(0).integers(0, 256, (height, width, CHANNELS), np.uint8)


def _top(output: np.ndarray) -> int:
    return int(np.argmax(output)) if output.size else -1


def _trials(
    process: ModelProcess, pictures: Sequence[bytes | np.ndarray], recipe: Recipe, base: np.ndarray | None
) -> list[tuple[np.ndarray, Answer]]:
    trials = []
    for picture in pictures:
        with suppress(ImageUnreadable):
            answer = process.run(picture, recipe, base, want_pixels=True)
            trials.append((answer.pixels, answer))
    if not trials:
        pixels = noise(*(recipe.steps[-1][:2] if recipe.steps else (512, 512)))
        trials.append((pixels, process.run(pixels, recipe, base)))
    return trials


def _versions(facts: ModelFacts, contract: Contract, file_name: str) -> list[Finding]:
    found = []
    if contract.highest_ir_version is not None and facts.ir_version > contract.highest_ir_version:
        found.append(
            warning(
                "ir-version",
                file_name,
                f"The file has IR version {facts.ir_version}; {contract.runtime} loads up to "
                f"{contract.highest_ir_version} and would refuse it. Set model.ir_version = "
                f"{contract.highest_ir_version} "
                "before onnx.save: the current onnx package writes a newer one by default.",
            )
        )
    if contract.highest_opset is not None and facts.opset > contract.highest_opset:
        found.append(
            warning(
                "opset-version",
                file_name,
                f"The model uses opset {facts.opset}; {contract.runtime} knows up to "
                f"{contract.highest_opset} and would refuse it. Export with "
                f"opset_version={contract.highest_opset}.",
            )
        )
    return found


def _inputs(inputs: Sequence[Tensor], contract: Contract, file_name: str) -> list[Finding]:
    wanted = f"image float32 (1, {CHANNELS}, H, W)" + (
        f", then float32 (1, {contract.vector})" if contract.vector else ""
    )
    most = 2 if contract.vector else 1
    if not inputs or len(inputs) > most:
        reason = "it has no input" if not inputs else f"it has {len(inputs)} inputs"
        return [_wrong_inputs(reason, wanted, inputs, file_name)]
    if len(inputs) == 2 and _is_vector(inputs[0], contract.vector) and _is_image(inputs[1]):
        return [_wrong_inputs("its two inputs are swapped", wanted, inputs, file_name)]
    faults = [_image_fault(inputs[0]), *(_vector_fault(tensor, contract.vector) for tensor in inputs[1:])]
    if any(faults):
        return [_wrong_inputs("; ".join(filter(None, faults)), wanted, inputs, file_name)]
    if len(inputs) == 1 and contract.vector:
        if contract.vector_required:
            return [_wrong_inputs("its second input is missing", wanted, inputs, file_name)]
        return [
            warning(
                "single-input",
                file_name,
                (
                    "The model takes the image only. It runs, but the rules ask for both inputs; the "
                    "demographics are not used."
                ),
            )
        ]
    return []


def _wrong_inputs(reason: str, wanted: str, inputs: Sequence[Tensor], file_name: str) -> Finding:
    found = ", ".join(f"'{_name(tensor)}' {_kind(tensor)}" for tensor in inputs[:4]) + (
        ", ..." if len(inputs) > 4 else ""
    )
    return error(
        "wrong-inputs",
        file_name,
        f"The model cannot be fed: {reason}. Needed, by position: {wanted}. Found: {found or 'nothing'}.",
    )


def _image_fault(tensor: Tensor) -> str:
    if tensor.dtype != FLOAT:
        return f"the first input is {_kind(tensor)}, not float32"
    if tensor.shape is None:
        return ""
    if len(tensor.shape) == 4 and tensor.shape[1] not in (CHANNELS, None) and tensor.shape[3] == CHANNELS:
        return "the first input has its channels last; export it with the channels first"
    if not _is_image(tensor):
        return f"the first input is no image with {CHANNELS} channels"
    if any(size is not None and not 1 <= size <= LARGEST_SIDE for size in tensor.shape[2:]):
        return f"the image's sides are not within 1 and {LARGEST_SIDE}"
    return ""


def _vector_fault(tensor: Tensor, length: int | None) -> str:
    if tensor.dtype != FLOAT:
        return f"the second input is {_kind(tensor)}, not float32"
    return (
        ""
        if tensor.shape is None or _is_vector(tensor, length)
        else f"the second input has not the shape (1, {length})"
    )


def _is_image(tensor: Tensor) -> bool:
    return tensor.shape is not None and len(tensor.shape) == 4 and tensor.shape[1] in (CHANNELS, None)


def _is_vector(tensor: Tensor, length: int | None) -> bool:
    return tensor.shape is not None and len(tensor.shape) == 2 and tensor.shape[1] in (length, None)


def _batch(inputs: Sequence[Tensor], file_name: str) -> list[Finding]:
    fixed = [
        tensor
        for tensor in inputs
        if tensor.shape and tensor.shape[0] not in (None, 1) and len(tensor.shape) in (2, 4)
    ]
    return [
        error(
            "fixed-batch",
            file_name,
            f"Input '{_name(tensor)}' takes {tensor.shape[0]} images at a time; images come one by one. "
            "Export with a dynamic batch axis (dynamic_axes={...: {0: 'batch'}}), or with 1.",
        )
        for tensor in fixed[:1]
    ]


def _output(facts: ModelFacts, contract: Contract, file_name: str, trial: Answer | None) -> list[Finding]:
    if contract.outputs is None or not facts.outputs:
        return []
    shapes = [tensor.shape for tensor in facts.outputs]
    if trial is not None:
        shapes = [None if output is None else output.shape for output in trial.outputs]
        widths = [-1 if output is None else output.size for output in trial.outputs]
    else:
        widths = [_width(tensor) for tensor in facts.outputs]
    if widths[0] in (contract.outputs, None):
        return []
    found = "no tensor of numbers" if shapes[0] is None else f"of shape {_axes(shapes[0])}"
    others = [
        _name(tensor)
        for tensor, width in zip(facts.outputs, widths, strict=True)
        if width == contract.outputs
    ]
    hint = f" Output '{others[0]}' has {contract.outputs}: make it the first." if others else ""
    return [
        error(
            "wrong-output",
            file_name,
            f"The first output '{_name(facts.outputs[0])}' is {found}; {contract.outputs} numbers per "
            f"image are needed, in the order of the classes.{hint}",
        )
    ]


def _width(tensor: Tensor) -> int | None:
    """Numbers per image that an output declares; None where axes are free, -1 where it cannot be a tensor of
    numbers."""
    if not tensor.dtype.startswith("tensor(") or tensor.dtype == "tensor(string)":
        return -1
    if tensor.shape is None:
        return None
    rest = tensor.shape[1:] if len(tensor.shape) > 1 else tensor.shape
    return None if None in rest else int(np.prod(rest, dtype=object))


def _axes(shape: Sequence[int | None]) -> str:
    return "(" + ", ".join("N" if size is None else str(size) for size in shape) + ")"


def _kind(tensor: Tensor) -> str:
    dtype = (
        tensor.dtype.removeprefix("tensor(").removesuffix(")")
        if tensor.dtype.startswith("tensor(")
        else tensor.dtype
    )
    return (
        f"{'float32' if dtype == 'float' else dtype} "
        f"{'of unknown shape' if tensor.shape is None else _axes(tensor.shape)}"
    )


def _name(tensor: Tensor) -> str:
    return "".join(character if " " <= character <= "~" else "?" for character in tensor.name[:60])
