"""Random operators, and operators in training mode, are named wherever they stand, and trial runs show
whether a model answers twice alike."""

import onnx
import pytest
from onnx import helper

from scoring import InputRefused, load_challenge
from scoring.inference.onnx_scan import scan
from scoring.single_image.model import opened
from tests.inference import builders
from tests.support import worker_here

OPERATORS = (
    "RandomUniform",
    "RandomNormal",
    "RandomUniformLike",
    "RandomNormalLike",
    "Multinomial",
    "Bernoulli",
    "Dropout",
)
DEPTHS = ("graph", "branch", "loop", "function", "function in branch")
isic = load_challenge("isic")


@pytest.fixture(scope="module", autouse=True)
def models_run_here():
    """What models are and answer is tested here, not their process."""
    with worker_here.models_run_here():
        yield


def inspected(model: bytes):
    """Findings of a preflight about repeatability: (level, code) and words."""
    try:
        found = isic.inspect(model).findings
    except InputRefused as refusal:
        found = (*refusal.problems, *refusal.findings)
    return [(f.level, f.code, f.message) for f in found if f.code in ("random-model", "training-mode")]


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("depth", DEPTHS)
def test_the_scan_names_a_random_operator_at_any_depth(operator, depth):
    found = scan(builders.noisy(operator, depth))["random"]
    assert {kind for kind, _, _ in found} == {operator}
    assert all(name and not seeded for _, name, seeded in found)
    seed = 3 if operator == "Dropout" else 3.0
    assert all(seeded for _, _, seeded in scan(builders.noisy(operator, depth, seed=seed))["random"])


def test_a_seed_that_the_caller_of_a_function_gives_is_none():
    model = onnx.ModelProto.FromString(builders.noisy("RandomUniform", "function"))
    (node,) = (node for node in model.functions[0].node if node.op_type == "RandomUniform")
    node.attribute.append(onnx.AttributeProto(name="seed", type="FLOAT", ref_attr_name="given"))
    assert scan(model.SerializeToString())["random"] == [("RandomUniform", "r", False)]


@pytest.mark.parametrize(
    ("opset", "training", "outputs", "named"),
    [
        (17, True, 3, True),
        (17, False, 1, False),
        (13, None, 1, False),
        (13, None, 5, True),
        (6, None, 1, True),
    ],
)
def test_batch_normalization_is_named_in_training_mode(opset, training, outputs, named):
    found = scan(builders.normalizing(opset, training, outputs))["random"]
    assert found == ([("BatchNormalization", "norm", False)] if named else [])


def dropout(opset: int, *inputs: str, constants=(), **attributes) -> list:
    model = onnx.ModelProto.FromString(builders.classifier(vector=False, opset=opset))
    node = helper.make_node("Dropout", ["colour", *inputs], ["dropped"], name="drop", **attributes)
    model.graph.node.insert(1, node)
    model.graph.node[2].input[0] = "dropped"
    model.graph.initializer.extend(builders.initializer(name, value) for name, value in constants)
    return scan(model.SerializeToString())["random"]


def test_dropout_is_named_in_training_mode_only():
    ratio, on, off = ("ratio", [0.5]), ("mode", [True]), ("mode", [False])
    named = [("Dropout", "drop", False)]
    assert dropout(17) == dropout(17, "ratio", constants=[ratio]) == dropout(10, ratio=0.5) == []
    assert dropout(17, "ratio", "mode", constants=[ratio, off]) == []
    assert dropout(17, "ratio", "mode", constants=[ratio, on]) == named
    assert dropout(6, ratio=0.5, is_test=1) == []
    assert dropout(6, ratio=0.5) == named


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_model_that_answers_otherwise_each_time_is_refused_and_told_what_to_do(operator):
    ((level, code, words),) = inspected(builders.noisy(operator))
    assert (level, code) == ("error", "random-model")
    assert f"{operator} 'r" in words or f"{operator} 'd" in words
    assert "differ" in words
    assert "model.eval()" in words


def test_a_seed_alone_is_not_enough():
    """The runtime goes on drawing from run to run."""
    ((level, code, words),) = inspected(builders.noisy("RandomUniform", seed=1.0))
    assert (level, code) == ("error", "random-model")
    assert "Two runs on the same image differ" in words


def test_random_operators_without_a_seed_are_refused_also_where_two_runs_agree():
    ((level, code, words),) = inspected(builders.noisy("RandomNormal", scale=0.0))
    assert (level, code) == ("error", "random-model")
    assert "without a seed" in words


def test_seeded_and_equal_is_a_warning():
    ((level, code, words),) = inspected(builders.noisy("RandomNormal", scale=0.0, seed=1.0))
    assert (level, code) == ("warning", "random-model")
    assert "RandomNormal 'r'" in words


def test_a_model_without_chance_has_no_finding_about_it():
    assert inspected(builders.classifier(vector=False)) == []
    assert inspected(builders.normalizing(training=False)) == []


def test_a_single_image_is_given_to_no_random_model():
    subject = load_challenge("tricorder3").display.single_image.task(None)
    with pytest.raises(InputRefused) as refusal:
        opened(subject, builders.noisy("RandomUniform"))
    assert [problem.code for problem in refusal.value.problems] == ["random-model"]
