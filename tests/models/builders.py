"""Small ONNX models, friendly and hostile, built for the tests."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

IMAGE = ("image", TensorProto.FLOAT, ["N", 3, None, None])
VECTOR = ("demographics", TensorProto.FLOAT, ["N", 3])
SCORES = ("scores", TensorProto.FLOAT, ["N", 11])


def initializer(name: str, values) -> TensorProto:
    return numpy_helper.from_array(np.asarray(values), name)


def build(nodes, inputs=(IMAGE,), outputs=(SCORES,), initializers=(), ir_version: int = 10, opset: int = 17, domains=(), **more) -> bytes:
    return proto(nodes, inputs, outputs, initializers, ir_version, opset, domains, **more).SerializeToString()


def proto(nodes, inputs=(IMAGE,), outputs=(SCORES,), initializers=(), ir_version: int = 10, opset: int = 17, domains=(), **more) -> onnx.ModelProto:
    graph = helper.make_graph(list(nodes), "test", [helper.make_tensor_value_info(*entry) for entry in inputs],
                              [helper.make_tensor_value_info(*entry) for entry in outputs], list(initializers))
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
    return helper.make_model(graph, ir_version=ir_version, opset_imports=opsets, **more)


def classifier(width: int = 11, side=(None, None), vector: bool = True, batch="N", softmax: bool = True, seed: int = 0, **more) -> bytes:
    """Mean colour and demographics, once linear, once softmax: the smallest model that keeps a challenge's contract."""
    random = np.random.default_rng(seed)
    weights = random.normal(0, 4, (3, width)).astype(np.float32)
    nodes = [helper.make_node("ReduceMean", ["image"], ["colour"], axes=[2, 3], keepdims=0), helper.make_node("MatMul", ["colour", "W"], ["a"])]
    inputs, initializers = [("image", TensorProto.FLOAT, [batch, 3, *side])], [initializer("W", weights)]
    if vector:
        inputs.append(("demographics", TensorProto.FLOAT, [batch, 3]))
        initializers.append(initializer("V", random.normal(0, 0.05, (3, width)).astype(np.float32)))
        nodes += [helper.make_node("MatMul", ["demographics", "V"], ["b"]), helper.make_node("Add", ["a", "b"], ["c"])]
    nodes.append(helper.make_node("Softmax" if softmax else "Identity", ["c" if vector else "a"], ["scores"], **({"axis": 1} if softmax else {})))
    return build(nodes, inputs, [("scores", TensorProto.FLOAT, [batch, width])], initializers, **more)


