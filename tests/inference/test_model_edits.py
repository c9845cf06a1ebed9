"""An edited model gives what its plain outputs give by NumPy, and is a file that the challenge takes."""

from itertools import product

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

from scoring.common.findings import InputRefused
from scoring.inference.model_edits import edited_model
from tests.inference import builders
from tests.support.thinned import some_rows

IMAGE = np.random.default_rng(3).random((1, 3, 5, 7), np.float32)


def model(shape: list, dtype=TensorProto.FLOAT, opset: int = 17) -> bytes:
    """Mean colour of the image, or the image itself, as a declared output of that shape."""
    node = helper.make_node("ReduceMean", ["image"], ["out"], axes=[2, 3], keepdims=0)
    nodes = [node if len(shape) == 2 else helper.make_node("Identity", ["image"], ["out"])]
    inputs, outputs = [("image", dtype, [1, 3, 5, 7])], [("out", dtype, shape)]
    return builders.build(nodes, inputs, outputs, opset=opset)


def softmax(values: np.ndarray) -> np.ndarray:
    return np.exp(values) / np.exp(values).sum(1, keepdims=True)


EDITS = {
    "softmax": ("yes", softmax),
    "sigmoid": ("yes", lambda values: 1 / (1 + np.exp(-values))),
    "order": ("3 1", lambda values: values[:, [2, 0]]),
    "pixels": ("255", lambda values: 255 * values),
    "pixels, blue first": ("255 bgr", lambda values: 255 * values[:, ::-1]),
    "pixels, normalised": (
        "imagenet",
        lambda values: (values - of_channel(MEAN, values)) / of_channel(STD, values),
    ),
    "pixels, signed": ("signed", lambda values: 2 * values - 1),
    "complement": ("yes", lambda values: 1 - values),
}
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def of_channel(numbers: tuple, values: np.ndarray) -> np.ndarray:
    return np.array(numbers).reshape((-1,) + (1,) * (values.ndim - 2))


@pytest.mark.parametrize(
    ("edit", "shape", "opset"), some_rows([*product(EDITS, [[1, 3], [1, 3, 5, 7]], [11, 17])], 3)
)
def test_an_edit_is_an_operator_of_the_network(edit, shape, opset):
    value, expected = EDITS[edit]
    plain = model(shape, opset=opset)
    before, after = map(output, (plain, edited_model(plain, "m", ((edit.split(",")[0], value),))))
    assert after == pytest.approx(expected(before), rel=1e-5, abs=1e-6)


def test_scores_that_are_zipped_with_names_are_taken_alone():
    """As Azure Custom Vision and scikit-learn's converter export a classifier."""
    nodes = [
        helper.make_node("ReduceMean", ["image"], ["scores"], axes=[2, 3], keepdims=0),
        helper.make_node(
            "ZipMap", ["scores"], ["loss"], domain="ai.onnx.ml", classlabels_strings=["a", "b", "c"]
        ),
        helper.make_node("ArgMax", ["scores"], ["label"], axis=1),
    ]
    outputs = [helper.make_tensor_value_info("label", TensorProto.INT64, [1, 1])]
    names = helper.make_map_type_proto(
        TensorProto.STRING, helper.make_tensor_type_proto(TensorProto.FLOAT, [])
    )
    outputs.append(helper.make_value_info("loss", helper.make_sequence_type_proto(names)))
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, 5, 7])
    versions = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 2)]
    graph = helper.make_graph(nodes, "zipped", [image], outputs)
    data = helper.make_model(graph, opset_imports=versions, ir_version=8).SerializeToString()
    alone = output(edited_model(data, "m", (("first", "2"),)))
    assert alone == pytest.approx(IMAGE.mean((2, 3)), rel=1e-5)


def output(data: bytes) -> np.ndarray:
    session = onnxruntime.InferenceSession(data)
    return session.run(None, {session.get_inputs()[0].name: IMAGE})[0]


VECTOR = np.array([[50, 1, 7]], np.float32)
APART = [(name, TensorProto.INT64, ["N", 1]) for name in ("age", "gender", "location")]
PICTURE = ("image", TensorProto.FLOAT, [1, 3, 5, 7])
LAYOUTS = {
    "inputs": ("2 1", [("numbers", TensorProto.FLOAT, ["N", 3]), PICTURE]),
    "vector": ("yes", [PICTURE, ("numbers", TensorProto.INT64, ["N", 3])]),
    "vectors": ("yes", [PICTURE, *APART]),
    "first": ("2", [PICTURE, ("numbers", TensorProto.FLOAT, ["N", 3])]),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_inputs_and_outputs_are_put_where_the_challenge_needs_them(layout):
    """The number is the sum of age, 100 times gender and 1000 times location, plus the mean of the image."""
    value, inputs = LAYOUTS[layout]
    joined = helper.make_node("Concat", [name for name, *_ in APART], ["numbers"], axis=1)
    nodes = [
        *([joined] if layout == "vectors" else []),
        helper.make_node("Cast", ["numbers"], ["wide"], to=TensorProto.FLOAT),
        helper.make_node("Constant", [], ["by"], value_floats=[1.0, 100.0, 1000.0]),
        helper.make_node("Mul", ["wide", "by"], ["terms"]),
        helper.make_node("ReduceSum", ["terms"], ["sum"], keepdims=0),
        helper.make_node("ReduceMean", ["image"], ["mean"], keepdims=0),
        helper.make_node("Add", ["sum", "mean"], ["out"]),
        helper.make_node("ArgMax", ["image"], ["label"], axis=1),
    ]
    outputs = [("out", TensorProto.FLOAT, []), ("label", TensorProto.INT64, [1, 1, 5, 7])]
    data = builders.build(nodes, inputs, outputs[::-1] if layout == "first" else outputs)
    edit = layout.replace("vectors", "vector")
    session = onnxruntime.InferenceSession(edited_model(data, "m", ((edit, value),)))
    feed = dict(zip((entry.name for entry in session.get_inputs()), (IMAGE, VECTOR), strict=True))
    assert session.run(None, feed)[0] == pytest.approx(7150 + IMAGE.mean(), rel=1e-6)


@pytest.mark.parametrize(
    ("data", "edit", "code"),
    [
        (b"no model", ("softmax", "yes"), "model-unreadable"),
        (model([1, 3]), ("first", "2"), "bad-option"),
        (model([1, 3]), ("order", "a"), "bad-option"),
        (model([1, 3]), ("transpose", "yes"), "bad-option"),
    ],
)
def test_what_cannot_be_edited_is_refused(data, edit, code):
    with pytest.raises(InputRefused) as refused:
        edited_model(data, "m.onnx", (edit,))
    assert [problem.code for problem in refused.value.problems] == [code]
