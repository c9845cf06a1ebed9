"""Commands of `benchside` (`check`, `predict`, `score`, `compare` ...): their help and arguments, whose texts
are in `commands.toml` and `board_actions.toml`.

The arguments of a challenge, from its `options` or `formula` module, are added only when the command line
names this challenge, so that no other challenge is loaded.
"""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from scoring.challenges import REGISTRY, is_named, load_challenge
from scoring.cli import app, metrics
from scoring.cli.refusing_parser import (
    TOML,
    Parser,
    add_actions,
    add_command,
    challenge_examples,
    examples,
    shared_arguments,
)
from scoring.common.fixes import EDITS
from scoring.core.challenge import Challenge
from scoring.inference.devices import DEVICES
from scoring.version import __version__

COMMANDS = {
    "check": "list problems and findings without scoring",
    "predict": "run a model on images and write its predictions",
    "score": "compute the official score with its interval, parts and cases",
    "compare": "compare several teams on one truth: ranks, paired differences, tests",
}
CHALLENGE = "your own challenges, each declared in a file: check, add, list, show, remove, init"
BOARD = "collect submissions over weeks and rank the teams"
HISTORY = "your saved submissions: list, show, note, delete"
PLATFORM = "score inside Grand Challenge, Codabench or EvalAI, and write the files to upload there"


def parser() -> Parser:
    """Return the parser of the command line, with every command."""
    prog = "benchside" if Path(sys.argv[0]).stem == "benchside" else "python -m scoring"
    top = Parser(
        prog=prog,
        description="Official challenge scores for cancer-imaging models.",
        epilog=examples(prog, "program"),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=__version__)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    add_command(commands, "challenges", "list the challenges", examples(prog, "challenges"))
    of_metrics = add_command(commands, "metrics", metrics.MEANING, examples(prog, "metrics"))
    of_metrics.fill = metrics.fill
    help_text = "check this installation: confinement, limits, problems to fix"
    about = add_command(commands, "doctor", help_text, examples(prog, "doctor"))
    about.add_argument("--json", metavar="FILE", help="write JSON to this file (- for standard output)")
    of_app = add_command(commands, "app", "open the pages in a browser", examples(prog, "app"))
    of_app.fill = app.fill
    for command, help_text in COMMANDS.items():
        of_command = add_command(commands, command, help_text, examples(prog, command))
        of_command.fill = partial(fill_command, command)
    of_challenge = add_command(commands, "challenge", CHALLENGE, examples(prog, "challenge"))
    fixed = partial(_fix_options, of_teams=False)
    of_challenge.fill = partial(add_actions, TOML, "challenge", {"check": fixed})
    of_board = add_command(commands, "board", BOARD, examples(prog, "board"))
    opened = {"create": partial(fill_command, "board create"), "submit": fixed}
    of_board.fill = partial(add_actions, "board_actions.toml", None, opened)
    of_history = add_command(commands, "history", HISTORY, examples(prog, "history"))
    of_history.fill = partial(add_actions, TOML, "history", {})
    of_platform = add_command(commands, "platform", PLATFORM, examples(prog, "platform"))
    written = {"bundle": partial(fill_command, "platform bundle")}
    of_platform.fill = partial(add_actions, TOML, "platform", written)
    return top


def fill_command(command: str, of_command: Parser) -> None:
    """Add the challenges to a command; its help lists the challenges that support it."""
    by_challenge = of_command.add_subparsers(
        title="challenges",
        description="One of the challenges below, your own FILE.toml, or an id of `challenge list`.",
        dest="challenge",
        required=True,
        metavar="CHALLENGE",
        parser_class=Parser,
    )
    for challenge_id, row in REGISTRY.items():
        refuses = command == "predict" and load_challenge(challenge_id).model is None
        listed: dict[str, Any] = {} if refuses else {"help": row.name}
        _add_challenge(by_challenge, command, challenge_id, **listed)
    named = next((text for text in of_command.written if not text.startswith("-")), "")
    if named not in REGISTRY and is_named(named):
        _add_challenge(by_challenge, command, named)


def _add_challenge(by_challenge: Any, command: str, challenge_id: str, **listed: Any) -> None:
    """Add one challenge to a command. `challenge_id` is its id, or the file that declares it."""
    parser = by_challenge.add_parser(
        challenge_id, formatter_class=argparse.RawDescriptionHelpFormatter, **listed
    )
    parser.is_last = True
    parser.fill = partial(_fill, command, challenge_id)


def _fill(command: str, challenge_id: str, parser: Parser) -> None:
    challenge = load_challenge(challenge_id)
    parser.epilog = challenge_examples(parser.prog, command, challenge)
    ARGUMENTS[command](parser, challenge)


def _common(command: Parser, challenge: Challenge[Any, Any], images: str) -> None:
    command.add_argument("--json", metavar="FILE", help="write JSON to this file (- for standard output)")
    about = f"folder or zip of images{images}" if challenge.inputs.images_apart else argparse.SUPPRESS
    command.add_argument("--images", metavar="I", help=about)


def _submitted(command: Parser, challenge: Challenge[Any, Any]) -> None:
    """Add the arguments for predictions and model. If the challenge does not support one of them, the help
    leaves it out, but the parser accepts it so that it can be refused with a reason."""
    source = command.add_mutually_exclusive_group(required=True)
    source.add_argument("--predictions", metavar="P", help="prediction file, folder or zip")
    about = argparse.SUPPRESS if challenge.model is None else "model to run on the images"
    source.add_argument("--model", metavar="M.onnx", help=about)
    _device(command, challenge)
    _fix_options(command, of_teams=False)
    only = "score only the submitted cases; the result is not an official score"
    command.add_argument("--submitted-only", action="store_true", help=only)


