"""Parser of the command line. It refuses wrong arguments in the same form as wrong files. TOML files describe
arguments and examples."""

import argparse
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from scoring.common.findings import InputRefused, error
from scoring.common.text import nearest
from scoring.core.challenge import Challenge

REQUIRED = re.compile(r"the following arguments are required: ([A-Z]+)")
"""Message with which argparse reports a missing command, challenge or action."""
TOML = "commands.toml"
NAMED = {
    ("type", "int"): int,
    ("type", "float"): float,
    ("action", "boolean"): argparse.BooleanOptionalAction,
}
"""(keyword of argparse, name of a value in TOML) -> value in Python."""


class Parser(argparse.ArgumentParser):
    """Argument parser that refuses wrong arguments in the same form as a wrong file. Arguments are added only
    when they are needed.

    Attributes:
        fill: Function that adds further arguments before the first parsing.
        is_last: Whether no other parser follows, so that unknown arguments are errors.
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
        """Return which option was probably meant by the first that is none, "" if all are some."""
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
    """Return ". Did you mean ...?" with the most similar known word; "" if no known word is similar."""
    near = nearest(written, known)
    return f". Did you mean {near}?" if near else ""


def add_command(commands: Any, name: str, message: str, epilog: str) -> Parser:
    """Add a command to a parser.

    Args:
        message: Help text of the command.
    """
    added: Parser = commands.add_parser(
        name,
        help=message,
        description=f"{message[0].upper()}{message[1:]}.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return added


def add_actions(
    file: str, section: str | None, filled: Mapping[str, Callable[[Parser], None]], of_command: Parser
) -> None:
    """Add the actions of a command, which a TOML file describes.

    Args:
        section: Section of the file that describes the command; None: the whole file.
        filled: Action -> function that adds further arguments.
    """
    described = described_in(file) if section is None else described_in(file)[section]
    actions = of_command.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=Parser)
    for name, row in described.items():
        prog, _, command = of_command.prog.rpartition(" ")
        action = add_command(actions, name, row["about"], examples(prog, command, name))
        action.fill = filled.get(name)
        if "arguments" in row:
            action.is_last = True
            add_arguments(action, row["arguments"])


def add_arguments(command: Any, rows: Iterable[Mapping[str, Any]]) -> None:
    """Add arguments that a TOML file describes. Its keys are keywords of argparse; type and action are named.
    Arguments with the key `choice` exclude each other, and one of them is required."""
    choice: Any = None
    for row in rows:
        keywords = {key: NAMED.get((key, str(value)), value) for key, value in row.items()}
        if row.get("action") == "append":
            keywords["default"] = []
        if keywords.pop("choice", False):
            choice = choice or command.add_mutually_exclusive_group(required=True)
        target = choice if "choice" in row else command
        target.add_argument(keywords.pop("name"), **keywords)


def shared_arguments(command: Parser, group: str) -> None:
    """Add the arguments of a group of `commands.toml` that several commands share."""
    described = described_in(TOML)["shared"][group]
    title = described.get("title")
    add_arguments(command.add_argument_group(title) if title else command, described["arguments"])


@cache
def described_in(file: str) -> dict[str, Any]:
    """Return the content of a TOML file in the folder of this module."""
    return tomllib.loads(Path(__file__).with_name(file).read_text(encoding="utf-8"))


def examples(prog: str, command: str, action: str = "") -> str:
    """Return example calls of the program, a command or an action."""
    lines = described_in(TOML)["examples"].get(command)
    if lines is not None:
        begin = f"{{prog}} {command} {action} " if action else ""
        return _listed(line.format(prog=prog) for line in lines if f"{line} ".startswith(begin))
    return _listed(f"{prog} {command} {challenge_id} --help" for challenge_id in ("tricorder3", "isic"))


def challenge_examples(prog: str, command: str, challenge: Challenge[Any, Any]) -> str:
    """Return example calls of a command for a challenge. `prog` is the start of the call, up to the
    challenge."""
    several = challenge.inputs.submission.several
    file, ending = ("submission.zip", "zip") if several else ("predictions.csv", "csv")
    files = {"truth": "test_set.zip", "one": file, "ending": ending}
    lines = [line.format(**files) for line in described_in(TOML)["examples_of_challenges"][command]]
    if challenge.model is not None and command in ("check", "score"):
        lines.append(f"--truth {files['truth']} --model model.onnx")
    return _listed(f"{prog} {line}" for line in lines)


def _listed(lines: Iterable[str]) -> str:
    indented = [f"  {line}" for line in lines]
    return "\n".join(["examples:", *indented]) if indented else ""
