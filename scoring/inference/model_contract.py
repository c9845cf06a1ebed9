"""Contract between a challenge and a model (inputs, image size, ONNX versions, outputs), and the check
whether a model meets it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.common.findings import Finding, error, note, warning
from scoring.common.fixes import editing
from scoring.inference.adapters import CHANNELS, FLOAT
from scoring.inference.preprocessing import Pixels
from scoring.inference.worker_results import ModelFacts, ModelFailed, ModelOutput, RandomOperator, Tensor

LARGEST_SIDE = 8192
SHOWN = 5
ZIPPED = "seq(map("
WHOLE = ("tensor(int64)", "tensor(int32)")
NORMALIZATION = "BatchNormalization"
EVALUATION_MODE = "Export it in evaluation mode: model.eval() before torch.onnx.export."
REPEATABLE = f"{EVALUATION_MODE} Replace other random operators by constants."


@dataclass(frozen=True)
class Contract:
    """Inputs and outputs that a challenge requires.

    Attributes:
        vector: Length of the second input; None if there is none.
        vector_required: Whether models must take the second input. If not, models that take only the image
            get the finding `single-input`.
        outputs: Number of values per image in the first output; None if the challenge checks this number
            itself.
        highest_ir_version: Highest version of the file format that the challenge's runtime loads, if known.
        highest_opset: Highest version of the operators that the challenge's runtime loads, if known.
    """

    vector: int | None = None
    vector_required: bool = False
    outputs: int | None = None
    highest_ir_version: int | None = None
    highest_opset: int | None = None
    runtime: str = "the challenge's runtime"


def failure(file_name: str, failed: ModelFailed, on: str = "a trial input") -> Finding:
    """Return the finding about a model that cannot be loaded or run. `on` is the input of the run, for a
    sentence."""
    return error(failed.code, file_name, failed.on(on))


def examine(
    facts: ModelFacts, contract: Contract, file_name: str, trial: ModelOutput | None = None
) -> list[Finding]:
    """Return a finding for every violation of the contract: by ONNX versions, inputs, batch axis or first
    output.

    Args:
        trial: Outputs for one image. If given, they are checked instead of the declared first output, because
            the runtime does not compare both.
    """
    return [
        *_versions(facts, contract, file_name),
        *_inputs(facts.inputs, contract, file_name),
        *_adapted(facts, contract, file_name),
        *_output(facts, contract, file_name, trial),
    ]


def image_size(facts: ModelFacts) -> tuple[int | None, int | None]:
    """Return the width and height that the first input declares; None for an axis whose size the model leaves
    open. The model must have passed `examine` without errors."""
    shape = facts.inputs[0].shape if facts.inputs else None
    return (shape[3], shape[2]) if shape is not None and len(shape) == 4 else (None, None)


def noise(width: int, height: int) -> Pixels:
    """Return a fixed noise image for trying a model without other images."""
    return np.random.default_rng(0).integers(0, 256, (height, width, CHANNELS), np.uint8)


def repeatability(facts: ModelFacts, file_name: str, moved: float) -> list[Finding]:
    """Return findings if the outputs of a model may vary between runs.

    `random-model`: the model has random operators, or two runs differ. It is an error unless each operator
    has a seed and two runs agreed. `training-mode`: BatchNormalization is in training mode.

    Args:
        moved: Largest absolute difference between two runs on the same image.
    """
    random = [operator for operator in facts.graph.random if operator.operator != NORMALIZATION]
    trained = [operator for operator in facts.graph.random if operator.operator == NORMALIZATION]
    findings = []
    if trained:
        sentence = (
            f"These operators are in training mode: {_listed(trained)}. The model therefore "
            "normalizes each image by the image's own values instead of the learned values."
        )
        findings.append(warning("training-mode", file_name, f"{sentence} {EVALUATION_MODE}"))
    named = f"Random operators: {_listed(random)}." if random else "No operator is known to be random."
    if moved > 0:
        sentence = f"Two runs on the same image differ by up to {moved:.3g}, so scores cannot be reproduced."
        findings.append(error("random-model", file_name, f"{sentence} {named} {REPEATABLE}"))
    elif not all(operator.seeded for operator in random):
        sentence = (
            f"The model has random operators without a seed, so its score may differ from run to run. {named}"
        )
        findings.append(error("random-model", file_name, f"{sentence} {REPEATABLE}"))
    elif random:
        sentence = (
            f"{named} Because these operators have seeds, two runs on the same image agree on "
            "this machine; runs on other machines may differ."
        )
        findings.append(warning("random-model", file_name, f"{sentence} {REPEATABLE}"))
    return findings


def _listed(operators: Sequence[RandomOperator]) -> str:
    names = [
        f"{operator.operator} {operator.name!r}" if operator.name else operator.operator
        for operator in operators
    ]
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def _versions(facts: ModelFacts, contract: Contract, file_name: str) -> list[Finding]:
    findings = []
    if contract.highest_ir_version is not None and facts.graph.ir_version > contract.highest_ir_version:
        findings.append(
            warning(
                "ir-version",
                file_name,
                f"The file has IR version {facts.graph.ir_version}; {contract.runtime} loads up to "
                f"{contract.highest_ir_version} and would refuse it. Set model.ir_version = "
                f"{contract.highest_ir_version} "
                "before onnx.save: the current onnx package writes a newer version by default.",
            )
        )
    if contract.highest_opset is not None and facts.graph.opset > contract.highest_opset:
        findings.append(
            warning(
                "opset-version",
                file_name,
                f"The model uses opset {facts.graph.opset}; {contract.runtime} knows up to "
                f"{contract.highest_opset} and would refuse it. Export with "
                f"opset_version={contract.highest_opset}.",
            )
        )
    return findings


def _inputs(inputs: Sequence[Tensor], contract: Contract, file_name: str) -> list[Finding]:
    wanted = f"image float32 (1, {CHANNELS}, H, W)" + (
        f", then float32 (1, {contract.vector})" if contract.vector else ""
    )
    most = 2 if contract.vector else 1
    if not inputs or len(inputs) > most:
        reason = "it has no input" if not inputs else f"it has {len(inputs)} inputs"
        apart = len(inputs) - 1 == contract.vector and all(map(_is_one_number, inputs[1:]))
        label = f"Give the model the inputs {', '.join(map(_name, inputs[1:]))}, in this order"
        fixes = (editing("vector", label=label),) * apart
        return [_wrong_inputs(reason, wanted, inputs, file_name).with_fixes(*fixes)]
    if len(inputs) == 2 and _is_vector(inputs[0], contract.vector) and _is_image(inputs[1]):
        swapped = editing("inputs", "2 1", "Exchange the two inputs of the model")
        return [_wrong_inputs("its two inputs are swapped", wanted, inputs, file_name).with_fixes(swapped)]
    faults = [_image_fault(inputs[0]), *(_vector_fault(tensor, contract.vector) for tensor in inputs[1:])]
    if any(faults):
        whole = not faults[0] and len(inputs) == 2 and inputs[1].dtype in WHOLE
        fixes = (editing("vector", label="Give whole numbers to the second input"),) * whole
        return [_wrong_inputs("; ".join(filter(None, faults)), wanted, inputs, file_name).with_fixes(*fixes)]
    if len(inputs) == 1 and contract.vector:
        if contract.vector_required:
            return [_wrong_inputs("its second input is missing", wanted, inputs, file_name)]
        return [
            warning(
                "single-input",
                file_name,
                (
                    "The model takes the image only. The model runs, but the rules ask for both inputs; "
                    "the demographics are not used."
                ),
            )
        ]
    return []


def _wrong_inputs(reason: str, wanted: str, inputs: Sequence[Tensor], file_name: str) -> Finding:
    declared = ", ".join(f"'{_name(tensor)}' {_kind(tensor)}" for tensor in inputs[:4]) + (
        ", ..." if len(inputs) > 4 else ""
    )
    return error(
        "wrong-inputs",
        file_name,
        f"The model's inputs do not fit: {reason}. Needed in order: {wanted}. Found: {declared or 'none'}.",
    )


def _image_fault(tensor: Tensor) -> str:
    if tensor.dtype != FLOAT:
        return f"the first input is {_kind(tensor)}, not float32"
    if tensor.shape is None:
        return ""
    if not _is_image(tensor):
        return f"the first input is not an image with {CHANNELS} channels"
    if any(size is not None and not 1 <= size <= LARGEST_SIDE for size in tensor.shape[2:]):
        return f"the image's sides are not within 1 and {LARGEST_SIDE}"
    return ""


def _vector_fault(tensor: Tensor, length: int | None) -> str:
    if tensor.dtype != FLOAT:
        return f"the second input is {_kind(tensor)}, not float32"
    return (
        ""
        if tensor.shape is None or _is_vector(tensor, length)
        else f"the second input does not have the shape (1, {length})"
    )


def _is_one_number(tensor: Tensor) -> bool:
    return tensor.dtype in (FLOAT, *WHOLE) and tensor.shape is not None and tensor.shape[1:] in ((), (1,))


def _is_image(tensor: Tensor) -> bool:
    return tensor.shape is not None and len(tensor.shape) == 4 and tensor.shape[1] in (CHANNELS, None)


def _is_vector(tensor: Tensor, length: int | None) -> bool:
    return tensor.shape is not None and len(tensor.shape) == 2 and tensor.shape[1] in (length, None)


def _adapted(facts: ModelFacts, contract: Contract, file_name: str) -> list[Finding]:
    if not facts.adapter:
        return []
    sentence = (
        f"The model does not take float32 (1, {CHANNELS}, H, W): Benchside converts the image to "
        f"{facts.adapter}."
    )
    if contract.highest_opset is None:
        return [note("adapted-input", file_name, sentence)]
    sentence = f"{sentence} {contract.runtime.capitalize()} converts nothing and would refuse the model."
    return [warning("adapted-input", file_name, sentence)]


def _output(
    facts: ModelFacts, contract: Contract, file_name: str, trial: ModelOutput | None
) -> list[Finding]:
    if contract.outputs is None or not facts.outputs:
        return []
    shapes: list[tuple[int | None, ...] | None]
    widths: list[int | None]
    if trial is not None:
        shapes = [None if output is None else output.shape for output in trial.outputs]
        widths = [-1 if output is None else output.size for output in trial.outputs]
    else:
        shapes = [tensor.shape for tensor in facts.outputs]
        widths = [_width(tensor) for tensor in facts.outputs]
    if widths[0] in (contract.outputs, None):
        return []
    shape = None if facts.outputs[0].dtype == "tensor(string)" else shapes[0]
    description = "no tensor of numbers" if shape is None else f"of shape {_axes(shape)}"
    others = [
        _name(tensor)
        for tensor, width in zip(facts.outputs, widths, strict=True)
        if width == contract.outputs
    ]
    if not others:  # names with scores, of which the scores can be taken
        others = [_name(tensor) for tensor in facts.outputs if tensor.dtype.startswith(ZIPPED)]
        widths = [contract.outputs if tensor.dtype.startswith(ZIPPED) else None for tensor in facts.outputs]
    hint = f" Output '{others[0]}' has {contract.outputs}: make this output the first." if others else ""
    rank = str(1 + widths.index(contract.outputs)) if others else ""
    fixes = (editing("first", rank, f"Score output {others[0]!r}"),) if others else ()
    return [
        error(
            "wrong-output",
            file_name,
            f"The first output '{_name(facts.outputs[0])}' is {description}; {contract.outputs} numbers per "
            f"image are needed, in the order of the classes.{hint}",
        ).with_fixes(*fixes)
    ]


def _width(tensor: Tensor) -> int | None:
    """Return how many numbers per image an output declares; None if axes are free, -1 if it cannot be a
    tensor of numbers."""
    if not tensor.dtype.startswith("tensor(") or tensor.dtype == "tensor(string)":
        return -1
    if tensor.shape is None:
        return None
    rest = tensor.shape[1:] if len(tensor.shape) > 1 else tensor.shape
    sizes = [size for size in rest if size is not None]
    return math.prod(sizes) if len(sizes) == len(rest) else None


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
