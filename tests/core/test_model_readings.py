"""Models of other programs that want other pixels are told by the score that these give, and read so."""

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from scoring.challenges import load_challenge
from scoring.common.findings import InputRefused
from scoring.core.model_readings import FEW, PIXELS
from scoring.core.submitted_part import of_cases
from scoring.inference.model_pool import Cancelled
from scoring.inputs.sources import FixedSource
from tests.support.command_line import ROOT
from tests.support.thinned import some

ISIC = load_challenge("isic")
FOLDER = ROOT / "sample_data" / "isic2018"
MODEL = FOLDER / "models" / "kmeans.onnx"
MEAN, DEVIATION = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


@pytest.fixture(scope="module")
def truth():
    whole = ISIC.read_truth(FOLDER)
    return of_cases(whole, np.arange(0, len(whole), 8))


@pytest.fixture(scope="module")
def wanted(truth) -> float:
    return ISIC.score(truth, ISIC.predict(MODEL, truth), resamples=0).score


def wrapped(factor, plus, blue_first: bool = False, logits: bool = False) -> bytes:
    """The sample's model behind a layer that undoes what another program does with pixels."""
    model = onnx.load(MODEL)
    graph = model.graph
    (image,), (output,) = graph.input, graph.output
    steps = [("Mul", np.array(factor, np.float32)), ("Add", np.array(plus, np.float32))]
    nodes, source = [], "pixels"
    for place, (operator, numbers) in enumerate(steps):
        constant = numpy_helper.from_array(numbers.reshape(-1, 1, 1), f"constant_{place}")
        graph.initializer.append(constant)
        nodes.append(helper.make_node(operator, [source, constant.name], [f"step_{place}"]))
        source = f"step_{place}"
    graph.initializer.append(numpy_helper.from_array(np.arange(3)[:: -1 if blue_first else 1], "channels"))
    nodes.append(helper.make_node("Gather", [source, "channels"], [image.name], axis=1))
    image.name = "pixels"
    others = [*nodes, *graph.node]
    del graph.node[:]
    graph.node.extend(others)
    if logits:
        graph.initializer.append(numpy_helper.from_array(np.array(1e-12, np.float32), "least"))
        graph.node.append(helper.make_node("Max", [output.name, "least"], ["above"]))
        graph.node.append(helper.make_node("Log", ["above"], ["logits"]))
        output.name = "logits"
    return model.SerializeToString()


FOREIGN = {
    "Keras": (wrapped(1 / 255, 0), {"pixels": "255"}),
    "timm": (wrapped(DEVIATION, MEAN, logits=True), {"softmax": "yes", "pixels": "imagenet"}),
    "transformers": (wrapped(0.5, 0.5, logits=True), {"softmax": "yes", "pixels": "signed"}),
    "Custom Vision": (wrapped(1 / 255, 0, blue_first=True), {"pixels": "255 bgr"}),
}


def test_every_form_of_pixels_that_is_tried_is_that_of_a_program():
    assert {edits["pixels"] for _, edits in FOREIGN.values()} == {*PIXELS}


@pytest.mark.parametrize("program", some(list(FOREIGN), 2, 1))
def test_pixels_that_score_far_better_are_named_with_their_score(truth, wanted, program):
    data, edits = FOREIGN[program]
    try:
        noticed = ISIC.predict(data, truth, name="m.onnx").findings
    except InputRefused as refused:
        noticed = refused.problems
    fixes = [fix for finding in noticed if finding.code != "adapted-input" for fix in finding.fixes]
    assert dict(fixes[0].changes.edits) == edits
    read = ISIC.predict(FixedSource(data, fixes[0].changes), truth)
    card = ISIC.score(truth, read, resamples=0)
    assert card.score == pytest.approx(wanted, abs=1e-6)
    assert f"score {card.score:.4f}" in fixes[0].label
    assert not card.official.same


def test_a_model_that_tells_cases_apart_is_not_tried_again(truth):
    assert "pixels-suspect" not in [finding.code for finding in ISIC.predict(MODEL, truth).findings]


def test_a_model_that_sees_nothing_is_tried_on_few_cases_and_tells_how_far(truth):
    seen = []
    findings = ISIC.predict(wrapped(0, 0.5), truth, progress=lambda *counts: seen.append(counts)).findings
    assert "pixels-suspect" not in [finding.code for finding in findings]
    images = len(truth) + len(PIXELS) * FEW
    assert seen == sorted(seen)
    assert seen[-1] == (images, images)


def test_what_is_tried_can_be_cancelled(truth):
    seen = [(0, 0)]
    with pytest.raises(Cancelled):
        ISIC.predict(
            wrapped(0, 0.5),
            truth,
            progress=lambda *counts: seen.append(counts),
            cancelled=lambda: seen[-1][0] > len(truth),
        )
    assert seen[-1][0] <= len(truth) + FEW
