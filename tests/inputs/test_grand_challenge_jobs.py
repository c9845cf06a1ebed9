"""Job folders of Grand Challenge: files by the case that their job was given."""

import json

import numpy as np
import pytest

import scoring
from scoring.challenges.recognition import recognise
from scoring.inputs.grand_challenge_jobs import by_case
from scoring.inputs.sources import open_source
from tests.support.archives import archive_of
from tests.support.findings import refused
from tests.support.volumes import metaimage

SLUG = "melanoma-10-class-nuclei-segmentation"


def job(pk, *images):
    inputs = [{"interface": {"slug": "any"}, "image": {"name": name}, "value": None} for name in images]
    return {"pk": pk, "status": "Succeeded", "inputs": [*inputs, {"image": None, "value": {"age": 50}}],
            "outputs": []}  # fmt: skip


def folder(jobs, files):
    return {"predictions.json": json.dumps(jobs).encode(), **files}


def nuclei(x):
    polygon = {"name": "nuclei_tumor", "path_points": [[x, 1, 0.5], [x + 4, 1, 0.5], [x, 5, 0.5]]}
    return json.dumps({"type": "Multiple polygons", "polygons": [polygon]}).encode()


TWO = folder(
    [job("p1", "roi_1.tif"), job("p2", "roi_2.tif")],
    {f"p1/output/{SLUG}.json": nuclei(3), f"p2/output/{SLUG}.json": nuclei(9), "p2/input/x.json": b"{}"},
)


def test_the_one_json_of_a_job_is_called_by_its_case():
    files, original = by_case(open_source(TWO))
    assert files.members == ("roi_1.json", "roi_2.json")
    assert files.read("roi_2.json") == nuclei(9) == files.open("roi_2.json").read()
    assert original["roi_1.json"] == f"p1/output/{SLUG}.json"


@pytest.mark.parametrize("top", ["", "submission/"])
@pytest.mark.parametrize("zipped", [True, False])
def test_puma_scores_job_folders_as_files_by_case(top, zipped):
    challenge = scoring.load_challenge("puma")
    truth = challenge.read_truth({"roi_1.json": nuclei(3), "roi_2.json": nuclei(9)}, "truth")
    placed = {top + name: data for name, data in TWO.items()}
    read = challenge.read_predictions(archive_of(placed) if zipped else placed, truth, "jobs.zip")
    plain = challenge.read_predictions({"roi_1.json": nuclei(3), "roi_2.json": nuclei(9)}, truth)
    assert challenge.score(truth, read).metrics == challenge.score(truth, plain).metrics


@pytest.mark.parametrize(
    ("images", "place", "inside"),
    [
        ("{0}__CT.nii.gz {0}__PT.nii.gz", "", "output/"),
        ("{0}_0000.nii.gz {0}_0001.nii.gz", "", "output/"),
        ("{0}-ct.mha {0}-pet.mha", "", "output/"),
        ("{0}.mha {0}.mha", "a/b/", "output/"),
        ("{0}.mha {0}.mha", "", ""),
    ],
)
def test_hecktor_scores_job_folders(images, place, inside):
    """Sockets as BioMedIA-MBZUAI/HECKTOR2026 at d18d60c7 writes them, Task/test/input/interf0/inputs.json."""
    challenge = scoring.load_challenge("hecktor2026")
    mask = np.zeros((4, 4, 4), np.uint8)
    mask[1:3, 1:3, 1:3] = 1
    data = metaimage(mask)
    table = b"PatientID,T-stage,N-stage,Relapse,RFS\nA__1,T2,N1,1,300\nB-2,T1,N0,0,900\n"
    truth = challenge.read_truth({"clinical.csv": table, "A__1.mha": data, "B-2.mha": data}, "truth")
    files = {}
    for pk, t, n, time in (("p1", "T2", "N1", 300), ("p2", "T1", "N0", 900)):
        files |= {
            f"{pk}/{inside}images/head-neck-tumor-segmentation/u.mha": data,
            f"{pk}/{inside}t-stage.json": json.dumps(t).encode(),
            f"{pk}/{inside}n-stage.json": json.dumps(n).encode(),
            f"{pk}/{inside}rfs.json": json.dumps(time).encode(),
        }
    listed = [job("p1", *images.format("A__1").split()), job("p2", *images.format("B-2").split())]
    jobs = {f"{place}{name}": data for name, data in folder(listed, files).items()} | {"notes.txt": b""}
    card = challenge.score(truth, challenge.read_predictions(jobs, truth, "jobs"), resamples=0)
    assert (card.metrics["segmentation"], card.metrics["staging"]) == (1, 1)
    assert not card.incomplete


def test_jobs_without_their_list_say_what_lacks():
    files = {f"0f6202b7-ec30-5b36-812c-504a628c1f8{k}/output/rfs.json": b"300" for k in range(3)}
    challenge = scoring.load_challenge("hecktor2026")
    truth = challenge.read_truth({"clinical.csv": b"PatientID,Relapse,RFS\nA,1,300\nB,0,900\n"}, "truth")
    (problem,) = refused(challenge.read_predictions, files, truth).problems
    assert "add the file predictions.json" in problem.message


def test_job_folders_are_recognised():
    (found,) = recognise({f"jobs/{name}": data for name, data in TWO.items()})
    assert ("puma", "submission") in {(r.challenge, r.place) for r in found.readings}
    assert found.readings[0].ids == {"roi_1", "roi_2"}


@pytest.mark.parametrize(
    ("jobs", "code", "words"),
    [
        ([job("p1", "a.tif"), job("p2", "a.tif")], "duplicate-case", "2 jobs have the case a"),
        ([job("p1")], "unreadable-file", "they name none"),
        ([job("p1", "a.tif", "b.tif")], "unreadable-file", "several (a, b)"),
        ([job("p1", "a_1_x.tif", "b_1_x.tif")], "unreadable-file", "several (a_1, b_1)"),
        ([job("p1", "../..")], "unreadable-file", "they name none"),
    ],
)
def test_a_job_without_one_case_is_refused(jobs, code, words):
    (problem,) = refused(by_case, open_source(folder(jobs, {}))).problems
    assert (problem.code, problem.where) == (code, "predictions.json")
    assert words in problem.message


@pytest.mark.parametrize(
    "listing", [b"[" * 100_000, b"{}", b"[1]", b'[{"pk": "../x", "inputs": []}]', b'[{"pk": "a"}]', b"\xff"]
)
def test_another_list_of_that_name_is_a_file_like_others(listing):
    files = open_source({"predictions.json": listing, "a.json": b"{}"})
    assert by_case(files) == (files, {})
