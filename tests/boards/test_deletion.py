"""Deleted means deleted: neither the folder nor the database file holds a byte of it any more."""

from pathlib import Path

import pytest
from sqlalchemy import select

import scoring
from scoring.boards import deletion
from scoring.boards.board import OpenBoard, opened
from scoring.boards.submissions import participant, phases_and_limits, submitting
from scoring.boards.submissions.submitting import SubmissionRequest
from scoring.boards.truth_correction import rescoring
from scoring.common.findings import InputRefused, error
from scoring.history import keeping, saved_submissions
from scoring.store import schema, secure_delete
from scoring.store.database import Store, open_store
from scoring.store.kept_files import MARK
from tests.support.boards import board, labels, predictions


def empty(tmp_path, board_id: str = "b", *options: object) -> Store:
    truth = labels(tmp_path / "labels.csv")
    wanted = ("--id", board_id, "--title", f"TITLE-{board_id}", "--truth", truth, "--resamples", 0)
    made = board("create", "melanoma", *wanted, *options)
    assert made.status == 0, made.err
    return open_store()


def submitted(store: Store, tmp_path, number: int, team: str, board_id: str = "b") -> str:
    data = predictions(tmp_path / "p.csv", number, 1.0).read_bytes()
    sent = SubmissionRequest(team, f"FILE-{team}-{number}.csv", data, id=f"ID-{team}-{number}-{board_id}")
    return submitting.submit(opened(store, board_id), sent).id


def bytes_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def files(store: Store) -> int:
    return sum(path.is_file() and path.name != MARK for path in (store.folder / "files").rglob("*"))


def test_a_deleted_submission_and_a_deleted_board_are_gone(database, tmp_path):
    store = empty(tmp_path, "b", "--keep-refused")
    empty(tmp_path, "other")
    mine, theirs = submitted(store, tmp_path, 1, "SECRET"), submitted(store, tmp_path, 2, "beta")
    shared = submitted(store, tmp_path, 2, "beta", "other")
    bad = tmp_path / "REFUSED.csv"
    bad.write_text("filename,score\nSTRANGER,0.5\n")
    assert board("submit", "b", "--team", "SECRET", "--predictions", bad).status == 2
    (kept,) = board("refused", "b", "--json", "-").json["refused"]
    assert files(store) == 1 + 1 + 2 * 2, "a truth, a refused file, two files with their scorecards"

    assert "no-submission" in board("delete", "b", "--submission", shared).err
    assert "Confirm with --yes" in board("delete", "b").err
    done = board("delete", "b", "--submission", mine)
    assert (done.status, done.err) == (0, "")
    assert "from the disk: 2" in done.out
    assert board("delete", "b", "--submission", kept["submission"]).status == 0
    (store.folder / "files" / "ab").mkdir(exist_ok=True)
    (store.folder / "files" / "ab" / ("ab" * 32)).write_text("LEFT by a killed program")
    assert board("delete", "b", "--yes").status == 0
    with store.read() as session:
        assert session.get(schema.Submission, theirs) is None
        assert session.get(schema.Submission, shared) is not None
        assert session.get(schema.Team, ("b", "SECRET")) is None
    assert files(store) == 3, "the other board keeps what both had"
    assert board("show", "other").status == 0
    assert "no-board" in board("delete", "b", "--yes").err
    if database == "sqlite":
        store.engine.dispose()
        left = bytes_in(store.folder)
        assert [
            word for word in (b"SECRET", b"STRANGER", b"TITLE-b", b"REFUSED", b"LEFT") if word in left
        ] == []
        assert b"FILE-beta-2.csv" in left


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_many_deleted_rows_leave_nothing_in_the_database_file(database, tmp_path):
    store = empty(tmp_path)
    with store.write() as session:
        for number in range(300):
            team = f"TEAM-{number:03}-{'x' * (number % 60)}"
            session.add(schema.Team(board_id="b", name=team, created=schema.now()))
            session.flush()
            made = {"name": "p.csv", "sha256": f"{number:064}", "options": {}, "created": schema.now()}
            session.add(schema.Submission(id=f"{number}", board_id="b", team=team, excluded=None, **made))
    for number in range(0, 300, 60):
        done = board("delete", "b", "--submission", number)
        assert done.status == 0, done.err
    left = bytes_in(store.folder)
    assert [number for number in range(300) if b"TEAM-%03d" % number not in left] == [*range(0, 300, 60)]


class Killed(BaseException):
    """Ends a deletion where a program is killed."""


