"""Evaluations on Grand Challenge, in the layout of its own source (`platform_folders.GRAND_CHALLENGE`)."""

import json
import shutil

import pytest

from tests.platforms.test_platforms import (
    CASES,
    FEW,
    SAMPLES,
    bundle,
    codabench,
    evalai,
    grand_challenge,
    patients,
)
from tests.support.command_line import run
from tests.support.platform_folders import (
    jobs,
    listed_inputs,
    socket_value,
    table_answers,
    unpacked,
    zipped_answers,
)

OTHER = {"head-neck-tumor-segmentation": "tumour-mask", "rfs": "relapse-risk"}
"""Sockets that this phase calls otherwise."""


def score_of(challenge, truth, submission):
    """Return the score of the command line."""
    places = ("--truth", truth, "--predictions", submission, *FEW, "--json", "-")
    return round(run("score", challenge, *places).json["score"], 3)


def scored(done, output):
    assert done.status == 0, done.err
    return json.loads((output / "metrics.json").read_text())["score"]


def test_a_table_scores_beside_the_list_of_inputs(tmp_path):
    truth, submission = SAMPLES / "melanoma/labels.csv", SAMPLES / "melanoma/teams/fornax.csv"
    csv = socket_value(
        "predictions-csv-file", "predictions.csv", "File", file="https://g.org/predictions.csv"
    )
    listed_inputs(tmp_path / "input", [csv])
    shutil.copy(submission, tmp_path / "input" / "predictions.csv")
    made = bundle("melanoma", "grand-challenge", truth, tmp_path / "gc")
    done = grand_challenge(made, tmp_path / "input", tmp_path / "out")
    assert scored(done, tmp_path / "out") == score_of("melanoma", truth, submission)


@pytest.mark.parametrize("challenge", ["puma", "hecktor2026"])
def test_a_zip_scores_where_it_was_extracted_beside_the_list_of_inputs(challenge, tmp_path):
    case = CASES[challenge]
    truth = case.truth(tmp_path)
    listed_inputs(tmp_path / "input", [socket_value("predictions-zip-file", "predictions.zip", "File")])
    unpacked(case.submission, tmp_path / "input")
    made = bundle(challenge, "grand-challenge", truth, tmp_path / "gc")
    done = grand_challenge(made, tmp_path / "input", tmp_path / "out")
    assert scored(done, tmp_path / "out") == score_of(challenge, truth, case.submission)


def test_sockets_of_other_slugs_are_named_or_refused(tmp_path):
    """Until they could be named, every mask was missing and the submission had 0.07 as its official score."""
    truth, submission = patients(tmp_path), SAMPLES / "hecktor2026/teams/altair.zip"
    submitted = jobs(tmp_path / "input", zipped_answers(submission), OTHER)
    made = bundle("hecktor2026", "grand-challenge", truth, tmp_path / "usual")
    done = grand_challenge(made, submitted, tmp_path / "refused")
    assert done.status == 2
    assert not list((tmp_path / "refused").iterdir())
    for words in ("no-socket", "'head-neck-tumor-segmentation'", "tumour-mask", "--socket segmentation=SLUG"):
        assert words in done.err
    named = ("--socket", "segmentation=tumour-mask", "--socket", "rfs=relapse-risk")
    made = bundle("hecktor2026", "grand-challenge", truth, tmp_path / "named", *named)
    done = grand_challenge(made, submitted, tmp_path / "out")
    assert scored(done, tmp_path / "out") == score_of("hecktor2026", truth, submission)


def test_an_answer_among_several_outputs_is_named(tmp_path):
    truth, submission = SAMPLES / "melanoma/labels.csv", SAMPLES / "melanoma/teams/fornax.csv"
    answers = {
        case: {**files, "heat.json": b"[1, 2]", "images/overlay/x.mha": b"no mask"}
        for case, files in table_answers(submission).items()
    }
    submitted = jobs(tmp_path / "input", answers)
    made = bundle("melanoma", "grand-challenge", truth, tmp_path / "usual")
    assert "2 JSON files" in grand_challenge(made, submitted, tmp_path / "refused").err
    made = bundle("melanoma", "grand-challenge", truth, tmp_path / "gc", "--socket", "answer=predictions")
    done = grand_challenge(made, submitted, tmp_path / "out")
    assert scored(done, tmp_path / "out") == score_of("melanoma", truth, submission)


def test_the_input_that_names_the_case_is_chosen_among_several(tmp_path):
    truth, submission = SAMPLES / "melanoma/labels.csv", SAMPLES / "melanoma/teams/fornax.csv"
    overview = socket_value("overview", "images/overview", "Image", image={"name": "clinic-7.jpg"})
    submitted = jobs(tmp_path / "input", table_answers(submission), more_inputs=(overview,))
    made = bundle("melanoma", "grand-challenge", truth, tmp_path / "usual")
    assert "should name the image of one case" in grand_challenge(made, submitted, tmp_path / "refused").err
    made = bundle("melanoma", "grand-challenge", truth, tmp_path / "gc", "--socket", "case=skin-lesion-image")
    done = grand_challenge(made, submitted, tmp_path / "out")
    assert scored(done, tmp_path / "out") == score_of("melanoma", truth, submission)
    made = bundle("melanoma", "grand-challenge", truth, tmp_path / "none", "--socket", "case=ct")
    done = grand_challenge(made, submitted, tmp_path / "lacking")
    assert "their sockets: overview, skin-lesion-image" in done.err


def test_a_submission_without_any_mask_is_refused_on_every_platform(tmp_path):
    truth, table = patients(tmp_path), tmp_path / "predictions.csv"
    rows = [line.split(",")[0] for line in (truth / "clinical.csv").read_text().splitlines()[1:]]
    table.write_text(
        "PatientID,T-stage,N-stage,RFS\n" + "".join(f"{row},T1,N0,{i}\n" for i, row in enumerate(rows))
    )
    listed_inputs(tmp_path / "input", [])
    shutil.copy(table, tmp_path / "input")
    made = bundle("hecktor2026", "grand-challenge", truth, tmp_path / "gc")
    assert "no-mask" in grand_challenge(made, tmp_path / "input", tmp_path / "out").err
    made = bundle("hecktor2026", "codabench", truth, tmp_path / "cb")
    assert "no-mask" in codabench(made, table, tmp_path / "app").err
    assert "no-mask" in evalai(bundle("hecktor2026", "evalai", truth, tmp_path / "ea"), table).errors[1]


def test_the_container_is_built_for_the_platform(tmp_path):
    options = ("--platform", "grand-challenge", "--title", "T", "--truth", SAMPLES / "melanoma/labels.csv")
    done = run("platform", "bundle", "melanoma", *options, "--output", tmp_path / "gc", *FEW)
    assert "docker build --platform linux/amd64 " in done.out
