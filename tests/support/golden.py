"""The golden cases: their arguments and what is expected, in `tests/golden/<challenge>/<case>/case.json`."""

import json
from functools import cache
from pathlib import Path

from tests.support.command_line import ROOT, Finished, run

FOLDER = ROOT / "tests" / "golden"
CASES = sorted(path.parent for path in FOLDER.glob("*/*/case.json"))


def name_of(folder: Path) -> str:
    """Return `challenge/case`."""
    return f"{folder.parent.name}/{folder.name}"


def described(folder: Path) -> dict:
    """Return a case's arguments and expectations."""
    return json.loads((folder / "case.json").read_text(encoding="utf-8"))


def placed(arguments: list[str], folder: Path) -> list[str]:
    """Return arguments with `@file` replaced by the path of that file of the case."""
    places = []
    for argument in arguments:
        team, mark, file = argument.partition("=@")
        places.append(
            f"{team}={folder / file}"
            if mark
            else str(folder / argument[1:])
            if argument.startswith("@")
            else argument
        )
    return places


@cache
def answered(folder: Path) -> Finished:
    """Run a case on the command line, once for all tests of a process."""
    return run(*placed(described(folder)["arguments"], folder), "--json", "-")
