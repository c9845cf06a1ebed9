"""A store on a disk that is really full, or really read-only: a sentence, and nothing is lost."""

import gc
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import scoring
from scoring.cli import doctor
from scoring.common.findings import InputRefused
from scoring.history import keeping, saved_submissions
from scoring.store.database import open_store
from tests.support.boards import board, labels, predictions
from tests.support.command_line import ROOT
from tests.support.disks import fill, mounted, remount


@pytest.fixture
def disk(tmp_path, monkeypatch) -> Iterator[Path]:
    """A disk of one MiB with a store on it."""
    with mounted(tmp_path / "disk") as place:
        monkeypatch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
        monkeypatch.setenv("BENCHSIDE_STORE", str(place / "store"))
        yield place


@pytest.mark.slow
def test_a_full_disk_and_a_read_only_one_lose_nothing(disk, tmp_path):
    truth, file = labels(tmp_path / "labels.csv"), predictions(tmp_path / "p.csv", 1, 1.0)
    wanted = ("--id", "b", "--title", "B", "--truth", truth, "--resamples", 0)
    assert board("create", "melanoma", *wanted).status == 0
    assert board("submit", "b", "--team", "alpha", "--predictions", file).status == 0
    other = predictions(tmp_path / "q.csv", 2, 1.0)
    fill(disk / "filler")
    before = board("show", "b", "--json", "-").json
    done = board("submit", "b", "--team", "beta", "--predictions", other)
    assert (done.status, done.err.count("store-full"), done.err.count("\n")) == (2, 1, 1), done.err
    assert board("show", "b", "--json", "-").json == before, "what is there can still be read"
    (disk / "filler").unlink()
    assert board("submit", "b", "--team", "beta", "--predictions", other).status == 0

    gc.collect()  # stores of earlier commands hold the database open
    remount(disk, "ro")
    done = board("submit", "b", "--team", "gamma", "--predictions", file)
    assert (done.status, done.err.count("store-read-only"), done.err.count("\n")) == (2, 1, 1), done.err
    assert len(board("show", "b", "--json", "-").json["teams"]) == 2, "what is there can still be read"
    remount(disk, "rw")
    assert len(board("show", "b", "--json", "-").json["teams"]) == 2


def test_a_saved_submission_that_a_full_disk_does_not_delete_keeps_its_files(disk, tmp_path):
    truth, sent = labels(tmp_path / "labels.csv"), predictions(tmp_path / "p.csv", 1, 1.0)
    scoring.log(sent, challenge="melanoma", truth=truth, resamples=0)
    store = open_store()
    (entry,) = saved_submissions.saved(store)
    fill(disk / "filler")
    with pytest.raises(InputRefused, match="disk"):
        keeping.delete(store, [entry.id])
    (disk / "filler").unlink()
    assert saved_submissions.files(store, entry, keeping.TRUTH)
    assert keeping.delete(store, [entry.id])[0] == 3


def test_a_submission_that_a_full_disk_does_not_delete_keeps_its_files(disk, tmp_path):
    wanted = ("--id", "b", "--title", "B", "--truth", labels(tmp_path / "labels.csv"), "--resamples", 0)
    assert board("create", "melanoma", *wanted).status == 0
    sent = predictions(tmp_path / "p.csv", 1, 1.0)
    done = board("submit", "b", "--team", "alpha", "--predictions", sent, "--json", "-")
    (one,) = (entry["submission"] for entry in done.json["submissions"])
    before, store = board("show", "b", "--json", "-").json, open_store()
    kept = {*store.files.digests()}
    fill(disk / "filler")
    for what in (("--submission", one), ("--yes",)):
        done = board("delete", "b", *what)
        assert (done.status, done.err.count("store-"), done.err.count("\n")) == (2, 1, 1), done.err
    (disk / "filler").unlink()
    assert board("show", "b", "--json", "-").json == before
    assert {*store.files.digests()} == kept
    assert board("delete", "b", "--submission", one).status == 0
    assert len({*store.files.digests()}) == 1, "the truth"


def test_the_doctor_says_that_no_store_can_be_made_on_a_read_only_disk(disk):
    """It said "none yet", and the page About that everything is in order."""
    remount(disk, "ro")
    (found,) = [one for one in doctor.examine() if one.name == "Boards and history"]
    assert (found.state, found.value) == ("caution", f"{disk / 'store'} cannot be made")
    assert "BENCHSIDE_STORE" in found.mend


@pytest.mark.slow
def test_a_program_that_starts_on_a_full_disk_says_how_to_go_on(disk, tmp_path):
    """It said "disk I/O error" and nothing else, also for reading: SQLite cannot make its shared memory."""

    def started(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "scoring", "board", *map(str, arguments)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    wanted = ("--id", "b", "--title", "B", "--truth", labels(tmp_path / "labels.csv"), "--resamples", 0)
    assert started("create", "melanoma", *wanted).returncode == 0
    fill(disk / "filler")
    done = started("list")
    assert done.returncode == 2
    assert "free some space" in done.stderr
    (disk / "filler").unlink()
    assert started("list").returncode == 0
