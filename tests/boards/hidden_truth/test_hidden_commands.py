"""A hidden board by the command line."""

import json

from scoring.boards.hidden_truth import disclosure_rules
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.store.database import open_store
from tests.support import schemas
from tests.support.boards import board
from tests.support.hidden_boards import good, handed_in, hidden_board


def test_an_organizer_hides_names_members_and_reads_attempts(place, tmp_path):
    opened = hidden_board(tmp_path)
    done = board("hide", "h", "--detail", "classes", "--ladder", 0.05, "--json", "-")
    assert done.status == 0, done.err
    assert done.json["hidden"] == {
        "detail": "classes",
        "step": 0.05,
        "refused_per_day": 20,
        "decimals": 3,
    }
    assert board("hide", "h", "--detail", "all").status == 2
    assert board("members", "h", "--team", "gamma", "--member", "G@example.org").status == 0
    assert board("members", "h", "--json", "-").json["teams"]["gamma"] == ["g@example.org"]
    assert board("members", "h", "--team", "gamma").status == 2
    handed_in(opened, good(2))
    done = board("attempts", "h", "--revoke", "https://idp|paul", "--json", "-")
    assert [one["outcome"] for one in done.json["attempts"]] == ["scored"]
    assert "https://idp|paul" in board("attempts", "h").out
    shown = board("show", "h", "--json", "-", "--html", tmp_path / "h.html")
    assert schemas.problems("board", shown.out) == []
    assert shown.json["teams"][0]["interval"] is None
    html = (tmp_path / "h.html").read_text()
    assert str(board_ranking(opened).entries[0].score)[:7] not in html
    assert "canary" not in html + json.dumps(shown.json)
    done = board("hide", "h", "--open")
    assert (done.status, "can still submit: validation is open" in done.out) == (0, True)
    assert disclosure_rules.rules(open_store(), "h") is None
