"""Find what makes a network answer otherwise each time, without running it: random operators, and Dropout and
BatchNormalization in training mode, at any depth of graphs and functions.

Sources: the operators of ONNX and their versions (https://onnx.ai/onnx/operators/).
"""

from collections.abc import Sequence
from typing import Any

import onnx
from onnx import numpy_helper

RANDOM = frozenset(
    ("RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli")
)
MOST = 20
"""Operators that are listed at most."""
MODE_AS_ATTRIBUTE, DROPOUT_MODE_AS_INPUT, NORMALIZATION_MODE_AS_ATTRIBUTE = 7, 12, 14
"""Versions: until the first, `is_test` says whether a network is used or trained."""

Found = tuple[str, str, bool]
"""Operator, name of the node (or of its output), whether it has a seed."""


def random_operators(messages: Sequence[Any], opset: int) -> list[Found]:
    """Return the random operators, and Dropout and BatchNormalization in training mode, at most MOST.

    Args:
        messages: Every protobuf message of a model.
        opset: Version of the default operators.
    """
    constants = _flags(messages)
    found = []
    for node in (m for m in messages if isinstance(m, onnx.NodeProto)):
        trained = node.op_type in ("Dropout", "BatchNormalization") and _in_training(node, opset, constants)
        if trained or node.op_type in RANDOM:
            name = node.name or next(iter(node.output), "")
            found.append((node.op_type, _text(name), _attribute(node, "seed") is not None))
    return found[:MOST]


def _in_training(node: onnx.NodeProto, opset: int, constants: dict[str, bool | None]) -> bool:
    if opset < MODE_AS_ATTRIBUTE:
        test = _attribute(node, "is_test")
        return test is None or test.i == 0
    if node.op_type == "Dropout":
        # where only the run decides, the trial runs show it
        mode = node.input[2] if opset >= DROPOUT_MODE_AS_INPUT and len(node.input) > 2 else ""
        return bool(mode) and constants.get(_text(mode)) is True
    if opset < NORMALIZATION_MODE_AS_ATTRIBUTE:
        return sum(map(bool, node.output)) > 1
    mode = _attribute(node, "training_mode")
    return mode is not None and mode.i != 0


def _attribute(node: onnx.NodeProto, name: str) -> Any:
    """Return an attribute that the node itself gives a value, None where it has none or a function's caller
    gives it."""
    return next((a for a in node.attribute if a.name == name and not a.ref_attr_name), None)


def _flags(messages: Sequence[Any]) -> dict[str, bool | None]:
    """Return the truth of every constant of one element by name; None where graphs disagree on a name."""
    found: dict[str, bool | None] = {}

    def add(name: str | bytes, tensor: onnx.TensorProto) -> None:
        value = _flag(tensor)
        key = _text(name)
        found[key] = value if found.setdefault(key, value) == value else None

    for message in messages:
        if isinstance(message, onnx.GraphProto):
            for tensor in message.initializer:
                add(tensor.name, tensor)
        elif isinstance(message, onnx.NodeProto) and message.op_type == "Constant" and message.output:
            value = _attribute(message, "value")
            if value is not None:
                add(message.output[0], value.t)
    return found


def _flag(tensor: onnx.TensorProto) -> bool | None:
    if tensor.data_type != onnx.TensorProto.BOOL or any(size != 1 for size in tensor.dims):
        return None
    try:
        return bool(numpy_helper.to_array(tensor).any())
    except (ValueError, TypeError):  # fewer bytes than its shape says
        return None


def _text(name: str | bytes) -> str:
    return name if isinstance(name, str) else name.decode("utf-8", "replace")
