"""The command line for people: grouped findings in colour, suggestions, examples, progress."""

import io
import re
import sys
from dataclasses import replace

import pytest

import scoring
from scoring.cli import commands, output
from scoring.cli.commands import COMMANDS, parser
from scoring.cli.input_reading import without_fixes
from scoring.cli.output import flags_of
from scoring.common.findings import InputRefused, error
from scoring.common.fixes import InputChanges, SuggestedFix, renaming
from tests.support import lesion_tables
from tests.support.command_line import run


class Terminal(io.StringIO):
    """Text that says it is a terminal."""

    def isatty(self) -> bool:
        return True

    @property
    def words(self) -> str:
        """What a person reads: without colours, a blank between words."""
        return " ".join(re.sub(r"\x1b\[[\d;]*m", "", self.getvalue()).split())


def watched(monkeypatch) -> Terminal:
    """Standard error as a terminal."""
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return shown


def refused() -> InputRefused:
    challenge = scoring.load_challenge("tricorder3")
    header, _, rows = lesion_tables.predictions().partition(b"\n")
    bad = header.replace(b",", b",prob_") + b"\n" + rows
    with pytest.raises(InputRefused) as found:
        challenge.read_predictions(bad, challenge.read_truth(lesion_tables.truth(), "t.csv"), "p.csv")
    return found.value


def test_findings_on_a_terminal_are_folded_and_say_which_option_mends_them(monkeypatch):
    terminal = watched(monkeypatch)
    output.print_findings(refused().problems)
    assert "\x1b[" in terminal.getvalue()
    assert terminal.words.startswith(
        "error[missing-column] p.csv:1 11 columns are missing: AKIEC, BCC, BEN_OTH,"
    )
    assert "help: Read columns without “prob_”: --rename-columns 'prob_*=*'" in terminal.words
    assert terminal.words.endswith("11 errors.")


def test_findings_in_a_pipe_are_plain_lines(monkeypatch):
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    output.print_findings(refused().problems)
    *lines, mend = pipe.getvalue().splitlines()
    assert mend == "help: Read columns without “prob_”: --rename-columns 'prob_*=*'"
    assert len(lines) == 11
    assert all(
        line.startswith("error missing-column p.csv:1: there is no column for class") for line in lines
    )


def test_the_options_that_make_changes():
    changes = InputChanges(
        (("a, b", "A"),), (("*_seg", "*"),), True, "|", ("last", "id"), (("missing", "wrong"),)
    )
    assert list(flags_of(SuggestedFix("", changes))) == [
        *("""--rename-columns '"a, b=A"'""", "--rename-cases '*_seg=*'", "--decimal-commas"),
        *("--delimiter '|'", "--repeated-rows last=id", "--missing wrong"),
    ]
    assert list(flags_of(SuggestedFix("", changes.of_files, team="My team"))) == [
        *("""--rename-columns 'My team:"a, b=A"'""", "--rename-cases 'My team:*_seg=*'"),
        *("--decimal-commas 'My team'", "--delimiter 'My team:|'", "--repeated-rows 'My team:last=id'"),
    ]
    asked = SuggestedFix("Give the size", InputChanges(), "model_size_mib")
    assert list(flags_of(asked)) == ["--model-size-mib VALUE"]
    assert list(flags_of(replace(asked, team="a"))) == ["--model-size-mib a=VALUE"]


def test_the_options_mend_a_file(tmp_path):
    header, _, rows = lesion_tables.predictions().partition(b"\n")
    (tmp_path / "t.csv").write_bytes(lesion_tables.truth())
    (tmp_path / "p.csv").write_bytes(header.replace(b",", b",prob_") + b"\n" + rows)
    arguments = ("tricorder3", "--truth", tmp_path / "t.csv", "--predictions", tmp_path / "p.csv")
    assert run("check", *arguments).status == 2
    finished = run("score", *arguments, "--rename-columns", "prob_*=*", "--resamples", 0, "--json", "-")
    assert finished.status == 0
    assert finished.json["provenance"]["mended"] == [{"columns": {"prob_*": "*"}}]
    assert (
        "note mended p.csv: the input was read with these changes: columns without “prob_”." in finished.err
    )


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        *(("--rename-columns", "Risk"), ("--rename-columns", "a*b*=c"), ("--rename-cases", "a=*")),
        *(("--delimiter", "||"), ("--delimiter", "\n"), ("--repeated-rows", "first")),
        ("--repeated-rows", "identical=id"),
    ],
)
def test_changes_that_cannot_be_are_refused(flag, value):
    finished = run("check", "melanoma", "--predictions", "nothing.csv", flag, value)
    assert finished.status == 2
    assert f"error bad-option {flag}: " in finished.err


def test_a_command_without_options_for_mends_names_none():
    as_wrong = SuggestedFix("Count it as wrong", InputChanges(options=(("missing", "wrong"),)))
    found = [error("a", "b", "c").with_fixes(renaming("column", (("a", "b"),)), as_wrong)]
    assert [entry.fixes for entry in without_fixes(found)] == [()]


