"""Options that a refusal names: the command that names them takes them, and they mend what was refused."""

import re
import shlex
from pathlib import Path

import pytest

from tests.support.command_line import run
from tests.support.workbooks import sheet, workbook

CHALLENGE = """id = "fev1"
title = "FEV1"
task = "regression"
[truth]
case = "Patient"
value = "FEV1 [L]"
[predictions]
value = "FEV1 [L]"
[score]
metric = "rmse"
"""
IDS = [f"{number:04d}" for number in range(3, 90, 7)]
HEADER = "Patient,FEV1 [L]"
FILES = {
    "other columns": "case_id,predicted_fev1\n" + "".join(f"{name},2.{int(name)}\n" for name in IDS),
    "ids without zeros": f"{HEADER}\n" + "".join(f"{int(name)},2.{int(name)}\n" for name in IDS),
    "a row twice": f"{HEADER}\n" + "".join(f"{name},2.{int(name)}\n" for name in (*IDS, IDS[0])),
    "some cases": f"{HEADER}\n" + "".join(f"{name},2.{int(name)}\n" for name in IDS[3:]),
    "right": f"{HEADER}\n" + "".join(f"{name},2.{int(name)}\n" for name in IDS),
}
HELP = re.compile(r"^help: .*?: (--.*)$", re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    (tmp_path / "fev1.toml").write_text(CHALLENGE)
    (tmp_path / "truth.csv").write_text(f"{HEADER}\n" + "".join(f"{name},3.{int(name)}\n" for name in IDS))
    for name, text in FILES.items():
        (tmp_path / f"{name}.csv").write_text(text)
    challenge, truth = tmp_path / "fev1.toml", tmp_path / "truth.csv"
    made = run("board", "create", challenge, "--id", "fev1", "--title", "FEV1", "--truth", truth)
    assert made.status == 0, made.err
    return tmp_path


def command(action: str, folder: Path, file: str) -> list[object]:
    challenge, truth = folder / "fev1.toml", ("--truth", folder / "truth.csv")
    sent = folder / f"{file}.csv"
    return {
        "score": ["score", challenge, *truth, "--resamples", 0, "--predictions", sent],
        "check": ["check", challenge, *truth, "--predictions", sent],
        "challenge check": ["challenge", "check", challenge, *truth, "--predictions", sent],
        "board submit": ["board", "submit", "fev1", "--team", "a", "--predictions", sent],
        "compare": ["compare", challenge, *truth, f"a={sent}", f"b={folder / 'right.csv'}"],
    }[action]


@pytest.mark.parametrize("action", ["score", "check", "challenge check", "board submit", "compare"])
@pytest.mark.parametrize("file", ["other columns", "ids without zeros", "a row twice", "some cases"])
def test_every_option_that_a_refusal_names_mends_it_in_the_command_that_names_it(folder, action, file):
    refused = run(*command(action, folder, file))
    assert refused.status == 2
    named = HELP.findall(refused.err)
    assert named or file == "some cases"
    for options in named:
        others = ["--resamples", 0] if action == "compare" else []
        done = run(*command(action, folder, file), *others, *shlex.split(options))
        assert done.status == 0, done.err


def test_ids_with_zeros_that_the_truth_lacks_all_match(folder):
    (folder / "truth.csv").write_text(FILES["ids without zeros"])
    refused = run(*command("score", folder, "right"))
    (options,) = HELP.findall(refused.err)
    done = run(*command("score", folder, "right"), *shlex.split(options), "--json", "-")
    assert done.status == 0, done.err
    assert done.json["score"] == 0


def test_a_comparison_says_of_those_files_alone_that_they_were_changed_that_have_the_column(folder):
    done = run(*command("compare", folder, "other columns"), "--resamples", 0, "--rename-columns",
               "case_id=Patient,predicted_fev1=FEV1 [L]")  # fmt: skip
    assert done.status == 0, done.err
    assert re.findall(r"mended (\S+)", done.err) == ["a:"]
    assert "official program" not in done.err


def test_a_workbook_of_a_declared_challenge_is_read_as_it_is(folder):
    book = workbook({"T": sheet([["Patient", "FEV1 [L]"], *([name, 3 + int(name) / 100] for name in IDS)])})
    (folder / "truth.xlsx").write_bytes(book)
    done = run("score", folder / "fev1.toml", "--truth", folder / "truth.xlsx", "--predictions",
               folder / "right.csv", "--resamples", 0)  # fmt: skip
    assert done.status == 0, done.err
    assert "no official program was run.\n" in done.out
    assert "Not an official score" not in done.out
    assert "CSV" not in done.err


def test_numbers_with_a_unit_are_told_to_leave_it_out(folder):
    lines = (f"{name},2.{int(name)} L\n" for name in IDS)
    (folder / "unit.csv").write_text(f"{HEADER}\n" + "".join(lines))
    refused = run(*command("score", folder, "unit"))
    assert "'2.3 L' is not a number: write e.g. 0.73. Leave out the unit 'L'." in refused.err


def test_a_board_keeps_the_changed_file_and_says_so(folder):
    names = "case_id=Patient,predicted_fev1=FEV1 [L]"
    done = run(*command("board submit", folder, "other columns"), "--rename-columns", names)
    assert "note mended other columns.csv: the input was read with these changes: columns" in done.err
    right = run("board", "submit", "fev1", "--team", "b", "--predictions", folder / "right.csv")
    assert re.findall(r"score [\d.]+", done.out) == re.findall(r"score [\d.]+", right.out)


def test_a_refused_truth_and_a_folder_of_submissions_name_no_option_of_predictions(folder):
    challenge, twice = folder / "fev1.toml", folder / "a row twice.csv"
    refused = run("challenge", "check", challenge, "--truth", twice, "--predictions", folder / "right.csv")
    assert refused.status == 2
    assert "duplicate-case" in refused.err
    assert "help:" not in refused.err
    refused = run("board", "submit", "fev1", folder / "fev1.toml", "--rename-columns", "a=b")
    assert "options that change a file are not allowed" in refused.err
