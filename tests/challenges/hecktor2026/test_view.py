"""What the page draws beside the scorecard: other readings, worst patients, discordant partners, scenes."""

import numpy as np
import pytest

from scoring.challenges.hecktor2026 import view
from scoring.challenges.hecktor2026.options import CHOICES
from tests.support import volumes
from tests.support.findings import codes
from tests.support.patients import CHALLENGE, labels, submission_folder, truth_folder

ROWS = [
    {"PatientID": "P0", "T_stage": "T1", "N_stage": "N0", "Relapse": 1, "RFS": 100},
    {"PatientID": "P1", "T_stage": "T0", "N_stage": "N3", "Relapse": 0, "RFS": 400},
    {"PatientID": "P2", "T_stage": "T3", "N_stage": None, "Relapse": 1, "RFS": 200},
    {"PatientID": "P3", "T_stage": None, "N_stage": None, "Relapse": 1, "RFS": 100},
]
GUESSED = [
    {"PatientID": "P0", "T_stage": "T4", "N_stage": "N1", "risk": 1},
    {"PatientID": "P1", "T_stage": "T1", "N_stage": "", "risk": 2},
    {"PatientID": "P2", "T_stage": "T3", "N_stage": "N0", "risk": None},
    {"PatientID": "P3", "T_stage": "T3", "N_stage": "N0", "risk": 3},
]
MASKS = {"P0": labels(1, 2), "P1": labels(), "P2": labels(1, 1)}
SUBMITTED = {"P0": labels(1, 1), "P1": labels(), "P2": labels(0, 1, 2)}


@pytest.fixture(scope="module")
def truth():
    return CHALLENGE.read_truth(truth_folder(ROWS, MASKS))


@pytest.fixture(scope="module")
def submission(truth):
    return CHALLENGE.read_predictions(submission_folder(GUESSED, SUBMITTED), truth)


@pytest.fixture(scope="module")
def card(truth, submission):
    return CHALLENGE.score(truth, submission, resamples=0)


@pytest.mark.parametrize(
    "chosen",
    [{}, {"empty_masks": "skip", "t0": "exclude", "missing_risk": "half", "prognosis_direction": "time"}],
)
def test_a_reading_is_the_score_under_that_option(truth, submission, chosen):
    card = CHALLENGE.score(truth, submission, resamples=0, **chosen)
    found = view.readings(truth, submission, card)
    used = {name: card.provenance["options"][name] for name in CHOICES}
    assert {(r.option, r.value) for r in found} == {
        (name, v) for name, values in CHOICES.items() for v in values if v != used[name]
    }
    for reading in found:
        other = CHALLENGE.score(truth, submission, resamples=0, **{**used, reading.option: reading.value})
        assert reading.score == other.score
        assert reading.difference == other.score - card.score
        assert reading.parts == {part: other.metrics[part] for part in reading.parts}


def test_intervals_of_a_center_are_those_of_its_patients_in_the_replicates():
    rows = [
        {**row, "PatientID": f"{row['PatientID']}{k}", "CenterID": "AB"[k % 2]}
        for row in ROWS
        for k in range(6)
    ]
    guessed = [{**row, "PatientID": f"{row['PatientID']}{k}"} for row in GUESSED for k in range(6)]
    masks = {f"{patient}{k}": mask for patient, mask in MASKS.items() for k in range(6)}
    submitted = {f"{patient}{k}": labels(k % 3, 1) for patient in MASKS for k in range(6)}
    truth = CHALLENGE.read_truth(truth_folder(rows, masks))
    submission = CHALLENGE.read_predictions(submission_folder(guessed, submitted), truth)
    card = CHALLENGE.score(truth, submission, resamples=30, seed=1)
    found = view.center_intervals(truth, submission, card)
    counts = np.random.default_rng(1).multinomial(24, np.full(24, 1 / 24), size=30)
    for center in "AB":
        inside = [
            i for i, row in enumerate(card.cases) if row["center"] == center and row["dice_gtvn"] is not None
        ]
        dice = np.array([card.cases[i]["dice_gtvn"] for i in inside])
        drawn = counts[:, inside] @ dice / counts[:, inside].sum(1)
        assert found[center]["dice_gtvn"] == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=1e-12)
        assert set(found[center]) < set(card.more["per_center"][center])
    assert view.center_intervals(truth, submission, CHALLENGE.score(truth, submission, resamples=0)) == {}


def test_an_undefined_reading_has_no_difference(truth):
    nothing = CHALLENGE.read_predictions(submission_folder([{**row, "risk": None} for row in GUESSED]), truth)
    found = {
        (r.option, r.value): r
        for r in view.readings(truth, nothing, CHALLENGE.score(truth, nothing, resamples=0))
    }
    excluded = found["missing_risk", "exclude"]
    assert (excluded.score, excluded.difference, excluded.parts["c_index"]) == (None, None, None)
    assert found["missing_risk", "half"].parts["c_index"] == 0.5


def test_the_worst_patients(card):
    def named(by):
        return [(entry.case, round(entry.value, 12)) for entry in view.worst(card, by)]

    assert named("dice") == [
        ("P0", round((2 / 3 + 0) / 2, 12)),
        ("P2", round((2 / 3 + 0) / 2, 12)),
        ("P1", 1),
    ]
    assert named("stages") == [("P0", 3 + 1), ("P1", 1 + 3), ("P2", 0)]
    assert named("pairs") == [("P2", 3), ("P0", 2), ("P1", 2), ("P3", 1)]
    assert len(view.worst(card, "pairs", 2)) == 2


def test_discordant_partners(card):
    assert view.discordant_with(card, 0) == (1,)
    assert view.discordant_with(card, 1) == (0,)
    assert view.discordant_with(card, 2) == ()
    for i, row in enumerate(card.cases):
        assert len(view.discordant_with(card, i)) == row["discordant_pairs"]


def test_scenes_of_masks_alone_and_with_images(truth, submission):
    alone = view.scene(truth, submission, 0)
    assert np.count_nonzero(alone.labels) == 2
    assert alone.backgrounds == ()
    assert view.scene(truth, submission, 3) is None
    image = volumes.zipped(volumes.nifti(np.arange(12).reshape(3, 2, 2), dtype="<i2"))
    beside = CHALLENGE.read_truth(
        truth_folder(ROWS, MASKS) | {"masks/P0__CT.nii.gz": image, "masks/P0__PT.nii.gz": image}
    )
    assert [background.name for background in view.scene(beside, submission, 0).backgrounds] == ["CT", "PET"]


def test_a_malformed_mask_is_not_shown_and_a_missing_one_is_none(truth):
    broken = CHALLENGE.read_predictions({"masks/P0.nii": volumes.nifti(labels(5))}, truth)
    assert codes(view.scene(truth, broken, 0).findings) == ["malformed-mask"]
    assert (view.scene(truth, broken, 2).labels >> 4).max() == 0
