"""Submissions in which nothing was predicted of any case: refused, never scored as official."""

import zipfile

import pytest

from scoring.challenges import load_challenge, samples
from tests.support.findings import refused

LABELS = {
    "melanoma": ["score"],
    "tricorder3": ["AKIEC", "BCC", "BEN_OTH", "BKL", "DF", "INF", "MAL_OTH", "MEL"],
}
LABELS["tricorder3"] += ["NV", "SCCKA", "VASC"]


def with_sample_truth(challenge_id):
    challenge, sample = load_challenge(challenge_id), next(iter(samples.test_sets(challenge_id).values()))
    return challenge, challenge.read_truth(sample.path)


@pytest.mark.parametrize("challenge_id", LABELS)
def test_a_table_of_empty_cells_is_refused_under_each_rule(challenge_id):
    challenge, truth = with_sample_truth(challenge_id)
    columns = LABELS[challenge_id]
    rows = [f"{case}{',' * len(columns)}" for case in truth.ids]
    data = "\n".join([",".join(["filename", *columns]), *rows]).encode()
    problems = refused(challenge.read_predictions, data, truth, "p.csv", missing="wrong").problems
    assert [problem.code for problem in problems] == ["nothing-submitted"]


def test_a_column_of_infinite_numbers_is_no_column_of_the_diagnosis_inf():
    challenge, truth = with_sample_truth("melanoma")
    data = "\n".join(["filename,score", *(f"{case},inf" for case in truth.ids)]).encode()
    predictions = challenge.read_predictions(data, truth, "p.csv")
    assert {fault.code for fault in predictions.faults} == {"not-finite"}


def test_a_refusal_says_what_the_first_case_lacks():
    challenge, truth = with_sample_truth("tricorder3")
    columns = LABELS["tricorder3"]
    data = "\n".join([",".join(["filename", *columns]), *(f"{case}{',.1' * 10}," for case in truth.ids)])
    (problem,) = refused(challenge.read_predictions, data.encode(), truth, "p.csv", missing="wrong").problems
    assert problem.code == "nothing-submitted"
    assert "The first: p.csv:2: case " in problem.message


@pytest.mark.parametrize("text", ['{"nuclei": []}', '{"type": "FeatureCollection", "features": []}'])
def test_tiles_without_any_nucleus_are_refused(tmp_path, text):
    challenge, truth = with_sample_truth("puma")
    with zipfile.ZipFile(tmp_path / "p.zip", "w") as archive:
        for case in truth.ids:
            archive.writestr(f"{case}.json", text)
    problems = refused(challenge.read_predictions, tmp_path / "p.zip", truth).problems
    assert [problem.code for problem in problems] == ["nothing-submitted"]


def test_patients_without_stage_risk_and_mask_are_refused():
    challenge, truth = with_sample_truth("hecktor2026")
    data = "\n".join(["PatientID,T-stage,N-stage,Risk", *(f"{case},,," for case in truth.ids)]).encode()
    problems = refused(challenge.read_predictions, data, truth, "p.csv").problems
    assert [problem.code for problem in problems] == ["nothing-submitted"]
