"""Read the inputs of a command, and keep everything that is wrong with any of them."""

import argparse
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from scoring.challenge import Challenge
from scoring.cli.output import progress
from scoring.findings import Finding, InputRefused, error
from scoring.mends import Changes, pairs_problem, parsed_pairs
from scoring.options import Option, Values
from scoring.readers.sources import Mended, Source
from scoring.statistics.options import StatisticsOptions


class Reading:
    """Problems and findings of several inputs, so that one answer lists everything once."""

    def __init__(self, of_teams: bool = False) -> None:
        self.of_teams = of_teams
        self.problems: list[Finding] = []
        self.findings: list[Finding] = []

    def attempt(self, read: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Return what `read` gives; where it refuses, what could be salvaged."""
        try:
            found = read(*arguments, **options)
        except InputRefused as refused:
            self.add(refused.problems, refused.findings)
            return refused.salvaged
        self.add((), found.findings)
        return found

    def add(self, problems: Iterable[Finding], findings: Iterable[Finding]) -> None:
        """Keep further problems, and findings that are new."""
        if self.of_teams:  # the files of many teams are not mended by options
            problems, findings = without_mends(problems, True), without_mends(findings, True)
        self.problems += problems
        known = set(self.findings)
        self.findings += [f for f in findings if f not in known]

    def raise_problems(self) -> None:
        """Raise InputRefused where there is any problem."""
        if self.problems:
            raise InputRefused(self.problems, self.findings)


def chosen(arguments: argparse.Namespace, options: Iterable[Option]) -> dict[str, Any]:
    """Return the options as the command line gave them."""
    return {option.name: getattr(arguments, option.name) for option in options}


def statistics(arguments: argparse.Namespace) -> StatisticsOptions:
    """Return replicates, seed, unit and interval as the command line gave them."""
    return StatisticsOptions(arguments.resamples, arguments.seed, arguments.group, arguments.interval)


def read_truth(reading: Reading, challenge: Challenge[Any, Any], arguments: argparse.Namespace) -> Any:
    """Read the test set; what could be salvaged where it is refused."""
    options = chosen(arguments, challenge.options_of("truth"))
    found = reading.attempt(
        challenge.read_truth, arguments.truth, images=arguments.images, **counted(challenge), **options
    )
    reading.problems = without_mends(reading.problems)  # options mend predictions only
    reading.findings = without_mends(reading.findings)
    return found


def mend_problems(arguments: argparse.Namespace) -> list[Finding]:
    """Return `bad-option` for options that say how predictions are read and cannot be."""
    pairs = {"--rename-columns": arguments.rename_columns, "--rename-cases": arguments.rename_cases}
    wrong = {flag: words for flag, text in pairs.items() if (words := pairs_problem(text))}
    if len(arguments.delimiter) > 1 or arguments.delimiter in ('"', "\n", "\r"):
        wrong["--delimiter"] = f"{arguments.delimiter[:20]!r} is not one character that separates cells."
    return [error("bad-option", flag, words) for flag, words in wrong.items()]


def without_mends(findings: Iterable[Finding], but_options: bool = False) -> list[Finding]:
    """Return findings without the mends that a command has no options for. but_options: those stay that set
    options of the challenge."""
    return [
        replace(finding, mends=tuple(m for m in finding.mends if but_options and not m.changes.of_files))
        for finding in findings
    ]


def submitted(arguments: argparse.Namespace) -> Source:
    """Return the predictions, with the changes that the command line names."""
    changes = Changes(
        tuple(parsed_pairs(arguments.rename_columns)),
        tuple(parsed_pairs(arguments.rename_cases)),
        arguments.decimal_commas,
        arguments.delimiter,
    )
    path: str = arguments.predictions
    return Mended(path, changes) if changes else path


def read_predictions(
    challenge: Challenge[Any, Any], source: Any, truth: Any, options: Values, name: str | None = None
) -> Any:
    """Read predictions with the options that reading them needs."""
    needed = challenge.needed("predictions", options)
    return challenge.read_predictions(source, truth, name or None, **counted(challenge), **needed)


def counted(challenge: Challenge[Any, Any]) -> dict[str, Any]:
    """Return what counts progress, where a challenge reads for long."""
    return {"progress": progress(challenge.reading_counts)} if challenge.reading_counts else {}
