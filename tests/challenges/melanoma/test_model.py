"""Models of melanoma: tensors, what the preflight says, outputs that become scores."""

import hashlib
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper
from PIL import Image

from scoring.challenges.melanoma.measures import score_warnings
from scoring.challenges.melanoma.model import received, recipe_of_size
from scoring.inference.preprocessing import pixels, tensor
from scoring.inputs.sources import FixedSource
from tests.inference import builders
from tests.support.findings import codes, only, refused
from tests.support.lesion_tables import table
from tests.support.risk_tables import CHALLENGE
from tests.support.single_image import times
from tests.support.thinned import some

GOLDEN = Path(__file__).parents[2] / "golden" / "melanoma" / "09-onnx-zip"
TENSORS = json.loads((GOLDEN / "tensors.json").read_text())["tensors"]
LABELS = (True, False, True, False, False, False)
COLUMNS = {"risk": [[4.0], [-2.0], [-2.0]], "falling": [[-4.0], [2.0], [2.0]]}
"""Weights of red, green and blue: one rises with red, the other falls."""


def picture_files() -> dict[str, bytes]:
    """Six plain pictures with their labels; the melanomas are the reddest."""
    files = {
        "labels.csv": table(("filename", "label"), *((f"c{i}.png", str(y)) for i, y in enumerate(LABELS)))
    }
    for i, y in enumerate(LABELS):
        out = io.BytesIO()
        Image.new("RGB", (40 + 10 * i, 60), (230 if y else 90 + 10 * i, 80, 70 + 10 * i)).save(out, "PNG")
        files[f"c{i}.png"] = out.getvalue()
    return files


CASES = CHALLENGE.read_truth(picture_files(), name="t")


def model(
    *columns: str, side=(None, None), batch="N", sigmoid: bool = True, shape=None, scale: float = 1.0
) -> bytes:
    """Mean colour, linear, a sigmoid. columns: of the output, see COLUMNS. shape: what the output is reshaped
    to at the end."""
    weights = scale * np.hstack([COLUMNS[name] for name in columns or ("risk",)]).astype(np.float32)
    nodes = [
        helper.make_node("ReduceMean", ["image"], ["colour"], axes=[2, 3], keepdims=0),
        helper.make_node("MatMul", ["colour", "W"], ["a"]),
        helper.make_node("Sigmoid" if sigmoid else "Identity", ["a"], ["b"]),
        helper.make_node(
            "Identity" if shape is None else "Reshape", ["b"] if shape is None else ["b", "shape"], ["scores"]
        ),
    ]
    made = [builders.initializer("W", weights)]
    made += [] if shape is None else [builders.initializer("shape", np.array(shape, np.int64))]
    declared = [batch, weights.shape[1]] if shape is None else list(shape)
    inputs = [("image", TensorProto.FLOAT, [batch, 3, *side])]
    return builders.build(nodes, inputs, [("scores", TensorProto.FLOAT, declared)], made)


@pytest.fixture(scope="module")
def plain():
    return CHALLENGE.predict(model(), CASES, name="m.onnx")


@pytest.mark.parametrize("member", TENSORS)
def test_tensors_equal_the_official_ones(member):
    with zipfile.ZipFile(GOLDEN / "dataset.zip") as packed:
        data = packed.read(
            next(name for name in packed.namelist() if name.endswith(member) and "__MACOSX" not in name)
        )
    values = tensor(pixels(data, recipe_of_size(None, None))[0])
    assert values.shape == (1, 3, 224, 224)
    assert hashlib.sha256(values.astype("<f4").tobytes()).hexdigest() == TENSORS[member]["sha256"]


def test_a_symbolic_size_is_224_and_a_declared_one_takes_its_place():
    assert recipe_of_size(None, None).steps == ((224, 224, "bicubic"),)
    assert recipe_of_size(160, 96).steps == ((160, 96, "bicubic"),)


def test_a_model_that_keeps_the_contract_is_run(plain):
    inspected = CHALLENGE.inspect(model(), CASES, "m.onnx")
    assert codes(inspected.findings) == ["model-size"]
    assert only(inspected.findings, "model-size").level == "note"
    scores = plain.outputs[:, 0]
    assert ((scores > 0) & (scores < 1)).all()
    assert scores[[0, 2]].min() > scores[[1, 3, 4, 5]].max()
    assert CHALLENGE.score(CASES, plain, resamples=0).metrics["auc"] == 1


@pytest.mark.parametrize("shape", some([(1, 1), (1,), ()], 3), ids=str)
def test_one_number_in_every_shape(shape, plain):
    assert np.array_equal(CHALLENGE.predict(model(shape=shape), CASES).outputs, plain.outputs)


PREFLIGHT = {
    "fixed-batch-1": {"batch": 1},
    "input-size": {"side": (96, 160)},
    "logits": {"sigmoid": False, "scale": 5.0},
    "constant-output": {"scale": 0.0},
}


