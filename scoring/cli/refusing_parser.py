"""Parser that refuses wrong arguments in the form of every other refusal, and examples below the help."""

import argparse
import difflib
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from scoring.common.findings import InputRefused, error
from scoring.core.challenge import Challenge

REQUIRED = re.compile(r"the following arguments are required: ([A-Z]+)")
"""What argparse says where a command, challenge or action is missing."""


class Parser(argparse.ArgumentParser):
    """Refuses wrong arguments in the same form as a wrong file, and adds arguments when they are needed.

    Attributes:
        fill: Adds further arguments before the first parsing.
        is_last: Whether no other parser follows, so that what it does not know nobody knows.
    """

    fill: Callable[["Parser"], None] | None = None
    is_last = False
    written: tuple[str, ...] = ()

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        self.written = tuple(sys.argv[1:] if args is None else args)
        if self.fill:
            fill, self.fill = self.fill, None
            fill(self)
        known, others = super().parse_known_args(args, namespace)
        if others and self.is_last:
            self.error(f"unrecognized arguments: {' '.join(others)}")
        return known, others

    def error(self, message: str) -> NoReturn:
        where = self.prog.removeprefix("python -m ")
        text = f"{message}{self._meant() if self.is_last else ''}".removesuffix(".")
        if missing := REQUIRED.fullmatch(text):
            text = f"{missing[1]} is missing{self._choices()}"
        end = "" if text.endswith("?") else "."
        raise InputRefused([error("bad-option", where, f"{text}{end} See {self.prog} --help.")])

    def _choices(self) -> str:
        """Return the commands that can follow, as the end of a sentence."""
        actions = (action for action in self._actions if isinstance(action, argparse._SubParsersAction))
        known = next((list(action.choices) for action in actions), [])
        return f": choose from {', '.join(known)}" if known else ""

    def _meant(self) -> str:
        """Return which option was probably meant by the first that is none, "" where all are some."""
        flags = [text.partition("=")[0] for text in self.written if text.startswith("--")]
        known = self._option_string_actions
        unknown = [flag for flag in flags if not any(option.startswith(flag) for option in known)]
        return _near(unknown[0], known) if unknown else ""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            known = ", ".join(map(str, action.choices))
            hint = _near(str(value), action.choices) or f": choose from {known}"
            self.error(f"there is no {action.dest} {value!r}{hint}")
        super()._check_value(action, value)


def _near(written: str, known: Iterable[str]) -> str:
    """Return ". Did you mean ...?" for what was probably meant, "" where nothing is near."""
    near = difflib.get_close_matches(written, list(known), 1, 0.6)
    return f". Did you mean {near[0]}?" if near else ""


