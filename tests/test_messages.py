"""The findings and problems of every golden case, word for word, as version 0.1.0 gave them.

`tests/golden/messages.json` was recorded from version 0.1.0. A message that is meant to change is changed
there in the same commit; a new golden case adds its own.
"""

import json

import pytest

from tests.support.command_line import ROOT
from tests.support.golden import CASES, FOLDER, answered, name_of

RECORDED = json.loads((FOLDER / "messages.json").read_text(encoding="utf-8"))


def messages(answer: dict) -> list[dict]:
    """Return problems and findings of an answer, then those of each team of a comparison."""
    teams = (
        {"team": team["team"], **finding} for team in answer.get("teams", ()) for finding in team["findings"]
    )
    return [*answer.get("problems", ()), *answer["findings"], *teams]


def without_place(entries: list[dict]) -> list[dict]:
    """Return entries with the folder of this checkout replaced by a placeholder."""
    return [{key: text.replace(str(ROOT), "<checkout>") for key, text in entry.items()} for entry in entries]


@pytest.mark.parametrize("folder", CASES, ids=name_of)
def test_messages(folder):
    assert without_place(messages(answered(folder).json)) == RECORDED[name_of(folder)]


def test_every_case_is_recorded_and_no_other():
    assert set(RECORDED) == set(map(name_of, CASES))


def test_a_place_of_this_machine_is_replaced():
    team = {"team": "a", "findings": [{"message": f"{ROOT}/x"}]}
    answer = {"findings": [], "teams": [team]}
    assert without_place(messages(answer)) == [{"team": "a", "message": "<checkout>/x"}]
