"""A store that is backed up and lost is the same after it was restored, as docs/deployment.md says."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scoring.store.database import DATABASE, FOLDER
from tests.support.boards import board, filled, predictions
from tests.support.command_line import ROOT
from tests.support.databases import POSTGRESQL

SCRIPT = ROOT / "deploy" / "backup.sh"


def backed_up(target: Path) -> subprocess.CompletedProcess:
    programs = os.pathsep.join([*map(str, POSTGRESQL[-1:]), os.environ["PATH"]])
    around = {**os.environ, "PYTHON": sys.executable, "PATH": programs}
    return subprocess.run([SCRIPT, target], env=around, capture_output=True, text=True, check=False)


def test_a_lost_store_is_restored_with_its_database(place, tmp_path):
    filled(tmp_path)
    before = board("show", "b", "--json", "-").out
    done = backed_up(tmp_path / "backup")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "backup" / "benchside.db").stat().st_mode & 0o077 == 0
    shutil.rmtree(place)
    assert "no-board" in board("show", "b").err
    shutil.rmtree(place)
    shutil.copytree(tmp_path / "backup", place)
    assert board("show", "b", "--json", "-").out == before
    later = board("submit", "b", "--team", "late", "--predictions", predictions(tmp_path / "p.csv", 4, 1.1))
    assert later.status == 0, later.err


@pytest.mark.soak
def test_a_lost_store_is_restored_with_postgresql(postgresql, place, tmp_path, monkeypatch):
    psycopg = pytest.importorskip("psycopg")
    monkeypatch.setenv(DATABASE, postgresql)
    plain = postgresql.replace("postgresql+psycopg", "postgresql")
    filled(tmp_path)
    before = board("show", "b", "--json", "-").out
    done = backed_up(tmp_path / "backup")
    assert done.returncode == 0, done.stderr
    shutil.rmtree(os.environ[FOLDER])
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    restored = [POSTGRESQL[-1] / "pg_restore", "--clean", "--if-exists", f"--dbname={plain}"]
    subprocess.run([*restored, tmp_path / "backup" / "benchside.dump"], check=True, capture_output=True)
    shutil.copytree(tmp_path / "backup" / "files", place / "files")
    assert board("show", "b", "--json", "-").out == before


def test_a_backup_without_a_store_is_refused(monkeypatch, tmp_path):
    monkeypatch.delenv(FOLDER, raising=False)
    assert backed_up(tmp_path / "backup").returncode != 0
