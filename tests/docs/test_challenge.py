"""docs/challenge.md: its secrets start a server, and its commands make a board with a hidden truth."""

import re
import shlex

from scoring.access.login_roles import read
from scoring.boards.hidden_truth import disclosure_rules
from scoring.boards.submissions import phases_and_limits
from scoring.boards.teams import members
from scoring.store.database import open_store
from tests.support.boards import labels
from tests.support.command_line import ROOT, run

PAGE = (ROOT / "docs" / "challenge.md").read_text(encoding="utf-8")


def block(before: str) -> str:
    """Return the block of code whose first line begins so."""
    return re.search(rf"^```\w*\n({re.escape(before)}.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[1]


def test_the_secrets_of_the_page_name_organizers(tmp_path):
    file = tmp_path / "secrets.toml"
    file.write_text(
        block("[auth]").replace("40 random characters, at least 32", "x" * 40).replace("...", "x")
    )
    rules = read([file], {"BENCHSIDE_LOGIN": "required"})
    assert rules is not None
    assert rules.organizers == {"olga@example.org"}


def test_the_commands_of_the_page_make_a_hidden_board(tmp_path, monkeypatch):
    monkeypatch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    truth = labels(tmp_path / "truth.csv")
    commands = [
        *block("benchside board create").splitlines(),
        *re.findall(r"`(benchside board [^`]+)`", PAGE),
    ]
    for command in commands:
        words = shlex.split(
            command.replace("/srv/truth.csv", str(truth)).replace("PERSON", "'issuer|subject'")
        )
        done = run(*words[1:])
        assert done.status == 0, done.err
        if "phase" in words:
            store = open_store()
            assert disclosure_rules.rules(store, "lesions-2026") == disclosure_rules.HiddenRules(
                "score", 0.05
            )
            assert set(members.members(store, "lesions-2026")) == {"alpha"}
            assert [(one.per_day, one.total) for one in phases_and_limits.phases(store, "lesions-2026")] == [
                (5, 100)
            ]
    assert disclosure_rules.rules(open_store(), "lesions-2026") is None, "at the end it is opened"
