"""Options of a challenge. The `options` or `formula` module of the challenge declares each option once: the
command line, validation, widgets, provenance and comparisons all use this declaration."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from scoring.common.findings import Finding, error

Stage = Literal["truth", "predictions", "score", "predict", "compare"]
"""Stages that need an option: reading the truth, reading predictions, scoring, running a model without a
truth, comparing teams."""

Values = Mapping[str, Any]
"""Option name -> value."""
Formula = str | Callable[[Values], str]
"""Formula of a score in one line; a function if options change the formula. The function must work without
some or all options."""


def _no_problem(_value: Any) -> str | None:
    return None


def size_problem(mib: float) -> str | None:
    """Return the problem of a model's size as a sentence; None if the size is valid."""
    if math.isfinite(mib) and mib >= 0:
        return None
    return f"{mib:g} is not a size: give the MiB (bytes / 1048576), 0 or more."


@dataclass(frozen=True)
class Option:
    """One setting of a challenge.

    Attributes:
        name: Keyword in Python. The flag of the command line has dashes instead of underscores.
        default: Value if the option is not given. None means "not given".
        values: The allowed words; empty if any value is possible.
        type: Function that converts the text of the command line; `bool` makes a switch.
        per_team: Whether its value may differ between teams in a comparison (`--flag TEAM=VALUE`).
        predictions_only: Reason why the option cannot be used with a model; empty if it can be used.
        value_labels: Allowed word -> its label on a page, in the page's order.
        explain: Text of the page's tooltip, in Markdown.
        problem: Function that returns the problem of a value as a sentence; None if the value is valid.
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
        """The flag on the command line: `min_confidence` becomes `--min-confidence`."""
        return "--" + self.name.replace("_", "-")

    def check(self, value: Any, has_model: bool = False) -> Iterator[Finding]:
        """Yield a finding `bad-option` if a value is not allowed, or if the option cannot be used with a
        model and `has_model` is True. None is allowed if it is the default."""
        if value is None and self.default is None:
            return
        if self.values and value not in self.values:
            yield error("bad-option", self.flag, f"{value!r} is not one of {', '.join(self.values)}.")
        elif problem := self.problem(value):
            yield error("bad-option", self.flag, problem)
        if has_model and self.predictions_only:
            yield error("bad-option", self.flag, self.predictions_only)

    def argument(self, by_team: bool = False) -> dict[str, Any]:
        """Return the arguments for `argparse.ArgumentParser.add_argument`. `by_team` says whether each team
        has its own value."""
        if by_team:
            return {"action": "append", "metavar": f"[TEAM=]{self.metavar}", "help": self.help, "default": []}
        if self.type is bool:
            return {"action": "store_true", "help": self.help}
        return {"type": self.type, "default": self.default, "metavar": self.metavar, "help": self.help}


def of_stage(options: Iterable[Option], *stages: Stage) -> tuple[Option, ...]:
    """Return the options that one or more stages use, such as "truth" or "score"."""
    return tuple(option for option in options if set(stages) & set(option.stages))


def complete(options: Iterable[Option], chosen: Values) -> dict[str, Any]:
    """Return every option with its value.

    Args:
        chosen: Given values by option name; the others get their default.

    Raises:
        TypeError: If a name is not an option.
    """
    values = {option.name: option.default for option in options}
    if unknown := set(chosen) - set(values):
        known = ", ".join(values) or "none"
        raise TypeError(f"unknown options {', '.join(sorted(unknown))}; known here: {known}")
    return values | dict(chosen)


def check(options: Iterable[Option], values: Values, has_model: bool = False) -> list[Finding]:
    """Return a finding `bad-option` for every value that is not allowed, in the order of the options.

    Args:
        has_model: Whether a model is scored; some options cannot be used with a model.
    """
    return [
        finding
        for option in options
        if option.name in values
        for finding in option.check(values[option.name], has_model)
    ]