@pytest.mark.parametrize("deleted", ["board", "submission", "saved submission"])
@pytest.mark.parametrize("at", ["discard_unused", "vacuum"])
def test_a_deletion_that_is_killed_is_finished_at_the_next_start(
    database, tmp_path, monkeypatch, deleted, at
):
    """The rows were gone, and the files, a hidden truth among them, stayed until somebody deleted again."""
    store = empty(tmp_path)
    one = submitted(store, tmp_path, 1, "SECRET")
    sent = predictions(tmp_path / "SAVED.csv", 3, 1.0)
    scoring.log(sent, challenge="melanoma", truth=labels(tmp_path / "t.csv", wrong=(1,)), resamples=0)
    (saved,) = saved_submissions.saved(store)
    kept, left = files(store), {"board": 3, "submission": 4, "saved submission": 3}[deleted]
    delete = {
        "board": lambda: deletion.delete_board(store, "b"),
        "submission": lambda: deletion.delete_submission(store, "b", one),
        "saved submission": lambda: keeping.delete(store, [saved.id]),
    }[deleted]

    def end(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(secure_delete, at, end)
        with pytest.raises(Killed):
            delete()
    assert (kept, files(store)) == (6, 6 if at != "vacuum" else left)
    store.keep(b"not of a deletion that is finished")
    assert board("list").status == 0
    assert files(store) == left
    with store.read() as session:
        assert session.scalars(select(schema.BegunDeletion)).all() == []
    if database == "sqlite":
        store.engine.dispose()
        gone = {"board": b"TITLE-b", "submission": b"SECRET", "saved submission": b"SAVED"}[deleted]
        assert gone not in bytes_in(store.folder)
    store.keep(b"LEFT by a killed program that deleted nothing")
    assert board("list").status == 0
    assert files(store) == left + 1, "another program may be writing it"


def test_a_deletion_while_another_program_reads_is_said_and_finished_by_a_later_start(
    place, tmp_path, monkeypatch
):
    store = empty(tmp_path)
    one = submitted(store, tmp_path, 1, "SECRET")
    monkeypatch.setattr("scoring.store.database.SECONDS", 0)
    with store.read() as reading:
        assert reading.get(schema.Submission, one) is not None
        done = board("delete", "b", "--submission", one)
        assert board("list").status == 0
    assert (done.status, "warning store-busy" in done.err) == (0, True), done.err
    assert board("list").status == 0
    with store.read() as session:
        assert session.scalars(select(schema.BegunDeletion)).all() == []
    assert board("delete", "b", "--yes").err == ""


def test_what_is_deleted_meanwhile_does_not_come_back(place, tmp_path, monkeypatch):
    store = empty(tmp_path)
    one, two = (submitted(store, tmp_path, number, "alpha") for number in (1, 2))

    def deletes(done: int, total: int) -> None:
        if (done, total) == (0, 2):
            deletion.delete_submission(store, "b", one)
            deletion.delete_submission(store, "b", two)

    rescoring.rescore(store, "b", str(labels(tmp_path / "corrected.csv", wrong=(0,))), deletes)
    assert board("show", "b", "--json", "-").json["teams"] == []
    assert files(store) == 2, "the truth in two versions"

    arrival = phases_and_limits.arrival

    def deleted_then(of_store: Store, board_id: str) -> str:
        time = arrival(of_store, board_id)
        deletion.delete_board(of_store, board_id)
        return time

    monkeypatch.setattr(phases_and_limits, "arrival", deleted_then)
    with pytest.raises(Exception, match=r"no-board|store-damaged"):
        submitted(store, tmp_path, 3, "alpha")
    assert files(store) == 0


def test_a_refused_file_of_a_board_that_is_deleted_meanwhile_is_not_kept(place, tmp_path, monkeypatch):
    store = empty(tmp_path, "b", "--keep-refused")
    held = opened(store, "b")
    deletion.delete_board(store, "b")
    problems = (error("bad-value", "p.csv", "it is wrong."),)
    request = SubmissionRequest("alpha", "p.csv", b"filename,score\nx,0.5\n")
    assert submitting.refusal(held, request, schema.now(), problems).problems == problems
    assert files(store) == 0
    with store.read() as session:
        assert session.scalars(select(schema.RefusedFile)).all() == []


def test_an_attempt_at_a_board_that_is_deleted_meanwhile_is_a_sentence(place, tmp_path):
    store = empty(tmp_path)
    held = opened(store, "b")
    deletion.delete_board(store, "b")
    with pytest.raises(InputRefused, match=r"no-board.*no such board"):
        participant._begin(held, store.actor, "alpha", "0" * 64, participant.RUNNING, 9)


def test_a_board_that_is_made_anew_meanwhile_takes_nothing_of_the_old_one(place, tmp_path, monkeypatch):
    store = empty(tmp_path)
    arrival = phases_and_limits.arrival

    def replaced_then(of_store: Store, board_id: str) -> str:
        monkeypatch.setattr(phases_and_limits, "arrival", arrival)
        time = arrival(of_store, board_id)
        deletion.delete_board(of_store, board_id)
        truth = labels(tmp_path / "other.csv", wrong=tuple(range(20)))
        made = board("create", "melanoma", "--id", "b", "--title", "B", "--truth", truth, "--resamples", 0)
        assert made.status == 0, made.err
        return time

    held = opened(store, "b")
    data = predictions(tmp_path / "p.csv", 1, 0).read_bytes()
    held.result(data, "p.csv", {})
    monkeypatch.setattr(phases_and_limits, "arrival", replaced_then)
    with pytest.raises(InputRefused, match=r"no-board"):
        submitting.submit(held, SubmissionRequest("alpha", "p.csv", data))
    assert board("show", "b", "--json", "-").json["teams"] == []


def test_a_submission_that_is_deleted_before_its_feedback_is_a_sentence(place, tmp_path, monkeypatch):
    store, submit = empty(tmp_path), submitting.submit

    def deleted_then(to: OpenBoard, request: SubmissionRequest) -> submitting.Receipt:
        receipt = submit(to, request)
        deletion.delete_submission(store, "b", receipt.id)
        return receipt

    monkeypatch.setattr(submitting, "submit", deleted_then)
    data = predictions(tmp_path / "p.csv", 1, 1.0).read_bytes()
    with pytest.raises(InputRefused, match=r"no-submission.*the organizer deleted this submission"):
        participant.submit(opened(store, "b"), "alpha", "p.csv", data, {}, "1")
    with store.read() as session:
        assert session.scalars(select(schema.Attempt.outcome)).all() == [participant.SCORED]
