"""Boards that cannot be read, a database that is gone, a clock that was wrong: a sentence, and a way on."""

import io
import json
import zipfile
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from scoring.boards import deletion
from scoring.boards.board import listed
from scoring.boards.board import opened as board_of
from scoring.boards.bundles import bundle
from scoring.boards.submissions import phases_and_limits
from scoring.boards.submissions.submitting import SubmissionRequest, submit
from scoring.common.findings import InputRefused
from scoring.store import schema
from scoring.store.database import open_store
from tests.support import bundles, databases
from tests.support.boards import board, labels, predictions
from tests.support.disks import fill, mounted, remount
from tests.support.visits import finished, words


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A store of its own with the board "b", which came as a bundle."""
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    store = open_store()
    bundle.import_board(store, bundles.packed({}))
    return store


BROKEN = {
    "options": ("""UPDATE board SET options = '{"imported": "x"}'""", "board, options"),
    "declaration": (
        """UPDATE board SET options = json_set(options, '$.declaration', json('{"title": "a\u202eb"}'))""",
        "its challenge, title: it contains the hidden character U+202E",
    ),
    "no-json": ("UPDATE board SET options = '{'", "the database is damaged"),
    "counts": ("UPDATE board SET counts = 'zzz'", "zzz is not one of last, best"),
    "year": ("UPDATE board SET created = '9999-12-31T00:00:00.000000+00:00'", "is not a time in UTC"),
    "phase": ("UPDATE phase SET per_day = 'many'", "it is not a whole number"),
    "low": ("UPDATE scoring SET low = 9e999", "inf is not a finite number"),
    "card": ("UPDATE scoring SET card = ''", "is not 64 hexadecimal digits"),
    "detail": (
        "INSERT INTO hidden (board_id, detail, step, refused_per_day) VALUES ('b', 'all', NULL, 20)",
        "all is not one of none, score, classes, cases, opened",
    ),
    "facts": ("""UPDATE team SET facts = '{"a": 1}'""", "it is not facts about a team"),
}
OF_PAGE = ("low", "card", "detail", "facts")
"""What the list does not look at."""


@pytest.mark.parametrize("fault", BROKEN)
def test_a_row_that_cannot_be_read_hides_no_other_board(store, opened, fault):
    other = bundles.with_manifest(bundles.renamed("other"))
    bundle.import_board(store, other)
    statement, problem = BROKEN[fault]
    where = "" if fault == "detail" else f" WHERE {'id' if 'board SET' in statement else 'board_id'} = 'b'"
    with store.write() as session:
        session.connection().exec_driver_sql(statement + where)
    broken = {entry["id"]: entry.get("broken", "") for entry in listed(store)}
    assert broken["other"] == ""
    assert (problem in broken["b"]) == (fault not in OF_PAGE)
    assert board("list").out.count("(cannot be read)") == (fault not in OF_PAGE)
    app = opened("board")
    assert not app.exception
    assert {"board_open_b", "board_open_other"} <= {button.key for button in app.button}
    app = opened("board", board="b")
    assert not app.exception
    assert problem in words(app)
    app.text_input(key="delete_b").input("b").run()
    next(one for one in app.button if one.label == "Delete for good").click().run()
    assert not app.exception
    assert [entry["id"] for entry in listed(store)] == ["other"]
    assert len(phases_and_limits.phases(store, "other")) == 2


def test_a_board_that_came_as_a_bundle_says_so(store, opened, tmp_path):
    app = opened("board", board="b")
    assert "imported on 20" in " ".join(one.value for one in app.caption)
    assert board("show", "b", "--html", tmp_path / "b.html").status == 0
    assert "imported on 20" in (tmp_path / "b.html").read_text(encoding="utf-8")
    exported = bundle.export(board_of(store, "b"), with_truth=True)
    assert json.loads(zipfile.ZipFile(io.BytesIO(exported)).read(bundles.MANIFEST)) == bundles.manifest()


def rename_table(store) -> None:
    with store.write() as session:
        session.execute(text("ALTER TABLE board RENAME TO gone"))


def delete_database(store) -> None:
    for file in store.folder.glob("benchside.db*"):
        file.unlink()


@pytest.mark.parametrize("address", [{}, {"board": "b"}])
@pytest.mark.parametrize(
    ("fault", "sentence"),
    [(rename_table, "the database cannot be used"), (delete_database, "its database is missing: restore")],
)
def test_a_database_that_goes_away_is_one_sentence(store, opened, address, fault, sentence):
    """Also for who has the page open, and clicks."""
    app = opened("board", **address)
    fault(store)
    assert sentence not in words(app)
    for page in (app.run(), opened("board", **address)):
        assert not page.exception
        assert words(page).count(sentence) == 1
        assert "No boards yet" not in words(page)
    assert len(list(store.folder.glob("benchside.db"))) == (fault is rename_table), "no empty one is made"


@pytest.mark.parametrize(
    ("is_full", "sentence"), [(True, "the disk is full: free some space"), (False, "it cannot be written")]
)
def test_a_board_on_a_full_or_read_only_disk_is_shown_and_no_other_is_made(
    opened, tmp_path, monkeypatch, is_full, sentence
):
    with mounted(tmp_path / "disk") as disk:
        monkeypatch.setenv("BENCHSIDE_STORE", str(disk / "store"))
        store = open_store()
        bundle.import_board(store, bundles.packed({}))
        if is_full:
            fill(disk / "filler")
        else:
            store.engine.dispose()
            remount(disk, "ro")
        app = opened("board", board="b")
        assert not app.exception
        assert "alpha" in words(app)
        app = opened("board")
        app.selectbox(key="board_new_challenge").select("Melanoma").run()
        app.text_input(key="board_new_title").input("New").run()
        app.file_uploader(key="board_new_truth_file").upload("t.csv", labels(tmp_path / "t.csv").read_bytes())
        next(one for one in app.run().button if one.label == "Create the board").click().run()
        assert not app.exception
        assert words(app).count(sentence) == 1
        app = opened("board", board="b", tab="Settings")
        app.text_input(key="delete_b").input("b").run()
        next(one for one in app.button if one.label == "Delete for good").click().run()
        assert not app.exception
        assert words(app).count(sentence) == 1
        app = opened("board", board="b", tab="Submissions")
        sent = predictions(tmp_path / "p.csv", 9, 1.0).read_bytes()
        app.file_uploader(key="board_b_teams_files").upload("gamma.csv", sent).run()
        finished(next(one for one in app.button if one.label.startswith("Submit")).click().run())
        assert not app.run().exception
        assert words(app).count(sentence) == 1


@pytest.mark.parametrize("tab", ["Submissions", "Corrections", "Participants", "Settings"])
def test_a_board_that_another_server_deletes_is_one_sentence(store, opened, tab):
    app = opened("board", board="b", tab=tab)
    deletion.delete_board(open_store(), "b")
    [one for one in app.button if one.label != "All boards"][-1].click().run()
    assert not app.exception
    assert words(app).count("there is no such board") == 1


@pytest.mark.slow
def test_a_postgresql_that_goes_away_is_one_sentence(opened, monkeypatch, tmp_path):
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    with databases.running() as (url, stop):
        monkeypatch.setenv("BENCHSIDE_DATABASE_URL", url)
        bundle.import_board(open_store(), bundles.packed({}))
        assert "alpha" in words(opened("board", board="b"))
        stop()
        for address in ({"board": "b"}, {}):
            app = opened("board", **address)
            assert not app.exception
            assert "the database does not answer: start the database" in words(app)
            assert "No boards yet" not in words(app)


def test_a_clock_that_was_ahead_is_told_to_the_organizer_who_sets_it_right(store, opened, tmp_path):
    ahead = schema.written(datetime.now(UTC) + timedelta(days=1))
    with store.write() as session:
        (row,) = session.query(schema.Submission).filter_by(team="beta")
        row.created, identity = ahead, row.id
    late = SubmissionRequest("alpha", "p.csv", predictions(tmp_path / "p.csv", 9, 1.0).read_bytes())
    with pytest.raises(InputRefused, match=r"clock-behind .*the organizer corrects that time"):
        submit(board_of(store, "b"), late)
    app = opened("board", board="b", view="public")
    assert "still" not in words(app)
    app = opened("board", board="b")
    (warning,) = [one.value for one in app.warning if "The board accepts no submissions until" in one.value]
    assert phases_and_limits.spoken(ahead) in warning
    app.button(key="board_clock").click().run()
    assert not app.exception
    with store.read() as session:
        assert session.get(schema.Submission, identity).created <= schema.now()
    assert not [one for one in app.warning if "accepts no submissions until" in one.value]
    assert submit(board_of(store, "b"), late).score is not None
