"""Models of declared challenges: what is scored is what the model says of the pixels, whatever the table of a
submission looks like; and what is refused."""

import io
from collections.abc import Mapping

import numpy as np
import onnx
import pytest
from onnx import helper
from PIL import Image

import scoring
from scoring.challenges.declared import library
from tests.inference import builders
from tests.support.command_line import run
from tests.support.findings import codes, refused

KINDS = {
    "scores": ("classification", "scores", 3),
    "label": ("classification", "label", 3),
    "grades": ("ordinal", "label", 3),
    "one score": ("classification", "score", 1),
    "one score of two": ("classification", "score", 2),
    "labels": ("multilabel", "scores", 3),
    "number": ("regression", "value", 1),
}
"""Task, what a submission has, and numbers that the model gives."""
COLUMNS = {
    "scores": 'scores = "classes"',
    "label": 'label = "p"',
    "score": 'score = "p"',
    "value": 'value = "p"',
}
METRIC = {"label": "balanced_accuracy", "scores": "auc", "score": "auc", "value": "mae"}
IDS = [f"i{k:02}" for k in range(12)]
AT = {name: f"deep/{name}.png" if k % 2 else f"{name}.PNG" for k, name in enumerate(IDS)}


def picture(seed: int, size: tuple[int, int] = (30, 20)) -> bytes:
    buffer = io.BytesIO()
    random = np.random.default_rng(seed)
    pixels = random.integers(0, 256, (size[1], size[0], 3)) // (1 + seed % 3)
    Image.fromarray(pixels.astype(np.uint8)).save(buffer, "PNG")
    return buffer.getvalue()


def model(width: int, metadata: Mapping[str, str] | None = None, softmax: bool = True) -> bytes:
    made = onnx.load_from_string(builders.classifier(width=width, vector=False, softmax=softmax))
    helper.set_model_props(made, dict(metadata or {}))
    return made.SerializeToString()


def by_hand(data: bytes, made: bytes, softmax: bool) -> np.ndarray:
    image = Image.open(io.BytesIO(data)).convert("RGB")
    bilinear = Image.Resampling.BILINEAR
    stretched = image.resize((224, image.height), bilinear).resize((224, 224), bilinear)
    colour = (np.asarray(stretched, np.float32) / np.float32(255)).mean((0, 1), dtype=float)
    found = colour @ onnx.numpy_helper.to_array(onnx.load_from_string(made).graph.initializer[0])
    return np.exp(found - found.max()) / np.exp(found - found.max()).sum() if softmax else found


def text_of(kind: str) -> str:
    """The file of a kind."""
    task, answer, _ = KINDS[kind]
    classes = ["a", "b", "c"] if answer != "score" else ["no", "yes"]
    lines = [
        f'id = "m"\ntitle = "M"\ntask = "{task}"',
        *([f"classes = {classes}"] if task != "regression" else []),
    ]
    lines += ['positive = "yes"'] * (answer == "score")
    truth = {"regression": 'value = "y"', "multilabel": ""}.get(task, 'label = "y"')
    lines += [f'[truth]\ncase = "image"\n{truth}', f"[predictions]\n{COLUMNS[answer]}"]
    average = '\naverage = "macro"' * (answer == "scores" and task == "classification")
    lines += [f'[score]\nmetric = "{METRIC[answer]}"{average}']
    return "\n".join(lines).replace("'", '"')


def declared(kind: str):
    """The challenge of a kind."""
    return library.of_text(text_of(kind), "m.toml")


def truth(kind: str) -> bytes:
    task, answer, _ = KINDS[kind]
    random = np.random.default_rng(1)
    if task == "multilabel":
        rows = ["image,a,b,c", *(f"{i},{k % 2},{k % 3 == 0:d},{k < 5:d}" for k, i in enumerate(IDS))]
    elif task == "regression":
        rows = ["image,y", *(f"{i},{random.random():.3f}" for i in IDS)]
    else:
        names = ("no", "yes") if answer == "score" else ("a", "b", "c")
        rows = ["image,y", *(f"{i},{names[k % len(names)]}" for k, i in enumerate(IDS))]
    return "\n".join(rows).encode()


FILES = {member: picture(k) for k, member in enumerate(AT.values())}


