"""Scans an ONNX file before it is loaded. For the check of inputs see `model_contract`.

It refuses operators of unknown domains, external files and content that makes the runtime's memory grow, and
summarises the rest.

How much memory ConstantOfShape, Loop, Expand and similar operators need depends on data. A scan cannot know
this, so only the worker's limits help. Sources: onnx.proto3 and the runtime's published security fixes. The
scan runs in the worker, because the protobuf parser, too, reads untrusted bytes.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import onnx
from onnx import numpy_helper

MOST_NODES = 50_000
MOST_SPARSE_BYTES = 256 << 20
MOST_METADATA_ENTRIES, MOST_METADATA_CHARACTERS = 100, 10_000
DEEPEST_CALL = 200
KNOWN_DOMAINS = ("", "ai.onnx.ml", "com.microsoft")
_ONE_FILE = "Save it as one file: onnx.save(onnx.load(path), out, save_as_external_data=False)."
_EXPORT = "Export the network with torch.onnx.export, tf2onnx or skl2onnx."
_HDF5 = b"\x89HDF\r\n\x1a\n"
_PICKLES = tuple(b"\x80" + bytes([protocol]) for protocol in range(2, 6))
_MODEL_FIELDS = frozenset(field.number for field in onnx.ModelProto.DESCRIPTOR.fields)

Function = tuple[str, str, str]


class ModelRefused(Exception):
    """Raised for a model that is not loaded. `code` is the code of the finding; `message` contains the
    problem and its fix."""

    def __init__(self, code: str, message: str):
        super().__init__(message)
        self.code, self.message = code, message


def scan(data: bytes) -> dict[str, Any]:
    """Return what an ONNX file declares.

    Returns:
        ir_version, opset (of the default domain), opsets (domain -> version), nodes (including subgraphs and
            functions), scalars (names of inputs and outputs of the graph that are declared without axes),
            random (see `random_operators`), from_0_to_1 (see `ends_from_0_to_1`), metadata (entries of the
            model, name -> text).

    Raises:
        ModelRefused: With `model-unreadable` or `external-data`, if the file cannot be read or needs other
            files.
    """
    check_kind(data)
    try:
        model = onnx.ModelProto.FromString(data)
    except MemoryError:
        raise
    # The parser raises DecodeError, UnicodeDecodeError, RecursionError ... depending on where the damage is.
    except Exception:
        raise _unreadable(
            f"The file is damaged or is not an ONNX model ({len(data)} bytes). {_EXPORT}"
        ) from None
    if not model.HasField("graph") or not model.graph.node:
        raise _unreadable(f"The file holds no network: its graph is empty or missing. {_EXPORT}")
    nodes = sparse_bytes = 0
    messages = []
    for message in walk(model):
        messages.append(message)
        if isinstance(message, onnx.TensorProto):
            check_tensor(message)
        elif isinstance(message, onnx.SparseTensorProto):
            sparse_bytes += dense_bytes(message)
            if sparse_bytes > MOST_SPARSE_BYTES:
                raise _unreadable(
                    f"The model's sparse tensors unfold to more than {MOST_SPARSE_BYTES >> 20} MiB. Store "
                    "dense tensors."
                )
        elif isinstance(message, onnx.NodeProto):
            nodes += 1
            if nodes > MOST_NODES:
                raise _unreadable(
                    f"The network has more than {MOST_NODES:,} nodes. Simplify it, for example with onnxsim."
                )
    check_functions(model)
    opsets = {_domain(entry.domain): entry.version for entry in model.opset_import}
    types = {_text(value.name): value.type.tensor_type for value in (*model.graph.input, *model.graph.output)}
    return {
        "ir_version": model.ir_version,
        "opset": opsets.get("", 0),
        "nodes": nodes,
        "opsets": {name or "ai.onnx": version for name, version in opsets.items()},
        "random": random_operators(messages, opsets.get("", 0)),
        "from_0_to_1": ends_from_0_to_1(model),
        "scalars": [name for name, kind in types.items() if kind.HasField("shape") and not kind.shape.dim],
        "metadata": {
            _text(entry.key)[:MOST_METADATA_CHARACTERS]: _text(entry.value)[:MOST_METADATA_CHARACTERS]
            for entry in model.metadata_props[:MOST_METADATA_ENTRIES]
        },
    }


def check_kind(data: bytes) -> None:
    """Refuse files whose first bytes are not those of ONNX, and files that are shorter than they declare."""
    start = data[:256].lstrip()
    if not data:
        raise _unreadable("The file is empty (0 bytes). The upload may have been cut off: drop it again.")
    if data[:2] in _PICKLES:
        raise _unreadable(f"This is a Python pickle, not an ONNX model; it was not opened. {_EXPORT}")
    if start.startswith(b"PK\x03\x04"):
        raise _unreadable(
            f"This is a zip archive, perhaps a PyTorch checkpoint (.pt), not an ONNX model. {_EXPORT}"
        )
    if start.startswith(_HDF5):
        raise _unreadable(f"This is an HDF5 file, perhaps from Keras, not an ONNX model. {_EXPORT}")
    if data[4:8] == b"TFL3":
        raise _unreadable(f"This is a TensorFlow Lite model, not an ONNX model. {_EXPORT}")
    if data[:2] == b"\x1f\x8b":
        raise _unreadable("This is a gzip file. Unpack it and give the .onnx file inside.")
    if start[:1] == b"<" or start.lower().startswith(b"version https://git-lfs"):
        raise _unreadable(
            "This file is a web page or a text placeholder, not an ONNX model. Download the model itself."
        )
    announced = announced_size(data)
    if announced > len(data):
        raise _unreadable(
            f"The file is cut off: {len(data):,} bytes are there, but the file announces "
            f"{announced:,} or more. Copy the file again."
        )


def announced_size(data: bytes) -> int:
    """Return the number of bytes after which the last top-level field of a protobuf message ends, according
    to the length that it declares; `len(data)` for other bytes.

    Source: https://protobuf.dev/programming-guides/encoding/
    """
    at = 0
    while at < len(data):
        key, after_key = _varint(data, at)
        value, after_value = _varint(data, after_key)
        ends = {0: after_value, 1: after_key + 8, 2: after_value + value, 5: after_key + 4}
        if key >> 3 not in _MODEL_FIELDS or key & 7 not in ends:
            return len(data)
        at = ends[key & 7]
    return at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            break
    return value, at


def walk(root: Any) -> Iterator[Any]:
    """Yield `root` and every protobuf message below it, in any place that some schema version allows. Tensors
    are not entered."""
    stack = [root]
    while stack:
        message = stack.pop()
        yield message
        if isinstance(message, onnx.TensorProto):
            continue
        for field, value in reversed(message.ListFields()):
            if field.message_type is not None:
                stack.extend(reversed(value) if field.is_repeated else (value,))


def check_tensor(tensor: onnx.TensorProto) -> None:
    """Refuse a tensor with data in another file, or with negative dimensions."""
    if tensor.data_location == onnx.TensorProto.EXTERNAL or tensor.external_data:
        raise ModelRefused(
            "external-data",
            (
                f"The data of tensor '{_printable(tensor.name)}' are in another file, and only the .onnx "
                f"file is read. {_ONE_FILE}"
            ),
        )
    if any(size < 0 for size in tensor.dims):
        raise _unreadable(f"Tensor '{_printable(tensor.name)}' has a negative dimension. {_EXPORT}")


def dense_bytes(tensor: onnx.SparseTensorProto) -> int:
    """Return the bytes that a sparse tensor needs when it is expanded, at 8 bytes per value."""
    size = 8
    for dimension in tensor.dims:
        if dimension < 0:
            raise _unreadable(
                f"Sparse tensor '{_printable(tensor.values.name)}' has a negative dimension. {_EXPORT}"
            )
        size *= dimension
    return size


def check_functions(model: onnx.ModelProto) -> None:
    """Refuse undefined operators, recursive functions, and networks that are too large after inlining
    functions."""
    bodies = {}
    for function in model.functions:
        key = _key(function.domain, function.name, function.overload)
        if key in bodies:
            raise _unreadable(f"Function '{_printable(function.name)}' is defined twice. {_EXPORT}")
        bodies[key] = calls(function.node)
    graphs = calls(model.graph.node)
    for training in model.training_info:
        graphs += calls(training.initialization.node) + calls(training.algorithm.node)
    for domain, name, _ in [
        key for counted in (graphs, *bodies.values()) for key in counted if key not in bodies
    ]:
        if domain not in KNOWN_DOMAINS:
            raise _unreadable(
                f"Operator '{_printable(name)}' of domain '{_printable(domain)}' is not a standard ONNX "
                "operator; Benchside runs only standard "
                "operators. Export the network with standard operators."
            )
    total = inlined(graphs, bodies)
    if total > MOST_NODES:
        raise _unreadable(
            f"The network becomes {total:,} nodes when its functions are inlined; {MOST_NODES:,} "
            "are allowed. Simplify it."
        )


def calls(nodes: Iterable[onnx.NodeProto]) -> Counter[Function]:
    """Count how often `nodes` and the graphs inside them call each operator or function."""
    return Counter(
        _key(message.domain, message.op_type, message.overload)
        for node in nodes
        for message in walk(node)
        if isinstance(message, onnx.NodeProto)
    )


def inlined(graph: Counter[Function], bodies: dict[Function, Counter[Function]]) -> int:
    """Return the number of nodes after replacing every function call by the function's body."""
    sizes: dict[Function, int] = {}
    under_way: set[Function] = set()

    def size(key: Function, depth: int) -> int:
        if key not in bodies:
            return 1
        if key in under_way:
            raise _unreadable(f"Function '{_printable(key[1])}' calls itself. {_EXPORT}")
        if depth > DEEPEST_CALL:
            raise _unreadable(f"Functions are nested more than {DEEPEST_CALL} deep. Simplify the network.")
        if key not in sizes:
            under_way.add(key)
            sizes[key] = sum(times * size(callee, depth + 1) for callee, times in bodies[key].items())
            under_way.remove(key)
        return sizes[key]

    for key in bodies:
        size(key, 0)
    return sum(times * size(key, 0) for key, times in graph.items())