@pytest.mark.parametrize("code", some(list(PREFLIGHT), 2))
def test_what_the_preflight_warns_of(code):
    data = model(**PREFLIGHT[code])
    assert only(CHALLENGE.inspect(data, CASES, "m.onnx").findings, code).level == "warning"
    found = CHALLENGE.predict(data, CASES, name="m.onnx")
    assert only(found.findings, code).level == "warning"
    assert CHALLENGE.score(CASES, found, resamples=0).n_cases == len(LABELS)


def test_several_columns_of_which_the_first_is_scored(plain):
    data = model("risk", "falling")
    assert only(CHALLENGE.inspect(data, CASES, "m.onnx").findings, "two-column-output").level == "warning"
    found = CHALLENGE.predict(data, CASES, name="m.onnx")
    assert found.outputs.shape == (len(LABELS), 1)
    assert np.array_equal(found.outputs, plain.outputs)
    said = only(found.findings, "two-column-output").message
    assert "1.0000, 0.0000" in said
    assert "is better" not in said


@pytest.mark.parametrize(
    ("data", "meant", "edits"),
    [
        (model(sigmoid=False, scale=9.0), model(scale=9.0), {"sigmoid": "yes"}),
        (model("falling", "risk"), model("risk", "falling"), {"order": "2 1"}),
    ],
    ids=["logits", "columns"],
)
def test_another_reading_of_the_outputs_is_offered_with_its_score(data, meant, edits):
    whole, expected = (CHALLENGE.predict(each, CASES, name="m.onnx") for each in (data, meant))
    (fix,) = [fix for finding in whole.findings for fix in finding.fixes]
    score = CHALLENGE.score(CASES, expected, resamples=0).score
    assert dict(fix.changes.edits) == edits
    assert f"score {100 * score:.2f}" in fix.label
    source = FixedSource(data, fix.changes)
    changed = CHALLENGE.predict(source, CASES, name="m.onnx")
    card = CHALLENGE.score(CASES, changed, resamples=0)
    assert (card.score, card.official.same, card.official.changes) == (score, False, 1)
    name, written = CHALLENGE.changed_file(CASES, changed, source, "m.onnx")
    again = CHALLENGE.score(CASES, CHALLENGE.predict(written, CASES, name=name), resamples=0)
    assert (name, again.score, again.official.same) == ("m-changed.onnx", score, True)


def test_a_better_column_than_the_first_is_named():
    found = CHALLENGE.predict(model("falling", "risk"), CASES, name="m.onnx")
    assert "Column 2 is better" in only(found.findings, "two-column-output").message
    assert CHALLENGE.score(CASES, found, resamples=0).metrics["auc"] == 0


@pytest.mark.parametrize("words", builders.FOREIGN_INPUTS)
def test_a_model_that_the_official_code_cannot_feed_is_scored_and_is_not_official(words, plain):
    foreign = CHALLENGE.predict(
        builders.with_foreign_inputs(model(), **builders.FOREIGN_INPUTS[words]), CASES
    )
    np.testing.assert_allclose(foreign.outputs, plain.outputs, rtol=0, atol=2e-3)
    card = CHALLENGE.score(CASES, foreign, resamples=0)
    assert card.score == CHALLENGE.score(CASES, plain, resamples=0).score
    assert "refuse" in only(foreign.findings, "adapted-input").message
    assert card.official.badge() == "not an official score"


REFUSED = {
    "model-unreadable": builders.classifier()[:50],
    "wrong-inputs": builders.classifier(width=1, vector=True),
    "external-data": builders.external_initializer("labels.csv"),
}


@pytest.mark.parametrize("code", REFUSED)
def test_models_that_are_refused(code):
    for call in (CHALLENGE.inspect, CHALLENGE.predict):
        assert code in codes(refused(call, REFUSED[code], CASES, name="m.onnx").problems)


def test_what_a_model_received_is_shown():
    (stage,), _ = received(CASES, 3)
    assert (stage.width, stage.height) == (224, 224)
    shown = np.asarray(Image.open(io.BytesIO(stage.png)).convert("RGB"))
    assert np.array_equal(shown, pixels(picture_files()["c3.png"], recipe_of_size(None, None))[0])


@pytest.mark.parametrize(
    ("whole", "advice"), [(100, "percent. Divide them by 100"), (255, "Divide them by 255")]
)
def test_percent_and_bytes_of_a_model_are_divided_and_get_no_sigmoid(whole, advice):
    """A sigmoid of 37 percent is 1.00."""
    scores = np.round(np.linspace(0, 1, 40) * whole)
    (found,) = score_warnings(scores, "m.onnx")
    assert advice in found.message
    assert "sigmoid" not in found.message
    assert found.fixes == ()
    data = times(model("falling"), 200)
    found = CHALLENGE.predict(data, CASES, name="m.onnx").findings
    assert "percent" in codes(found)
    assert not any("sigmoid" in dict(fix.changes.edits) for finding in found for fix in finding.fixes)
    (unclear,) = score_warnings(np.array([0.4, 31.0]), "m.onnx")
    assert "Put a sigmoid into the model, or divide by 100 if these are percent;" in unclear.message
