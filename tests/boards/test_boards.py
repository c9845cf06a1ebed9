"""A board on the command line: weeks of submissions, a corrected truth, a bundle, a report without cases."""

import json
import re
import threading
import unicodedata
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scoring.boards.board import opened
from scoring.boards.submissions import submitting
from scoring.boards.submissions.submitting import SubmissionRequest
from scoring.boards.teams import members
from scoring.boards.truth_correction import rescoring
from scoring.common.findings import InputRefused
from scoring.inputs import team_entries
from scoring.store.database import open_store
from tests.support import schemas
from tests.support.archives import archive_of
from tests.support.boards import board, filled, labels, predictions


def shown(*arguments: object) -> dict:
    done = board("show", "b", "--json", "-", *arguments)
    assert done.status == 0, done.err
    assert schemas.problems("board", done.out) == []
    return done.json


def ranks(value: dict) -> dict[str, int]:
    return {team["team"]: team["rank"] for team in value["teams"]}


def refusal(*arguments: object) -> str:
    done = board(*arguments)
    assert done.status == 2
    assert "Traceback" not in done.err
    return done.err


def test_a_board_from_the_first_submission_to_the_bundle(database, tmp_path, monkeypatch):
    sent = filled(tmp_path)
    first = shown()
    alpha, beta = (next(t for t in first["teams"] if t["team"] == name) for name in ("alpha", "beta"))
    assert [one["time"][:10] for one in alpha["history"]] == ["2026-10-01", "2026-10-08"]
    assert [one["counts"] for one in alpha["history"]] == [False, True]
    assert [one["rank_that_day"] for one in alpha["history"]] == [1, alpha["rank"]]
    assert alpha["score"] == alpha["history"][1]["score"] > alpha["history"][0]["score"]
    assert beta["interval"][0] < beta["score"] < beta["interval"][1]
    assert board("submit", "b", sent).err.count("submitted-before") == 3
    assert shown() == first, "the same files are not counted twice"

    done = board("rescore", "b", "--yes", "--truth", labels(tmp_path / "corrected.csv"), "--json", "-")
    assert done.status == 0, done.err
    changes = {one["team"]: one for one in done.json["changes"]}
    assert {team: (one["rank_before"], one["rank"]) for team, one in changes.items()} == {
        "alpha": (1, 2),
        "beta": (2, 1),
    }, "the team that predicted the wrong labels was ahead"
    assert [(one["cases"], one["cases_more_right"]) for one in done.json["changes"]] == [
        (["canary00", "canary03"], ["canary00", "canary03"]),
        (["canary00", "canary03"], ["canary00"]),
    ]
    assert changes["alpha"]["score_before"] == alpha["score"] != changes["alpha"]["score"]
    assert shown()["board"]["test_set_version"] == 2
    assert (ranks(first), ranks(shown())) == ({"alpha": 1, "beta": 2}, {"alpha": 2, "beta": 1})
    assert shown("--changes")["changes"] == done.json["changes"]
    old = shown("--test-set", 1)
    assert [team["history"] for team in old["teams"]] == [team["history"] for team in first["teams"]]

    bundle = tmp_path / "b.zip"
    assert board("export", "b", bundle, "--with-truth").status == 0
    assert "board-exists" in refusal("import", bundle)
    monkeypatch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "elsewhere"))
    before = shown_from(bundle)
    assert before["teams"] == shown()["teams"]
    assert board("export", "b", tmp_path / "again.zip", "--with-truth").status == 0
    assert (tmp_path / "again.zip").read_bytes() == bundle.read_bytes()


def shown_from(bundle: Path) -> dict:
    done = board("import", bundle, "--json", "-")
    assert done.status == 0, done.err
    return done.json