def external(location: str, tag: str = "W") -> TensorProto:
    """A tensor of 11 floats whose data stand in the file `location`."""
    tensor = TensorProto(name=tag, data_type=TensorProto.FLOAT, dims=[3, 11], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", location), ("offset", "0"), ("length", "132")):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, value
    return tensor


def linear(weights: TensorProto) -> onnx.ModelProto:
    """A model whose weights are the tensor given, as an initializer named W."""
    nodes = [helper.make_node("ReduceMean", ["image"], ["colour"], axes=[2, 3], keepdims=0), helper.make_node("MatMul", ["colour", "W"], ["scores"])]
    return proto(nodes, initializers=[weights])


def external_initializer(location: str) -> bytes:
    return linear(external(location)).SerializeToString()


def external_constant(location: str) -> bytes:
    model = linear(external(location))
    del model.graph.initializer[:]
    model.graph.node.insert(0, helper.make_node("Constant", [], ["W"], value=external(location)))
    return model.SerializeToString()


def external_in_branch(location: str) -> bytes:
    branch = helper.make_graph([helper.make_node("Identity", ["inner"], ["W"])], "branch", [],
                               [helper.make_tensor_value_info("W", TensorProto.FLOAT, [3, 11])], [external(location, "inner")])
    other = helper.make_graph([helper.make_node("Constant", [], ["W"], value=initializer("", np.zeros((3, 11), np.float32)))], "other", [],
                              [helper.make_tensor_value_info("W", TensorProto.FLOAT, [3, 11])])
    nodes = [helper.make_node("Constant", [], ["yes"], value=initializer("", np.array(True))),
             helper.make_node("If", ["yes"], ["W"], then_branch=branch, else_branch=other)]
    model = linear(initializer("W", np.zeros((3, 11), np.float32)))
    del model.graph.initializer[:]
    for node in reversed(nodes):
        model.graph.node.insert(0, node)
    return model.SerializeToString()


def external_in_function(location: str) -> bytes:
    function = helper.make_function("local", "weights", [], ["W"], [helper.make_node("Constant", [], ["W"], value=external(location))],
                                    [helper.make_opsetid("", 17)])
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
    sparse = helper.make_sparse_tensor(initializer("big", np.ones(1, np.float32)), initializer("", np.zeros(1, np.int64)), [floats])
    model.graph.sparse_initializer.append(sparse)
    return model.SerializeToString()


def scores_from(nodes, initializers=(), **more) -> bytes:
    """A model with `nodes` that make the tensor "x" of any size; its mean is added to eleven scores."""
    closing = [helper.make_node("ReduceMean", ["x"], ["level"], keepdims=0), helper.make_node("ReduceMean", ["image"], ["grey"], keepdims=0),
               helper.make_node("Add", ["level", "grey"], ["sum"]), helper.make_node("Mul", ["ones", "sum"], ["scores"])]
    return build([*nodes, *closing], initializers=[initializer("ones", np.ones((1, 11), np.float32)), *initializers], **more)


def run_time_size(floats: int):
    """Nodes that give the one-element int64 tensor "size" with the value `floats`, which no optimizer can know before the model runs."""
    return [helper.make_node("ReduceMin", ["image"], ["low"], keepdims=0), helper.make_node("Mul", ["low", "nought"], ["zero"]),
            helper.make_node("Cast", ["zero"], ["start"], to=TensorProto.INT64), helper.make_node("Add", ["start", "floats"], ["size"])], [
        initializer("nought", np.float32(0)), initializer("floats", np.array([floats], np.int64))]


def memory_bomb(floats: int = 1 << 31) -> bytes:
    nodes, constants = run_time_size(floats)
    return scores_from([*nodes, helper.make_node("ConstantOfShape", ["size"], ["x"])], constants)


def doubling_loop() -> bytes:
    """Twenty-six times doubled from 64 floats: 16 GiB."""
    body = helper.make_graph(
        [helper.make_node("Concat", ["before", "before"], ["after"], axis=0), helper.make_node("Identity", ["go"], ["go_on"])], "body",
        [helper.make_tensor_value_info("turn", TensorProto.INT64, []), helper.make_tensor_value_info("go", TensorProto.BOOL, []),
         helper.make_tensor_value_info("before", TensorProto.FLOAT, [None])],
        [helper.make_tensor_value_info("go_on", TensorProto.BOOL, []), helper.make_tensor_value_info("after", TensorProto.FLOAT, [None])])
    nodes = [helper.make_node("ReduceMin", ["image"], ["low"], keepdims=0), helper.make_node("Mul", ["seed", "low"], ["first"]),
             helper.make_node("Loop", ["turns", "yes", "first"], ["x"], body=body)]
    return scores_from(nodes, [initializer("seed", np.ones(64, np.float32)), initializer("turns", np.int64(26)), initializer("yes", np.array(True))])


def endless_loop() -> bytes:
    body = helper.make_graph(
        [helper.make_node("Add", ["before", "before"], ["after"]), helper.make_node("Identity", ["go"], ["go_on"])], "body",
        [helper.make_tensor_value_info("turn", TensorProto.INT64, []), helper.make_tensor_value_info("go", TensorProto.BOOL, []),
         helper.make_tensor_value_info("before", TensorProto.FLOAT, [])],
        [helper.make_tensor_value_info("go_on", TensorProto.BOOL, []), helper.make_tensor_value_info("after", TensorProto.FLOAT, [])])
    nodes = [helper.make_node("ReduceMin", ["image"], ["low"], keepdims=0), helper.make_node("Loop", ["turns", "yes", "low"], ["x"], body=body)]
    return scores_from(nodes, [initializer("turns", np.int64(1 << 62)), initializer("yes", np.array(True))])


def large_product(side: int = 10_000) -> bytes:
    """One kernel that no flag interrupts: a product of two matrices of `side` squared."""
    nodes, constants = run_time_size(side * side)
    nodes += [helper.make_node("ConstantOfShape", ["size"], ["flat"]), helper.make_node("Reshape", ["flat", "square"], ["m"]),
              helper.make_node("MatMul", ["m", "m"], ["x"])]
    return scores_from(nodes, [*constants, initializer("square", np.array([side, side]))])


def folding_bomb(products: int = 30, side: int = 6000) -> bytes:
    """Products of constants, which the runtime works out while it loads."""
    nodes = [helper.make_node("ConstantOfShape", ["shape"], ["m0"], value=initializer("", np.ones(1, np.float32)))]
    nodes += [helper.make_node("MatMul", [f"m{i}", f"m{i}"], [f"m{i + 1}"]) for i in range(products)]
    nodes.append(helper.make_node("Identity", [f"m{products}"], ["x"]))
    return scores_from(nodes, [initializer("shape", np.array([side, side]))])


def function_bomb(levels: int = 22) -> bytes:
    """Each function calls the one below twice: 2 ** levels nodes once inlined, from a file of 2 KB."""
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    functions = [helper.make_function("local", "f0", ["a"], ["b"], [helper.make_node("Relu", ["a"], ["b"])], opsets)]
    functions += [helper.make_function("local", f"f{i}", ["a"], ["c"], [helper.make_node(f"f{i - 1}", ["a"], ["b"], domain="local"),
                                                                        helper.make_node(f"f{i - 1}", ["b"], ["c"], domain="local")], opsets)
                  for i in range(1, levels + 1)]
    return scores_from([helper.make_node(f"f{levels}", ["image"], ["x"], domain="local")], domains=["local"], functions=functions)


def recursive_function() -> bytes:
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    function = helper.make_function("local", "again", ["a"], ["b"], [helper.make_node("again", ["a"], ["b"], domain="local")], opsets)
    return scores_from([helper.make_node("again", ["image"], ["x"], domain="local")], domains=["local"], functions=[function])


def chain(nodes: int) -> bytes:
    steps = [helper.make_node("Relu", ["image" if i == 0 else f"r{i - 1}"], [f"r{i}"]) for i in range(nodes)]
    return scores_from([*steps, helper.make_node("Identity", [f"r{nodes - 1}"], ["x"])])


def custom_operator() -> bytes:
    return scores_from([helper.make_node("SkinAttention", ["image"], ["x"], domain="my.company")], domains=["my.company"])


def gather_out_of_range() -> bytes:
    """An index that comes out of the pixels: the runtime's words about it quote the number."""
    nodes = [helper.make_node("ReduceMax", ["image"], ["high"], keepdims=0), helper.make_node("Mul", ["high", "scale"], ["large"]),
             helper.make_node("Cast", ["large"], ["index"], to=TensorProto.INT64), helper.make_node("Gather", ["table", "index"], ["x"])]
    return scores_from(nodes, [initializer("scale", np.float32(123456)), initializer("table", np.ones(4, np.float32))])


def wide_output(floats: int = 1 << 28) -> bytes:
    nodes, constants = run_time_size(floats)
    return build([*nodes, helper.make_node("ConstantOfShape", ["size"], ["scores"])], outputs=[("scores", TensorProto.FLOAT, [None])],
                 initializers=constants)


def declared_other(shape_given, shape_declared=("N", 11)) -> bytes:
    """Declares one shape of scores and gives another."""
    nodes = [helper.make_node("ReduceMean", ["image"], ["grey"], keepdims=0), helper.make_node("ReduceMin", ["image"], ["low"], keepdims=0),
             helper.make_node("Mul", ["low", "nought"], ["zero"]), helper.make_node("Cast", ["zero"], ["start"], to=TensorProto.INT64),
             helper.make_node("Add", ["start", "dims"], ["shape"]), helper.make_node("Expand", ["grey", "shape"], ["scores"])]
    constants = [initializer("nought", np.float32(0)), initializer("dims", np.array(shape_given, np.int64))]
    return build(nodes, outputs=[("scores", TensorProto.FLOAT, list(shape_declared))], initializers=constants)
