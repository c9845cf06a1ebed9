"""Boards take models and a metadata table, and keep what is known of the teams."""

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from scoring.challenges.samples import FOLDER
from tests.support import schemas
from tests.support.boards import board, labels, predictions

SAMPLE = FOLDER / "melanoma"
CASES = 6


@pytest.fixture
def truth(tmp_path) -> Path:
    """A folder with a table and its images."""
    folder = tmp_path / "truth"
    (folder / "images").mkdir(parents=True)
    header, *rows = (SAMPLE / "labels.csv").read_text().splitlines()
    (folder / "labels.csv").write_text("\n".join([header, *rows[:CASES]]) + "\n")
    for row in rows[:CASES]:
        name = row.split(",")[0]
        shutil.copy(SAMPLE / name, folder / name)
    return folder


@pytest.mark.slow
def test_a_model_is_scored_when_it_comes_and_scored_again(place, truth, tmp_path):
    wanted = ("--id", "b", "--title", "B", "--truth", truth, "--resamples", 0)
    assert board("create", "melanoma", *wanted).status == 0
    (tmp_path / "sent" / "beta").mkdir(parents=True)
    shutil.copy(SAMPLE / "models" / "palette.onnx", tmp_path / "sent" / "beta" / "2026-10-01.onnx")
    model = tmp_path / "sent" / "beta" / "2026-10-01.onnx"
    done = board("submit", "b", tmp_path / "sent", "--json", "-")
    assert done.status == 0, done.err
    (sent,) = done.json["submissions"]
    sized = ("--option", "model_size_mib=3")
    assert "bad-option" in board("submit", "b", "--team", "c", "--predictions", model, *sized).err
    (tmp_path / "broken.onnx").write_bytes(b"no model")
    broken = board("submit", "b", "--team", "c", "--predictions", tmp_path / "broken.onnx")
    assert (broken.status, "Traceback" in broken.err) == (2, False)
    assert len(board("show", "b", "--json", "-").json["teams"][0]["history"]) == 1

    table = (truth / "labels.csv").read_text()
    (truth / "labels.csv").write_text(table.replace("M0001.jpg,False", "M0001.jpg,True"))
    again = board("rescore", "b", "--yes", "--truth", truth, "--json", "-")
    assert again.status == 0, again.err
    (change,) = again.json["changes"]
    assert change["score_before"] == sent["score"]
    assert change["cases"] == ["images/M0001.jpg"]


@pytest.mark.slow
def test_facts_and_metadata_go_with_the_board(place, tmp_path, monkeypatch):
    truth, sites = labels(tmp_path / "labels.csv"), tmp_path / "sites.csv"
    sites.write_text("filename,site\n" + "".join(f"canary{i:02},site{i % 7}\n" for i in range(60)))
    wanted = ("--id", "b", "--title", "B", "--truth", truth, "--resamples", 20, "--group", "site")
    (tmp_path / "other.csv").write_text("filename,site\nelse,1\n")
    refused = board("create", "melanoma", *wanted, "--metadata", tmp_path / "other.csv")
    assert "no-common-case" in refused.err
    made = board("create", "melanoma", *wanted, "--metadata", sites)
    assert made.status == 0, made.err
    file = predictions(tmp_path / "p.csv", 1, 1.0)
    assert board("submit", "b", "--team", "alpha", "--predictions", file).status == 0
    table = tmp_path / "teams.csv"
    table.write_text("team,institution,size_mib\nalpha,Elsewhere University,12.5\nnobody,x,1\n")
    done = board("facts", "b", table, "--json", "-")
    assert done.status == 0, done.err
    assert "unknown-team" in done.err
    assert schemas.problems("board", done.out) == []
    (alpha,) = done.json["teams"]
    assert alpha["facts"]["institution"] == "Elsewhere University"
    assert done.json["provenance"]["n_units"] == 7
    table.write_text("team,institution\nnobody,x\n")
    assert "unknown-team" in board("facts", "b", table).err
    assert board("show", "b", "--html", tmp_path / "b.html").status == 0
    assert "Elsewhere University" in (tmp_path / "b.html").read_text()

    assert "nothing-to-rescore" in board("rescore", "b", "--metadata", sites).err
    assert "no-common-case" in board("rescore", "b", "--metadata", tmp_path / "other.csv").err
    sites.write_text("filename,site\n" + "".join(f"canary{i:02},site{i % 5}\n" for i in range(60)))
    again = board("rescore", "b", "--yes", "--metadata", sites, "--json", "-")
    assert (again.status, again.json["test_set_version"]) == (0, 2), again.err
    assert [(one["score"] == one["score_before"], one["cases"]) for one in again.json["changes"]] == [
        (True, [])
    ]
    old, done = done, board("show", "b", "--json", "-")
    assert (old.json["provenance"]["n_units"], done.json["provenance"]["n_units"]) == (7, 5)

    bundle = tmp_path / "b.zip"
    assert board("export", "b", bundle, "--with-truth").status == 0
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "elsewhere"))
    assert board("import", bundle, "--json", "-").json["teams"] == done.json["teams"]
    other = predictions(tmp_path / "q.csv", 2, 1.0)
    assert board("submit", "b", "--team", "beta", "--predictions", other).status == 0
    assert board("export", "b", tmp_path / "again.zip", "--with-truth").status == 0

    with zipfile.ZipFile(bundle) as read:
        members = {name: read.read(name) for name in read.namelist()}
    manifest = json.loads(members["manifest.json"])
    manifest["teams"][0]["facts"] = {"institution": "<b>", "size_mib": "many"}
    with zipfile.ZipFile(bundle, "w") as written:
        for name, data in {**members, "manifest.json": json.dumps(manifest)}.items():
            written.writestr(name, data)
    assert "teams[0].facts: it is not facts about a team" in board("import", bundle).err
