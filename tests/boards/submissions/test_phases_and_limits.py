"""Phases of a board: outside their times and beyond their limits nothing is counted, also in a race."""

import multiprocessing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from scoring.boards.board import opened
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.boards.submissions import phases_and_limits, submitting
from scoring.boards.submissions.phases_and_limits import Phase
from scoring.boards.submissions.submitting import SubmissionRequest
from scoring.boards.truth_correction import rescoring
from scoring.common.findings import InputRefused
from scoring.store import schema
from scoring.store.database import Store, open_store
from tests.support.boards import board, labels, predictions


def empty(tmp_path, *options: object) -> None:
    """Open the board "b" without replicates."""
    truth = labels(tmp_path / "labels.csv", wrong=(0, 3))
    made = board(
        "create", "melanoma", "--id", "b", "--title", "B", "--truth", truth, "--resamples", 0, *options
    )
    assert made.status == 0, made.err


def sent(tmp_path, number: int, team: str = "alpha", **more: object) -> SubmissionRequest:
    data = predictions(tmp_path / "p.csv", number, 1.0).read_bytes()
    return SubmissionRequest(team, f"{number}.csv", data, **more)


def refusal(store: Store, one: SubmissionRequest) -> str:
    with pytest.raises(InputRefused) as caught:
        submitting.submit(opened(store, "b"), one)
    (problem,) = caught.value.problems
    assert problem.message.lower().count("no submission was counted") == 1
    return problem.code


def at(day: str) -> str:
    return f"{day}T12:00:00.000000+00:00"


def test_a_submission_counts_only_within_a_phase_and_its_limits(database, tmp_path):
    empty(tmp_path)
    first = ("phase", "b", "--name", "first", "--opens", "2026-10-01", "--closes", "2026-10-02")
    done = board(*first, "--per-day", 1, "--total", 2)
    assert done.status == 0, done.err
    assert board("phase", "b", "--name", "final", "--opens", "2026-10-05T18:00").status == 0
    store = open_store()
    known = phases_and_limits.phases(store, "b")
    assert known == (
        Phase("first", "2026-10-01T00:00:00.000000+00:00", "2026-10-03T00:00:00.000000+00:00", 1, 2),
        Phase("final", "2026-10-05T18:00:00.000000+00:00"),
    ), "a day that is named to close belongs to the phase"

    def submit(number: int, day: str, **more: object) -> SubmissionRequest:
        return sent(tmp_path, number, created=at(day), **more)

    assert refusal(store, submit(1, "2026-09-30")) == "phase-not-open"
    submitting.submit(opened(store, "b"), submit(1, "2026-10-01"))
    assert refusal(store, submit(2, "2026-10-01")) == "limit-reached"
    assert refusal(store, submit(2, "2026-10-04")) == "phase-not-open"
    assert refusal(store, submit(2, "2026-10-04", phase="first")) == "phase-closed"
    again = submitting.submit(opened(store, "b"), submit(1, "2026-10-04"))
    assert again.again, "the same file is said to be there, whatever is open"
    submitting.submit(opened(store, "b"), submit(2, "2026-10-02"))
    assert phases_and_limits.allowance(store, "b", "alpha", at("2026-10-02")).problem.code == "limit-reached"
    submitting.submit(opened(store, "b"), submit(3, "2026-10-06"))
    assert phases_and_limits.allowance(store, "b", "alpha", at("2026-10-06")) == phases_and_limits.Allowance(
        known[1], 1, 1
    )
    found = board_ranking(opened(store, "b"))
    assert [one.phase for one in found.entries] == ["first", "first", "final"]
    assert [len(board_ranking(opened(store, "b"), name).entries) for name in ("first", "final")] == [2, 1]
    assert found.as_dict()["phases"][0]["per_day"] == 1
    of_final = board("show", "b", "--phase", "final", "--json", "-", "--html", tmp_path / "final.html")
    assert of_final.json["board"]["phase"] == "final"
    assert "Phase" in (tmp_path / "final.html").read_text(encoding="utf-8")
    assert (
        "The ranking uses only submissions of the phase final." in board("show", "b", "--phase", "final").out
    )
    assert board("submit", "b", "--team", "c", "--predictions", tmp_path / "p.csv").status == 0, (
        "now is final"
    )

    changed = board("phase", "b", "--name", "first", "--per-day", "none", "--json", "-").json
    assert changed["phases"][0] == known[0].as_dict() | {"per_day": None}
    assert refusal_of("phase", "b", "--name", "first", "--remove").count("phase-used") == 1
    wrong = refusal_of("phase", "b", "--name", "x", "--opens", "2026-10-02", "--total", "many")
    assert "--total" in wrong
    assert "this phase overlaps the phase first" in refusal_of(
        "phase", "b", "--name", "x", "--closes", "2026-10-02"
    )
    assert "before it opens" in refusal_of("phase", "b", "--name", "final", "--closes", "2026-10-01")
    assert "no-phase" in refusal_of("phase", "b", "--name", "x", "--remove")
    assert "no-phase" in refusal_of("show", "b", "--phase", "x")
    assert phases_and_limits.phases(store, "b") == (replace(known[0], per_day=None), known[1])
    assert board("export", "b", tmp_path / "b.zip").status == 0


