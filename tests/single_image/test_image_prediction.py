"""One answer is the batch path's row; turned and mirrored; and what is refused."""

import re
from dataclasses import replace

import numpy as np
import onnx
import pytest

from scoring import load_challenge
from scoring.challenges import samples
from scoring.challenges.tricorder3.formula import CLASSES
from scoring.common.findings import InputRefused
from scoring.inference.model_pool import Cancelled
from scoring.metrics import calibration, output_kinds
from scoring.single_image.image_prediction import predict, turned, views
from scoring.single_image.model import opened
from scoring.single_image.model_inputs import model_task, vector
from scoring.single_image.photograph import received
from scoring.single_image.similar_cases import reference
from tests.inference import builders
from tests.support.single_image import NO_FILES, PATIENT, lesion, model, of_quadrant, photograph, times
from tests.support.thinned import some_rows

CASES = 8
MODELS = [
    ("tricorder3", "sample", "convolutional"),
    ("tricorder3", "sample", "kmeans"),
    ("melanoma", "sample", "convolutional"),
    ("isic", "isic2018", "kmeans"),
]


@pytest.mark.parametrize(("challenge_id", "key", "name"), some_rows(MODELS, 4))
def test_one_answer_is_the_batch_path_s_row(challenge_id, key, name):
    challenge, sample = load_challenge(challenge_id), samples.test_sets(challenge_id)[key]
    truth = _first(challenge.read_truth(sample.path))
    data = sample.submissions[name].path.read_bytes()
    batch = challenge.predict(data, truth)
    with model(data, model_task(challenge_id, getattr(truth, "categories", None))) as found:
        upright = 0
        for index in range(CASES):
            shown = received(truth.picture(index))
            if shown.turned:
                continue
            upright += 1
            one = predict(found, shown, truth.demographics.encoded[index] if found.takes_vector else None)
            assert one.outputs == pytest.approx(batch.outputs[index], abs=1e-6)
        assert upright > CASES / 2


def _first(truth):
    """The first cases of a test set as ids, so that the batch path is quick."""
    kept = np.arange(CASES)
    if hasattr(truth, "photographs"):
        w = truth.weights
        return replace(
            truth,
            ids=truth.ids[:CASES],
            photographs=truth.photographs[:CASES],
            positives=truth.positives[kept],
            weights=replace(w, score=w.score[kept], validation=w.validation[kept]),
        )
    d = truth.demographics
    some = replace(d, age=d.age[kept], gender=d.gender[kept], location=d.location[kept])
    return replace(
        truth,
        ids=truth.ids[:CASES],
        images=truth.images[:CASES],
        labels=truth.labels[kept],
        demographics=some,
    )


@pytest.mark.parametrize("batch", ["N", -1, 1])
def test_any_batch_axis(batch):
    data = builders.classifier(batch=batch if batch != -1 else None)
    with model(data) as found:
        one = predict(found, photograph(lesion()), vector(PATIENT, 50, "m", "torso"))
    assert one.outputs.shape == (11,)
    assert one.probabilities.sum() == pytest.approx(1)


def test_inputs_go_by_position_whatever_their_names():
    data = builders.classifier().replace(b"demographics", b"zzmographics").replace(b"image", b"yyage")
    with model(data) as renamed, model(builders.classifier()) as usual:
        asked = photograph(lesion()), vector(PATIENT, 70, "f", "head")
        assert predict(renamed, *asked).outputs.tolist() == predict(usual, *asked).outputs.tolist()


def test_the_vector_matters_and_is_never_left_out():
    with model(builders.classifier()) as found:
        shown = photograph(lesion())
        young, old = (predict(found, shown, vector(PATIENT, age, "m", "head")).outputs for age in (20, 80))
        assert np.abs(young - old).max() > 1e-3
        with pytest.raises(ValueError, match="vector"):
            predict(found, shown)


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ((None, None, None), 3),
        ((50, "m", None), 1),
        ((50, "", "head"), 1),
        ((-1, "f", "head"), 1),
        ((121, "x", "elbow"), 3),
    ],
)
def test_nothing_is_filled_in(given, missing):
    with pytest.raises(InputRefused) as caught:
        vector(PATIENT, *given)
    assert [problem.code for problem in caught.value.problems] == ["missing-value"] * missing


def test_unknown_has_to_be_said():
    assert vector(PATIENT, "unknown", "m", "torso").tolist() == [0, 1, 7]  # as the validator encodes it
    assert vector(PATIENT, 50, "unknown", "unknown").tolist() == [50, -1, -1]
    assert vector(PATIENT, 50, "m", "torso").tolist() == [50, 1, 7]


def test_probabilities_of_one_risk():
    with model(of_quadrant(224), model_task("melanoma")) as found:
        one = predict(found, photograph(lesion(224)))
    expected = lesion(224)[:112, 112:].mean() / 255
    assert one.outputs[0] == pytest.approx(expected, abs=1e-5)
    assert one.probabilities == pytest.approx([1 - expected, expected], abs=1e-5)
    assert (one.top, one.order) == (1, (1, 0))