def _key(domain: str | bytes, name: str | bytes, overload: str | bytes) -> Function:
    return _domain(domain), _text(name), _text(overload)


def _domain(name: str | bytes) -> str:
    return "" if name in ("ai.onnx", b"ai.onnx") else _text(name)


def _text(name: str | bytes) -> str:
    """Return a string of the file; the parser gives bytes where it is not UTF-8."""
    return name if isinstance(name, str) else name.decode("utf-8", "replace")


def _printable(name: str | bytes, most: int = 80) -> str:
    """Return a name of the file for a message: printable ASCII, cut short."""
    return "".join(character if " " <= character <= "~" else "?" for character in _text(name)[:most])


def _unreadable(message: str) -> ModelRefused:
    return ModelRefused("model-unreadable", message)


FROM_0_TO_1 = ("Sigmoid", "Softmax")
REARRANGING = ("Identity", "Flatten", "Reshape", "Squeeze", "Unsqueeze")
"""Operators whose results are from 0 to 1; operators that leave every number as it is."""


def ends_from_0_to_1(model: onnx.ModelProto) -> bool:
    """Return whether the graph proves that all numbers of the first output are from 0 to 1, because it ends
    in a sigmoid or softmax."""
    standard = not any(_domain(function.domain) == "" for function in model.functions)
    makers = {name: node for node in model.graph.node for name in node.output}
    name = model.graph.output[0].name if model.graph.output and standard else ""
    for _ in model.graph.node:
        node = makers.get(name)
        if node is None or _domain(node.domain) or node.op_type not in REARRANGING or not node.input:
            return node is not None and not _domain(node.domain) and node.op_type in FROM_0_TO_1
        name = node.input[0]
    return False


