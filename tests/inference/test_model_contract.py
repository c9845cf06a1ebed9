"""Preflight and trial runs of models."""

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper

from scoring.inference import model_contract
from scoring.inference.model_contract import Contract, examine, image_size
from scoring.inference.model_process import ModelProcess
from scoring.inference.preflight import Effect, Probe, move, probe, vector_findings
from scoring.inference.preprocessing import Recipe
from scoring.inference.worker_results import Graph, ModelFacts, ModelFailed, ModelOutput, Tensor
from tests.inference import builders
from tests.inference.test_preprocessing import encoded, photograph
from tests.support import worker_here

TRICORDER = Contract(
    vector=3, outputs=11, highest_ir_version=10, highest_opset=21, runtime="the validator's runtime (1.19)"
)
ONE_NUMBER = Contract()
CATEGORIES = Contract(outputs=7)
FLOAT, HALF = "tensor(float)", "tensor(float16)"
IMAGE, VECTOR, SCORES = (
    Tensor("image", FLOAT, (None, 3, None, None)),
    Tensor("vector", FLOAT, (None, 3)),
    Tensor("scores", FLOAT, (None, 11)),
)
SMALL = Recipe(((16, 16, "lanczos"),))
BASE = np.array([50, 1, 7], np.float32)
CHANGES = {"age": [np.array([20, 1, 7]), np.array([80, 1, 7])], "gender": [np.array([50, 0, 7])]}


@pytest.fixture(scope="module", autouse=True)
def models_run_here():
    """What models are and answer is tested here, not their process."""
    with worker_here.models_run_here():
        yield


def facts(inputs=(IMAGE, VECTOR), outputs=(SCORES,), ir_version=10, opset=17) -> ModelFacts:
    return ModelFacts(Graph(ir_version, opset, 5), tuple(inputs), tuple(outputs), 1000, "0" * 64, ())


def answer(*shapes) -> ModelOutput:
    return ModelOutput(
        tuple(None if shape is None else np.zeros(shape, np.float32) for shape in shapes), None, 1.0, None
    )


def codes(found) -> list[tuple[str, str]]:
    return [(finding.level, finding.code) for finding in found]


@pytest.mark.parametrize(
    ("model", "contract"),
    [
        (facts(), TRICORDER),
        (facts(ir_version=9, opset=21), TRICORDER),
        (
            facts(
                [Tensor("a", FLOAT, (1, 3, 224, 300)), Tensor("b", FLOAT, (1, 3))],
                [Tensor("c", FLOAT, (1, 11))],
            ),
            TRICORDER,
        ),
        (
            facts(
                [Tensor("a", FLOAT, (None,) * 4), Tensor("b", FLOAT, (None, None))],
                [Tensor("c", FLOAT, (None, None))],
            ),
            TRICORDER,
        ),
        (facts([Tensor("a", FLOAT, None), Tensor("b", FLOAT, None)], [Tensor("c", FLOAT, None)]), TRICORDER),
        (facts(outputs=[Tensor("c", FLOAT, (11,)), SCORES]), TRICORDER),
        (facts([IMAGE], [Tensor("c", FLOAT, (None, 2))], ir_version=14, opset=26), ONE_NUMBER),
        (facts([IMAGE], [Tensor("c", FLOAT, (None, 7))], ir_version=14, opset=26), CATEGORIES),
    ],
)
def test_models_that_keep_the_contract_pass(model, contract):
    assert examine(model, contract, "m.onnx") == []


def test_versions_that_the_validator_does_not_load_are_warnings():
    found = examine(facts(ir_version=14, opset=22), TRICORDER, "m.onnx")
    assert codes(found) == [("warning", "ir-version"), ("warning", "opset-version")]
    assert "14" in found[0].message
    assert "opset_version=21" in found[1].message
    assert all(finding.where == "m.onnx" for finding in found)