def test_a_board_says_which_phase_is_open():
    first = Phase("first", at("2026-10-01"), at("2026-10-03"))
    final = Phase("final", at("2026-10-05"))
    said = {
        "2026-09-01": ("upcoming", "first opens on 2026-10-01 12:00 UTC"),
        "2026-10-02": ("open", "first is open until 2026-10-03 12:00 UTC"),
        "2026-10-04": ("upcoming", "final opens on 2026-10-05 12:00 UTC"),
        "2026-10-06": ("open", "final is open"),
    }
    assert {day: phases_and_limits.state_now((first, final), at(day)) for day in said} == said
    assert phases_and_limits.state_now((first,), at("2026-11-01")) == (
        "closed",
        "first closed on 2026-10-03 12:00 UTC",
    )
    assert phases_and_limits.state_now(()) == ("open", "accepts submissions at any time")


def refusal_of(*arguments: object) -> str:
    done = board(*arguments)
    assert done.status == 2
    return done.err


def test_what_is_not_taken_is_one_sentence_of_the_command_line(place, tmp_path):
    empty(tmp_path)
    past, now = datetime.now(UTC) - timedelta(days=2), datetime.now(UTC) - timedelta(days=1)
    closed = ("--opens", f"{past:%Y-%m-%dT%H:%M}", "--closes", f"{now:%Y-%m-%dT%H:%M}")
    assert board("phase", "b", "--name", "first", *closed).status == 0
    first, second = (predictions(tmp_path / f"{i}.csv", i, 1.0) for i in (1, 2))

    def refused_as(file, *more: object) -> str:
        said = refusal_of("submit", "b", "--team", "alpha", "--predictions", file, *more)
        (line,) = (line for line in said.splitlines() if line.startswith("error "))
        return line

    assert "phase-closed" in refused_as(first)
    opened_now = ("--opens", f"{now:%Y-%m-%dT%H:%M}", "--total", 1)
    assert board("phase", "b", "--name", "second", *opened_now).status == 0
    assert "phase-closed" in refused_as(first, "--phase", "first")
    assert board("submit", "b", "--team", "alpha", "--predictions", first).status == 0
    assert "limit-reached" in refused_as(second)
    again = board("submit", "b", "--team", "alpha", "--predictions", first)
    assert (again.status, again.err.count("submitted-before")) == (0, 1)
    assert board("phase", "b", "--name", "second", "--total", "none").status == 0
    (tmp_path / "other.csv").write_text("filename,score\nother,0.5\n")
    assert "no-common-case" in refused_as(tmp_path / "other.csv")
    (tmp_path / "wrong.csv").write_text(second.read_text().replace("canary00,", "canary00,red"))
    assert "not-a-number" in refused_as(tmp_path / "wrong.csv")
    store = open_store()
    assert [one.name for one in board_ranking(opened(store, "b")).entries] == ["1.csv"]
    assert len([*store.files.digests()]) == 1 + 2, "and no file is kept"


def race(tmp_path, writer: int, ready, answers) -> None:
    """Submit one of three files of a team as soon as all are ready, and tell what became of it."""
    store, one = open_store(), sent(tmp_path / str(writer), writer % 3)
    ready.wait()
    try:
        receipt = submitting.submit(opened(store, "b"), one)
    except InputRefused as refused_now:
        answers.put(refused_now.problems[0].code)
    else:
        answers.put("again" if receipt.again else "kept")


