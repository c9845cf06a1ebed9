"""The golden cases: their arguments and what is expected, in `tests/golden/<challenge>/<case>/case.json`."""

import json
from functools import cache
from pathlib import Path

import scoring
from pages.input_widgets.option_widgets import values_by_label
from tests.support.archives import archive_of_folder
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


def options(folder: Path) -> dict[str, str]:
    """Return the options of a case of `score` with their values as they are written there."""
    arguments = described(folder)["arguments"][2:]
    return dict(zip(arguments[::2], arguments[1::2], strict=True))


def address(folder: Path) -> dict[str, str]:
    """Return the parameters of the page's address that ask for a case's options."""
    written = options(folder)
    return {
        option.name: label
        for option in scoring.load_challenge(folder.parent.name).options
        for label, value in values_by_label(option).items()
        if value == written.get(option.flag, option)
    }


def uploads(folder: Path) -> tuple[tuple[str, bytes], tuple[str, bytes]]:
    """Return submission and test set of a case of `score` as uploads: a folder as a zip."""
    written = options(folder)
    submission = written.get("--predictions") or written["--model"]
    return _upload(folder / submission[1:]), _upload(folder / written["--truth"][1:])


def _upload(path: Path) -> tuple[str, bytes]:
    if path.is_file():
        return path.name, path.read_bytes()
    return f"{path.name}.zip", archive_of_folder(path)


@cache
def scored(challenge_id: str, truth: Path, *options: object) -> dict:
    """Return the scorecard that the command line writes of a submission, without intervals."""
    finished = run("score", challenge_id, "--truth", truth, *options, "--resamples", 0, "--json", "-")
    assert finished.status == 0, finished.err
    return finished.json