RANDOM = frozenset(
    ("RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli")
)
MOST = 20
"""Maximum number of operators in a list."""
MODE_AS_ATTRIBUTE, DROPOUT_MODE_AS_INPUT, NORMALIZATION_MODE_AS_ATTRIBUTE = 7, 12, 14
"""Before these versions of the operator set, an operator states its training mode in an older way. Before the
first version, it is the attribute `is_test`."""

Found = tuple[str, str, bool]
"""Operator, name of the node (or of its output), and whether it has a seed."""


def random_operators(messages: Sequence[Any], opset: int) -> list[Found]:
    """Return at most MOST operators with random results: random operators, and Dropout and BatchNormalization
    in training mode."""
    constants = _flags(messages)
    operators = []
    for node in (m for m in messages if isinstance(m, onnx.NodeProto)):
        trained = node.op_type in ("Dropout", "BatchNormalization") and _in_training(node, opset, constants)
        if trained or node.op_type in RANDOM:
            name = node.name or next(iter(node.output), "")
            operators.append((node.op_type, _text(name), _attribute(node, "seed") is not None))
    return operators[:MOST]


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
    """Return an attribute that the node itself gives a value, None if it has none or a function's caller
    gives it."""
    return next((a for a in node.attribute if a.name == name and not a.ref_attr_name), None)


def _flags(messages: Sequence[Any]) -> dict[str, bool | None]:
    """Return the truth of every constant of one element by name; None if graphs disagree on a name."""
    flags: dict[str, bool | None] = {}

    def add(name: str | bytes, tensor: onnx.TensorProto) -> None:
        value = _flag(tensor)
        key = _text(name)
        flags[key] = value if flags.setdefault(key, value) == value else None

    for message in messages:
        if isinstance(message, onnx.GraphProto):
            for tensor in message.initializer:
                add(tensor.name, tensor)
        elif isinstance(message, onnx.NodeProto) and message.op_type == "Constant" and message.output:
            value = _attribute(message, "value")
            if value is not None:
                add(message.output[0], value.t)
    return flags


def _flag(tensor: onnx.TensorProto) -> bool | None:
    if tensor.data_type != onnx.TensorProto.BOOL or any(size != 1 for size in tensor.dims):
        return None
    try:
        return bool(numpy_helper.to_array(tensor).any())
    except (ValueError, TypeError):  # fewer bytes than its shape says
        return None