def test_files_of_teams_are_mended_each_by_itself(tmp_path):
    data = lesion_tables.predictions()
    header, _, rows = data.partition(b"\n")
    first = rows.split(b"\n")[0]
    (tmp_path / "t.csv").write_bytes(lesion_tables.truth())
    (tmp_path / "right.csv").write_bytes(data)
    (tmp_path / "p.csv").write_bytes(header.replace(b",", b",prob_") + b"\n" + rows)
    (tmp_path / "twice.csv").write_bytes(data + first + b"\n")
    files = [f"{name}={tmp_path / name}.csv" for name in ("right", "p", "twice")]
    arguments = ("compare", "tricorder3", *files, "--truth", tmp_path / "t.csv", "--resamples", "0")
    refused = run(*arguments, "--json", "-")
    assert refused.status == 2
    fixes = ("--rename-columns", "p:prob_*=*", "--repeated-rows", "twice:identical")
    found = run(*arguments, *fixes, "--json", "-")
    assert (found.status, len({team["score"] for team in found.json["teams"]})) == (0, 1), found.err
    assert (
        "note mended p: p.csv: the input was read with these changes: columns without “prob_”." in found.err
    )
    wrong = run(*arguments, "--decimal-commas", "q", "--delimiter", "p:||")
    assert "error bad-option --decimal-commas: 'q' is not one of the teams." in wrong.err
    assert "error bad-option --delimiter: '||' is not one character" in wrong.err


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["scor", "isic"], "score"),
        (["score", "isik"], "isic"),
        (["score", "melanoma", "--truth", "t", "--predictions", "p", "--mising", "wrong"], "--missing"),
        (["score", "melanoma", "--truht", "t", "--predictions", "p"], "--truth"),
    ],
)
def test_what_was_meant_is_suggested(arguments, meant):
    finished = run(*arguments)
    assert (finished.status, finished.out) == (2, "")
    assert f"Did you mean {meant}? See " in finished.err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_has_examples_and_no_option_that_the_challenge_refuses(command, capsys):
    for challenge_id in scoring.challenge_ids():
        with pytest.raises(SystemExit):
            parser().parse_args([command, challenge_id, "--help"])
        said, challenge = capsys.readouterr().out, scoring.load_challenge(challenge_id)
        assert f"examples:\n  python -m scoring {command} {challenge_id} " in said
        if command in ("check", "score"):
            assert ("--model M.onnx" in said) == (challenge.model is not None)
        assert command == "predict" or ("--images I" in said) == challenge.inputs.images_apart
    with pytest.raises(SystemExit):
        parser().parse_args([command, "--help"])
    assert f"examples:\n  python -m scoring {command} " in capsys.readouterr().out


def test_the_help_of_an_action_has_examples_of_it_alone_and_names_own_challenges(capsys):
    said = {}
    for action in (("board", "phase"), ("board", "settings"), ("board", "create"), ("platform", "bundle")):
        with pytest.raises(SystemExit):
            parser().parse_args([*action, "--help"])
        said[action[1]] = capsys.readouterr().out
    assert [line.split()[3:5] for line in said["phase"].partition("examples:\n")[2].splitlines()] == [
        ["board", "phase"]
    ]
    assert "examples" not in said["settings"]
    assert "FILE.toml" in said["create"]
    assert "FILE.toml" in said["bundle"]


@pytest.mark.parametrize("command", ["challenges", "metrics", "doctor"])
def test_commands_without_a_challenge_have_examples_too(command, capsys):
    with pytest.raises(SystemExit):
        parser().parse_args([command, "--help"])
    assert f"examples:\n  python -m scoring {command}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "COMMAND is missing: choose from challenges, metrics, doctor, app, check, predict, score, "),
        (["score"], f"CHALLENGE is missing: choose from {', '.join(scoring.challenge_ids())}. See "),
        (["history"], "ACTION is missing: choose from list, show, note, rename, delete. See "),
    ],
)
def test_what_can_follow_is_named(arguments, words):
    with pytest.raises(InputRefused) as refused:
        parser().parse_args(arguments)
    assert refused.value.problems[0].message.startswith(words)


def test_challenges_without_models_are_not_listed_for_predict(capsys):
    with pytest.raises(SystemExit):
        parser().parse_args(["predict", "--help"])
    said = capsys.readouterr().out
    listed = [name for name in scoring.challenge_ids() if re.search(rf"^    {name}\b", said, re.MULTILINE)]
    assert listed == [name for name in scoring.challenge_ids() if scoring.load_challenge(name).model]
    assert "bad-option" in run("predict", "hecktor2026", "--model", "m", "--images", "i", "--output", "-").err


def test_progress_says_what_is_left_only_once_that_is_known(monkeypatch):
    terminal = watched(monkeypatch)
    clock = iter([0.0, 0.0, 0.5, 4.0, 16.0])
    monkeypatch.setattr(output.time, "monotonic", lambda: next(clock))
    show = output.progress()
    for done in (0, 1, 2, 8):
        show(done, 8)
    said = [part.strip() for part in terminal.getvalue().split("\r") if part]
    assert said == ["0 of 8 images", "1 of 8 images", "2 of 8 images, about 12 s left", "8 of 8 images"]


def test_check_ends_on_a_terminal_with_what_happened_and_what_to_do(monkeypatch):
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert output.closing("would be refused", refused().problems) == (
        "would be refused: 11 errors. Nothing was scored: fix the problems above and check again."
    )
    assert output.closing("would be scored", ()).startswith("would be scored: the files can be scored.")


def test_an_option_of_pairs_that_is_given_twice_holds_both():
    command = ["score", "isic", "--truth", "t", "--predictions", "p"]
    parsed = commands.parser().parse_args([*command, "--rename-cases", "a=b", "--rename-cases", "c=d"])
    assert parsed.rename_cases == "a=b,c=d"