@pytest.mark.slow
def test_no_race_goes_beyond_a_limit(database, tmp_path):
    empty(tmp_path)
    assert board("phase", "b", "--name", "only", "--total", 2).status == 0
    processes = multiprocessing.get_context("fork")
    ready, answers = processes.Barrier(5), processes.Queue()
    racing = [processes.Process(target=race, args=(tmp_path, i, ready, answers)) for i in range(5)]
    for one in racing:
        one.start()
    told = sorted(answers.get(timeout=60) for _ in racing)
    for one in racing:
        one.join()
    assert told.count("kept") == 2
    assert set(told) <= {"kept", "again", "limit-reached"}
    store = open_store()
    assert len({one.card for one in board_ranking(opened(store, "b")).entries}) == 2, "no file counts twice"
    assert len([*store.files.digests()]) == 1 + 2 * 2


@pytest.mark.parametrize("keeps", [True, False])
def test_refused_files_are_kept_only_where_the_organizer_said_so(place, tmp_path, keeps, monkeypatch):
    empty(tmp_path, *(["--keep-refused"] if keeps else []))
    monkeypatch.setattr(submitting, "REFUSED_PER_DAY", 2)
    bad = tmp_path / "bad.csv"
    for number in range(3):
        bad.write_text(f"filename,score\nother{number},0.5\n")
        done = board("submit", "b", "--team", "alpha", "--predictions", bad)
        assert done.status == 2
        assert done.err.count("refused-kept") == (keeps and number < 2)
    value = board("refused", "b", "--json", "-").json["refused"]
    assert len(value) == (2 if keeps else 0)
    store = open_store()
    files = [*store.files.digests()]
    assert len(files) == 1 + len(value), "the truth, and what is kept"
    assert board_ranking(opened(store, "b")).entries == ()
    if not keeps:
        assert "--keep-refused" in board("refused", "b").out
        changed = board("settings", "b", "--keep-refused", "--title", "C", "--json", "-").json
        usual = {"id": "b", "title": "C", "counts": "last", "visibility": "unlisted"}
        assert changed == {"board": usual | {"keep_refused": True}}
        wrong = refusal_of("settings", "b", "--title", " ", "--counts", "first")
        assert all(option in wrong for option in ("--title", "--counts"))
        assert "refused-kept" in refusal_of("submit", "b", "--team", "alpha", "--predictions", bad)
        assert "refused files are not saved" in board("settings", "b", "--no-keep-refused").out
    if keeps:
        assert [p["code"] for p in value[0]["problems"]] == ["no-common-case"], "for another test set"
        assert "no-common-case" in board("refused", "b").out
        assert board("export", "b", tmp_path / "b.zip").status == 0
        monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "elsewhere"))
        assert board("import", tmp_path / "b.zip").status == 0
        assert board("refused", "b", "--json", "-").json["refused"] == value


def test_the_clock_never_goes_back(place, tmp_path, monkeypatch):
    empty(tmp_path)
    store, start = open_store(), datetime.now(UTC)
    clock = {"behind": timedelta(0)}
    monkeypatch.setattr(schema, "now", lambda: schema.written(start - clock["behind"]))
    submitting.submit(opened(store, "b"), sent(tmp_path, 1, created="2099-01-01T00:00:00.000000+00:00"))
    first = submitting.submit(opened(store, "b"), sent(tmp_path, 2))
    clock["behind"] = timedelta(minutes=5)
    second = submitting.submit(opened(store, "b"), sent(tmp_path, 3))
    assert (
        first.created == schema.written(start) < second.created < schema.written(start + timedelta(seconds=1))
    )
    clock["behind"] = timedelta(hours=1)
    assert refusal(store, sent(tmp_path, 4)) == "clock-behind"
    imported = submitting.submit(opened(store, "b"), sent(tmp_path, 4, created=at("2020-01-01")))
    assert imported.created == at("2020-01-01"), "who imports may name a time of the past"


def test_a_truth_corrected_during_a_submission_scores_it_on_both(database, tmp_path):
    empty(tmp_path)
    store = open_store()
    before = opened(store, "b")
    rescoring.rescore(store, "b", str(labels(tmp_path / "corrected.csv")))
    receipt = submitting.submit(before, sent(tmp_path, 1))
    scores = [board_ranking(opened(store, "b", number)).entries[0].score for number in (1, 2)]
    assert scores[1] == receipt.score != scores[0]


def test_the_terminal_says_once_that_nothing_was_counted(sent, tmp_path):
    board("phase", "b", "--name", "p", "--closes", "2020-01-01")
    done = board("submit", "b", "--team", "a", "--predictions", predictions(tmp_path / "p.csv", 1, 1.0))
    assert (done.status, (done.out + done.err).lower().count("no submission was counted")) == (2, 1)
