"""A parser of arguments that refuses in the same form as everything else."""

import argparse
import difflib
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from scoring.common.findings import InputRefused, error

REQUIRED = re.compile(r"the following arguments are required: ([A-Z]+)")
"""What argparse says where a command, challenge or action is missing."""


class Parser(argparse.ArgumentParser):
    """Refuses wrong arguments in the same form as a wrong file, and adds arguments when they are needed.

    Attributes:
        fill: Adds further arguments before the first parsing.
        is_last: Whether no other parser follows, so that what it does not know nobody knows.
        written: The arguments.
    """

    fill: Callable[["Parser"], None] | None = None
    is_last = False
    written: tuple[str, ...] = ()

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        if self.fill:
            fill, self.fill = self.fill, None
            fill(self)
        self.written = tuple(sys.argv[1:] if args is None else args)
        known, others = super().parse_known_args(args, namespace)
        if others and self.is_last:
            self.error(f"unrecognized arguments: {' '.join(others)}")
        return known, others

    def error(self, message: str) -> NoReturn:
        where = self.prog.removeprefix("python -m ")
        words = f"{message}{self._meant() if self.is_last else ''}".removesuffix(".")
        if missing := REQUIRED.fullmatch(words):
            words = f"{missing[1]} is missing{self._choices()}"
        end = "" if words.endswith("?") else "."
        raise InputRefused([error("bad-option", where, f"{words}{end} See {self.prog} --help.")])

    def _choices(self) -> str:
        """Return the commands that can follow, as the end of a sentence."""
        actions = (one for one in self._actions if isinstance(one, argparse._SubParsersAction))
        known = next((list(one.choices) for one in actions), [])
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


def add_command(commands: Any, name: str, words: str, epilog: str) -> Parser:
    """Add a command to those of a parser. words: its help; epilog: below it."""
    added: Parser = commands.add_parser(
        name,
        help=words,
        description=f"{words[0].upper()}{words[1:]}.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return added
