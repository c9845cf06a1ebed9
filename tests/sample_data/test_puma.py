"""The PUMA sample is what the generator draws, and what the challenge reads without an error."""

import io
import json
import re
import zipfile

import numpy as np
import pytest
from PIL import Image

from sample_data.generator import puma
from sample_data.generator.annotations import read_geojson
from sample_data.generator.histology import tile
from scoring.challenges.puma import CHALLENGE
from tests.sample_data.committed import ROOT, columns

FOLDER = ROOT / "puma"
LARGEST = 10_000_000  # bytes of the whole sample


@pytest.fixture(scope="module")
def annotations() -> dict:
    folder = FOLDER / "truth"
    return {
        case: read_geojson((folder / f"{case}_nuclei.geojson").read_text(encoding="utf-8"))
        for case in puma.SETTINGS
    }


@pytest.fixture(scope="module")
def truth():
    return CHALLENGE.read_truth(FOLDER / "truth")


@pytest.fixture(scope="module")
def predictions(truth) -> dict:
    return {name: CHALLENGE.read_predictions(FOLDER / "teams" / f"{name}.zip", truth) for name in puma.TEAMS}


@pytest.fixture(scope="module")
def cards(truth, predictions) -> dict:
    return {name: CHALLENGE.score(truth, found, resamples=0) for name, found in predictions.items()}


def picture(case: str) -> Image.Image:
    return Image.open(FOLDER / "truth" / f"{case}.tif")


def codes(findings) -> set[str]:
    return {finding.code for finding in findings}


def test_files_are_those_of_the_plan_and_small(annotations):
    drawn = columns(FOLDER / "drawing.csv")
    assert dict(zip(drawn["case"], map(int, drawn["seed"]), strict=True)) == puma.seeds()
    assert [int(count) for count in drawn["nuclei"]] == [len(annotations[case]) for case in drawn["case"]]
    assert {path.name for path in (FOLDER / "truth").iterdir()} == {
        f"{case}{ending}" for case in puma.SETTINGS for ending in (".tif", "_nuclei.geojson")
    }
    assert sorted(path.stem for path in (FOLDER / "teams").iterdir()) == sorted(puma.TEAMS)
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) <= LARGEST


@pytest.mark.soak
def test_the_generator_still_draws_a_committed_tile(annotations):
    case = "sample_primary_roi_002"
    drawn = tile.draw(puma.seeds()[case], puma.SETTINGS[case])
    with Image.open(io.BytesIO(puma.encoded(drawn.picture))) as again, picture(case) as committed:
        assert np.abs(np.asarray(again.convert("RGB")).astype(int) - np.asarray(committed)).mean() < 5
    expected = [(annotation.kind, annotation.outline.centroid.coords[0]) for annotation in annotations[case]]
    assert [annotation.kind for annotation in drawn.annotations] == [kind for kind, _ in expected]
    found = np.array([annotation.outline.centroid.coords[0] for annotation in drawn.annotations])
    assert found == pytest.approx(np.array([centre for _, centre in expected]), abs=0.5)


@pytest.mark.soak
def test_teams_are_written_as_committed(tmp_path, truth, predictions):
    (tmp_path / "truth").symlink_to(FOLDER / "truth")
    puma.write_teams(tmp_path)
    assert (tmp_path / "teams.json").read_bytes() == (FOLDER / "teams.json").read_bytes()
    assert list(json.loads((FOLDER / "teams.json").read_text(encoding="utf-8"))) == list(puma.TEAMS)
    for name, committed in predictions.items():
        again = CHALLENGE.read_predictions(tmp_path / "teams" / f"{name}.zip", truth)
        for one, other in zip(again.nuclei, committed.nuclei, strict=True):
            assert one.classes.tolist() == other.classes.tolist()
            assert one.centroids == pytest.approx(other.centroids, abs=0.11)


def test_the_challenge_reads_everything_and_finds_the_faults_that_were_put_in(truth, predictions):
    assert truth.ids == tuple(sorted(puma.SETTINGS))
    assert None not in truth.images
    assert codes(truth.findings) == {"names-mapped", "multipolygon"}
    assert codes(predictions["rigel"].findings) == {"names-mapped", "confidence-key"}
    assert (
        codes(predictions["sirius"].findings)
        == codes(predictions["tucana"].findings)
        == {"confidence-key", "names-not-grand-challenge"}
    )
    assert {"missing-case", "mixed-names", "constant-confidence"} <= codes(predictions["octans"].findings)


def test_every_form_is_handed_in():
    members = {}
    for name in puma.TEAMS:
        with zipfile.ZipFile(FOLDER / "teams" / f"{name}.zip") as archive:
            members[name] = archive.namelist()
    assert "submission.csv" in members["sirius"]
    assert all("submission.csv" not in listed for name, listed in members.items() if name != "sirius")
    assert [len(listed) for listed in members.values()] == [8, 9, 8, 6]


@pytest.mark.parametrize("name", puma.TEAMS)
def test_the_readme_says_what_teams_reach(name, cards):
    said = re.search(
        rf"^\| {puma.TEAMS[name].title} \|.*?\| ([\d. |]+) \|$",
        (ROOT / "README.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    reached = [
        cards[name].metrics[metric]
        for metric in ("macro_f1", "macro_f1_grand_challenge", "macro_f1_pooled", "micro_f1")
    ]
    assert [float(number) for number in said[1].split("|")] == pytest.approx(reached, abs=6e-4)
