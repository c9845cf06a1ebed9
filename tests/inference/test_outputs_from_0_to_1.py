"""Only the end of a graph proves, without a test set, that a model's outputs are from 0 to 1."""

import onnx
import pytest
from onnx import helper

from scoring.challenges import samples
from scoring.inference.adapters import CHANNELS
from scoring.inference.onnx_scan import scan
from tests.inference import builders


def ending_in(*operators: str, domain: str = "") -> onnx.ModelProto:
    """A model of one score whose last operators are these."""
    names = ["grey", *operators]
    nodes = [
        helper.make_node(kind, [before], [kind], domain=domain)
        for before, kind in zip(names, operators, strict=False)
    ]
    nodes.insert(0, helper.make_node("ReduceMean", ["image"], ["grey"], axes=[2, 3], keepdims=0))
    image = ("image", onnx.TensorProto.FLOAT, [1, CHANNELS, 8, 8])
    output = (names[-1], onnx.TensorProto.FLOAT, [1, CHANNELS])
    return onnx.ModelProto.FromString(builders.build(nodes, [image], [output]))


@pytest.mark.parametrize(
    ("operators", "proven"),
    [
        (("Sigmoid",), True),
        (("Softmax", "Identity"), True),
        (("Sigmoid", "Flatten", "Identity"), True),
        (("Softmax", "Log"), False),
        (("Sigmoid", "Neg", "Identity"), False),
        (("Relu",), False),
        ((), False),
    ],
)
def test_a_last_sigmoid_or_softmax_proves_the_range(operators, proven):
    assert scan(ending_in(*operators).SerializeToString())["from_0_to_1"] is proven


def test_a_function_of_the_file_that_is_called_sigmoid_proves_nothing():
    model = ending_in("Sigmoid")
    body = [helper.make_node("Exp", ["x"], ["y"])]
    opsets = [helper.make_opsetid("", 17)]
    model.functions.append(helper.make_function("", "Sigmoid", ["x"], ["y"], body, opsets))
    assert not scan(model.SerializeToString())["from_0_to_1"]


def test_every_sample_of_a_classifier_proves_it():
    """Their answers need not wait for the test set."""
    for challenge in ("tricorder3", "melanoma", "isic"):
        for sample in samples.test_sets(challenge).values():
            for entry in sample.submissions.values():
                assert not entry.is_model or scan(entry.path.read_bytes())["from_0_to_1"], entry.path
