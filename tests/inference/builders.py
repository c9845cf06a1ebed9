"""Small ONNX models, friendly and hostile, built for the tests."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

IMAGE = ("image", TensorProto.FLOAT, ["N", 3, None, None])
VECTOR = ("demographics", TensorProto.FLOAT, ["N", 3])
SCORES = ("scores", TensorProto.FLOAT, ["N", 11])


def initializer(name: str, values) -> TensorProto:
    return numpy_helper.from_array(np.asarray(values), name)


def build(
    nodes,
    inputs=(IMAGE,),
    outputs=(SCORES,),
    initializers=(),
    ir_version: int = 10,
    opset: int = 17,
    domains=(),
    **more,
) -> bytes:
    return proto(nodes, inputs, outputs, initializers, ir_version, opset, domains, **more).SerializeToString()


def proto(
    nodes,
    inputs=(IMAGE,),
    outputs=(SCORES,),
    initializers=(),
    ir_version: int = 10,
    opset: int = 17,
    domains=(),
    **more,
) -> onnx.ModelProto:
    graph = helper.make_graph(
        list(nodes),
        "test",
        [helper.make_tensor_value_info(*entry) for entry in inputs],
        [helper.make_tensor_value_info(*entry) for entry in outputs],
        list(initializers),
    )
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
    return helper.make_model(graph, ir_version=ir_version, opset_imports=opsets, **more)


def classifier(
    width: int = 11,
    side=(None, None),
    vector: bool = True,
    batch="N",
    softmax: bool = True,
    seed: int = 0,
    **more,
) -> bytes:
    """Mean colour and demographics, once linear, once softmax: the smallest model that keeps a challenge's
    contract."""
    random = np.random.default_rng(seed)
    weights = random.normal(0, 4, (3, width)).astype(np.float32)
    nodes = [
        helper.make_node("ReduceMean", ["image"], ["colour"], axes=[2, 3], keepdims=0),
        helper.make_node("MatMul", ["colour", "W"], ["a"]),
    ]
    inputs, initializers = [("image", TensorProto.FLOAT, [batch, 3, *side])], [initializer("W", weights)]
    if vector:
        inputs.append(("demographics", TensorProto.FLOAT, [batch, 3]))
        initializers.append(initializer("V", random.normal(0, 0.05, (3, width)).astype(np.float32)))
        nodes += [
            helper.make_node("MatMul", ["demographics", "V"], ["b"]),
            helper.make_node("Add", ["a", "b"], ["c"]),
        ]
    nodes.append(
        helper.make_node(
            "Softmax" if softmax else "Identity",
            ["c" if vector else "a"],
            ["scores"],
            **({"axis": 1} if softmax else {}),
        )
    )
    return build(nodes, inputs, [("scores", TensorProto.FLOAT, [batch, width])], initializers, **more)


def with_foreign_inputs(
    model: bytes, kind: int = TensorProto.FLOAT, channels_last=False, batch=None
) -> bytes:
    """The same model with inputs of another type, with the channels last, or for a fixed batch: Cast,
    Transpose and, of whole numbers, a division by 255 come before it."""
    made, before = onnx.ModelProto.FromString(model), []
    for index, value in enumerate(made.graph.input):
        name, tensor = value.name, value.type.tensor_type
        value.name, axes = f"{name}_given", list(tensor.shape.dim)
        tensor.elem_type = TensorProto.FLOAT if index and kind == TensorProto.UINT8 else kind
        before.append(helper.make_node("Cast", [value.name], [f"{name}_0"], to=TensorProto.FLOAT))
        last = f"{name}_0"
        if not index and kind == TensorProto.UINT8:
            before.append(helper.make_node("Div", [last, "full"], [f"{name}_1"]))
            made.graph.initializer.append(initializer("full", np.float32(255)))
            last = f"{name}_1"
        if not index and channels_last:
            before.append(helper.make_node("Transpose", [last], [f"{name}_2"], perm=[0, 3, 1, 2]))
            last = f"{name}_2"
            del tensor.shape.dim[:]
            tensor.shape.dim.extend([axes[0], *axes[2:], axes[1]])
        if batch:
            tensor.shape.dim[0].dim_value = batch
        before.append(helper.make_node("Identity", [last], [name]))
    for node in reversed(before):
        made.graph.node.insert(0, node)
    return made.SerializeToString()


FOREIGN_INPUTS = {
    "channels last": {"channels_last": True},
    "uint8": {"kind": TensorProto.UINT8},
    "float16": {"kind": TensorProto.FLOAT16},
    "float64": {"kind": TensorProto.DOUBLE},
    "4 times": {"batch": 4},
    "uint8, channels last, the image 2 times": {"kind": TensorProto.UINT8, "channels_last": True, "batch": 2},
}
"""What an adapter is said to give -> arguments of `with_foreign_inputs`."""


def external(location: str, tag: str = "W") -> TensorProto:
    """A tensor of 11 floats whose data stand in the file `location`."""
    tensor = TensorProto(
        name=tag, data_type=TensorProto.FLOAT, dims=[3, 11], data_location=TensorProto.EXTERNAL
    )
    for key, value in (("location", location), ("offset", "0"), ("length", "132")):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, value
    return tensor


def linear(weights: TensorProto) -> onnx.ModelProto:
    """A model whose weights are the tensor given, as an initializer named W."""
    nodes = [
        helper.make_node("ReduceMean", ["image"], ["colour"], axes=[2, 3], keepdims=0),
        helper.make_node("MatMul", ["colour", "W"], ["scores"]),
    ]
    return proto(nodes, initializers=[weights])


def external_initializer(location: str) -> bytes:
    return linear(external(location)).SerializeToString()


def external_constant(location: str) -> bytes:
    model = linear(external(location))
    del model.graph.initializer[:]
    model.graph.node.insert(0, helper.make_node("Constant", [], ["W"], value=external(location)))
    return model.SerializeToString()


def external_in_branch(location: str) -> bytes:
    branch = helper.make_graph(
        [helper.make_node("Identity", ["inner"], ["W"])],
        "branch",
        [],
        [helper.make_tensor_value_info("W", TensorProto.FLOAT, [3, 11])],
        [external(location, "inner")],
    )
    other = helper.make_graph(
        [helper.make_node("Constant", [], ["W"], value=initializer("", np.zeros((3, 11), np.float32)))],
        "other",
        [],
        [helper.make_tensor_value_info("W", TensorProto.FLOAT, [3, 11])],
    )
    nodes = [
        helper.make_node("Constant", [], ["yes"], value=initializer("", np.array(True))),
        helper.make_node("If", ["yes"], ["W"], then_branch=branch, else_branch=other),
    ]
    model = linear(initializer("W", np.zeros((3, 11), np.float32)))
    del model.graph.initializer[:]
    for node in reversed(nodes):
        model.graph.node.insert(0, node)
    return model.SerializeToString()


def external_in_function(location: str) -> bytes:
    function = helper.make_function(
        "local",
        "weights",
        [],
        ["W"],
        [helper.make_node("Constant", [], ["W"], value=external(location))],
        [helper.make_opsetid("", 17)],
    )
    model = linear(initializer("W", np.zeros((3, 11), np.float32)))
    del model.graph.initializer[:]
    model.graph.node.insert(0, helper.make_node("weights", [], ["W"], domain="local"))
    model.functions.append(function)
    model.opset_import.append(helper.make_opsetid("local", 1))
    return model.SerializeToString()


def external_in_sparse(location: str) -> bytes:
    model = linear(initializer("W", np.zeros((3, 11), np.float32)))
    del model.graph.initializer[:]
    values = external(location)
    values.dims[:] = [3]
    sparse = helper.make_sparse_tensor(values, initializer("", np.arange(3)), [3, 11])
    model.graph.sparse_initializer.append(sparse)
    return model.SerializeToString()


def external_in_training(location: str) -> bytes:
    model = onnx.ModelProto.FromString(classifier())
    training = model.training_info.add()
    training.initialization.initializer.append(external(location))
    return model.SerializeToString()


def sparse_bomb(floats: int = 1 << 30) -> bytes:
    """A file of some hundred bytes whose one sparse tensor unfolds to `floats` numbers."""
    model = linear(initializer("W", np.zeros((3, 11), np.float32)))
    sparse = helper.make_sparse_tensor(
        initializer("big", np.ones(1, np.float32)), initializer("", np.zeros(1, np.int64)), [floats]
    )
    model.graph.sparse_initializer.append(sparse)
    return model.SerializeToString()


def scores_from(nodes, initializers=(), **more) -> bytes:
    """A model with `nodes` that make the tensor "x" of any size; its mean is added to eleven scores."""
    closing = [
        helper.make_node("ReduceMean", ["x"], ["level"], keepdims=0),
        helper.make_node("ReduceMean", ["image"], ["grey"], keepdims=0),
        helper.make_node("Add", ["level", "grey"], ["sum"]),
        helper.make_node("Mul", ["ones", "sum"], ["scores"]),
    ]
    return build(
        [*nodes, *closing],
        initializers=[initializer("ones", np.ones((1, 11), np.float32)), *initializers],
        **more,
    )


def run_time_size(floats: int):
    """Nodes that give the one-element int64 tensor "size" with the value `floats`, which no optimizer can
    know before the model runs."""
    return [
        helper.make_node("ReduceMin", ["image"], ["low"], keepdims=0),
        helper.make_node("Mul", ["low", "nought"], ["zero"]),
        helper.make_node("Cast", ["zero"], ["start"], to=TensorProto.INT64),
        helper.make_node("Add", ["start", "floats"], ["size"]),
    ], [initializer("nought", np.float32(0)), initializer("floats", np.array([floats], np.int64))]


def memory_bomb(floats: int = 1 << 31) -> bytes:
    nodes, constants = run_time_size(floats)
    return scores_from([*nodes, helper.make_node("ConstantOfShape", ["size"], ["x"])], constants)


def doubling_loop() -> bytes:
    """Twenty-six times doubled from 64 floats: 16 GiB."""
    body = helper.make_graph(
        [
            helper.make_node("Concat", ["before", "before"], ["after"], axis=0),
            helper.make_node("Identity", ["go"], ["go_on"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("turn", TensorProto.INT64, []),
            helper.make_tensor_value_info("go", TensorProto.BOOL, []),
            helper.make_tensor_value_info("before", TensorProto.FLOAT, [None]),
        ],
        [
            helper.make_tensor_value_info("go_on", TensorProto.BOOL, []),
            helper.make_tensor_value_info("after", TensorProto.FLOAT, [None]),
        ],
    )
    nodes = [
        helper.make_node("ReduceMin", ["image"], ["low"], keepdims=0),
        helper.make_node("Mul", ["seed", "low"], ["first"]),
        helper.make_node("Loop", ["turns", "yes", "first"], ["x"], body=body),
    ]
    return scores_from(
        nodes,
        [
            initializer("seed", np.ones(64, np.float32)),
            initializer("turns", np.int64(26)),
            initializer("yes", np.array(True)),
        ],
    )


def endless_loop() -> bytes:
    body = helper.make_graph(
        [
            helper.make_node("Add", ["before", "before"], ["after"]),
            helper.make_node("Identity", ["go"], ["go_on"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("turn", TensorProto.INT64, []),
            helper.make_tensor_value_info("go", TensorProto.BOOL, []),
            helper.make_tensor_value_info("before", TensorProto.FLOAT, []),
        ],
        [
            helper.make_tensor_value_info("go_on", TensorProto.BOOL, []),
            helper.make_tensor_value_info("after", TensorProto.FLOAT, []),
        ],
    )
    nodes = [
        helper.make_node("ReduceMin", ["image"], ["low"], keepdims=0),
        helper.make_node("Loop", ["turns", "yes", "low"], ["x"], body=body),
    ]
    return scores_from(nodes, [initializer("turns", np.int64(1 << 62)), initializer("yes", np.array(True))])


def large_product(side: int = 10_000) -> bytes:
    """One kernel that no flag interrupts: a product of two matrices of `side` squared."""
    nodes, constants = run_time_size(side * side)
    nodes += [
        helper.make_node("ConstantOfShape", ["size"], ["flat"]),
        helper.make_node("Reshape", ["flat", "square"], ["m"]),
        helper.make_node("MatMul", ["m", "m"], ["x"]),
    ]
    return scores_from(nodes, [*constants, initializer("square", np.array([side, side]))])


def folding_bomb(products: int = 30, side: int = 6000) -> bytes:
    """Products of constants, which the runtime works out while it loads."""
    nodes = [
        helper.make_node("ConstantOfShape", ["shape"], ["m0"], value=initializer("", np.ones(1, np.float32)))
    ]
    nodes += [helper.make_node("MatMul", [f"m{i}", f"m{i}"], [f"m{i + 1}"]) for i in range(products)]
    nodes.append(helper.make_node("Identity", [f"m{products}"], ["x"]))
    return scores_from(nodes, [initializer("shape", np.array([side, side]))])


def function_bomb(levels: int = 22) -> bytes:
    """Each function calls the one below twice: 2 ** levels nodes once inlined, from a file of 2 KB."""
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    functions = [
        helper.make_function("local", "f0", ["a"], ["b"], [helper.make_node("Relu", ["a"], ["b"])], opsets)
    ]
    functions += [
        helper.make_function(
            "local",
            f"f{i}",
            ["a"],
            ["c"],
            [
                helper.make_node(f"f{i - 1}", ["a"], ["b"], domain="local"),
                helper.make_node(f"f{i - 1}", ["b"], ["c"], domain="local"),
            ],
            opsets,
        )
        for i in range(1, levels + 1)
    ]
    return scores_from(
        [helper.make_node(f"f{levels}", ["image"], ["x"], domain="local")],
        domains=["local"],
        functions=functions,
    )


def recursive_function() -> bytes:
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    function = helper.make_function(
        "local", "again", ["a"], ["b"], [helper.make_node("again", ["a"], ["b"], domain="local")], opsets
    )
    return scores_from(
        [helper.make_node("again", ["image"], ["x"], domain="local")], domains=["local"], functions=[function]
    )


def chain(nodes: int) -> bytes:
    steps = [helper.make_node("Relu", ["image" if i == 0 else f"r{i - 1}"], [f"r{i}"]) for i in range(nodes)]
    return scores_from([*steps, helper.make_node("Identity", [f"r{nodes - 1}"], ["x"])])


def custom_operator() -> bytes:
    return scores_from(
        [helper.make_node("SkinAttention", ["image"], ["x"], domain="my.company")], domains=["my.company"]
    )


def gather_out_of_range() -> bytes:
    """An index that comes out of the pixels: the runtime's words about it quote the number."""
    nodes = [
        helper.make_node("ReduceMax", ["image"], ["high"], keepdims=0),
        helper.make_node("Mul", ["high", "scale"], ["large"]),
        helper.make_node("Cast", ["large"], ["index"], to=TensorProto.INT64),
        helper.make_node("Gather", ["table", "index"], ["x"]),
    ]
    return scores_from(
        nodes, [initializer("scale", np.float32(123456)), initializer("table", np.ones(4, np.float32))]
    )