@pytest.mark.parametrize(("outputs", "whole"), [(1, 100), (11, 100), (1, 255)])
def test_percent_and_bytes_are_scaled_and_no_softmax_is_taken(outputs, whole):
    """A risk of 37 percent was shown as 1.00."""
    rows = np.random.default_rng(1).dirichlet(np.ones(max(outputs, 2)), 50)[:, -outputs:]
    scaled = np.round(rows * whole) if whole == 255 else rows * whole
    found = output_kinds.kind(scaled)
    assert found == {100: "percent", 255: "bytes"}[whole]
    assert output_kinds.probabilities(scaled, found)[:, -outputs:] == pytest.approx(rows, abs=0.5 / 255)


def test_logits_are_known_by_the_test_set_s_outputs():
    """One row within 0..1 that does not sum to 1 cannot say what it is."""
    about = model_task("tricorder3")
    outputs = np.random.default_rng(0).normal(0, 4, (30, 11))
    cases = _Cases(30)
    ref = reference(about, cases, _Outputs(outputs))
    assert ref.kind == "logits"
    with model(builders.classifier(softmax=False)) as found:
        one = predict(found, photograph(lesion()), vector(PATIENT, 40, "f", "leg"), ref)
    assert one.probabilities == pytest.approx(output_kinds.softmax(one.outputs[None])[0])
    assert one.scaled == pytest.approx(calibration.apply_temperature(one.probabilities, ref.temperature))


class _Cases:
    name, columns, id_column, files = "cases", {}, "case", NO_FILES

    def __init__(self, n, classes=11):
        self.ids = self.images = tuple(map(str, range(n)))
        self.labels = np.arange(n) % classes

    def __len__(self):
        return len(self.ids)


class _Outputs:
    def __init__(self, outputs):
        self.outputs, self.has_outputs = outputs, np.ones(len(outputs), bool)


def test_a_model_of_colour_alone_does_not_care_how_the_picture_lies():
    with model(builders.classifier(side=(16, 16))) as found:
        seen = views(found, predict(found, photograph(lesion()), vector(PATIENT, 50, "m", "torso")))
    assert seen.others == 7
    assert seen.changed == 0
    assert seen.deviation.max() < 1e-6


def test_a_model_of_one_quarter_does():
    pixels = np.zeros((224, 224, 3), np.uint8)
    pixels[:112, 112:] = 200
    with model(of_quadrant(224), model_task("melanoma")) as found:
        seen = views(found, predict(found, photograph(pixels)))
    assert (seen.changed, seen.changed_by_rule) == (6, None)  # None: as many by the challenge's rule
    with model(times(of_quadrant(224), 0.6), model_task("melanoma")) as found:  # 0.47, as a logit melanoma
        logits = _Outputs(np.full((30, 1), -1.0))
        known = reference(model_task("melanoma"), _Cases(30, 2), logits)
        below = views(found, predict(found, photograph(pixels), None, known))
    assert (below.changed, below.changed_by_rule) == (6, 0)
    assert (seen.low[1], seen.high[1]) == (pytest.approx(0, abs=1e-4), pytest.approx(200 / 255, abs=1e-4))


def test_the_eight_views_are_all_there_are():
    pixels = np.random.default_rng(0).integers(0, 256, (5, 5, 3), np.uint8)
    found = turned(pixels)
    assert np.array_equal(found[0], pixels)
    assert len({view.tobytes() for view in found}) == 8
    oblong = np.random.default_rng(0).integers(0, 256, (4, 6, 3), np.uint8)
    assert len({view.tobytes() for view in turned(oblong)}) == len(turned(oblong)) == 4


def test_views_stop_when_asked():
    asked = iter([False, False, True])
    with model(builders.classifier()) as found:
        one = predict(found, photograph(lesion()), vector(PATIENT, 50, "m", "torso"))
        with pytest.raises(Cancelled):
            views(found, one, lambda: next(asked))


def _refused(data: bytes, challenge_id: str = "tricorder3") -> str:
    with pytest.raises(InputRefused) as caught:
        opened(model_task(challenge_id), data)
    return " ".join(problem.message for problem in caught.value.problems)


def test_models_of_another_challenge_and_no_models():
    dense = (samples.FOLDER / "puma" / "models" / "dense.onnx").read_bytes()
    skin = (samples.FOLDER / "tricorder3" / "models" / "kmeans.onnx").read_bytes()
    assert "11 numbers" in _refused(dense)
    assert "map" in _refused(dense, "melanoma")
    assert "2 inputs" in _refused(skin, "melanoma")
    seven = (samples.FOLDER / "isic2018" / "models" / "kmeans.onnx").read_bytes()
    assert "7 numbers per image, but one risk" in _refused(seven, "melanoma")
    assert _refused(b"not a model")
    assert _refused(b"")


