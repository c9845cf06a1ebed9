"""The arguments of every command. Those of a challenge are added when it is named, so that no other is
loaded."""

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn

from scoring.challenge import Challenge
from scoring.challenges import REGISTRY, load_challenge
from scoring.findings import InputRefused, error
from scoring.version import __version__

COMMANDS = {
    "check": "say what would be refused or noticed, without scoring",
    "predict": "run a model on images and write its predictions",
    "score": "the official score with its interval and everything behind it",
    "compare": "several teams on one truth: ranks, paired differences, and how certain they are",
}


class Parser(argparse.ArgumentParser):
    """Refuses wrong arguments in the same form as a wrong file, and adds arguments when they are needed.

    Attributes:
        fill: Adds further arguments before the first parsing.
    """

    fill: Callable[["Parser"], None] | None = None

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        if self.fill:
            fill, self.fill = self.fill, None
            fill(self)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        where = self.prog.removeprefix("python -m ")
        raise InputRefused([error("bad-option", where, f"{message}. See {self.prog} --help.")])


def parser() -> Parser:
    """Return the arguments of every command and challenge."""
    top = Parser(prog="python -m scoring", description="Official challenge scores for cancer-imaging models.")
    top.add_argument("--version", action="version", version=__version__)
    commands = top.add_subparsers(dest="command", required=True, parser_class=Parser)
    commands.add_parser("challenges", help="list the challenges")
    for command, words in COMMANDS.items():
        by_challenge = commands.add_parser(command, help=words).add_subparsers(
            dest="challenge", required=True, metavar="CHALLENGE", parser_class=Parser
        )
        for challenge_id, row in REGISTRY.items():
            one = by_challenge.add_parser(challenge_id, help=row.name)
            one.fill = partial(_fill, command, challenge_id)
    return top


def _fill(command: str, challenge_id: str, one: Parser) -> None:
    ARGUMENTS[command](one, load_challenge(challenge_id))


def _common(one: Parser, images: str) -> None:
    one.add_argument("--json", metavar="FILE", help="write JSON there, - for standard output")
    one.add_argument("--images", metavar="I", help=f"folder or zip of images{images}")


def _submitted(one: Parser) -> None:
    what = one.add_mutually_exclusive_group(required=True)
    what.add_argument("--predictions", metavar="P", help="prediction file, folder or zip")
    what.add_argument("--model", metavar="M.onnx", help="model to run on the images")


def _truth(one: Parser, required: bool) -> None:
    words = "test set: table, or folder or zip with table and images"
    one.add_argument("--truth", metavar="T", required=required, help=words)


def _statistics(one: Parser) -> None:
    resamples = "bootstrap replicates for the intervals, 0 = none (default 1000)"
    one.add_argument("--resamples", type=int, default=1000, metavar="N", help=resamples)
    one.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the replicates (default 0)")
    group = "column whose values are resampled together; none = each row"
    one.add_argument("--group", metavar="COLUMN", help=group)
    interval = (
        "auto (default: percentile from 50 units on, logit t from 6 to 49), percentile, jackknife or bca"
    )
    one.add_argument("--interval", default="auto", metavar="KIND", help=interval)
    one.add_argument("--metadata", metavar="FILE", help="table joined to the truth by case id")
    one.add_argument("--html", metavar="FILE", help="write a self-contained report there")


def _check(one: Parser, challenge: Challenge[Any, Any]) -> None:
    _common(one, " (default: where the truth is)")
    _submitted(one)
    _truth(one, required=False)
    for option in challenge.options_of("truth", "score"):
        one.add_argument(option.flag, **option.argument())


def _predict(one: Parser, challenge: Challenge[Any, Any]) -> None:
    _common(one, "")
    one.add_argument("--model", metavar="M.onnx", required=True)
    one.add_argument("--output", metavar="FILE", required=True, help="prediction file, - for standard output")
    for option in challenge.options_of("predict"):
        one.add_argument(option.flag, **option.argument())


def _score(one: Parser, challenge: Challenge[Any, Any]) -> None:
    _common(one, " (default: where the truth is)")
    _submitted(one)
    _truth(one, required=True)
    _statistics(one)
    for output in challenge.outputs:
        one.add_argument(output.flag, metavar=output.metavar, help=output.help)
    for option in challenge.options_of("score"):
        one.add_argument(option.flag, **option.argument())


def _compare(one: Parser, challenge: Challenge[Any, Any]) -> None:
    _common(one, " (default: where the truth is)")
    one.add_argument(
        "teams",
        nargs="+",
        metavar="TEAM=P",
        help=(
            "a team and its prediction file or, ending in .onnx, its model; or a folder or zip with one "
            "entry per team"
        ),
    )
    _truth(one, required=True)
    _statistics(one)
    one.add_argument(
        "--pairs-metric",
        default="score",
        metavar="NAME",
        help=(
            "what pairs of teams are tested on: score (default), a metric with an interval, or MEASURE/CLASS"
        ),
    )
    facts = "table of facts by team: columns team, size_mib, institution, method, licence"
    one.add_argument("--teams", metavar="FILE", dest="facts", help=facts)
    without = "leave out submissions that are refused, and list them with the reasons"
    one.add_argument("--without-refused", action="store_true", help=without)
    for option in challenge.options_of("score", "compare"):
        one.add_argument(option.flag, **option.argument(by_team=option.per_team))


ARGUMENTS: dict[str, Callable[[Parser, Challenge[Any, Any]], None]] = {
    "check": _check,
    "predict": _predict,
    "score": _score,
    "compare": _compare,
}
