"""The page of boards: from the first board to a corrected truth, and what others than its organizer see."""

from datetime import datetime

import pytest

import scoring
from pages.server import request_guard
from scoring.boards.board import change_settings, listed
from scoring.boards.board import opened as board_of
from scoring.boards.ranking import board_ranking as ranking_module
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.boards.submissions.phases_and_limits import Phase, define, phases
from scoring.boards.submissions.submitting import exclude
from scoring.boards.teams.members import facts as known_facts
from scoring.comparison.team_facts import TeamFacts
from scoring.store.database import open_store
from tests.support.boards import filled, labels, predictions
from tests.support.visits import finished, words

OF_ORGANIZERS = ("Submissions", "Corrections", "Participants", "Settings")


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A store of its own."""
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    return open_store()


@pytest.fixture
def filled_store(store, tmp_path):
    """The board "b" with two teams of two weeks."""
    filled(tmp_path)
    return store


def button(app, label: str):
    return next(one for one in app.button if one.label == label)


@pytest.mark.soak
def test_a_server_without_boards_makes_one_from_sample_data(store, opened):
    app = opened("board")
    finished(button(app, "Make a board from sample data").click().run())
    assert len(board_ranking(board_of(store, "sample")).entries) == 12


def test_a_board_is_made_filled_corrected_and_told(store, opened, tmp_path):
    app = opened("board")
    assert "It collects submissions over weeks" in words(app)
    assert "No boards yet." in words(app)
    app.selectbox(key="board_new_challenge").select("Melanoma").run()
    app.text_input(key="board_new_title").input("Lesions 2026").run()
    app.text_input(key="board_new_id").input("Lesions 2026")
    app.number_input(key="board_new_resamples").set_value(60)
    truth = labels(tmp_path / "labels.csv", wrong=(0, 3))
    app.file_uploader(key="board_new_truth_file").upload("labels.csv", truth.read_bytes()).run()
    button(app, "Create the board").click().run()
    assert "“Address”" in "".join([words(app), *(one.value for one in app.error)])
    app.text_input(key="board_new_id").input("")  # the one that the title suggests
    button(app, "Create the board").click().run()
    assert not app.exception
    assert board_of(store, "lesions-2026").row.options["statistics"]["resamples"] == 60

    app = opened("board", board="lesions-2026", tab="Submissions")
    inputs = app.file_uploader(key="board_lesions-2026_teams_files").upload("wrong.csv", b"filename,score\n")
    for team, noise in (("alpha", 1.0), ("beta", 1.4)):
        inputs.upload(f"{team}.csv", predictions(tmp_path / f"{team}.csv", 3, noise).read_bytes())
    app.run()
    finished(button(app, "Submit 3 files").click().run())
    app.run()
    assert not app.exception
    assert "2 submissions scored: alpha, beta" in "".join(one.value for one in app.success)
    assert "wrong" in words(app)
    assert sorted(board_ranking(board_of(store, "lesions-2026")).counting) == ["alpha", "beta"]

    app = opened("board", board="lesions-2026", tab="Corrections")
    corrected = labels(tmp_path / "corrected.csv").read_bytes()
    app.file_uploader(key="board_lesions-2026_truth_file").upload("corrected.csv", corrected).run()
    finished(button(app, "Score all again").click().run())
    app.run()
    assert not app.exception
    assert board_of(store, "lesions-2026").row.version == 1, "nothing is shown before it is confirmed"
    assert "Nobody else sees these changes yet" in words(app)
    assert "What would the correction change?" in [one.value for one in app.header]
    button(app, "Show the correction to everybody").click().run()
    assert not app.exception
    assert board_of(store, "lesions-2026").row.version == 2
    app.toggle(key="board_old_ranking").set_value(True).run()
    headings = [one.value for one in app.header]
    assert "Who is ranked where?" in headings, "old numbers stay readable"
    assert "Which cases?" in headings
    assert "What did the correction change?" in headings
    finished(button(app, "Return to version 1").click().run())
    app.run()
    assert not app.exception, "the preview stands beside the changes of the version that is shown"
    button(app, "Show the correction to everybody").click().run()
    assert not app.exception
    chosen = {one.label: one.value for one in app.selectbox}
    assert (chosen["Version of the test set"], chosen["Compared with"]) == (3, 2), "what is chosen is shown"
    assert "Version 3 of the test set instead of version 2. Of 2 teams: " in words(app)


def test_submissions_are_read_again_only_after_a_change(filled_store, opened, monkeypatch):
    """A look, another tab or view read each of 20,000 submissions anew."""
    app = opened("board", board="b", tab="History")
    assert "What was excluded?" not in words(app)
    with monkeypatch.context() as patch:
        patch.setattr(ranking_module, "_rows", None)
        assert not app.run().exception
        assert not opened("board", board="b", tab="Participants").exception
    exclude(filled_store, "b", board_ranking(board_of(filled_store, "b")).entries[0].id, "mistaken for beta")
    assert "What was excluded?" in words(app.run())


def test_a_submission_is_excluded_with_a_reason(filled_store, opened):
    app = opened("board", board="b", tab="Submissions")
    newest = board_ranking(board_of(filled_store, "b")).entries[-1].id
    button(app, "Exclude").click().run()
    assert "Give the reason why you exclude it." in words(app)
    app.text_input(key="board_reason").input("sent by mistake")
    button(app, "Exclude").click().run()
    assert not app.exception
    excluded = {one.id: one.excluded for one in board_ranking(board_of(filled_store, "b")).entries}
    assert excluded[newest] == "sent by mistake"
    button(app, "Rank the submission again").click().run()
    assert all(one.excluded is None for one in board_ranking(board_of(filled_store, "b")).entries)
    button(app, "Delete for good").click().run()
    assert not app.exception
    assert newest not in {one.id for one in board_ranking(board_of(filled_store, "b")).entries}


def test_an_organizer_settles_phases_facts_and_rules_and_deletes_the_board(filled_store, opened):
    app = opened("board", board="b", tab="Settings")
    app.text_input(key="phase_name_b_").input("first")
    app.datetime_input(key="phase_opens_b__None").set_value(datetime(2026, 10, 1))
    app.datetime_input(key="phase_closes_b__None").set_value(datetime(2026, 10, 31, 18))
    app.number_input(key="phase_day_b__None").set_value(2)
    button(app, "Save the phase").click().run()
    assert not app.exception
    times = ("2026-10-01T00:00:00.000000+00:00", "2026-10-31T18:00:00.000000+00:00")
    assert phases(filled_store, "b") == (Phase("first", *times, 2, None),)
    assert "**first** is " in words(app)
    app.segmented_control(key="phase").set_value("first").run()
    assert "3 submissions" in words(app), "what an organizer settles is of all phases"
    app.selectbox(key="phase_b").select("first").run()
    app.datetime_input(key=f"phase_closes_b_first_{times[1]}").set_value(datetime(2026, 9, 1))
    button(app, "Save the phase").click().run()
    assert "The change was not made: 1 problem" in app.error[0].proto.title
    assert "before it opens" in words(app)
    assert "--closes" not in words(app)
    button(app, "Remove phase").click().run()
    assert phases(filled_store, "b") == ()

    app.text_input(key="fact_institution_b_alpha_None").input("Elsewhere University")
    app.text_input(key="fact_size_mib_b_alpha_None").input("12.5")
    button(app, "Save facts").click().run()
    assert known_facts(filled_store, "b") == {"alpha": TeamFacts(12.5, "Elsewhere University")}
    app.text_input(key="fact_size_mib_b_alpha_12.5").input("many")
    button(app, "Save facts").click().run()
    assert "bad-team-fact" in words(app)
    table = b"team,method\nbeta,a network\n"
    app.file_uploader(key="facts_b_file").upload("teams.csv", table).run()
    button(app, "Save the table").click().run()
    assert known_facts(filled_store, "b")["beta"] == TeamFacts(method="a network")

    change_settings(filled_store, "b", title="Changed in another tab")
    app.radio(key="settings_counts_b_last").set_value("best")
    app.toggle(key="settings_keep_b_False").set_value(True)
    button(app, "Save").click().run()
    row = board_of(filled_store, "b").row
    assert (row.title, row.counts, row.keep_refused) == ("Changed in another tab", "best", True)
    assert "the best submission of each team" in words(app)

    app.text_input(key="delete_b").input("B")
    button(app, "Delete for good").click().run()
    assert "Nothing was deleted." in words(app)
    app.text_input(key="delete_b").input("b")
    button(app, "Delete for good").click().run()
    assert not app.exception
    assert "Deleted submissions\\: 3" in app.success[0].value
    assert listed(filled_store) == []


def test_what_is_not_taken_is_one_sentence_of_the_page(filled_store, opened, tmp_path):
    define(filled_store, "b", Phase("only", total=1))
    before = len(board_ranking(board_of(filled_store, "b")).entries)
    app = opened("board", board="b", tab="Submissions")
    new = predictions(tmp_path / "new.csv", 8, 1.0).read_bytes()
    files = {
        "gamma.csv": new,
        "late.csv": predictions(tmp_path / "late.csv", 9, 1.0).read_bytes(),
        "other.csv": b"filename,score\nother,0.5\n",
        "wrong.csv": new.replace(b"canary00,", b"canary00,red"),
    }
    inputs = app.file_uploader(key="board_b_teams_files")
    for name, data in files.items():
        inputs.upload(name, data)
    app.run()
    team = next(one for one in app.text_input if one.value == "late")
    team.input("gamma")
    finished(button(app, "Submit 4 files").click().run())
    app.run()
    assert "1 submission scored: gamma" in app.success[0].value
    assert app.error[0].proto.title == "Some files were not accepted: 3 problems"
    said = words(app)
    assert [code for code in ("limit-reached", "no-common-case", "not-a-number") if code not in said] == []

    define(filled_store, "b", Phase("only", closes="2026-10-01T00:00:00.000000+00:00"))
    for name, data in (("gamma.csv", new), ("late.csv", files["late.csv"])):
        app.file_uploader(key="board_b_teams_files").upload(name, data)
    app.run()
    finished(button(app, "Submit 2 files").click().run())
    app.run()
    assert not app.exception
    assert app.error[0].proto.title == "Some files were not accepted: 1 problem"
    assert "submitted-before" in words(app)
    assert "the phase closed on 2026-10-01 00:00 UTC: no submission was counted" in words(app)
    assert len(board_ranking(board_of(filled_store, "b")).entries) == before + 1


def test_a_refused_file_is_fixed_by_one_click_as_on_the_page_of_its_challenge(filled_store, opened, tmp_path):
    """An organizer had to leave the board for buttons that the challenge's page has."""
    good = predictions(tmp_path / "new.csv", 8, 1.0).read_text()
    percent = "\n".join(
        f"{case},{100 * float(score):.2f}%" if case != "filename" else f"{case},{score}"
        for case, score in (line.split(",") for line in good.splitlines())
    )
    app = opened("board", board="b", tab="Submissions")
    inputs = app.file_uploader(key="board_b_teams_files")
    inputs.upload("delta.csv", percent.encode())
    inputs.upload("other.csv", b"filename,score\nother,0.5\n")
    app.run()
    finished(button(app, "Submit 2 files").click().run())
    app.run()
    assert app.error[0].proto.title == "No file was accepted: 61 problems"
    fix = next(one for one in app.button if one.label.startswith("delta\\: "))
    finished(fix.click().run())
    app.run()
    assert not app.exception
    assert "1 submission scored: delta" in app.success[0].value
    assert app.error[0].proto.title == "Some files were not accepted: 1 problem", "the other file is not lost"
    assert "no-common-case" in words(app)
    scores = {e.team: e.score for e in board_ranking(board_of(filled_store, "b")).entries}
    expected = scoring.score(
        "melanoma", truth=tmp_path / "labels.csv", predictions=good.encode(), resamples=0
    ).score
    assert scores["delta"] == pytest.approx(expected, abs=1e-9)


