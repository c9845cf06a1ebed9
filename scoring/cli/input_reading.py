"""Reads the inputs of a command, and collects the problems of all of them."""

import argparse
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from scoring.cli.output import progress
from scoring.common.findings import Finding, ProblemCollector, error
from scoring.common.fixes import (
    EDITS,
    InputChanges,
    edits_problem,
    pairs_problem,
    parsed_pairs,
    parsed_repeated,
)
from scoring.core.challenge import Challenge
from scoring.core.options import Option, Values
from scoring.inputs.sources import FixedSource, Source
from scoring.statistics.interval_options import StatisticsOptions

FIX_OPTIONS = ("rename_columns", "rename_cases", "decimal_commas", "delimiter", "repeated_rows", "edit_table")
"""Names of the options for reading predictions, such as renamed columns."""
UNCHANGED = {name: False if name == "decimal_commas" else "" for name in FIX_OPTIONS}


def chosen(arguments: argparse.Namespace, options: Iterable[Option]) -> dict[str, Any]:
    """Return the options that the command line sets."""
    return {option.name: getattr(arguments, option.name) for option in options}


def statistics(arguments: argparse.Namespace) -> StatisticsOptions:
    """Return the statistics options of the command line: replicates, seed, unit and interval."""
    return StatisticsOptions(arguments.resamples, arguments.seed, arguments.group, arguments.interval)


def read_truth(
    reading: ProblemCollector, challenge: Challenge[Any, Any], arguments: argparse.Namespace
) -> Any:
    """Read the test set. If it has problems, record them and return the part that could be read; None if
    there is none."""
    options = chosen(arguments, challenge.options_of("truth"))
    truth = reading.attempt(
        challenge.read_truth,
        arguments.truth,
        images=getattr(arguments, "images", None),
        **counted(challenge),
        **options,
    )
    if truth is not None and getattr(arguments, "submitted_only", False) and arguments.predictions:
        needed = chosen(arguments, challenge.options_of("predictions"))
        truth = challenge.submitted_part(truth, submitted(arguments), **counted(challenge), **needed)
    reading.problems = without_fixes(reading.problems)  # options change predictions only
    reading.findings = without_fixes(reading.findings)
    return truth


def fix_problems(arguments: argparse.Namespace) -> list[Finding]:
    """Check the options for reading predictions. Return a finding `bad-option` for each invalid one."""
    pairs = {"--rename-columns": arguments.rename_columns, "--rename-cases": arguments.rename_cases}
    wrong = {flag: message for flag, text in pairs.items() if (message := pairs_problem(text))}
    if len(arguments.delimiter) > 1 or arguments.delimiter in ('"', "\n", "\r"):
        wrong["--delimiter"] = f"{arguments.delimiter[:20]!r} is not one character that separates cells."
    has_model = bool(getattr(arguments, "model", None))
    if edits := edits_problem(arguments.edit_table, has_model):
        wrong["--edit-table"] = edits
    if arguments.repeated_rows and not parsed_repeated(arguments.repeated_rows)[0]:
        ways = "identical, mean=COLUMN, first=COLUMN and last=COLUMN"
        message = f"{arguments.repeated_rows[:60]!r} is not one of {ways}."
        wrong["--repeated-rows"] = message
    if has_model:
        of_files = [name for name in (*FIX_OPTIONS, "submitted_only") if name != "edit_table"]
        named = [name for name in of_files if getattr(arguments, name, None)]  # boards have no such option
        message = (
            "this option sets how a prediction file is read, but a model was given: leave the option out."
        )
        wrong |= {f"--{name.replace('_', '-')}": message for name in named}
    return [error("bad-option", flag, message) for flag, message in wrong.items()]


def changes_by_team(
    arguments: argparse.Namespace, teams: Collection[str]
) -> tuple[dict[str, InputChanges], list[Finding]]:
    """Return the changes that the command line makes to each team's file, and a finding `bad-option` for each
    invalid change."""
    changes, wrong = dict.fromkeys(teams, InputChanges()), []
    for name in FIX_OPTIONS:
        for text in getattr(arguments, name):
            team, value = _of_team(name, text, teams)
            single = argparse.Namespace(**{**UNCHANGED, name: value})
            problems = fix_problems(single)
            if team and team not in teams:
                problems = [error("bad-option", "--decimal-commas", f"{team!r} is not one of the teams.")]
            for name_of_team in () if problems else (team,) if team else teams:
                changes[name_of_team] = changes[name_of_team].joined(_changes(single))
            wrong += problems
    return changes, wrong


def _of_team(name: str, text: str, teams: Collection[str]) -> tuple[str, str | bool]:
    """Return the team and the value of an option; the team is "" if the value holds for all teams."""
    if name == "decimal_commas":
        return text, True
    team, mark, value = text.partition(":")
    return (team, value) if mark and team in teams else ("", text)


def without_fixes(findings: Iterable[Finding]) -> list[Finding]:
    """Remove the fixes from findings, for commands that have no options to apply them."""
    return [replace(finding, fixes=()) for finding in findings]


def _changes(arguments: argparse.Namespace) -> InputChanges:
    return InputChanges(
        tuple(parsed_pairs(arguments.rename_columns)),
        tuple(parsed_pairs(arguments.rename_cases)),
        arguments.decimal_commas,
        arguments.delimiter,
        parsed_repeated(arguments.repeated_rows),
        edits=tuple(pair for pair in parsed_pairs(arguments.edit_table) if pair[0] in EDITS),
    )


def submitted(arguments: argparse.Namespace) -> Source:
    """Return the source of the predictions or the model, with the changes that the command line makes to
    it."""
    changes, path = _changes(arguments), arguments.predictions or arguments.model
    return FixedSource(path, changes) if changes else path


def read_predictions(
    challenge: Challenge[Any, Any], source: Any, truth: Any, options: Values, name: str | None = None
) -> Any:
    """Read predictions, with the changes that the options of the command line make."""
    needed = challenge.needed("predictions", options)
    return challenge.read_predictions(source, truth, name or None, **counted(challenge), **needed)


def counted(challenge: Challenge[Any, Any]) -> dict[str, Any]:
    """Return the keyword argument that shows progress on the terminal; empty if the challenge reads its files
    quickly."""
    return {"progress": progress(challenge.readers.counts)} if challenge.readers.counts else {}
