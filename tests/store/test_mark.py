"""A store deletes its own files only; others are named."""

import os
import shutil
from pathlib import Path

import pytest

from scoring.boards.deletion import delete_board
from scoring.cli import doctor
from scoring.common.findings import InputRefused
from scoring.store import schema
from scoring.store.database import NAME, Store, open_store
from scoring.store.kept_files import MARK, Bucket
from tests.store.test_store import with_board


@pytest.fixture(params=["folder", "bucket"])
def shared(request, tmp_path, monkeypatch):
    """A place of files that several stores are told to use."""
    monkeypatch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
    place = str(tmp_path / "shared") if request.param == "folder" else f"memory://{tmp_path.name}/shared"
    monkeypatch.setenv("BENCHSIDE_FILES", place)
    return place


def filled(folder: Path, monkeypatch) -> tuple[Store, str]:
    """Open a store with a board and its test set; gives its file."""
    monkeypatch.setenv("BENCHSIDE_STORE", str(folder))
    store = with_board()
    digest = store.keep(f"of {folder.name}".encode())
    with store.write() as session:
        session.get(schema.TestSetVersion, ("b", 1)).sha256 = digest
    return store, digest


def unmarked(store: Store) -> None:
    """Take the mark away, as it is with stores from before."""
    if isinstance(store.files, Bucket):
        store.files._system[0].rm_file(f"{store.files._root}/{MARK}")
    else:
        (store.files.path / MARK).unlink()


def test_two_stores_do_not_share_a_place_of_files(shared, tmp_path, monkeypatch):
    first, digest = filled(tmp_path / "first", monkeypatch)
    for _ in range(2):
        with pytest.raises(InputRefused, match=r"store-foreign .*another database uses the same folder"):
            open_store(tmp_path / "second")
    assert open_store(tmp_path / "first").files.read(digest)
    assert delete_board(first, "b").files == 1


def test_two_stores_of_before_that_share_one_delete_nothing_of_each_other(shared, tmp_path, monkeypatch):
    first, of_first = filled(tmp_path / "first", monkeypatch)
    unmarked(first)
    monkeypatch.setenv("BENCHSIDE_FILES", str(tmp_path / "elsewhere"))
    second, of_second = filled(tmp_path / "second", monkeypatch)
    monkeypatch.setenv("BENCHSIDE_FILES", shared)
    second, _ = open_store(), first.files.keep(second.files.read(of_second))
    assert second.files.mark() is None
    deleted = delete_board(second, "b")
    assert (deleted.files, [finding.code for finding in deleted.findings]) == (0, ["files-stay"])
    assert {*first.files.digests()} == {of_first, of_second}
    doctor._state_of_store.cache_clear()
    (entry,) = [entry for entry in doctor.examine() if entry.name == "Files of boards and history"]
    assert (entry.state, "2 files" in entry.value, min(of_first, of_second)[:12] in entry.value) == (
        "caution",
        True,
        True,
    )


def test_a_store_of_before_gets_its_mark_and_sweeps_again(shared, tmp_path, monkeypatch):
    store, _ = filled(tmp_path / "store", monkeypatch)
    unmarked(store)
    store = open_store()
    with store.read() as session:
        assert store.files.mark() == session.query(schema.StoreMark).one().id
    store.keep(b"LEFT by a killed program")
    assert delete_board(store, "b").files == 2
    assert [*store.files.digests()] == []


def test_a_backup_of_before_belongs_to_files_that_were_marked_since(shared, tmp_path, monkeypatch):
    store, digest = filled(tmp_path / "store", monkeypatch)
    with store.write() as session:
        session.query(schema.StoreMark).delete()
    assert open_store().files.mark() == store.files.mark()
    with store.write() as session:
        session.query(schema.StoreMark).delete()
    store.files.discard([digest])
    with pytest.raises(InputRefused, match="store-foreign"):
        open_store()


def test_an_emptied_database_beside_files_is_named(tmp_path, monkeypatch):
    for name in ("BENCHSIDE_DATABASE_URL", "BENCHSIDE_FILES"):
        monkeypatch.delenv(name, raising=False)
    store, digest = filled(tmp_path / "store", monkeypatch)
    store.engine.dispose()
    for path in (tmp_path / "store").glob(f"{NAME}*"):
        path.unlink()
    for mark in (True, False):
        if not mark:
            unmarked(store)
        for _ in range(2):
            (tmp_path / "store" / NAME).write_bytes(b"")
            with pytest.raises(InputRefused, match=r"store-foreign .*the database was emptied"):
                open_store()
    assert store.files.read(digest)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere; tests/store/test_disk.py")
def test_a_store_of_another_user_can_be_read(tmp_path, monkeypatch):
    store, _ = filled(tmp_path / "store", monkeypatch)
    store.engine.dispose()
    (tmp_path / "store").chmod(0o500)
    assert open_store().is_read_only


def test_a_store_that_may_only_be_read_is_read(tmp_path, monkeypatch):
    monkeypatch.delenv("BENCHSIDE_FILES", raising=False)
    store, digest = filled(tmp_path / "store", monkeypatch)
    store.engine.dispose()
    shutil.copytree(tmp_path / "store", tmp_path / "copy")
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "copy"))
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "copy").rglob("*")}
    readable = open_store()
    with readable.read() as session:
        assert session.get(schema.Board, "b").title == "B"
    assert readable.files.read(digest)
    with pytest.raises(InputRefused, match="store-read-only"), readable.write() as session:
        session.add(schema.Team(board_id="b", name="a", created=schema.now()))
    after = {path: path.stat().st_mtime_ns for path in (tmp_path / "copy").rglob("*")}
    assert after.keys() - before.keys() <= {tmp_path / "copy" / "writer.lock"}
    doctor._state_of_store.cache_clear()
    (entry,) = [entry for entry in doctor.examine() if entry.name == "Boards and history"]
    assert (entry.state, "can only be read" in entry.value) == ("caution", True)