def test_what_is_published_names_no_case_and_no_prediction(sent, tmp_path):
    board("submit", "b", "--team", "<b>gamma", "--predictions", predictions(tmp_path / "c.csv", 9, 1.3))
    board("rescore", "b", "--yes", "--truth", labels(tmp_path / "corrected.csv"))
    one = shown()["teams"][0]["history"][0]["submission"]
    board("exclude", "b", one, "--reason", "sent <i>twice")
    done = board("show", "b", "--html", tmp_path / "b.html")
    html = (tmp_path / "b.html").read_text(encoding="utf-8")
    assert board("export", "b", tmp_path / "b.zip").status == 0
    for text in (html, done.out, json.dumps(shown()), board("list").out):
        assert "canary" not in text
    assert "&lt;b&gt;gamma" in html
    assert "&lt;i&gt;twice" in html
    assert "<b>gamma" not in html
    assert "the last submission of each team" in html
    with zipfile.ZipFile(tmp_path / "b.zip") as bundle:
        assert b"filename,label" not in b"".join(map(bundle.read, bundle.namelist())), (
            "no truth unless wanted"
        )


def test_a_board_without_its_truth_is_ranked_elsewhere_but_takes_nothing(sent, tmp_path, monkeypatch):
    assert board("export", "b", tmp_path / "b.zip").status == 0
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "elsewhere"))
    assert len(shown_from(tmp_path / "b.zip")["teams"]) == 2
    assert board("export", "b", tmp_path / "again.zip").status == 0
    assert (tmp_path / "again.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    new = predictions(tmp_path / "c.csv", 9, 1.3)
    assert "imported-board" in refusal("submit", "b", "--team", "gamma", "--predictions", new)


def test_the_best_submission_can_count(place, tmp_path):
    truth = labels(tmp_path / "labels.csv")
    wanted = ("--id", "b", "--title", "B", "--truth", truth, "--resamples", 0, "--counts", "best")
    assert board("create", "melanoma", *wanted).status == 0
    for day, noise in (("2026-10-01", 0.1), ("2026-10-08", 1.9)):
        file = predictions(tmp_path / f"{day}.csv", 1, noise)
        assert board("submit", "b", "--team", "alpha", "--predictions", file, "--time", day).status == 0
    (team,) = shown()["teams"]
    assert [one["counts"] for one in team["history"]] == [True, False]


def test_an_excluded_submission_does_not_count_until_that_is_undone(sent):
    before = shown()
    last = next(team for team in before["teams"] if team["team"] == "alpha")["submission"]
    assert board("exclude", "b", last, "--reason", "wrong file").status == 0
    after = shown()
    alpha = next(team for team in after["teams"] if team["team"] == "alpha")
    assert alpha["submission"] != last
    assert [one["reason"] for one in after["excluded"]] == ["wrong file"]
    assert board("exclude", "b", last, "--undo").status == 0
    assert shown() == before


def test_wrong_input_is_said_and_counts_nothing(sent, tmp_path):
    before = shown()
    file = predictions(tmp_path / "c.csv", 9, 1.3)
    bad = tmp_path / "bad.csv"
    bad.write_text("filename,score\ncanary00,2\nnobody,0.5\n")
    assert "no-board" in refusal("show", "nothing")
    assert "no-version" in refusal("show", "b", "--test-set", 7)
    assert "no version 0 of its test set" in refusal("rescore", "b", "--to-version", 0)
    assert "give --team and --predictions" in refusal("submit", "b")
    assert "is not a time" in refusal(
        "submit", "b", "--team", "c", "--predictions", file, "--time", "2026-13-01"
    )
    for time in ("2999-12-31", "9999-12-31", "0001-01-01", "9999-12-31T23:59"):
        assert "is not a time from 1900 to 2198" in refusal("phase", "b", "--name", "p", "--closes", time)
    wrong = refusal("submit", "b", "--team", "c", "--predictions", bad)
    assert "missing-case" in wrong
    assert "cannot be set for a single submission" in refusal(
        "submit", "b", "--team", "c", "--predictions", file, "--option", "missing=wrong"
    )
    assert "no-submission" in refusal("exclude", "b", "nothing", "--reason", "x")
    assert "nothing-to-rescore" in refusal("rescore", "b")
    truth = tmp_path / "labels.csv"
    assert "nothing-to-rescore" in refusal("rescore", "b", "--truth", truth)
    assert "board-exists" in refusal("create", "melanoma", "--id", "b", "--title", "B", "--truth", truth)
    wrong = refusal("create", "melanoma", "--id", "B!", "--title", " ", "--truth", bad, "--counts", "first")
    assert all(option in wrong for option in ("--id", "--title", "--counts", "bad.csv"))
    assert "at most 64 small letters" in wrong, "as its page calls it"
    (tmp_path / "many" / "gamma").mkdir(parents=True)
    (tmp_path / "many" / "gamma" / "2026-10-09.csv").write_text("filename,score\n")
    assert "gamma: " in refusal("submit", "b", tmp_path / "many")
    assert shown() == before


def test_what_is_noticed_about_a_submission_is_said(place, tmp_path):
    truth, file = labels(tmp_path / "labels.csv"), tmp_path / "few.csv"
    wanted = ("--id", "b", "--title", "B", "--truth", truth, "--resamples", 0, "--missing", "wrong")
    assert board("create", "melanoma", *wanted).status == 0
    file.write_text("filename,score\ncanary00,0.9\n")
    done = board("submit", "b", "--team", "alpha", "--predictions", file)
    assert done.status == 0
    assert "warning missing-case alpha: " in done.err


def test_truths_are_for_their_owner_alone(sent, place):
    assert place.stat().st_mode & 0o077 == 0


def test_the_same_id_twice_is_one_submission(sent, tmp_path):
    file = predictions(tmp_path / "c.csv", 9, 1.3)
    arguments = ("submit", "b", "--team", "c", "--predictions", file, "--submission", "mine", "--json", "-")
    first, again = board(*arguments).json, board(*arguments).json
    assert first["submissions"][0] | {"submitted_before": True, "findings": []} == again["submissions"][0]
    other = predictions(tmp_path / "d.csv", 10, 1.3)
    assert "submission-exists" in refusal(
        "submit", "b", "--team", "c", "--predictions", other, "--submission", "mine"
    )


def test_a_stopped_run_goes_on_and_what_comes_meanwhile_is_scored_too(sent, tmp_path):
    store, corrected = open_store(), labels(tmp_path / "corrected.csv")
    scored = []

    def stop(done: int, _total: int) -> None:
        scored.append(done)
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rescoring.rescore(store, "b", str(corrected), stop)
    assert shown()["board"]["test_set_version"] == 1
    file = predictions(tmp_path / "c.csv", 9, 1.3)

    def submits(done: int, total: int) -> None:
        scored.append(done)
        if done == total == 3:
            submitting.submit(opened(store, "b"), SubmissionRequest("c", "c.csv", file.read_bytes()))

    scored.clear()
    rescoring.rescore(store, "b", None, submits)
    assert scored == [2, 3, 3, 4], "the first two are kept; a fourth came while the third was scored"
    assert len(shown()["teams"]) == 3
    assert shown()["board"]["test_set_version"] == 2


def test_a_changed_bundle_is_refused(sent, tmp_path, monkeypatch):
    assert board("export", "b", tmp_path / "b.zip").status == 0
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "elsewhere"))
    with zipfile.ZipFile(tmp_path / "b.zip") as bundle:
        members = {name: bundle.read(name) for name in bundle.namelist()}
    manifest = json.loads(members["manifest.json"])
    file = next(name for name in members if name != "manifest.json")
    score = manifest["scorings"][0] | {"score": 1.0}

    def imported(**changed: object) -> str:
        changed = {"manifest.json": json.dumps(manifest).encode(), **changed}
        with zipfile.ZipFile(tmp_path / "changed.zip", "w") as target:
            for name, data in {**members, **changed}.items():
                if data is not None:
                    target.writestr(name, data)
        return refusal("import", tmp_path / "changed.zip")

    def manifested(**entries: object) -> dict[str, bytes]:
        return {"manifest.json": json.dumps(manifest | entries).encode()}

    assert "was changed" in imported(**{file: b"other"})
    assert "is missing" in imported(**{file: None})
    assert "a score does not match its scorecard" in imported(
        **manifested(scorings=[score, *manifest["scorings"][1:]])
    )
    assert "teams[0].name: it is not a text" in imported(**manifested(teams=[{"name": 3}]))
    assert "cannot be read" in imported(**{"manifest.json": b"{"})
    assert "another version" in imported(**manifested(format="benchside-board/9"))
    assert "teams are missing" in imported(**manifested(teams=[]))
    assert "results are missing" in imported(**manifested(scorings=[]))
    assert "is not an exported board" in imported(**{"manifest.json": None})
    assert "unreadable-file" in refusal("import", tmp_path / "nothing.zip")
    assert board("list", "--json", "-").json == {"boards": []}