def test_equal_files_of_two_teams_are_two_submissions_and_a_file_dropped_twice_is_one(
    filled_store, opened, tmp_path
):
    app = opened("board", board="b", tab="Submissions")
    new = predictions(tmp_path / "new.csv", 8, 1.0).read_bytes()
    inputs = app.file_uploader(key="board_b_teams_files")
    for name in ("gamma.csv", "gamma.csv", "twin.csv"):
        inputs.upload(name, new)
    app.run()
    assert not app.exception
    assert [one.value for one in app.text_input if one.label.startswith("Team of")] == ["gamma", "twin"]
    assert button(app, "Submit 2 files")


def test_others_see_what_is_public(filled_store, opened, monkeypatch):
    exclude(filled_store, "b", board_ranking(board_of(filled_store, "b")).entries[0].id, "too early")
    organizer = opened("board", board="b")
    assert [tab.label for tab in organizer.tabs] == ["Ranking", "History", *OF_ORGANIZERS]
    public = opened("board", board="b", view="public")
    assert [tab.label for tab in public.tabs] == ["Ranking", "History"]
    monkeypatch.setattr(request_guard, "is_public", lambda: True)
    other = opened("board", board="b", tab="Submissions")
    assert not other.exception
    assert [one.label for one in other.tabs] == ["Ranking", "History"]
    assert not other.get("file_uploader")
    assert "canary" not in words(other)
    assert "New board" not in words(opened("board"))


def test_an_unknown_board_is_said(store, opened):
    assert "there is no such board" in words(opened("board", board="none"))
