"""The store: what is acknowledged is kept, and a wrong place is said in a sentence."""

import errno
import multiprocessing
import os
import random
import shutil
import signal
from collections.abc import Iterable
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import func, inspect, select, text

from scoring.common.findings import InputRefused
from scoring.store import schema
from scoring.store.database import Store, open_store
from scoring.store.kept_files import MARK
from scoring.store.secure_delete import pin_files

OF_BOARDS = {"board", "phase", "test_set", "team", "submission", "refused", "scoring"}
OF_ACCESS = {
    "hidden",
    "deleted_truth",
    "begun_deletion",
    "member",
    "attempt",
    "revocation",
    "refused_address",
}
OF_DECISIONS = {"split", "shown_part", "decision_rule", "final_ranking"}
TABLES = OF_BOARDS | OF_ACCESS | OF_DECISIONS | {"kept", "kept_file", "store", "imported", "alembic_version"}


def with_board() -> Store:
    """Open the store and put the board "b" there."""
    store = open_store()
    time = schema.now()
    made = {"challenge": "melanoma", "title": "B", "counts": "last", "options": {}, "created": time}
    with store.write() as session:
        session.add(schema.Board(id="b", version=1, **made))
        session.flush()
        session.add(
            schema.TestSetVersion(board_id="b", number=1, name="t.csv", sha256="0" * 64, created=time)
        )
    return store


def counts(store: Store) -> dict[str, int]:
    """Return how many submissions each team has."""
    with store.read() as session:
        query = select(schema.Submission.team, func.count()).group_by(schema.Submission.team)
        return {row[0]: row[1] for row in session.execute(query)}


def half_written(store: Store) -> int:
    """Return how many submissions lack a scoring or a whole file."""
    with store.read() as session:
        rows = session.execute(
            select(schema.Submission.sha256, schema.ScoredVersion.card).outerjoin(
                schema.ScoredVersion, schema.ScoredVersion.submission_id == schema.Submission.id
            )
        ).all()
    return sum(card is None or not store.files.read(digest) for digest, card in rows)


UNTIL_KILLED = 10**6
"""Submissions of a process that is killed: it must not be done before."""


def write(store: Store, writer: str, count: int, start: Connection, told: Connection) -> None:
    """Add submissions of one team with a file each, and tell the number of each that is kept."""
    store.engine.dispose(close=False)  # connections of the process that this one was forked from
    told.send("ready")
    start.recv()
    for number in range(count):
        data = f"{writer} {number} {'x' * 5000}".encode()
        digest = store.keep(data)
        time, one = schema.now(), f"{writer}-{number}"
        with store.write() as session:
            pin_files(store, session, {digest: data})
            if session.get(schema.Team, ("b", writer)) is None:
                session.add(schema.Team(board_id="b", name=writer, created=time))
                session.flush()
            made = {"name": "p.csv", "sha256": digest, "options": {}, "created": time}
            session.add(schema.Submission(id=one, board_id="b", team=writer, excluded=None, **made))
            session.flush()
            scored = {"score": number / 7, "low": None, "high": None, "card": digest, "problems": []}
            session.add(
                schema.ScoredVersion(submission_id=one, number=1, board_id="b", program="0", **scored)
            )
        told.send(number)


def at_once(store: Store, writers: int, count: int, kill_after: int | None = None) -> dict[str, int]:
    """Let processes write at once; gives how many submissions each was told are kept. kill_after: number of
    submissions after which the first process is killed."""
    processes = multiprocessing.get_context("fork")  # a process that imports everything anew takes seconds
    running = []
    for i in range(writers):
        start, told = processes.Pipe(), processes.Pipe()
        number = UNTIL_KILLED if kill_after is not None and i == 0 else count
        one = processes.Process(target=write, args=(store, f"w{i}", number, start[0], told[1]))
        one.start()
        told[1].close()
        assert told[0].recv() == "ready"
        running.append((one, start[1], told[0]))
    for _, start, _ in running:
        start.send("go")
    if kill_after is not None:
        first, _, told = running[0]
        numbers = [told.recv() for _ in range(kill_after)]
        first.kill()
    kept = {}
    for i, (one, _, told) in enumerate(running):
        answers = list(iter(partial(received, told), None))
        kept[f"w{i}"] = len(answers) + (len(numbers) if kill_after is not None and i == 0 else 0)
        one.join()
        assert one.exitcode == (-signal.SIGKILL if kill_after is not None and i == 0 else 0)
    return kept


