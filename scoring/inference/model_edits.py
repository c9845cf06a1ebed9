"""Edits of an ONNX model before it runs: operators are added before the first input and after the first
output."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import onnx
from onnx import GraphProto, helper, numpy_helper

from scoring.common.findings import InputRefused, error
from scoring.common.fixes import BGR, Pairs
from scoring.common.transport import isolated
from scoring.inference.adapters import CHANNELS
from scoring.inference.onnx_scan import ModelRefused, scan

ADDED = "benchside"
"""Prefix of the names of added tensors."""
MAP = 4
"""Number of axes of an output that is a map (1, K, H, W)."""
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
NORMALISED = {
    "imagenet": (MEAN, tuple(1 / deviation for deviation in DEVIATION)),
    "signed": ((0.5,), (2.0,)),
}
"""Pixel range -> number that is subtracted from pixels from 0 to 1, and number by which the result is
multiplied; each is one value per channel, or one for all channels."""
FLOATS = {
    onnx.TensorProto.FLOAT: np.float32,
    onnx.TensorProto.FLOAT16: np.float16,
    onnx.TensorProto.DOUBLE: np.float64,
}


@isolated
def edited_model(data: bytes, name: str, edits: Pairs) -> bytes:
    """Return a model changed by edits: operators are added, or inputs and outputs are reordered.

    Args:
        edits: Name of each edit in `EDITS`, and its value.

    Raises:
        InputRefused: If the model cannot be read, or with `bad-option` if an edit names an input or output
            that it does not have.
    """
    try:
        scan(data)
    except ModelRefused as refused:
        raise InputRefused([error(refused.code, name, refused.message)]) from refused
    model = onnx.ModelProto.FromString(data)
    graph = model.graph
    if not graph.input or not graph.output:
        raise InputRefused([error("model-unreadable", name, "The network has no input or no output.")])
    try:
        for edit, value in edits:
            EDITS[edit](graph, value)
    except (IndexError, KeyError, ValueError) as fault:
        message = (
            f"The model has {len(graph.input)} inputs and {len(graph.output)} outputs; the option names "
            "others."
        )
        raise InputRefused([error("bad-option", name, message)]) from fault
    written: bytes = model.SerializeToString(deterministic=True)
    return written


def _named(graph: GraphProto) -> str:
    """Return the name of a new tensor."""
    return f"{ADDED}_{len(graph.node)}"


def _constant(graph: GraphProto, values: np.ndarray) -> str:
    name = _named(graph)
    graph.node.append(helper.make_node("Constant", [], [name], value=numpy_helper.from_array(values)))
    return name


def _behind(graph: GraphProto, operator: str, *others: str, **attributes: Any) -> None:
    """Add an operator behind the first output, which becomes the first output."""
    name = _named(graph)
    graph.node.append(helper.make_node(operator, [graph.output[0].name, *others], [name], **attributes))
    graph.output[0].name = name


def _order(graph: GraphProto, value: str) -> None:
    places = np.array([int(place) - 1 for place in value.split()], np.int64)
    _behind(graph, "Gather", _constant(graph, places), axis=1)
    dims = graph.output[0].type.tensor_type.shape.dim
    if len(dims) > 1:
        dims[1].dim_value = len(places)


def _softmax(graph: GraphProto, _value: str) -> None:
    """Add a softmax over the second axis; older versions of the operator take only the last one."""
    if len(graph.output[0].type.tensor_type.shape.dim) != MAP:
        _behind(graph, "Softmax", axis=1)
        return
    _behind(graph, "Transpose", perm=[0, 2, 3, 1])
    _behind(graph, "Softmax", axis=3)
    _behind(graph, "Transpose", perm=[0, 3, 1, 2])


def _sigmoid(graph: GraphProto, _value: str) -> None:
    _behind(graph, "Sigmoid")


def _complement(graph: GraphProto, _value: str) -> None:
    dtype = FLOATS.get(graph.output[0].type.tensor_type.elem_type, np.float32)
    _behind(graph, "Neg")
    _behind(graph, "Add", _constant(graph, np.array(1, dtype)))


def _pixels(graph: GraphProto, value: str) -> None:
    """Let the image come in with other pixels than those from 0 to 1; one of whole numbers has its own
    range."""
    picture = graph.input[0]
    dtype = FLOATS.get(picture.type.tensor_type.elem_type)
    if dtype is None:
        return
    shape = [dim.dim_value for dim in picture.type.tensor_type.shape.dim]
    axis = 3 if shape[3:] == [CHANNELS] and shape[1] != CHANNELS else 1
    kind = value.removesuffix(BGR)
    less, factor = NORMALISED.get(kind) or ((0.0,), (float(kind),))
    places = np.arange(CHANNELS)[:: 1 if kind == value else -1]
    steps: list[tuple[str, np.ndarray, dict[str, Any]]] = (
        [("Gather", places.astype(np.int64), {"axis": axis})] if kind != value else []
    )
    for operator, numbers in (("Sub", less), ("Mul", factor)):
        of_channel = np.broadcast_to(np.array(numbers, dtype), CHANNELS)[places]
        steps.append((operator, of_channel.reshape((-1,) + (1,) * (3 - axis)), {}))
    plain, picture.name = picture.name, f"{ADDED}_pixels"
    nodes, source = [], picture.name
    for place, (operator, constant, attributes) in enumerate(steps):
        held = f"{ADDED}_pixels_{place}"
        target = plain if place == len(steps) - 1 else f"{held}_done"
        nodes.append(helper.make_node("Constant", [], [held], value=numpy_helper.from_array(constant)))
        nodes.append(helper.make_node(operator, [source, held], [target], **attributes))
        source = target
    _replaced(graph.node, [*nodes, *graph.node])


def _first(graph: GraphProto, value: str) -> None:
    """Let an output be the first; one of names and scores, as a `ZipMap` makes it, as its scores alone."""
    outputs = list(graph.output)
    chosen = outputs.pop(int(value) - 1)
    zipped = next((n for n in graph.node if n.op_type == "ZipMap" and chosen.name in n.output), None)
    if zipped is not None:
        graph.node.remove(zipped)
        count = max(len(names.strings) + len(names.ints) for names in zipped.attribute)
        chosen = helper.make_tensor_value_info(zipped.input[0], onnx.TensorProto.FLOAT, ("N", count))
    _replaced(graph.output, [chosen, *outputs])


def _inputs(graph: GraphProto, value: str) -> None:
    known = list(graph.input)
    _replaced(graph.input, [known[int(place) - 1] for place in value.split()])


def _vector(graph: GraphProto, _value: str) -> None:
    """Let one vector of float32 come in for all inputs after the first, a number each if there are several,
    as the numbers that they declare."""
    stored = {tensor.name for tensor in graph.initializer}
    picture, *others = (entry for entry in graph.input if entry.name not in stored)
    vector, nodes = f"{ADDED}_vector", []
    for place, entry in enumerate(others):
        source, kind = vector, entry.type.tensor_type
        if len(others) > 1:
            index = np.array([place] if len(kind.shape.dim) > 1 else place, np.int64)
            source, constant = f"{vector}_{place}", f"{vector}_place_{place}"
            nodes += [
                helper.make_node("Constant", [], [constant], value=numpy_helper.from_array(index)),
                helper.make_node("Gather", [vector, constant], [source], axis=1),
            ]
        nodes.append(helper.make_node("Cast", [source], [entry.name], to=kind.elem_type))
    _replaced(graph.node, [*nodes, *graph.node])
    declared = next((dim.dim_value for dim in others[0].type.tensor_type.shape.dim[1:]), 0)
    shape = ["N", len(others) if len(others) > 1 else declared or None]
    joined = helper.make_tensor_value_info(vector, onnx.TensorProto.FLOAT, shape)
    _replaced(graph.input, [picture, joined, *(entry for entry in graph.input if entry.name in stored)])


def _replaced(entries: Any, others: list[Any]) -> None:
    del entries[:]
    entries.extend(others)


EDITS: Mapping[str, Callable[[GraphProto, str], None]] = {
    "order": _order,
    "softmax": _softmax,
    "sigmoid": _sigmoid,
    "complement": _complement,
    "pixels": _pixels,
    "first": _first,
    "inputs": _inputs,
    "vector": _vector,
}
"""Name of an edit -> function that applies it to a network."""
