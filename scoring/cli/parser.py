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


def of_program(prog: str) -> str:
    """Return examples of the whole program."""
    return _examples(
        f"{prog} challenges",
        f"{prog} check melanoma --predictions predictions.csv",
        f"{prog} score melanoma --truth labels.csv --predictions predictions.csv --html report.html",
        f"{prog} score melanoma --help",
    )


def of_command(prog: str) -> str:
    """Return examples of a command without its challenge."""
    return _examples(f"{prog} tricorder3 --help", f"{prog} isic --help")


def of_challenge(prog: str, command: str, challenge: Challenge[Any, Any]) -> str:
    """Return examples of a command of a challenge."""
    several = challenge.inputs.submission.several
    truth, one, ending = (
        "test_set.zip",
        "submission.zip" if several else "predictions.csv",
        "zip" if several else "csv",
    )
    made = {
        "check": [f"--predictions {one}", f"--truth {truth} --predictions {one} --json findings.json"],
        "predict": ["--model model.onnx --images images.zip --output predictions.csv"],
        "score": [
            f"--truth {truth} --predictions {one}",
            f"--truth {truth} --predictions {one} --html report.html --json scorecard.json",
        ],
        "compare": [
            f"--truth {truth} alpha=alpha.{ending} beta=beta.{ending}",
            f"--truth {truth} submissions.zip --without-refused --html comparison.html",
        ],
        "board create": [
            f'--id lesions-2026 --title "Lesions 2026" --truth {truth}',
            f'--id lesions-2026 --title "Lesions 2026" --truth {truth} --counts best',
        ],
        "platform bundle": [
            f'--platform codabench --title "Lesions 2026" --truth {truth} --output codabench',
            f'--platform grand-challenge --title "Lesions 2026" --truth {truth} --output container',
        ],
    }[command]
    if challenge.model is not None and command in ("check", "score"):
        made.append(f"--truth {truth} --model model.onnx")
    return _examples(*(f"{prog} {arguments}" for arguments in made))


def of_board(prog: str) -> str:
    """Return examples of the command about boards."""
    return _examples(
        f'{prog} create melanoma --id lesions-2026 --title "Lesions 2026" --truth labels.csv',
        f"{prog} submit lesions-2026 --team alpha --predictions alpha.csv",
        f"{prog} submit lesions-2026 submissions/      (folders team/2026-01-31/file)",
        f"{prog} phase lesions-2026 --name final --opens 2026-02-01 --closes 2026-02-14 --per-day 2",
        f"{prog} show lesions-2026 --html board.html",
        f"{prog} rescore lesions-2026 --truth corrected.csv",
        f"{prog} export lesions-2026 lesions-2026.zip",
    )


def of_history(prog: str) -> str:
    """Return examples of the command about what is kept."""
    return _examples(
        f"{prog.removesuffix(' history')} score melanoma --truth labels.csv --predictions model-3.csv --keep",
        f"{prog} list",
        f"{prog} show 3f2a --files folder",
        f'{prog} note 3f2a "with colour jitter"',
        f"{prog} delete 3f2a",
    )


def of_platform(prog: str) -> str:
    """Return examples of the command about platforms."""
    bundle = '--title "Lesions 2026" --truth labels.csv --output codabench'
    return _examples(
        f"{prog} bundle melanoma --platform codabench {bundle}",
        f"{prog} codabench --settings benchside.json --input input --output output",
        f"{prog} grand-challenge --settings benchside.json --input input --truth truth --output output",
    )


def of_plain(*lines: str) -> str:
    """Return examples that are the same everywhere, a line each."""
    return _examples(*lines)


def _examples(*lines: str) -> str:
    return "\n".join(["examples:", *(f"  {line}" for line in lines)])