@pytest.mark.parametrize("kind", KINDS)
def test_the_score_is_that_of_what_the_model_says_of_the_pixels(kind, tmp_path):
    challenge = declared(kind)
    classes = library.declaration_of(challenge.id).classes
    task, answer, width = KINDS[kind]
    made = model(width, softmax=task != "regression" and width > 1)
    softmax = task != "regression" and width > 1
    said = np.array([by_hand(data, made, softmax) for data in FILES.values()], float)
    if answer == "score" and width == 1:
        said = np.hstack([1 - said, said])
    cases = challenge.read_truth({"truth.csv": truth(kind), **FILES}, "set")
    found = challenge.predict(made, cases, name="m.onnx")
    if answer == "label":
        assert [classes[k] for k in found.labels] == [classes[k] for k in said.argmax(1)]
    else:
        np.testing.assert_allclose(found.outputs, said, atol=1e-5)
    card = challenge.score(cases, found, resamples=0)
    (tmp_path / "p.csv").write_text(challenge.prediction_table(cases, found))
    again = challenge.read_predictions(tmp_path / "p.csv", cases)
    assert challenge.score(cases, again, resamples=0).score == card.score
    assert card.provenance["model_sha256"]
    assert card.more["model"]["name"] == "m.onnx"


def test_outputs_follow_the_order_that_the_model_names():
    challenge = declared("scores")
    cases = challenge.read_truth({"truth.csv": truth("scores"), **FILES}, "set")
    plain = challenge.predict(model(3), cases).outputs
    turned = challenge.predict(model(3, {"categories": "c,a,b"}), cases)
    np.testing.assert_array_equal(turned.outputs, plain[:, [1, 2, 0]])
    assert "category-order" in codes(turned.findings)
    problem = refused(challenge.predict, model(3, {"categories": "x,y,z"}), cases).problems[0]
    assert problem.code == "wrong-output"


REFUSED = {
    "no images": ({}, 3, {"image-missing"}),
    "one is missing": ({AT["i03"]: None}, 3, {"image-missing"}),
    "two of a name": ({"copy/i03.jpg": picture(1)}, 3, {"ambiguous-image"}),
    "a damaged one": ({AT["i03"]: b"no image"}, 3, {"image-unreadable"}),
    "too many numbers, and an image is missing": ({AT["i03"]: None}, 4, {"wrong-output", "image-missing"}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_models_and_images_are_refused_with_every_problem(name):
    challenge = declared("scores")
    changes, width, expected = REFUSED[name]
    files = {} if name == "no images" else {**FILES, **changes}
    given = {"truth.csv": truth("scores"), **{m: data for m, data in files.items() if data is not None}}
    cases = challenge.read_truth(given, "set")

    def whole() -> None:
        challenge.score(cases, challenge.predict(model(width), cases), resamples=0)

    assert {problem.code for problem in refused(whole).problems} == expected


def test_scores_that_are_no_probabilities_are_refused_before_all_images_are_run(monkeypatch):
    text = (
        'id = "m"\ntitle = "M"\ntask = "multilabel"\nclasses = ["a", "b", "c"]\n[truth]\ncase = "image"\n'
        '[score]\nmetric = "log_loss"\n'
    )
    challenge = library.of_text(text, "m.toml")
    cases = challenge.read_truth({"truth.csv": truth("labels"), **FILES}, "set")
    monkeypatch.setattr("scoring.inference.run_model.run", None)
    problem = refused(challenge.predict, model(3, softmax=False), cases, name="m.onnx").problems[0]
    assert problem.code == "not-a-probability"
    assert "m.onnx" in problem.where


def test_commands_run_a_model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.toml").write_text(text_of("scores"))
    (tmp_path / "m.onnx").write_bytes(model(3))
    (tmp_path / "t.csv").write_bytes(truth("scores"))
    for member, data in FILES.items():
        path = tmp_path / "pictures" / member
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    given = ("--truth", "t.csv", "--images", "pictures", "--model", "m.onnx")
    checked = run("check", "m.toml", *given, "--json", "-").json
    assert checked["model"]["output_kind"] == "probabilities"
    direct = run("score", "m.toml", *given, "--resamples", 50, "--json", "-").json
    assert (
        run("predict", "m.toml", "--images", "pictures", "--model", "m.onnx", "--output", "p.csv").status == 0
    )
    sent = ("--truth", "t.csv", "--predictions", "p.csv", "--resamples", 50)
    written = run("score", "m.toml", *sent, "--json", "-").json
    assert (direct["score"], direct["intervals"]) == (written["score"], written["intervals"])
    compared = run(
        "compare", "m.toml", *given[:4], "a=m.onnx", "b=p.csv", "--resamples", 50, "--json", "-"
    ).json
    assert [team["score"] for team in compared["teams"]] == [direct["score"]] * 2


@pytest.mark.parametrize("name", ["kits19", "luna16", "hecktor2022"])
def test_tasks_without_models_say_so(name):
    challenge = scoring.load_challenge(name)
    assert challenge.model is None
    assert "scores files, not models" in refused(challenge.inspect, model(1)).problems[0].message
