"""Files of a submission that nothing reads: every challenge names them."""

import pytest

import scoring
from tests.support import category_tables, lesion_tables, nuclei, patients, risk_tables
from tests.support.archives import archive_of
from tests.support.findings import codes, only

SUBMITTED = {
    "tricorder3": (lesion_tables.truth(), {"p.csv": lesion_tables.predictions()}),
    "melanoma": (
        risk_tables.truth_table(risk_tables.TRUTH),
        {"p.csv": risk_tables.score_table(risk_tables.SCORES)},
    ),
    "isic": (category_tables.truth(), {"p.csv": category_tables.predictions()}),
    "puma": (
        {"a.json": nuclei.squares([(15, 15)], "nuclei_tumor")},
        {"a.json": nuclei.squares([(15, 15)], "nuclei_tumor")},
    ),
    "hecktor2026": (
        patients.truth_folder([{"PatientID": "A", "T_stage": "T1"}]),
        patients.submission_folder([{"PatientID": "A", "T_stage": "T1"}]),
    ),
}


@pytest.mark.parametrize("pack", [dict, archive_of])
@pytest.mark.parametrize("challenge_id", SUBMITTED)
def test_a_file_that_nothing_reads_is_named(challenge_id, pack):
    challenge = scoring.load_challenge(challenge_id)
    truth_files, files = SUBMITTED[challenge_id]
    truth = challenge.read_truth(truth_files)
    usual = challenge.read_predictions(pack(files), truth)
    assert "ignored-files" not in codes(usual.findings)
    found = challenge.read_predictions(pack(files | {"second.pdf": b"%PDF"}), truth)
    assert "second.pdf" in only(found.findings, "ignored-files").message
