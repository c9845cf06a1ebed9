"""A participant's visit to a board with a hidden truth, and what its organizer says and learns."""

import pytest
from streamlit.testing.v1 import AppTest

from scoring.boards.hidden_truth import disclosure_rules, probing_notices, visible_results
from scoring.boards.hidden_truth.probing_notices import Reason
from scoring.boards.hidden_truth.visible_results import HiddenRules
from scoring.boards.teams import members
from scoring.store.database import open_store
from tests.pages.test_access import RULES, claims
from tests.support.hidden_boards import good, hidden_board
from tests.support.visits import finished, words


@pytest.fixture
def board(tmp_path, monkeypatch):
    monkeypatch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    return hidden_board(tmp_path, HiddenRules("cases"))


def visited(who: dict, tab: str) -> AppTest:
    from tests.pages.conftest import NAVIGATION

    app = AppTest.from_file(NAVIGATION)
    app.user, app.secrets = who, {"access": RULES}
    app.run()
    app.query_params["board"], app.query_params["tab"] = "h", tab
    return app.switch_page("../board.py").run()


def test_a_participant_submits_and_sees_what_is_left(board):
    app = visited(claims("paul"), "Submit")
    assert "5** times today" in words(app)
    app.file_uploader(key="own_file_h_file").upload("p.csv", good(7)).run()
    finished(next(one for one in app.button if one.label == "Submit").click().run())
    app.run()
    assert not app.exception
    assert "Scored." in app.success[0].value
    assert "4** times today" in words(app)
    assert len(app.table) == 2
    assert [tab.label for tab in app.tabs] == [] or "Submissions" not in {tab.label for tab in app.tabs}
    told = words(app)
    assert "canary" not in told

    app.file_uploader(key="own_file_h_file").upload("q.csv", good(9)).run()
    members.set_members(open_store(), "h", "alpha", [])  # between two clicks
    finished(next(one for one in app.button if one.label == "Submit").click().run())
    assert "You are not in a team" in words(app)
    assert visible_results.use(board).answers == 1

    app = visited(claims("mallory"), "Submit")
    assert "You are not in a team" in words(app)
    assert not app.file_uploader
    for address in ({"tab": "Participants"}, {"board": "guessed"}):
        app.query_params.update(address)
        app.run()
    (told,) = probing_notices.board_notices(board.store, "h")
    assert (told.code, told.where) == ("refused-address", "/board?board=…, /board?tab=Participants")
    assert "https://idp|mallory" in told.message


def test_an_organizer_hides_and_names_members(board):
    probing_notices.record_refused(board.store, "https://idp|mallory", "/about", Reason.ROLE)
    app = visited(claims("olga"), "Participants")
    assert not app.exception
    assert "Participants see the score, the rates of each class" in words(app)
    assert "mallory tried to open this" in words(app)
    assert app.selectbox(key="hide_detail_h").value == "cases", "what is changed begins with what is"
    assert app.number_input(key="hide_step_h").value == 0
    app.selectbox(key="hide_detail_h").select("score").run()
    next(one for one in app.button if one.label == "Hide the truth").click().run()
    assert disclosure_rules.rules(open_store(), "h").detail == "score"
    app.text_input(key="members_team").input("gamma")
    app.text_input(key="members_who").input("nobody").run()
    next(one for one in app.button if one.label == "Set members").click().run()
    assert "bad-option" in words(app)
    assert probing_notices.attempts(open_store(), "h") == []
    app.selectbox(key="hide_detail_h").select("cases").run()
    app.secrets = {
        "access": {"organizers": ["other@example.org"]}
    }  # the role is taken away between two clicks
    next(one for one in app.button if one.label == "Hide the truth").click().run()
    assert disclosure_rules.rules(open_store(), "h").detail == "score"
    assert "Who is in which team?" not in words(app)


def test_a_first_hide_begins_with_safe_rules_and_without_scores_no_ladder_decides(board):
    visible_results.reveal(board.store, "h")
    app = visited(claims("olga"), "Participants")
    app.selectbox(key="hide_detail_h").select("none").run()
    assert not app.exception
    assert "hide_step_h" not in {one.key for one in app.number_input}
    next(one for one in app.button if one.label == "Hide the truth").click().run()
    rules = disclosure_rules.rules(open_store(), "h")
    assert (rules.detail, rules.step) == ("none", None)


def test_a_visitor_sees_the_public_board_alone(board):
    app = visited({"is_logged_in": False}, "Ranking")
    assert not app.exception
    assert "The truth is hidden" in words(app)
    assert not app.file_uploader


def test_an_organizer_is_told_of_safety_where_submissions_are_dropped_and_nobody_else(board):
    assert "Not safe" in words(visited(claims("olga"), "Submissions"))
    assert "afe" not in words(visited({"is_logged_in": False}, "Ranking"))
