"""Folders of workers whose server was killed are swept, and nothing else is."""

import os
import subprocess
import sys
import tempfile

import pytest

from scoring.inference import stale_folders


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_only_empty_folders_of_servers_that_are_gone_are_swept(folder):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    kept = (f"benchside-{os.getpid()}-a", "benchside-reports", f"benchside-{gone.pid}-full", "other")
    for name in (*kept, f"benchside-{gone.pid}-a", f"benchside-{gone.pid}-b"):
        (folder / name).mkdir()
    (folder / f"benchside-{gone.pid}-full" / "theirs").touch()
    assert stale_folders.sweep() == 2
    assert {path.name for path in folder.iterdir()} == set(kept)


def test_a_folder_says_whose_it_is(folder):
    with stale_folders.folder() as made:
        assert os.path.basename(made).startswith(f"benchside-{os.getpid()}-")
        assert stale_folders.abandoned() == []
