"""The HECKTOR sample has what the challenge must cope with, and its teams have their characters."""

import gzip
import json
import re
from functools import cache

import nibabel
import numpy as np
import pytest

from sample_data.generator import hecktor2026
from sample_data.generator.headneck import patient
from scoring.challenges.hecktor2026 import CHALLENGE as challenge
from scoring.challenges.hecktor2026.truth import HecktorTruth
from scoring.core.scorecard import ScoreCard
from tests.sample_data.committed import ROOT, columns, table
from tests.support.thinned import some

FOLDER = ROOT / "hecktor2026"
PLANS = hecktor2026.plans()
CLINICAL = columns(FOLDER / "clinical.csv")
DRAWING = columns(FOLDER / "drawing.csv")
LARGEST = 8_000_000  # bytes of everything
ORDINARY = 30


@cache
def image(path: str) -> nibabel.Nifti1Image:
    return nibabel.Nifti1Image.from_bytes(gzip.decompress((FOLDER / path).read_bytes()))


@cache
def labels(place: int) -> np.ndarray:
    return np.asarray(image(hecktor2026.mask_path(place, PLANS[place].name)).dataobj)


@cache
def truth() -> HecktorTruth:
    return challenge.read_truth(FOLDER)


@cache
def card(name: str) -> ScoreCard:
    submission = challenge.read_predictions(FOLDER / "teams" / f"{name}.zip", truth())
    return challenge.score(truth(), submission, resamples=0)


def codes(name: str) -> set[str]:
    return {finding.code for finding in card(name).findings}


def test_the_folder_is_small_and_has_a_mask_for_everyone():
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) <= LARGEST
    assert list(CLINICAL["PatientID"]) == list(DRAWING["PatientID"]) == [plan.name for plan in PLANS]
    assert len(list(FOLDER.glob("masks/*"))) + len(hecktor2026.IMAGED) == len(PLANS) == 48


@pytest.mark.parametrize("place", some([hecktor2026.IMAGED[0], hecktor2026.EXCISED, ORDINARY], 3))
def test_the_generator_still_draws_the_committed_patients(place):
    drawn = patient.draw(PLANS[place])
    same = (drawn.disease.labels > 0) & (labels(place) == drawn.disease.labels)
    assert same.sum() >= 0.98 * np.count_nonzero(labels(place))
    assert list(map(str, hecktor2026.clinical_row(place, drawn))) == table(FOLDER / "clinical.csv")[1 + place]
    if place in hecktor2026.IMAGED:
        tomogram = nibabel.Nifti1Image.from_bytes(
            gzip.decompress(
                hecktor2026.scans(place, drawn)[f"{drawn.plan.name}/{drawn.plan.name}__CT.nii.gz"]
            )
        )
        committed = image(f"{drawn.plan.name}/{drawn.plan.name}__CT.nii.gz")
        assert np.abs(tomogram.get_fdata() - committed.get_fdata()).mean() < 5


def test_the_challenge_reads_the_truth():
    assert len(truth()) == 48
    assert [finding.code for finding in truth().findings] == ["truth-incomplete"]


@pytest.mark.parametrize("name", ["vega", "umbra", "altair"])
def test_tidy_teams_miss_nothing(name):
    counts = {key: value for key, value in card(name).metrics.items() if key.startswith("n_")}
    assert set(counts.values()) == {0}
    assert not codes(name) & {
        "malformed-mask",
        "missing-mask",
        "stage-not-recognised",
        "missing-stage",
        "missing-risk",
    }


def test_the_careless_team_has_every_fault():
    faults = {
        "unknown-patient",
        "stage-folded",
        "stage-not-recognised",
        "missing-stage",
        "risk-not-a-number",
        "missing-risk",
    }
    assert faults | {"malformed-mask", "missing-mask", "float-mask", "reoriented-mask"} <= codes("mira")
    assert card("mira").metrics["n_malformed_masks"] == 1


def test_teams_are_listed_with_their_files():
    assert list(json.loads((FOLDER / "teams.json").read_text(encoding="utf-8"))) == list(hecktor2026.TEAMS)
    assert {path.stem for path in FOLDER.glob("teams/*.zip")} == set(hecktor2026.TEAMS)


@pytest.mark.parametrize("name", hecktor2026.TEAMS)
def test_the_readme_says_what_teams_reach(name):
    said = re.search(
        rf"^\| {name.title()} \|.*?\| ([\d. |]+) \|$",
        (ROOT / "README.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    reached = [
        card(name).metrics[metric] for metric in ("segmentation", "staging", "c_index", "weighted_score")
    ]
    assert said.group(1).split(" | ") == [f"{value:.3f}" for value in reached]