def test_of_two_columns_the_first_is_the_risk_and_that_is_said():
    with model(builders.classifier(2, vector=False), model_task("melanoma")) as found:
        assert [finding.code for finding in found.findings] == ["two-column-output"]
        assert predict(found, photograph(lesion())).outputs.shape == (1,)


def named(data: bytes, **entries: str) -> bytes:
    made = onnx.load_from_string(data)
    onnx.helper.set_model_props(made, entries)
    return made.SerializeToString()


def test_what_the_file_calls_the_two_columns_is_said():
    """A model that calls the first one benign was shown as one of melanoma without a word."""
    made = named(builders.classifier(2, vector=False), names="{0: 'benign', 1: 'malignant'}")
    with model(made, model_task("melanoma")) as found:
        (finding,) = found.findings
    assert "names the first number “benign” and the second “malignant”" in finding.message


@pytest.mark.parametrize(
    ("entry", "warned"),
    some_rows(
        [(CLASSES[::-1], True), (CLASSES, False), ((*CLASSES[1:], "cat"), False), (("cat", "dog"), False)], 2
    ),
)
def test_tricorder_s_order_of_classes_is_fixed_and_a_model_that_names_another_is_warned_of(entry, warned):
    made = named(builders.classifier(11), class_names=",".join(entry))
    challenge = load_challenge("tricorder3")
    cases = _first(challenge.read_truth(samples.test_sets("tricorder3")["sample"].path))
    ways = (challenge.inspect, challenge.predict)
    with model(made) as found:
        about = [found.findings, *(way(made, cases, name="team.onnx").findings for way in ways)]
    for findings in about:
        said = [finding for finding in findings if finding.code == "category-order"]
        assert [finding.level for finding in said] == ["warning"] * warned
        for finding in said:
            assert re.search("outputs VASC, SCCKA, .* read the outputs as AKIEC, BCC, ", finding.message)


def test_names_of_classes_that_are_not_used_are_said():
    """A file said that its first output is "nevus", and the page read it as melanoma without a word."""
    made = named(builders.classifier(2, vector=False), names="{0: 'nevus', 1: 'melanoma'}")
    with model(made, model_task("isic", ("MEL", "NV"))) as found:
        (finding,) = [one for one in found.findings if one.code == "unused-names"]
    assert finding.level == "warning"
    assert "nevus, melanoma. These names are not used: the outputs are read as MEL, NV." in finding.message


def test_a_model_that_answers_with_no_number():
    with model(builders.declared_other((1, 11))) as found:
        assert predict(found, photograph(lesion())).outputs.shape == (11,)
    undefined = [
        builders.helper.make_node("ReduceMean", ["image"], ["grey"], axes=[1, 2, 3], keepdims=1),
        builders.helper.make_node("Sub", ["grey", "half"], ["less"]),
        builders.helper.make_node("Sqrt", ["less"], ["root"]),
        builders.helper.make_node("Reshape", ["root", "shape"], ["flat"]),
        builders.helper.make_node("Mul", ["flat", "ones"], ["scores"]),
    ]
    constants = [
        builders.initializer("half", np.float32(0.4)),
        builders.initializer("shape", np.array([1, 1])),
        builders.initializer("ones", np.ones((1, 11), np.float32)),
    ]
    with (
        model(builders.build(undefined, initializers=constants)) as found,
        pytest.raises(
            InputRefused, match="This model's output for the image is not a list of finite numbers"
        ),
    ):
        predict(found, photograph(np.zeros((64, 64, 3), np.uint8)))


def test_a_worker_that_is_gone_is_known():
    found = opened(model_task("tricorder3"), builders.classifier(side=(16, 16)))
    assert not found.ended
    found.close()
    assert found.ended
    with pytest.raises(InputRefused, match="closed"):
        predict(found, photograph(lesion(64)), vector(PATIENT, 50, "m", "torso"))


def test_numbers_of_one_image_say_nothing_about_their_scale_unless_the_model_proves_it():
    """A raw output of 0.38, a logit, was shown as the score 0.62 of another lesion."""
    about = model_task("melanoma")
    logits = _Outputs(np.random.default_rng(0).normal(0, 2, (30, 1)))
    with model(of_quadrant(64), about) as found:
        alone = predict(found, photograph(lesion(64)))
        assert not alone.scale_known
        cases = reference(about, _Cases(30, 2), logits)
        assert predict(found, photograph(lesion(64)), None, cases).scale_known
        none = reference(about, _Cases(0), _Outputs(np.empty((0, 1))))
        assert not predict(found, photograph(lesion(64)), None, none).scale_known
    with model(times(of_quadrant(64), -1), about) as negative:
        assert predict(negative, photograph(lesion(64))).scale_known  # no score is negative
    with model(builders.classifier()) as proven:
        assert predict(proven, photograph(lesion()), vector(PATIENT, 40, "f", "leg")).scale_known