def wide_output(floats: int = 1 << 28) -> bytes:
    nodes, constants = run_time_size(floats)
    return build(
        [*nodes, helper.make_node("ConstantOfShape", ["size"], ["scores"])],
        outputs=[("scores", TensorProto.FLOAT, [None])],
        initializers=constants,
    )


def declared_other(shape_given, shape_declared=("N", 11)) -> bytes:
    """Declares one shape of scores and gives another."""
    nodes = [
        helper.make_node("ReduceMean", ["image"], ["grey"], keepdims=0),
        helper.make_node("ReduceMin", ["image"], ["low"], keepdims=0),
        helper.make_node("Mul", ["low", "nought"], ["zero"]),
        helper.make_node("Cast", ["zero"], ["start"], to=TensorProto.INT64),
        helper.make_node("Add", ["start", "dims"], ["shape"]),
        helper.make_node("Expand", ["grey", "shape"], ["scores"]),
    ]
    constants = [initializer("nought", np.float32(0)), initializer("dims", np.array(shape_given, np.int64))]
    return build(nodes, outputs=[("scores", TensorProto.FLOAT, list(shape_declared))], initializers=constants)


def architectures() -> dict[str, bytes]:
    """Networks of several kinds, each with the operators that its kind needs, from an image (1, 3, 32, 32) to
    eleven scores."""
    random = np.random.default_rng(0)
    counter = iter(range(1000))
    image = [("image", TensorProto.FLOAT, [1, 3, 32, 32])]

    def model(make, **more) -> bytes:
        nodes, constants = [], []

        def constant(values) -> str:
            constants.append(initializer(f"k{next(counter)}", values))
            return constants[-1].name

        def weights(*shape) -> str:
            return constant(random.normal(0, 0.2, shape).astype(np.float32))

        def node(kind, *inputs, outputs=1, **attributes):
            names = [f"t{next(counter)}" for _ in range(outputs)]
            nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
            return names[0] if outputs == 1 else names

        last = make(node, weights, constant)
        nodes.append(helper.make_node("Softmax", [last], ["scores"], axis=-1))
        return build(nodes, image, [("scores", TensorProto.FLOAT, None)], constants, **more)

    def residual(node, weights, constant):
        first = node("Relu", node("Conv", "image", weights(8, 3, 3, 3), weights(8), pads=[1, 1, 1, 1]))
        one = constant(np.ones(8, np.float32))
        norm = node(
            "BatchNormalization",
            node("Conv", first, weights(8, 8, 3, 3), pads=[1, 1, 1, 1]),
            one,
            weights(8),
            weights(8),
            one,
        )
        pooled = node(
            "GlobalAveragePool",
            node("MaxPool", node("Add", first, norm), kernel_shape=[2, 2], strides=[2, 2]),
        )
        return node("Gemm", node("Flatten", pooled), weights(8, 11), weights(11))

    def depthwise(node, weights, constant):
        conv = node(
            "Conv",
            node("HardSwish", node("Conv", "image", weights(6, 3, 1, 1))),
            weights(6, 1, 3, 3),
            group=6,
        )
        scaled = node("Resize", conv, "", constant(np.array([1, 1, 0.5, 0.5], np.float32)), mode="linear")
        gate = node("HardSigmoid", node("GlobalAveragePool", scaled))
        return node(
            "MatMul", node("ReduceMean", node("Mul", scaled, gate), axes=[2, 3], keepdims=0), weights(6, 11)
        )

    def transformer(node, weights, constant):
        patches = node("Conv", "image", weights(16, 3, 8, 8), kernel_shape=[8, 8], strides=[8, 8])
        tokens = node("Transpose", node("Reshape", patches, constant(np.array([1, 16, 16]))), perm=[0, 2, 1])
        normal = node("LayerNormalization", tokens, weights(16), weights(16))
        query, key, value = node(
            "Split",
            node("MatMul", normal, weights(16, 48)),
            constant(np.array([16, 16, 16])),
            outputs=3,
            axis=2,
        )
        attention = node("Softmax", node("Einsum", query, key, equation="bik,bjk->bij"), axis=2)
        mixed = node("Add", tokens, node("MatMul", attention, value))
        hidden = node("MatMul", mixed, weights(16, 32))
        gelu = node("Mul", hidden, node("Add", node("Erf", hidden), constant(np.float32(1))))
        return node("MatMul", node("ReduceMean", gelu, axes=[1], keepdims=0), weights(32, 11))

    def recurrent(node, weights, constant):
        rows = node("Transpose", node("Reshape", "image", constant(np.array([1, 96, 32]))), perm=[1, 0, 2])
        _, last, _ = node("LSTM", rows, weights(1, 32, 32), weights(1, 32, 8), outputs=3, hidden_size=8)
        return node("MatMul", node("Squeeze", last, constant(np.array([0]))), weights(8, 11))

    def quantized(node, weights, constant):
        small, scale, zero = node("DynamicQuantizeLinear", "image", outputs=3)
        kernel = constant(random.integers(-9, 9, (4, 3, 3, 3)).astype(np.int8))
        whole = node("ConvInteger", small, kernel, zero)
        back = node("Mul", node("Cast", whole, to=TensorProto.FLOAT), scale)
        return node("MatMul", node("ReduceMax", back, axes=[2, 3], keepdims=0), weights(4, 11))

    def half_precision(node, weights, constant):
        half = node(
            "Conv",
            node("Cast", "image", to=TensorProto.FLOAT16),
            constant(random.normal(0, 1, (11, 3, 5, 5)).astype(np.float16)),
        )
        return node("ReduceMean", node("Cast", half, to=TensorProto.FLOAT), axes=[2, 3], keepdims=0)

    def ranked(node, weights, constant):
        flat = node("Reshape", "image", constant(np.array([1, 3072])))
        top, _ = node("TopK", flat, constant(np.array([11])), outputs=2)
        return node("Add", top, node("CumSum", node("Sin", top), constant(np.int64(1))))

    return {
        name: model(make)
        for name, make in (
            ("residual", residual),
            ("depthwise", depthwise),
            ("transformer", transformer),
            ("recurrent", recurrent),
            ("quantized", quantized),
            ("half precision", half_precision),
            ("ranked", ranked),
        )
    }


