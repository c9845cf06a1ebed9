"""The official programs' own numbers.

case.json: the arguments (`@` = a file beside it), the exit status, words of standard error, and what the JSON
holds at least.
"""

from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from tests.support import schemas
from tests.support.command_line import run, run_fresh
from tests.support.golden import CASES, FOLDER, answered, described, placed
from tests.support.subsets import differences

TOLERANCE = 1e-9


def check(case: dict, finished) -> None:
    assert finished.status == case["exit"], finished.err
    assert list(differences(case.get("expect", {}), finished.json, case.get("tolerance", TOLERANCE))) == []
    assert [word for word in case.get("stderr", ()) if word not in finished.err] == []


def in_turn(folder: Path) -> ParameterSet:
    """A golden case as a parameter; those of a model take seconds."""
    marks = pytest.mark.slow if "--model" in described(folder)["arguments"] else ()
    return pytest.param(folder, id=f"{folder.parent.name}-{folder.name}", marks=marks)


@pytest.mark.parametrize("folder", list(map(in_turn, CASES)))
def test_case(folder):
    finished = answered(folder)
    check(described(folder), finished)
    assert schemas.problems(schemas.kind_of(finished.json), finished.out) == []


@pytest.mark.parametrize("name", ["01-public-a", "08-refused"])
def test_case_in_a_fresh_process(name):
    folder = FOLDER / "tricorder3" / name
    case = described(folder)
    check(case, run_fresh(*placed(case["arguments"], folder), "--json", "-"))


COMPARED = [
    (folder, team)
    for folder in sorted((FOLDER / "compare").iterdir())
    for team in described(folder)["expect"].get("teams", ())
]


@pytest.mark.parametrize(
    ("folder", "team"), COMPARED, ids=lambda value: value.name if isinstance(value, Path) else value["team"]
)
def test_score_and_intervals_of_each_compared_team(folder, team):
    arguments = described(folder)["arguments"]
    files = "--truth", folder / "truth.csv", "--predictions", folder / f"{team['team']}.csv"
    start, end = arguments.index("--resamples"), arguments.index("--pairs-test")
    finished = run("score", arguments[1], *files, *arguments[start:end], "--json", "-")
    expected = {"score": team["score"], "intervals": team["intervals"]}
    assert list(differences(expected, finished.json, TOLERANCE)) == []
    assert set(finished.json["intervals"]) >= set(team["intervals"])


def test_a_case_compares_something():
    assert all(described(folder).get("expect") or described(folder)["stderr"] for folder in CASES)
    assert list(differences({"a": [1.0]}, {"a": [1.0 + 1e-6], "b": 2}, TOLERANCE)) == [
        "$.a[0] is 1.000001, 1.0 expected"
    ]
    assert list(differences({"a": None}, {"a": 0}, TOLERANCE)) == ["$.a is 0, None expected"]
    assert list(differences([1], [1, 2], TOLERANCE)) == ["$ has 2 entries, 1 expected"]
