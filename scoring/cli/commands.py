"""Commands of `benchside` (`check`, `predict`, `score`, `compare` ...): their help and arguments.

Those of a challenge, declared in its own `options` or `formula` module, are added when it is named: no
other challenge is loaded.
"""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from scoring.challenges import REGISTRY, is_named, load_challenge
from scoring.cli import app, board_commands, declared_commands, metrics
from scoring.cli.refusing_parser import Parser, add_action, add_command, challenge_examples, examples
from scoring.core.challenge import Challenge
from scoring.inference.devices import DEVICES
from scoring.version import __version__

COMMANDS = {
    "check": "say what would be refused or noticed, without scoring",
    "predict": "run a model on images and write its predictions",
    "score": "the official score with its interval and everything behind it",
    "compare": "several teams on one truth: ranks, paired differences, and how certain they are",
}
CHALLENGE = "challenges of your own, each a file without code: check, add, list, show, remove, init"
BOARD = "collect submissions over weeks and rank the teams"
HISTORY = "own submissions that were kept: list, show, note, delete"
PLATFORM = "score inside Grand Challenge, Codabench or EvalAI, and write what is uploaded there"


def parser() -> Parser:
    """Return the arguments of every command and challenge."""
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
    help_text = "say how this installation is: confinement, limits, what to mend"
    about = add_command(commands, "doctor", help_text, examples(prog, "doctor"))
    about.add_argument("--json", metavar="FILE", help="write JSON there, - for standard output")
    of_app = add_command(commands, "app", "open the pages in a browser", examples(prog, "app"))
    of_app.fill = app.fill
    for command, help_text in COMMANDS.items():
        of_command = add_command(commands, command, help_text, examples(prog, command))
        of_command.fill = partial(fill_command, command)
    of_challenge = add_command(commands, "challenge", CHALLENGE, examples(prog, "challenge"))
    of_challenge.fill = declared_commands.fill
    of_board = add_command(commands, "board", BOARD, examples(prog, "board"))
    of_board.fill = partial(board_commands.fill, partial(fill_command, "board create"))
    of_history = add_command(commands, "history", HISTORY, examples(prog, "history"))
    of_history.fill = fill_history
    of_platform = add_command(commands, "platform", PLATFORM, examples(prog, "platform"))
    of_platform.fill = partial(fill_platform, partial(fill_command, "platform bundle"))
    return top


