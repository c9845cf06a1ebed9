"""Whatever is dropped, it is scored or refused with reasons; nothing else comes out."""

import json
import random

import pytest

from scoring import InputRefused
from scoring.challenges.hecktor2026.formula import CHOICES
from tests.support import volumes
from tests.support.patients import CHALLENGE, labels, mask, submission_folder, truth_folder
from tests.support.payloads import PAYLOADS
from tests.support.soak import FACTOR

CELLS = (
    *("P0", "P1", "", "NA", "T1", "t4b", "N2c", "TX", "1", "0", "-1", "1e999", "nan", "inf", "1,5"),
    *("\x1b[2J", "T²", "１", "true", "0x10", "p0"),
)
HEADERS = (
    *("PatientID", "patient id", "T_stage", "N-stage", "Relapse", "RFS", "rfs_days", "risk", "Prediction"),
    *("CenterID", "foo", ""),
)
MEMBERS = (
    *("clinical.csv", "predictions.csv", "other.csv", "masks/P0.nii.gz", "P0.nii", "P1/P1.mha"),
    *("P0/t-stage.json", "P0/output/n-stage.json", "P0/rfs.json"),
    *("P1/images/head-neck-tumor-segmentation/x.mha", "P0__CT.nii.gz", "__CT.nii.gz", ".nii", "a/b/c/d.nii"),
    "output/rfs.json",
)
CONTENTS = (
    b"",
    b"\0" * 10,
    mask(labels(1, 2)),
    mask(labels(3)),
    volumes.nifti(labels(1)),
    volumes.metaimage(labels(1)),
    b"PK\3\4",
    b'"T2"',
    b"3.5",
    b"null",
    b"NaN",
    b"1e999",
    b'"\\ud800"',
    b"1" * 6000,
    b"[[[[",
)
ROUNDS = 40 * FACTOR


def some_table(dice: random.Random) -> bytes:
    headers, delimiter = dice.sample(HEADERS, dice.randint(1, 7)), dice.choice(",;\t")
    rows = [headers, *([dice.choice(CELLS) for _ in headers] for _ in range(dice.randint(0, 4)))]
    text = dice.choice(["\n", "\r\n"]).join(delimiter.join(row) for row in rows)
    return text.encode(dice.choice(["utf-8", "utf-8-sig", "utf-16", "latin-1"]), "replace")


def some_folder(dice: random.Random) -> dict[str, bytes]:
    members = dice.sample(MEMBERS, dice.randint(1, 6))
    return {
        m: some_table(dice) if m.endswith(".csv") or dice.random() < 0.1 else dice.choice(CONTENTS)
        for m in members
    }


@pytest.mark.parametrize("seed", range(4))
def test_scored_or_refused(seed):
    dice, scored, refused = random.Random(seed), 0, []
    usual = CHALLENGE.read_truth(
        truth_folder([{"PatientID": "P0", "T_stage": "T1", "Relapse": 1, "RFS": 3}], {"P0": labels(1, 2)})
    )
    for _ in range(ROUNDS):
        try:
            truth = dice.choice([usual, None]) or CHALLENGE.read_truth(some_folder(dice))
            submission = CHALLENGE.read_predictions(some_folder(dice), truth)
            options = {name: dice.choice(values) for name, values in CHOICES.items()}
            card = CHALLENGE.score(
                truth, submission, resamples=dice.choice([0, 5]), lesions=dice.random() < 0.3, **options
            )
            json.loads(card.to_json())
            scored += 1
        except InputRefused as refusal:
            refused.append(refusal.problems)
    assert scored
    assert refused
    assert all(refused)


@pytest.mark.parametrize("name", [name for name in PAYLOADS if "\n" not in name])
def test_hostile_names_travel_as_text(name):
    rows = [{"PatientID": name, "CenterID": name, "T_stage": "T1", "N_stage": "N1", "Relapse": 1, "RFS": 3}]
    truth = CHALLENGE.read_truth(truth_folder(rows))
    card = CHALLENGE.score(
        truth,
        CHALLENGE.read_predictions(
            submission_folder([{"PatientID": name, "T_stage": name, "risk": name}]), truth
        ),
        resamples=0,
    )
    assert card.cases[0]["case"] == name.strip()
    assert json.loads(card.to_json())["per_center"][name.strip()]["n_cases"] == 1