@pytest.mark.parametrize(
    ("inputs", "contract", "words"),
    [
        ([], TRICORDER, "no input"),
        ([IMAGE, VECTOR, VECTOR], TRICORDER, "3 inputs"),
        ([VECTOR, IMAGE], TRICORDER, "swapped"),
        ([Tensor("image", "tensor(int64)", IMAGE.shape), VECTOR], TRICORDER, "int64"),
        ([IMAGE, Tensor("v", "tensor(int64)", (None, 3))], TRICORDER, "the second input is int64"),
        ([IMAGE, Tensor("v", "tensor(uint8)", (None, 3))], TRICORDER, "the second input is uint8"),
        ([Tensor("image", FLOAT, (1, 224, 224, 1)), VECTOR], TRICORDER, "3 channels"),
        ([Tensor("image", FLOAT, (1, 1, 224, 224)), VECTOR], TRICORDER, "3 channels"),
        ([Tensor("image", FLOAT, (3, 224, 224)), VECTOR], TRICORDER, "3 channels"),
        ([Tensor("image", FLOAT, (1, 3, 0, 224)), VECTOR], TRICORDER, "sides"),
        ([Tensor("image", FLOAT, (1, 3, 224, 100_000)), VECTOR], TRICORDER, "sides"),
        ([IMAGE, Tensor("v", FLOAT, (None, 4))], TRICORDER, "(1, 3)"),
        ([IMAGE, Tensor("v", FLOAT, (3,))], TRICORDER, "(1, 3)"),
        ([IMAGE], Contract(vector=3, vector_required=True), "missing"),
        ([IMAGE, VECTOR], ONE_NUMBER, "2 inputs"),
        ([VECTOR], ONE_NUMBER, "3 channels"),
        ([Tensor("image", "seq(tensor(float))", None)], ONE_NUMBER, "seq"),
    ],
)
def test_inputs_that_cannot_be_fed_say_what_was_found_and_what_is_needed(inputs, contract, words):
    found = [
        finding for finding in examine(facts(inputs), contract, "m.onnx") if finding.code != "wrong-output"
    ]
    assert codes(found) == [("error", "wrong-inputs")]
    assert words in found[0].message
    assert "Needed in order: image float32 (1, 3, H, W)" in found[0].message
    assert all(f"'{entry.name}'" in found[0].message for entry in inputs)


def test_an_image_alone_runs_with_a_warning():
    assert codes(examine(facts([IMAGE]), TRICORDER, "m.onnx")) == [("warning", "single-input")]


@pytest.mark.parametrize("words", builders.FOREIGN_INPUTS)
def test_a_model_of_other_inputs_runs_through_an_adapter(words):
    plain = builders.classifier(side=(16, 24), batch=None)
    recipe, vector = Recipe(((24, 16, "lanczos"),)), np.array([37, 1, 3], np.float32)
    picture = encoded(photograph(), "PNG")
    with ModelProcess(plain) as process:
        wanted = process.run(picture, recipe, vector).outputs[0]
    with ModelProcess(builders.with_foreign_inputs(plain, **builders.FOREIGN_INPUTS[words])) as process:
        found, facts = process.run(picture, recipe, vector).outputs[0], process.facts
    np.testing.assert_allclose(found, wanted, rtol=0, atol=2e-3 if words == "float16" else 1e-6)
    assert image_size(facts) == (24, 16)
    ((level, code),) = codes(examine(facts, TRICORDER, "m.onnx"))
    assert (level, code) == ("warning", "adapted-input")
    assert all(part in facts.adapter for part in words.split(", "))
    assert codes(examine(facts, Contract(vector=3), "m.onnx")) == [("note", "adapted-input")]


@pytest.mark.parametrize(
    ("outputs", "words"),
    [
        ([Tensor("c", FLOAT, (None, 10))], "(N, 10)"),
        ([Tensor("c", FLOAT, (None, 12))], "(N, 12)"),
        ([Tensor("c", FLOAT, (None, 10)), Tensor("second", FLOAT, (None, 11))], "Output 'second' has 11"),
        ([Tensor("c", FLOAT, ())], "of shape ()"),
        ([Tensor("label", "tensor(string)", (None, 11))], "'label' is no tensor of numbers"),
        ([Tensor("label", "seq(map(int64,tensor(float)))", None), SCORES], "Output 'scores' has 11"),
    ],
)
def test_a_first_output_of_another_width_is_an_error(outputs, words):
    found = examine(facts(outputs=outputs), TRICORDER, "m.onnx")
    assert codes(found) == [("error", "wrong-output")]
    assert words in found[0].message


@pytest.mark.parametrize(
    ("shapes", "passes"),
    [
        ([(1, 11)], True),
        ([(11,)], True),
        ([(1, 11, 1, 1)], True),
        ([(1, 3)], False),
        ([(1,)], False),
        ([(11, 2)], False),
        ([None], False),
        ([(2, 11)], False),
        ([(0, 11)], False),
    ],
)
def test_with_a_trial_what_came_counts(shapes, passes):
    for declared in (SCORES, Tensor("scores", FLOAT, None), Tensor("scores", FLOAT, (None, 12))):
        found = examine(facts(outputs=[declared]), TRICORDER, "m.onnx", answer(*shapes))
        assert codes(found) == ([] if passes else [("error", "wrong-output")])


def test_a_failure_is_an_error_of_its_code():
    finding = model_contract.failure("m.onnx", ModelFailed("external-data", "Words."))
    assert (finding.level, finding.code, finding.where, finding.message) == (
        "error",
        "external-data",
        "m.onnx",
        "Words.",
    )