def fill_command(command: str, of_command: Parser) -> None:
    """Add the challenges to a command; its help lists those that can do it."""
    by_challenge = of_command.add_subparsers(
        title="challenges",
        description="Those below, FILE.toml of your own, or an id of `challenge list`.",
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
    """Add one challenge to a command. challenge_id: or the file that declares it."""
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
    command.add_argument("--json", metavar="FILE", help="write JSON there, - for standard output")
    about = f"folder or zip of images{images}" if challenge.inputs.images_apart else argparse.SUPPRESS
    command.add_argument("--images", metavar="I", help=about)


def _submitted(command: Parser, challenge: Challenge[Any, Any]) -> None:
    """Add predictions and model; what the challenge refuses is parsed, and refused with its reason, but not
    in the help."""
    source = command.add_mutually_exclusive_group(required=True)
    source.add_argument("--predictions", metavar="P", help="prediction file, folder or zip")
    about = argparse.SUPPRESS if challenge.model is None else "model to run on the images"
    source.add_argument("--model", metavar="M.onnx", help=about)
    _device(command, challenge)
    _fix_options(command, of_teams=False)


def _fix_options(command: Parser, of_teams: bool) -> None:
    """Add what fixes predictions as they are read. of_teams: of one team each, TEAM:VALUE, or of all."""
    title = "how predictions are read" + ", of all teams or, with TEAM: before it, of one" * of_teams
    fixes, team = command.add_argument_group(title), "[TEAM:]" * of_teams
    several: dict[str, Any] = {"action": "append", "default": []} if of_teams else {"default": ""}
    names = "read a column by another name, or leave it out: NAME=; * stands for the same text in both"
    fixes.add_argument("--rename-columns", metavar=f"{team}OLD=NEW,...", help=names, **several)
    cases = "read cases and files by another name: *_seg=*"
    fixes.add_argument("--rename-cases", metavar=f"{team}OLD=NEW,...", help=cases, **several)
    commas = "commas in numbers are decimal commas, though commas separate cells"
    switch: dict[str, Any] = {**several, "metavar": "TEAM"} if of_teams else {"action": "store_true"}
    fixes.add_argument("--decimal-commas", help=commas, **switch)
    fixes.add_argument("--delimiter", metavar=f"{team}C", help="what separates cells", **several)
    rows = (
        "of rows of the same case keep one: identical (rows that are the same in every cell), first=COLUMN "
        "or last=COLUMN (rows that are the same in that column)"
    )
    fixes.add_argument("--repeated-rows", metavar=f"{team}HOW", help=rows, **several)


def _device(command: Parser, challenge: Challenge[Any, Any]) -> None:
    text = "what the model runs on: auto (default), cpu or cuda; docs/models.md"
    about = argparse.SUPPRESS if challenge.model is None else text
    command.add_argument("--device", metavar="D", choices=DEVICES, default="auto", help=about)


def _truth(command: Parser, required: bool) -> None:
    about = "test set: table, or folder or zip with table and images"
    command.add_argument("--truth", metavar="T", required=required, help=about)


def _statistics(command: Parser) -> None:
    _replicates(command)
    command.add_argument("--html", metavar="FILE", help="write a self-contained report there")
    paper = "write a zip for a paper there: tables as LaTeX and CSV, figures as SVG, methods, BibTeX"
    command.add_argument("--paper", metavar="FILE.zip", help=paper)
    front = "a line for the front page of the report, such as Date=2026-01-31; may be repeated"
    command.add_argument("--front", metavar="NAME=TEXT", action="append", default=[], help=front)


def _history(command: Parser) -> None:
    history = command.add_argument_group("own history")
    about = "keep scorecard and submission on this machine; `history list` shows them"
    history.add_argument("--keep", action="store_true", help=about)
    history.add_argument("--keep-truth", action="store_true", help="keep the test set with it")
    history.add_argument("--note", metavar="TEXT", default="", help="a note to what is kept")


def _replicates(command: Parser) -> None:
    command.add_argument("--metadata", metavar="FILE", help="table joined to the truth by case id")
    resamples = "bootstrap replicates for the intervals, 0 = none (default 1000)"
    command.add_argument("--resamples", type=int, default=1000, metavar="N", help=resamples)
    command.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of the replicates (default 0)"
    )
    group = "column whose values are resampled together; none = each row"
    command.add_argument("--group", metavar="COLUMN", help=group)
    interval = (
        "auto (default: Wilson's interval with Student's t, from 6 units on), percentile, jackknife or bca"
    )
    command.add_argument("--interval", default="auto", metavar="KIND", help=interval)


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
        "--output", metavar="FILE", required=True, help="prediction file, - for standard output"
    )
    _device(command, challenge)
    for option in challenge.options_of("predict"):
        command.add_argument(option.flag, **option.argument())


def _score(command: Parser, challenge: Challenge[Any, Any]) -> None:
    _common(command, challenge, " (default: where the truth is)")
    _submitted(command, challenge)
    _truth(command, required=True)
    _statistics(command)
    _history(command)
    changed = "write the file with all changes there, as the official program takes it"
    command.add_argument("--changed-file", metavar="FILE", help=changed)
    for output in challenge.scoring.outputs:
        command.add_argument(output.flag, metavar=output.metavar, help=output.help)
    for option in challenge.options_of("score"):
        command.add_argument(option.flag, **option.argument())


def _compare(command: Parser, challenge: Challenge[Any, Any]) -> None:
    _common(command, challenge, " (default: where the truth is)")
    command.add_argument(
        "teams",
        nargs="+",
        metavar="TEAM=P",
        help=(
            "a team and its prediction file or, ending in .onnx, its model; or a folder or zip with one "
            "entry per team"
        ),
    )
    _fix_options(command, of_teams=True)
    _truth(command, required=True)
    _statistics(command)
    command.add_argument(
        "--pairs-metric",
        default="score",
        metavar="NAME",
        help=(
            "what pairs of teams are tested on: score (default), a metric with an interval, or MEASURE/CLASS"
        ),
    )
    tests = (
        "auto (default: swap, from 20 units on), swap or bootstrap, which errs more often than it says with "
        "rare classes or many teams"
    )
    command.add_argument("--pairs-test", default="auto", metavar="TEST", help=tests)
    facts = "table of facts by team: columns team, size_mib, institution, method, licence"
    command.add_argument("--teams", metavar="FILE", dest="facts", help=facts)
    without = "leave out submissions that are refused, and list them with the reasons"
    command.add_argument("--without-refused", action="store_true", help=without)
    for option in challenge.options_of("score", "compare"):
        command.add_argument(option.flag, **option.argument(by_team=option.per_team))