def test_a_name_that_looks_like_another_teams_is_no_new_team(database, tmp_path):
    filled(tmp_path)
    store = open_store()
    for name in ("\u0430lpha", "alpha ", "alpha\ufe0f", "\uff41lpha"):
        with pytest.raises(InputRefused, match="looks like the name of another team, 'alpha'"):
            submitting.submit(opened(store, "b"), SubmissionRequest(name, "p.csv", b"x"))
        with pytest.raises(InputRefused, match="looks like the name of another team, 'alpha'"):
            members.set_members(store, "b", name, ["a@example.org"])


def test_two_look_alike_names_that_come_at_once_are_not_both_kept(database, tmp_path, monkeypatch):
    """Each was checked before the other was kept. The board could not be shown on the command line then."""
    filled(tmp_path)
    store, twins = open_store(), ("zeta", "zet\u0430")
    data = predictions(tmp_path / "p.csv", 4, 0.5).read_bytes()
    ready = threading.Barrier(2, timeout=60)
    names = submitting.team_names
    monkeypatch.setattr(submitting, "team_names", lambda *board: (names(*board), ready.wait())[0])

    def sent_at_once(name: str) -> str:
        try:
            return submitting.submit(opened(store, "b"), SubmissionRequest(name, "p.csv", data)).team
        except InputRefused as refused:
            return str(refused)

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(sent_at_once, twins))
    (kept,) = set(answers) & set(twins)
    (other,) = set(twins) - {kept}
    assert f"looks like the name of another team, {kept!a}" in "".join(answers)
    assert other not in members.team_names(store, "b")
    assert board("show", "b", "--json", "-").status == 0