@pytest.mark.parametrize(
    ("shape", "size"),
    [
        ((None, 3, 224, 300), (300, 224)),
        ((1, 3, None, None), (None, None)),
        ((1, 3, 5, None), (None, 5)),
        (None, (None, None)),
    ],
)
def test_image_size_is_width_and_height(shape, size):
    assert image_size(facts([Tensor("image", FLOAT, shape)])) == size


def test_the_probe_measures_what_each_field_moves():
    model, pictures = builders.classifier(), [encoded(photograph(seed=i), "JPEG") for i in range(3)]
    with ModelProcess(model) as process:
        result = probe(process, pictures, SMALL, BASE, CHANGES)
        base = [process.run(data, SMALL, BASE).outputs[0][0].astype(float) for data in pictures]
        for name, vectors in CHANGES.items():
            others = [
                (before, process.run(data, SMALL, vector).outputs[0][0].astype(float))
                for data, before in zip(pictures, base, strict=True)
                for vector in vectors
            ]
            assert result.fields[name] == Effect(
                max(np.abs(after - before).max() for before, after in others),
                sum(before.argmax() != after.argmax() for before, after in others),
                len(others),
            )
    np.testing.assert_array_equal(result.outputs, base)
    assert len(result.cpu_ms) == 3
    assert min(result.cpu_ms) > 0


def test_the_probe_looks_at_eight_pictures_at_most_and_passes_over_unreadable_ones():
    pictures = [b"no image", *(encoded(photograph(seed=i), "JPEG") for i in range(9))]
    with ModelProcess(builders.classifier()) as process:
        assert len(probe(process, pictures, SMALL, BASE).outputs) == 7


def test_without_a_picture_the_probe_takes_noise():
    with ModelProcess(builders.classifier()) as process:
        result = probe(process, [b"no image"], SMALL, BASE, CHANGES)
        again = probe(process, [model_contract.noise(16, 16)], SMALL, BASE, CHANGES)
    np.testing.assert_array_equal(result.outputs, again.outputs)
    assert result.fields == again.fields


def test_demographics_that_move_nothing_are_a_warning_and_others_a_note():
    ignoring = onnx.ModelProto.FromString(builders.classifier(vector=False))
    ignoring.graph.input.append(helper.make_tensor_value_info("vector", TensorProto.FLOAT, ["N", 3]))
    with ModelProcess(ignoring.SerializeToString()) as process:
        found = vector_findings(probe(process, [], SMALL, BASE, CHANGES), "m.onnx")
    assert codes(found) == [("warning", "demographics-ignored")]
    with ModelProcess(builders.classifier()) as process:
        found = vector_findings(probe(process, [], SMALL, BASE, CHANGES), "m.onnx")
    assert codes(found) == [("note", "demographics-probe")]
    assert "changing age moves an output by up to" in found[0].message
    assert "changing gender moves an output by up to" in found[0].message


@pytest.mark.parametrize(
    ("largest", "code"),
    [
        (0.0, "demographics-ignored"),
        (1e-6, "demographics-ignored"),
        (1.1e-6, "demographics-probe"),
        (np.inf, "demographics-probe"),
    ],
)
def test_a_millionth_is_no_move(largest, code):
    assert (
        vector_findings(Probe({"age": Effect(largest, 0, 2)}, np.zeros((1, 11)), (1.0,)), "m.onnx")[0].code
        == code
    )


def test_a_model_without_a_vector_has_no_probe_findings():
    assert vector_findings(Probe({}, np.zeros((1, 11)), (1.0,)), "m.onnx") == []


numbers = st.floats(-5, 5) | st.sampled_from([np.nan, np.inf, -np.inf])


@given(st.lists(st.tuples(numbers, numbers), max_size=5))
def test_move_is_the_largest_difference_and_infinite_where_there_is_none(pairs):
    before, after = (np.array([pair[i] for pair in pairs], float) for i in (0, 1))
    expected = [0.0]
    for a, b in pairs:
        same = a == b or (np.isnan(a) and np.isnan(b))
        expected.append(0.0 if same else abs(a - b) if np.isfinite(a) and np.isfinite(b) else np.inf)
    assert move(before, after) == move(after, before) == max(expected)


def test_outputs_of_other_shapes_moved_infinitely():
    assert move(np.zeros(3), np.zeros(4)) == np.inf


def test_noise_is_always_the_same():
    assert model_contract.noise(8, 4).shape == (4, 8, 3)
    np.testing.assert_array_equal(model_contract.noise(8, 4), model_contract.noise(8, 4))
