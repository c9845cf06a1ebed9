"""The HECKTOR sample has what the challenge must cope with, and its teams have their characters."""

import gzip
import json
import re
from functools import cache

import nibabel
import numpy as np
import pytest
from scipy.ndimage import label

from sample_data.generator import hecktor2026
from sample_data.generator.headneck import patient
from sample_data.generator.headneck.tumours import GTVN, GTVP, NODES, PRIMARY_MM
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
EIGHT = np.ones((3, 3, 3))
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


def test_stages_and_centers_are_those_of_the_plan():
    for column, counts in (
        ("T-stage", hecktor2026.T_STAGES),
        ("CenterID", {name: one.patients for name, one in hecktor2026.CENTERS.items()}),
    ):
        assert {value: CLINICAL[column].count(value) for value in counts} == counts
    assert set(CLINICAL["N-stage"]) == {"N0", "N1", "N2", "N3"}


def test_two_fifths_relapse_one_time_is_lost_and_some_are_tied():
    known = [
        (int(days), int(event))
        for days, event in zip(CLINICAL["RFS"], CLINICAL["Relapse"], strict=True)
        if days
    ]
    assert len(known) == len(PLANS) - 1
    assert 0.35 < np.mean([event for _, event in known]) < 0.45
    times = [days for days, _ in known]
    tied = {days for days in times if times.count(days) > 1}
    assert any({event for days, event in known if days == time} == {0, 1} for time in tied)


@pytest.mark.parametrize("place", range(48))
def test_masks_fit_the_stages(place):
    plan, values = PLANS[place], labels(place)
    assert set(np.unique(values)) <= {0, GTVP, GTVN}
    assert (values == GTVP).any() == (plan.t_stage in PRIMARY_MM and not plan.excised)
    if (values == GTVP).any():
        smallest, largest = PRIMARY_MM[plan.t_stage]
        assert smallest - 4 < float(DRAWING["primary_mm"][place]) < largest + 4
    sizes = [float(size) for size in DRAWING["nodes_mm"][place].split()]
    (fewest, most), first, *_ = NODES[plan.n_stage]
    assert fewest <= len(sizes) <= most
    assert label(values == GTVN, EIGHT)[1] == len(sizes)
    assert not sizes or first[0] - 4 < sizes[0] < first[1] + 4


def test_images_lie_beside_the_masks_and_show_the_tumours():
    for place in hecktor2026.IMAGED:
        name = PLANS[place].name
        tomogram, emission = (image(f"{name}/{name}__{kind}.nii.gz") for kind in ("CT", "PT"))
        mask = image(hecktor2026.mask_path(place, name))
        assert tomogram.shape == mask.shape
        assert tomogram.affine == pytest.approx(mask.affine)
        assert (emission.shape == mask.shape) == (place != hecktor2026.COARSE_PET)
        if emission.shape == mask.shape:
            activity = emission.get_fdata()
            assert np.median(activity[labels(place) > 0]) > 3 * np.median(
                activity[(labels(place) == 0) & (tomogram.get_fdata() > -200)]
            )


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


def test_umbra_draws_nothing_and_altair_sends_a_time():
    umbra = card("umbra").metrics
    assert umbra["segmentation"] == umbra["dice_from_empty_cases"] > 0.05
    assert umbra["tied_risk_pairs"] > 20
    assert card("altair").metrics["c_index"] > 0.5 > card("altair").metrics["c_index_flipped"]


def test_vega_is_first_and_the_two_orders_disagree_behind_it():
    parts = {
        part: {name: card(name).metrics[part] for name in hecktor2026.TEAMS}
        for part in ("segmentation", "staging", "c_index")
    }
    ranks = {
        name: [sorted(values.values(), reverse=True).index(values[name]) + 1 for values in parts.values()]
        for name in hecktor2026.TEAMS
    }
    by_rank = sorted(ranks, key=lambda name: np.dot(ranks[name], (5, 7, 8)))
    by_score = sorted(ranks, key=lambda name: -card(name).metrics["weighted_score"])
    assert by_rank[0] == by_score[0] == "vega"
    assert by_rank.index("umbra") < by_rank.index("altair")
    assert by_score.index("altair") < by_score.index("umbra")


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
