"""A model of nuclei on a test set: what it finds is scored as its files are, and what is wrong is said."""

import io
import json
import zipfile

import numpy as np
import pytest
from PIL import Image

import scoring
from scoring.challenges import samples
from scoring.challenges.puma.nucleus_classes import PLATFORM
from scoring.common.findings import InputRefused
from scoring.inference.model_pool import Cancelled
from tests.support.command_line import run
from tests.support.dense_models import dense

CHALLENGE = scoring.load_challenge("puma")
SAMPLE = samples.test_sets("puma")["sample"]
DENSE = SAMPLE.submissions["dense"].path
TILES = ("sample_primary_roi_002", "sample_metastatic_roi_004")


def part(cases=TILES, images=TILES) -> dict[str, bytes]:
    """Some cases of the sample with images for some of them."""
    members = [f"{case}_nuclei.geojson" for case in cases] + [f"{case}.tif" for case in images]
    return {member: (SAMPLE.path / member).read_bytes() for member in members}


@pytest.fixture(scope="module")
def truth():
    return CHALLENGE.read_truth(part(), "part")


@pytest.fixture(scope="module")
def found(truth):
    return CHALLENGE.predict(DENSE, truth)


def refused(work, *given, **more) -> list:
    with pytest.raises(InputRefused) as caught:
        work(*given, **more)
    return [(problem.code, problem.where) for problem in caught.value.problems]


def test_the_sample_model_is_scored(truth, found):
    card = CHALLENGE.score(truth, found, resamples=0)
    assert card.metrics["micro_f1"] > 0.85
    assert card.provenance["predictions_sha256"] is None
    assert card.provenance["model_sha256"] == card.more["model"]["sha256"]
    assert card.more["model"]["output_kind"] == "probabilities"
    assert not found.missing.any()


@pytest.mark.parametrize("rules", ["description", "grand-challenge"])
def test_the_downloaded_files_give_the_same_card(truth, found, rules):
    again = CHALLENGE.read_predictions(CHALLENGE.prediction_table(truth, found), truth, "dense.zip")
    both = (CHALLENGE.score(truth, one, rules=rules, resamples=20) for one in (found, again))
    of_model, of_files = (card.as_dict() for card in both)
    assert set(of_model) - set(of_files) == {"model"}
    for key in set(of_files) - {"findings", "provenance"}:
        assert of_files[key] == of_model[key], key
    for one, other in zip(found.nuclei, again.nuclei, strict=True):
        assert np.array_equal(one.centroids, other.centroids)
        assert np.array_equal(one.vertices, other.vertices)


def test_the_files_are_the_platform_s(truth, found):
    data = CHALLENGE.prediction_table(truth, found)
    assert data == CHALLENGE.prediction_table(truth, found)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == [f"{case}.json" for case in sorted(TILES)]
        document = json.loads(archive.read(archive.namelist()[0]))
    assert document["type"] == "Multiple polygons"
    for polygon in document["polygons"]:
        assert set(polygon) == {"name", "seed_point", "path_points", "probability"}
        assert polygon["name"] in PLATFORM
        assert 0 <= polygon["probability"] <= 1
        assert all(len(point) == 3 for point in (*polygon["path_points"], polygon["seed_point"]))


def test_cases_without_an_image_are_missing():
    cases = CHALLENGE.read_truth(part(images=TILES[:1]), "part")
    got = CHALLENGE.predict(DENSE, cases)
    assert dict(zip(cases.ids, got.missing.tolist(), strict=True)) == {TILES[0]: False, TILES[1]: True}
    assert [(f.code, f.where) for f in got.findings] == [("missing-case", TILES[1])]
    assert "1 of 2 tiles missing" in CHALLENGE.score(cases, got, resamples=0).incomplete


def test_no_image_at_all_and_images_that_are_none():
    assert refused(CHALLENGE.predict, DENSE, CHALLENGE.read_truth(part(images=()), "part")) == [
        ("image-missing", "part")
    ]
    picture = io.BytesIO()
    Image.fromarray(np.full((64, 64, 3), 99, np.uint8)).save(picture, "PNG")
    point = {"nuclei": [{"centroid": [40, 40], "class": "tumor"}]}
    files = {f"{name}.json": json.dumps(point).encode() for name in "ab"}
    damaged = picture.getvalue()[:60]  # its header tells the size
    cases = CHALLENGE.read_truth({**files, "a.png": picture.getvalue(), "b.png": damaged}, "part")
    got = CHALLENGE.predict(DENSE, cases)
    assert got.missing.tolist() == [False, True]
    assert ("image-unreadable", "b") in [(f.code, f.where) for f in got.findings]


@pytest.mark.parametrize(
    ("model", "code"),
    [
        (dense(channels=7), "wrong-output"),
        (dense(fill=0.0), "wrong-output"),
        (b"nothing", "model-unreadable"),
    ],
)
def test_what_is_no_dense_model(truth, model, code):
    assert refused(CHALLENGE.predict, model, truth, name="m.onnx") == [(code, "m.onnx")]
    assert refused(CHALLENGE.inspect, model, truth, "m.onnx") == [(code, "m.onnx")]


def test_a_run_can_be_stopped(truth):
    with pytest.raises(Cancelled):
        CHALLENGE.predict(DENSE, truth, cancelled=lambda: True)


def test_images_alone_are_cases():
    cases = CHALLENGE.read_images(part(cases=(), images=TILES) | {"notes.txt": b"x"}, "images")
    assert cases.ids == tuple(sorted(TILES))
    assert [f.code for f in cases.findings] == ["ignored-files"]
    assert refused(CHALLENGE.read_images, {"notes.txt": b"x"}, "images") == [("image-missing", "images")]
    twice = {"a/x.png": b"", "b/x.png": b""}
    assert refused(CHALLENGE.read_images, twice, "images") == [("duplicate-case", "b/x.png")]


def test_the_command_line(tmp_path):
    """A model that takes small tiles only, on two small drawn tiles."""
    dice = np.random.default_rng(0)
    for case in ("a", "b"):
        pixels = dice.integers(0, 256, (80, 100, 3), np.uint8)
        Image.fromarray(pixels).save(tmp_path / f"{case}.png")
        nuclei = {"nuclei": [{"centroid": [40, 40], "class": "tumor"}]}
        (tmp_path / f"{case}.json").write_text(json.dumps(nuclei), encoding="utf-8")
    model, files = tmp_path / "small.onnx", tmp_path / "out.zip"
    model.write_bytes(dense(side=(64, 64)))
    checked = run("check", "puma", "--model", model, "--json", "-")
    assert checked.status == 0
    assert checked.json["model"]["inputs"][0]["shape"] == [None, 3, 64, 64]
    assert run("predict", "puma", "--model", model, "--images", tmp_path, "--output", files).status == 0
    scored = [
        run("score", "puma", "--truth", tmp_path, *given, "--resamples", "0", "--json", "-").json
        for given in (("--model", model), ("--predictions", files))
    ]
    assert scored[0]["score"] == scored[1]["score"]
    assert scored[0]["cases"] == scored[1]["cases"]
    compared = run(
        "compare", "puma", "--truth", tmp_path, f"A={model}", f"B={files}", "--resamples", "20", "--json", "-"
    )
    assert [team["team"] for team in compared.json["teams"]] == ["A", "B"]