def test_names_that_people_can_tell_apart_are_two_teams():
    names = ["alpha", "Alpha", "alpha 2", "älpha", "alpha-2"]
    for name in names:
        assert list(team_entries.name_problems(name, "x", names)) == []


def test_a_zip_of_several_prediction_tables_is_not_told_to_name_one_labels(sent, tmp_path):
    rows = predictions(tmp_path / "p.csv", 4, 1.0).read_bytes()
    (tmp_path / "p.zip").write_bytes(archive_of({"one.csv": rows, "two.csv": rows}))
    said = refusal("submit", "b", "--team", "gamma", "--predictions", tmp_path / "p.zip")
    assert "duplicate-case" in said
    assert "labels.csv" not in said


NAMES = (
    "北京大学放射科团队",
    "فريق الأشعة",
    "🦉 Owls",
    "Department of Radiology, Umeå, first try",
    "Department of Radiology, Umeå, last try",
)


def places(text: str) -> int:
    """Return how many places of a terminal a text takes."""
    shown = [c for c in text if unicodedata.category(c) not in ("Mn", "Me", "Cf")]
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in shown)


def test_tables_stand_in_columns_whatever_the_names_of_the_teams(place, tmp_path):
    board("create", "melanoma", "--id", "b", "--title", "B", "--truth", labels(tmp_path / "l.csv"))
    for number, team in enumerate((*NAMES, "x" * 100)):
        file = predictions(tmp_path / "p.csv", number, 1.0 + number / 10)
        assert board("submit", "b", "--team", team, "--predictions", file).status == 0
    told = board("show", "b").out
    for head in ("rank  team", "submitted (UTC)"):
        first = told.splitlines().index(
            next(line for line in told.splitlines() if line.strip().startswith(head))
        )
        title, *rows = told.splitlines()[first : first + 7]
        end = title.index("score") + len("score")
        for row in rows:
            before = row[: re.search(r"0\.\d{6}(?!\d)", row).end()]
            assert places(before) == end, row
    assert all(name in told for name in NAMES)
    assert "x" * 59 + "…" in told