def noisy(operator: str, depth: str = "graph", scale: float = 1.0, **attributes) -> bytes:
    """The classifier of 11 classes with `scale` times what a random operator gives added to its scores.

    depth: where the operator stands: "graph", "branch" of an If, "loop", "function", or "function in branch".
    """
    body = [*_random_nodes(operator, **attributes), helper.make_node("Mul", ["r", "scale"], ["noise"])]
    constant = helper.make_node(
        "Constant", [], ["scale"], value=initializer("", np.full(1, scale, np.float32))
    )
    body.insert(0, constant)
    functions: list[onnx.FunctionProto] = []
    if depth.startswith("function"):
        imports = [helper.make_opsetid("", 17)]
        functions = [helper.make_function("local", "Noise", [], ["noise"], body, imports)]
        body = [helper.make_node("Noise", [], ["noise"], domain="local")]
    if depth.endswith("branch") or depth == "loop":
        body = _inside(body, depth == "loop")
    model = onnx.ModelProto.FromString(classifier(vector=False))
    model.graph.node[-1].output[0] = "clean"
    model.graph.node.extend([*body, helper.make_node("Add", ["clean", "noise"], ["scores"])])
    model.functions.extend(functions)
    if functions:
        model.opset_import.append(helper.make_opsetid("local", 1))
    return model.SerializeToString()