def received(told: Connection) -> int | None:
    """Return what a process tells next; None where it ended."""
    try:
        return told.recv()
    except EOFError:
        return None


def test_a_new_store_has_the_tables(database):
    store = open_store()
    assert set(inspect(store.engine).get_table_names()) == TABLES
    assert open_store().engine.dialect.name == database


def test_the_migrations_make_what_the_code_expects(database):
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    with open_store().engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, schema.Base.metadata) == []


@pytest.mark.slow
def test_an_older_store_is_brought_up_to_date(database, monkeypatch):
    steps = ScriptDirectory._upgrade_revs
    with monkeypatch.context() as older:
        older.setattr("scoring.store.database.mark_files", lambda *_: None)
        older.setattr(ScriptDirectory, "_upgrade_revs", lambda of, _to, since: steps(of, "0001", since))
        with open_store().write() as session:
            session.execute(text("INSERT INTO board VALUES ('b', 'melanoma', 'B', 'last', '{}', '2026', 1)"))
            session.execute(text("INSERT INTO test_set VALUES ('b', 1, 't.csv', 'x', '2026')"))
            session.execute(text("INSERT INTO team VALUES ('b', 'alpha', '2026')"))
            sent = "('s', 'b', 'alpha', 'p.csv', 'x', '{}', '2026', NULL)"
            session.execute(text(f"INSERT INTO submission VALUES {sent}"))
    with open_store().read() as session:
        board, one = session.get(schema.Board, "b"), session.get(schema.Submission, "s")
        assert (board.keep_refused, one.dated, one.phase) == (False, False, None)
        assert session.get(schema.Team, ("b", "alpha")).facts is None


@pytest.mark.slow
def test_eight_writers_at_once(database):
    store = with_board()
    told = at_once(store, 8, 4)
    assert counts(store) == told == {f"w{i}": 4 for i in range(8)}
    assert half_written(store) == 0


def kill(rounds: int, writers: int, count: int) -> None:
    """Kill one of several writers in every round, and see that what was told is kept, whole."""
    store = with_board()
    for number in range(rounds):
        with store.write() as session:
            for table in (schema.ScoredVersion, schema.Submission, schema.Team):
                session.query(table).delete()
        told = at_once(store, writers, count, random.Random(number).randrange(1, count))
        kept = counts(store)
        assert told["w0"] <= kept.pop("w0") <= told.pop("w0") + 1, "one more may be kept than was read"
        assert kept == told
        assert half_written(store) == 0


@pytest.mark.slow
def test_a_killed_writer_loses_nothing_that_was_acknowledged(database):
    kill(rounds=2, writers=3, count=4)


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_two_hundred_killed_writers_among_eight_lose_nothing(database):
    kill(rounds=200, writers=8, count=6)


def test_a_transaction_that_fails_keeps_nothing(database):
    store = with_board()

    def fail() -> None:
        with store.write() as session:
            session.add(schema.Team(board_id="b", name="a", created=schema.now()))
            session.flush()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with store.read() as session:
        assert session.scalar(select(func.count()).select_from(schema.Team)) == 0


def test_a_newer_store_is_refused(database):
    with open_store().write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(InputRefused, match=r"store-newer .*a newer version of Benchside made this store"):
        open_store()


def of_sqlite(monkeypatch, tmp_path: Path) -> Store:
    monkeypatch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    return with_board()


def add_a_large_team(store: Store, before: Iterable[str]) -> None:
    with store.write() as session:
        for statement in before:
            session.execute(text(statement))
        session.add(schema.Team(board_id="b", name="a" * 60_000, created=schema.now()))


def test_a_full_disk_a_read_only_one_and_a_locked_database_are_sentences(monkeypatch, tmp_path):
    store = of_sqlite(monkeypatch, tmp_path)

    def refused(*statements: str) -> str:
        with pytest.raises(InputRefused) as caught:
            add_a_large_team(store, statements)
        store.engine.dispose()
        (problem,) = caught.value.problems
        assert problem.where == str(tmp_path / "store")
        return problem.code

    assert refused("PRAGMA max_page_count = 1") == "store-full"
    assert refused("PRAGMA query_only = ON") == "store-read-only"
    with open_store().engine.execution_options(writes=True).begin():
        monkeypatch.setattr("scoring.store.database.SECONDS", 0)
        impatient = open_store_without_turn(monkeypatch)
        with pytest.raises(InputRefused, match="store-locked"), impatient.write() as session:
            session.execute(text("SELECT 1"))
    assert counts(store) == {}


