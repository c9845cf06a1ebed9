"""Options of a challenge. Each is declared once, in the `options` or `formula` module of its challenge: the
command line, validation, widgets, provenance and comparisons all use that one declaration."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from scoring.common.findings import Finding, error

Stage = Literal["truth", "predictions", "score", "predict", "compare"]
"""When an option is needed: to read the truth, to read predictions, to score, to run a model without a
truth, to compare teams."""

Values = Mapping[str, Any]
"""Option name -> value."""
Formula = str | Callable[[Values], str]
"""A score in one line; a function where options change it, of values of which any may lack."""


def _no_problem(_value: Any) -> str | None:
    return None


def size_problem(mib: float) -> str | None:
    """Return the problems of the size of a model, as a sentence; None if there are none."""
    if math.isfinite(mib) and mib >= 0:
        return None
    return f"{mib:g} is not a size: give the MiB (bytes / 1048576), 0 or more."


@dataclass(frozen=True)
class Option:
    """One setting of a challenge.

    Attributes:
        name: Keyword in Python; the flag is the same with dashes.
        default: Value where none is given. None allows "not given".
        values: The words that are allowed; empty where the value is not a choice.
        type: Makes the value from the text of the command line; `bool` is a switch.
        per_team: Whether it may differ from team to team in a comparison (`--flag TEAM=VALUE`).
        predictions_only: Why it cannot be given with a model; empty where it can.
        value_labels: Allowed word -> how a page writes it, in the order of the page.
        explain: What a page says about it in a tooltip, Markdown of our own.
        problem: What is wrong with a value of the right type, as a sentence; None if there are none.
    """

    name: str
    help: str
    default: Any = None
    values: tuple[str, ...] = ()
    type: Callable[[str], Any] = str
    metavar: str = "NAME"
    stages: tuple[Stage, ...] = ("score",)
    per_team: bool = False
    predictions_only: str = ""
    label: str = ""
    value_labels: Mapping[str | None, str] = field(default_factory=dict)
    explain: str = ""
    problem: Callable[[Any], str | None] = _no_problem

    @property
    def flag(self) -> str:
        """The option on the command line: `min_confidence` is `--min-confidence`."""
        return "--" + self.name.replace("_", "-")

    def check(self, value: Any, has_model: bool = False) -> Iterator[Finding]:
        """Yield `bad-option` for a value that is not allowed."""
        if value is None and self.default is None:
            return
        if self.values and value not in self.values:
            yield error("bad-option", self.flag, f"{value!r} is not one of {', '.join(self.values)}.")
        elif problem := self.problem(value):
            yield error("bad-option", self.flag, problem)
        if has_model and self.predictions_only:
            yield error("bad-option", self.flag, self.predictions_only)

    def argument(self, by_team: bool = False) -> dict[str, Any]:
        """Return the settings of `argparse.ArgumentParser.add_argument`. by_team: one value per team."""
        if by_team:
            return {"action": "append", "metavar": f"[TEAM=]{self.metavar}", "help": self.help, "default": []}
        if self.type is bool:
            return {"action": "store_true", "help": self.help}
        return {"type": self.type, "default": self.default, "metavar": self.metavar, "help": self.help}


def of_stage(options: Iterable[Option], *stages: Stage) -> tuple[Option, ...]:
    """Return the options that are needed at one of the stages."""
    return tuple(option for option in options if set(stages) & set(option.stages))


def complete(options: Iterable[Option], chosen: Values) -> dict[str, Any]:
    """Return every option with its value.

    Args:
        chosen: Values that are given, by name of the option; the others have their default.

    Raises:
        TypeError: For a name that is not an option.
    """
    values = {option.name: option.default for option in options}
    if unknown := set(chosen) - set(values):
        known = ", ".join(values) or "none"
        raise TypeError(f"unknown options {', '.join(sorted(unknown))}; known here: {known}")
    return values | dict(chosen)


def check(options: Iterable[Option], values: Values, has_model: bool = False) -> list[Finding]:
    """Return `bad-option` for every value that is not allowed, in the order of the options.

    Args:
        values: Values by name of the option.
        has_model: Whether a model is scored, with which some options cannot be given.
    """
    return [
        finding
        for option in options
        if option.name in values
        for finding in option.check(values[option.name], has_model)
    ]