def _random_nodes(operator: str, **attributes) -> list[onnx.NodeProto]:
    def constant(name: str, values) -> onnx.NodeProto:
        return helper.make_node("Constant", [], [name], value=initializer("", values))

    half = constant("half", np.full((1, 11), 0.5, np.float32))
    if operator in ("RandomUniform", "RandomNormal"):
        return [helper.make_node(operator, [], ["r"], shape=[1, 11], **attributes)]
    if operator == "Multinomial":
        drawn = helper.make_node(operator, ["half"], ["d"], sample_size=11, **attributes)
        return [half, drawn, helper.make_node("Cast", ["d"], ["r"], to=TensorProto.FLOAT)]
    if operator == "Dropout":
        switches = [constant("ratio", np.array(0.5, np.float32)), constant("training", np.array(True))]
        return [
            half,
            *switches,
            helper.make_node(operator, ["half", "ratio", "training"], ["r"], **attributes),
        ]
    return [half, helper.make_node(operator, ["half"], ["r"], **attributes)]


def _inside(body: list[onnx.NodeProto], loop: bool) -> list[onnx.NodeProto]:
    """Nodes that give "noise", put into both branches of an If or the body of a Loop."""
    result = [helper.make_tensor_value_info("noise", TensorProto.FLOAT, None)]
    yes = helper.make_node("Constant", [], ["yes"], value=initializer("", np.array(True)))
    if not loop:
        branches = {
            name: helper.make_graph(body, name, [], result) for name in ("then_branch", "else_branch")
        }
        return [yes, helper.make_node("If", ["yes"], ["noise"], **branches)]
    inputs = [
        helper.make_tensor_value_info("step", TensorProto.INT64, []),
        helper.make_tensor_value_info("more", TensorProto.BOOL, []),
    ]
    again = [helper.make_node("Identity", ["more"], ["go_on"])]
    outputs = [helper.make_tensor_value_info("go_on", TensorProto.BOOL, []), *result]
    graph = helper.make_graph([*again, *body], "body", inputs, outputs)
    once = helper.make_node("Constant", [], ["once"], value=initializer("", np.array(1)))
    return [
        yes,
        once,
        helper.make_node("Loop", ["once", "yes"], ["rounds"], body=graph),
        helper.make_node("Squeeze", ["rounds"], ["noise"]),
    ]


def normalizing(opset: int = 17, training: bool = True, outputs: int = 1) -> bytes:
    """The classifier with a BatchNormalization of its scores, in training mode or not."""
    model = onnx.ModelProto.FromString(classifier(vector=False, softmax=False, opset=opset))
    model.graph.node[-1].output[0] = "raw"
    names = ["scale", "bias", "mean", "var"]
    values = [np.ones(11), np.zeros(11), np.zeros(11), np.ones(11)]
    model.graph.initializer.extend(
        initializer(name, v.astype(np.float32)) for name, v in zip(names, values, strict=True)
    )
    mode = {"training_mode": int(training)} if opset >= 14 else {}
    given = ["scores", "new_mean", "new_var", "saved_mean", "saved_var"][:outputs]
    model.graph.node.append(
        helper.make_node("BatchNormalization", ["raw", *names], given, name="norm", **mode)
    )
    return model.SerializeToString()