def add_command(commands: Any, name: str, message: str, epilog: str) -> Parser:
    """Add a command to those of a parser. words: its help; epilog: below it."""
    added: Parser = commands.add_parser(
        name,
        help=message,
        description=f"{message[0].upper()}{message[1:]}.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return added


def add_action(actions: Any, of_command: Parser, name: str, message: str) -> Parser:
    """Add an action to a command. Below its help are the command's examples of it. message: its help."""
    prog, _, command = of_command.prog.rpartition(" ")
    return add_command(actions, name, message, examples(prog, command, name))


EXAMPLES = {
    "program": (
        "{prog} challenges",
        "{prog} check melanoma --predictions predictions.csv",
        "{prog} score melanoma --truth labels.csv --predictions predictions.csv --html report.html",
        "{prog} score melanoma --help",
    ),
    "challenges": ("{prog} challenges",),
    "metrics": ("{prog} metrics classification", "{prog} metrics segmentation --json metrics.json"),
    "challenge": (
        "{prog} challenge init truth.csv",
        "{prog} challenge check truth.toml --truth truth.csv --predictions predictions.csv",
        "{prog} score truth.toml --truth truth.csv --predictions predictions.csv --html report.html",
        "{prog} challenge add truth.toml",
        "{prog} challenge show camelyon17",
    ),
    "app": ("{prog} app", "{prog} app --port 8502 --store boards"),
    "doctor": ("{prog} doctor", "{prog} doctor --json installation.json"),
    "board": (
        '{prog} board create melanoma --id lesions-2026 --title "Lesions 2026" --truth labels.csv',
        "{prog} board submit lesions-2026 --team alpha --predictions alpha.csv",
        "{prog} board submit lesions-2026 submissions/      (folders team/2026-01-31/file)",
        "{prog} board phase lesions-2026 --name final --opens 2026-02-01 --closes 2026-02-14 --per-day 2",
        "{prog} board show lesions-2026 --html board.html",
        "{prog} board rescore lesions-2026 --truth corrected.csv",
        "{prog} board export lesions-2026 lesions-2026.zip",
    ),
    "history": (
        "{prog} score melanoma --truth labels.csv --predictions model-3.csv --keep",
        "{prog} history list",
        "{prog} history show 3f2a --files folder",
        '{prog} history note 3f2a "with colour jitter"',
        "{prog} history delete 3f2a",
    ),
    "platform": (
        "{prog} platform bundle melanoma --platform codabench "
        '--title "Lesions 2026" --truth labels.csv --output codabench',
        "{prog} platform codabench --settings benchside.json --input input --output output",
        "{prog} platform grand-challenge --settings benchside.json --input input --truth truth "
        "--output output",
    ),
}
"""Command -> examples below its help, "program" for those of the whole program."""
CHALLENGE_EXAMPLES = {
    "check": ("--predictions {one}", "--truth {truth} --predictions {one} --json findings.json"),
    "predict": ("--model model.onnx --images images.zip --output predictions.csv",),
    "score": (
        "--truth {truth} --predictions {one}",
        "--truth {truth} --predictions {one} --html report.html --json scorecard.json",
    ),
    "compare": (
        "--truth {truth} alpha=alpha.{ending} beta=beta.{ending}",
        "--truth {truth} submissions.zip --without-refused --html comparison.html",
    ),
    "board create": (
        '--id lesions-2026 --title "Lesions 2026" --truth {truth}',
        '--id lesions-2026 --title "Lesions 2026" --truth {truth} --counts best',
    ),
    "platform bundle": (
        '--platform codabench --title "Lesions 2026" --truth {truth} --image ACCOUNT/lesions:1 '
        "--output codabench",
        '--platform grand-challenge --title "Lesions 2026" --truth {truth} --output container',
    ),
}
"""Command -> arguments of its examples for one challenge."""


def examples(prog: str, command: str, action: str = "") -> str:
    """Return examples of a command, of one of its actions alone, or of the whole program."""
    if command in EXAMPLES:
        begin = f"{{prog}} {command} {action} " if action else ""
        return _listed(line.format(prog=prog) for line in EXAMPLES[command] if f"{line} ".startswith(begin))
    return _listed(f"{prog} {command} {challenge_id} --help" for challenge_id in ("tricorder3", "isic"))


def challenge_examples(prog: str, command: str, challenge: Challenge[Any, Any]) -> str:
    """Return examples of a command of a challenge. prog: with command and challenge, as argparse has it."""
    several = challenge.inputs.submission.several
    file, ending = ("submission.zip", "zip") if several else ("predictions.csv", "csv")
    files = {"truth": "test_set.zip", "one": file, "ending": ending}
    lines = [line.format(**files) for line in CHALLENGE_EXAMPLES[command]]
    if challenge.model is not None and command in ("check", "score"):
        lines.append(f"--truth {files['truth']} --model model.onnx")
    return _listed(f"{prog} {line}" for line in lines)


def _listed(lines: Iterable[str]) -> str:
    indented = [f"  {line}" for line in lines]
    return "\n".join(["examples:", *indented]) if indented else ""