class _Pairs(argparse.Action):
    """Joins the pairs of an option that is used several times."""

    def __call__(self, _parser: Any, namespace: argparse.Namespace, values: Any, _option: Any = None) -> None:
        before = getattr(namespace, self.dest)
        setattr(namespace, self.dest, f"{before},{values}" if before else values)


def _fix_options(command: Parser, of_teams: bool) -> None:
    """Add the options that fix predictions while they are read. With `of_teams`, a value holds for all teams,
    or with TEAM:VALUE for one team."""
    title = "how predictions are read" + ", for all teams, or for one team with TEAM: before it" * of_teams
    fixes, team = command.add_argument_group(title), "[TEAM:]" * of_teams
    several: dict[str, Any] = {"action": "append", "default": []} if of_teams else {"default": ""}
    pairs = several if of_teams else {"action": _Pairs, "default": ""}
    names = "rename columns before reading; NAME= ignores a column; * stands for the same text in both names"
    fixes.add_argument("--rename-columns", metavar=f"{team}OLD=NEW,...", help=names, **pairs)
    cases = "rename cases and files before reading, such as *_seg=*"
    fixes.add_argument("--rename-cases", metavar=f"{team}OLD=NEW,...", help=cases, **pairs)
    commas = "commas in numbers are decimal commas, even if commas also separate cells"
    switch: dict[str, Any] = {**several, "metavar": "TEAM"} if of_teams else {"action": "store_true"}
    fixes.add_argument("--decimal-commas", help=commas, **switch)
    fixes.add_argument(
        "--delimiter", metavar=f"{team}C", help="character that separates the cells of the table", **several
    )
    rows = (
        "what happens to several rows of one case: identical keeps one of equal rows; mean=COLUMN takes the "
        "mean of rows with the same COLUMN; first=COLUMN or last=COLUMN keeps the first or last of them"
    )
    fixes.add_argument("--repeated-rows", metavar=f"{team}HOW", help=rows, **several)
    edits = f"change the whole table or the model, as a message suggests: {', '.join(EDITS)}"
    fixes.add_argument("--edit-table", metavar=f"{team}EDIT=VALUE,...", help=edits, **pairs)


def _device(command: Parser, challenge: Challenge[Any, Any]) -> None:
    text = "device that runs the model: auto (default), cpu or cuda; see docs/models.md"
    about = argparse.SUPPRESS if challenge.model is None else text
    command.add_argument("--device", metavar="D", choices=DEVICES, default="auto", help=about)


def _truth(command: Parser, required: bool) -> None:
    about = "test set: a table, or a folder or zip with a table and images"
    command.add_argument("--truth", metavar="T", required=required, help=about)


def _check(command: Parser, challenge: Challenge[Any, Any]) -> None:
    _common(command, challenge, " (default: where the truth is)")
    _submitted(command, challenge)
    _truth(command, required=False)
    for option in challenge.options_of("truth", "score"):
        command.add_argument(option.flag, **option.argument())


def _predict(command: Parser, challenge: Challenge[Any, Any]) -> None:
    _common(command, challenge, "")
    command.add_argument("--model", metavar="M.onnx", required=True, help="model to run on the images")
    command.add_argument(
        "--output", metavar="FILE", required=True, help="prediction file to write (- for standard output)"
    )
    _device(command, challenge)
    for option in challenge.options_of("predict"):
        command.add_argument(option.flag, **option.argument())


def _score(command: Parser, challenge: Challenge[Any, Any]) -> None:
    _common(command, challenge, " (default: where the truth is)")
    _submitted(command, challenge)
    _truth(command, required=True)
    for group in ("replicates", "reports", "history"):
        shared_arguments(command, group)
    changed = "write the file with all fixes to this path, in a format that the official program accepts"
    command.add_argument("--changed-file", metavar="FILE", help=changed)
    for output in challenge.scoring.outputs:
        command.add_argument(output.flag, metavar=output.metavar, help=output.help)
    for option in challenge.options_of("score"):
        command.add_argument(option.flag, **option.argument())


def _compare(command: Parser, challenge: Challenge[Any, Any]) -> None:
    _common(command, challenge, " (default: where the truth is)")
    shared_arguments(command, "teams")
    _fix_options(command, of_teams=True)
    _truth(command, required=True)
    for group in ("replicates", "reports", "pairs"):
        shared_arguments(command, group)
    for option in challenge.options_of("score", "compare"):
        command.add_argument(option.flag, **option.argument(by_team=option.per_team))


def _create(command: Parser, challenge: Challenge[Any, Any]) -> None:
    """Add the arguments that create a board. Options that teams may set themselves are given with each
    submission."""
    shared_arguments(command, "create")
    _truth(command, required=True)
    shared_arguments(command, "replicates")
    for option in challenge.options_of("score", "compare"):
        if not option.per_team:
            command.add_argument(option.flag, **option.argument())


def _bundle(command: Parser, challenge: Challenge[Any, Any]) -> None:
    """Add the arguments for the files of a platform."""
    shared_arguments(command, "bundle")
    _truth(command, required=True)
    shared_arguments(command, "replicates")
    for option in challenge.options_of("score"):
        command.add_argument(option.flag, **option.argument())


ARGUMENTS: dict[str, Callable[[Parser, Challenge[Any, Any]], None]] = {
    "check": _check,
    "predict": _predict,
    "score": _score,
    "compare": _compare,
    "board create": _create,
    "platform bundle": _bundle,
}