def _create(command: Parser, challenge: Challenge[Any, Any]) -> None:
    """Add what a board is made of; options that teams set by themselves come with each submission."""
    command.add_argument("--json", metavar="FILE", help="write JSON there, - for standard output")
    command.add_argument(
        "--id", metavar="ID", required=True, dest="board", help="small letters, digits, hyphens"
    )
    command.add_argument("--title", metavar="TEXT", required=True, help="what stands above the ranking")
    counts = "which submission of a team is ranked: last (default) or best"
    command.add_argument("--counts", metavar="WHICH", default="last", help=counts)
    keep = "keep the files of refused submissions too; they count nothing"
    command.add_argument("--keep-refused", action="store_true", help=keep)
    _truth(command, required=True)
    _replicates(command)
    for option in challenge.options_of("score", "compare"):
        if not option.per_team:
            command.add_argument(option.flag, **option.argument())


def _bundle(command: Parser, challenge: Challenge[Any, Any]) -> None:
    """Add what a platform's files are made of."""
    fill_bundle(command)
    _truth(command, required=True)
    _replicates(command)
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


HISTORY_ACTIONS = {
    "list": "own submissions that are kept, by test set, each against the best before it",
    "show": "one of them: its scorecard",
    "note": "write a note to one of them",
    "delete": "delete some of them for good",
}


def fill_history(of_history: Parser) -> None:
    """Add the actions to the command."""
    actions = of_history.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=Parser)
    for action, about in HISTORY_ACTIONS.items():
        command = add_action(actions, of_history, action, about)
        command.is_last = True
        if action in ("list", "show"):
            command.add_argument("--json", metavar="FILE", help="write JSON there, - for standard output")
        if action == "list":
            command.add_argument("--challenge", metavar="CHALLENGE", help="of this challenge only")
        else:
            several = {"nargs": "+"} if action == "delete" else {}
            ids = "id, or its beginning, as `history list` writes it"
            command.add_argument("kept", metavar="ID", help=ids, **several)  # type: ignore[arg-type]
        if action == "show":
            command.add_argument("--files", metavar="FOLDER", help="write the files that are kept there")
        if action == "note":
            command.add_argument("text", metavar="TEXT", help='the note; "" for none')


BUNDLE = "write what an organizer uploads to a platform: program, settings, truth and container"
RUNS = {
    "grand-challenge": "score as an evaluation container: reads /input, writes /output/metrics.json",
    "codabench": "score as a scoring program: reads input/res and input/ref, writes output/scores.json",
}
PLATFORMS = ("grand-challenge", "codabench", "evalai")


def fill_platform(bundle: Callable[[Parser], None], of_platform: Parser) -> None:
    """Add the actions to the command. bundle: adds the challenges to the one that writes files."""
    actions = of_platform.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=Parser)
    add_action(actions, of_platform, "bundle", BUNDLE).fill = bundle
    for action, about in RUNS.items():
        command = add_action(actions, of_platform, action, about)
        command.is_last = True
        settings = "benchside.json, as `platform bundle` wrote it"
        command.add_argument("--settings", metavar="FILE", required=True, help=settings)
        command.add_argument(
            "--input", metavar="FOLDER", help="what the platform gives (default: its own place)"
        )
        command.add_argument("--output", metavar="FOLDER", help="where results go (default: its own place)")
        if action == "grand-challenge":
            command.add_argument("--truth", metavar="T", help="folder of the truth (default: its own place)")


def fill_bundle(command: Parser) -> None:
    """Add what the files of a platform are made of, but for truth and options."""
    command.add_argument("--platform", choices=PLATFORMS, required=True, help="for which platform")
    command.add_argument("--output", metavar="FOLDER", required=True, help="a new folder")
    command.add_argument("--title", metavar="TEXT", required=True, help="name of the challenge there")
    public = "participants may know the truth: messages, cases and all metrics are published, unrounded"
    command.add_argument("--public-truth", action="store_true", help=public)
    decimals = "round what is published (default 3 with a hidden truth)"
    command.add_argument("--decimals", metavar="N", type=int, help=decimals)
    metrics = "publish these metrics beside the score"
    command.add_argument("--metrics", metavar="NAME,...", default="", help=metrics)
    socket = "of Grand Challenge: the socket of a part of the answer, or of the input that names the case"
    command.add_argument("--socket", metavar="PART=SLUG", action="append", default=[], help=socket)
    image = "name of the container's image"
    command.add_argument("--image", metavar="NAME", default="benchside-evaluation:latest", help=image)