def open_store_without_turn(monkeypatch) -> Store:
    """Return a store whose writers do not queue, as a program of another kind would not."""
    from contextlib import nullcontext

    from scoring.store import database

    monkeypatch.setattr(database, "_turn", lambda _store: nullcontext())
    path = Path(os.environ["BENCHSIDE_STORE"])
    return Store(database._sqlite(path / "benchside.db"), path, str(path))


@pytest.mark.parametrize(
    ("number", "code"),
    [(errno.ENOSPC, "store-full"), (errno.EROFS, "store-read-only"), (errno.EIO, "store-unusable")],
)
def test_a_file_that_cannot_be_written_leaves_nothing(monkeypatch, tmp_path, number, code):
    store = of_sqlite(monkeypatch, tmp_path)

    def fail(_handle: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(InputRefused, match=code):
        store.keep(b"content")
    assert [path.name for path in (tmp_path / "store" / "files").rglob("*") if path.is_file()] == [MARK]


def test_a_place_that_is_no_folder_is_a_sentence(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputRefused, match="store-unusable"):
        open_store(tmp_path / "file" / "store")
    with pytest.raises(InputRefused, match="the address names no PostgreSQL database"):
        open_store(tmp_path, "mysql://somewhere")
    (tmp_path / "benchside.db").write_bytes(b"no database" * 100)
    with pytest.raises(InputRefused, match="store-damaged"):
        open_store(tmp_path)


def test_a_database_of_which_a_page_was_overwritten_is_said_to_be_damaged(monkeypatch, tmp_path):
    """Of any page: what is read is right, or the check says so. Nothing is a traceback."""
    store = of_sqlite(monkeypatch, tmp_path)
    store.check()
    with store.write() as session:
        session.add_all(
            schema.Team(board_id="b", name=f"{n:03}" * 100, created=schema.now()) for n in range(99)
        )
    with store.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    store.engine.dispose()
    path = tmp_path / "store" / "benchside.db"
    whole, codes = path.read_bytes(), set()
    for place in range(0, len(whole), 4096):
        path.write_bytes(whole[:place] + bytes(range(255, -1, -1)) * 16 + whole[place + 4096 :])
        try:
            damaged = open_store()
            damaged.check()
            with damaged.read() as session:
                assert len(session.execute(text("SELECT name FROM team ORDER BY name")).all()) == 99
        except InputRefused as refused:
            codes |= {problem.code for problem in refused.problems}
    assert "store-damaged" in codes
    assert codes <= {"store-damaged", "store-unusable"}


def test_files_are_kept_once_and_damage_is_said(monkeypatch, tmp_path):
    store = of_sqlite(monkeypatch, tmp_path)
    digest = store.keep(b"content")
    assert store.keep(b"content") == digest
    assert store.files.read(digest) == b"content"
    store.files.place(digest).write_bytes(b"other")
    with pytest.raises(InputRefused, match=r"store-damaged .*was changed"):
        store.files.read(digest)
    store.files.discard([digest])
    assert not store.files.holds(digest)
    with pytest.raises(InputRefused, match=r"store-damaged .*not in the store"):
        store.files.read(digest)


def test_a_store_that_is_deleted_while_it_is_open_is_refused_and_one_in_its_place_is_taken(
    tmp_path, monkeypatch
):
    """What was written to a deleted file was acknowledged, and gone at the next start."""
    monkeypatch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    store, other = with_board(), tmp_path / "other"
    open_store(other).engine.dispose()
    for file in store.folder.glob("benchside.db*"):
        file.unlink()
    for use in (store.read, store.write):
        with pytest.raises(InputRefused, match=r"store-gone .*restore the last backup"), use() as session:
            session.get(schema.Board, "b")
    assert not list(store.folder.glob("benchside.db*")), "no empty one is made"
    for file in other.glob("benchside.db*"):
        shutil.copy(file, store.folder)
    with store.read() as session:
        assert session.get(schema.Board, "b") is None
    shutil.rmtree(store.folder)
    with pytest.raises(InputRefused, match=r"store-(gone|unusable)"), store.write() as session:
        session.get(schema.Board, "b")
