"""Command `compare`: ranks and compares several submissions."""

import argparse
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from scoring.challenges import load_challenge
from scoring.cli.input_reading import (
    changes_by_team,
    chosen,
    read_predictions,
    read_truth,
    statistics,
)
from scoring.cli.output import (
    Lines,
    front_lines,
    print_findings,
    progress,
    write,
    write_appendix,
    write_reports,
)
from scoring.cli.terminal_tables import comparison_table
from scoring.common.findings import Finding, InputRefused, ProblemCollector, error
from scoring.common.fixes import InputChanges, renamed
from scoring.comparison.comparability import Excluded, of_refusal
from scoring.comparison.compare import Comparison
from scoring.comparison.compare import compare as compare_teams
from scoring.comparison.pairs import test_problems
from scoring.comparison.team_facts import TeamFacts, read_facts
from scoring.core.challenge import Challenge, Model
from scoring.core.options import Values
from scoring.inputs import team_entries
from scoring.inputs.sources import TEXT_TABLES, FixedSource, PlainSource, SourceFiles, open_source
from scoring.inputs.team_entries import TeamEntry


def compare(arguments: argparse.Namespace) -> None:
    """Compare teams on the same truth."""
    challenge, reading = load_challenge(arguments.challenge), ProblemCollector()
    sources, excluded = _named(arguments.teams, challenge.inputs.streamed, reading)
    by_team, shared = _team_options(reading, challenge, arguments, sources)
    changes, unreadable = changes_by_team(arguments, sources)
    sources = {name: _fixed(entry, changes[name]) for name, entry in sources.items()}
    lines, unnamed = front_lines(arguments, None)
    paper_zip, settings = chosen(arguments, challenge.options_of("compare")), statistics(arguments)
    truth = read_truth(reading, challenge, arguments)
    facts, noticed = _facts(arguments.facts, sources, reading)
    wrong = [*unnamed, *unreadable, *settings.problems(), *challenge.check_options(paper_zip)]
    wrong += test_problems(arguments.pairs_test)
    for name, entry in sources.items():
        own = {**shared, **by_team.get(name, {})}
        wrong += [p for p in challenge.check_options(own, entry.is_model) if p not in wrong]
    if not arguments.without_refused:
        reading.add([problem for team in excluded for problem in team.problems], ())
        excluded = []
    teams, refused = _submissions(challenge, sources, truth, shared, reading, arguments.without_refused)
    excluded += refused
    if not arguments.without_refused or not teams:
        for team in excluded:
            reading.add(team.of_team(team.problems), team.of_team(team.findings))
    lacking = [] if truth is None else challenge.readers.missing_columns(truth, arguments.metadata)
    reading.add([*wrong, *lacking], ())
    reading.raise_problems()
    options = {**shared, **paper_zip, **vars(settings), "metadata": arguments.metadata}
    comparison = compare_teams(
        challenge,
        truth,
        teams,
        by_team,
        pairs_metric=arguments.pairs_metric,
        pairs_test=arguments.pairs_test,
        facts=facts,
        excluded=excluded if arguments.without_refused else None,
        **options,
    )
    comparison = replace(comparison, findings=(*noticed, *comparison.findings))
    print_findings(comparison.noticed)
    write_reports(arguments, lines, partial(_report, comparison), partial(_paper, comparison))
    if arguments.html:
        from scoring.comparison.report import appendix

        write_appendix(arguments.html, appendix(comparison, lines))
    if arguments.json:
        write(arguments.json, comparison.json_parts(), "--json")
    else:
        print(comparison_table(comparison))


def _report(comparison: Comparison, lines: Lines) -> str:
    from scoring.comparison.report import html  # figures take a second to import

    return html(comparison, lines)


def _paper(comparison: Comparison, lines: Lines) -> bytes:
    from scoring.comparison.report import paper_zip

    return paper_zip(comparison, lines)


def _fixed(entry: TeamEntry, changes: InputChanges) -> TeamEntry:
    """Return a submission with the changes that apply to it. Models, and tables without the renamed columns,
    stay unchanged."""
    if entry.is_model or not changes or not _has_renamed(entry, changes):
        return entry
    return replace(entry, source=FixedSource(cast(PlainSource | SourceFiles, entry.source), changes))


def _has_renamed(entry: TeamEntry, changes: InputChanges) -> bool:
    """Return whether a table contains a column that is renamed. Return True for other kinds of files, and if
    there are other changes than renamed columns."""
    if changes != InputChanges(columns=changes.columns):
        return True
    with suppress(InputRefused):
        files = open_source(entry.source)
        if files.kind == "file" and files.name.lower().endswith(TEXT_TABLES):
            header = files.read_table(files.members[0])[1].header
            return any(renamed(name, changes.columns) != name for name in header)
    return True


def _submissions(
    challenge: Challenge[Any, Any],
    sources: Mapping[str, TeamEntry],
    truth: Any,
    shared: Values,
    reading: ProblemCollector,
    without_refused: bool,
) -> tuple[dict[str, Any], list[Excluded]]:
    """Return the predictions of every team, and the refused teams. A model runs only if everything that was
    read before it is valid."""
    teams: dict[str, Any] = {}
    excluded: list[Excluded] = []
    for name, entry in sources.items():
        try:
            broken = truth is None or reading.problems or (excluded and not without_refused)
            if entry.is_model and broken:
                challenge.models(str(entry.name or entry.source))
                continue
            teams[name] = _read(challenge, entry, truth, shared)
            hard, _ = challenge.readers.faults(teams[name], shared) if not entry.is_model else ([], [])
            if hard:
                del teams[name]
                excluded.append(Excluded(name, tuple(hard)))
        except InputRefused as refused:
            excluded.append(of_refusal(name, refused))
    return teams, excluded


def _facts(
    path: str | None, teams: Collection[str], reading: ProblemCollector
) -> tuple[dict[str, TeamFacts], list[Finding]]:
    """Return the facts about teams from the table, and findings about the table; empty without a table."""
    if path is None:
        return {}, []
    try:
        return read_facts(path, teams)
    except InputRefused as refused:
        reading.add(refused.problems, refused.findings)
        return {}, []


def _read(challenge: Challenge[Any, Any], entry: TeamEntry, truth: Any, options: Values) -> Any:
    """Return a team's predictions, from its file or by running its model."""
    if not entry.is_model:
        return read_predictions(challenge, entry.source, truth, options, entry.name)
    challenge.models(str(entry.name or entry.source))
    return challenge.predict(cast(Model, entry.source), truth, progress=progress(), name=entry.name or None)


def _named(
    arguments: list[str], streamed: tuple[str, ...], reading: ProblemCollector
) -> tuple[dict[str, TeamEntry], list[Excluded]]:
    """Return the entry of each team, from TEAM=P arguments and from folders and zips, and the entries that
    cannot be read. Names are unique and not empty."""
    sources: dict[str, TeamEntry] = {}
    unreadable: list[Finding] = []
    for argument in arguments:
        name, mark, source = argument.partition("=")
        if name.strip() and mark and source:
            entries = {name: team_entries.of_path(source)}
            reading.add(team_entries.name_problems(name, "TEAM=P"), ())
        elif not mark and (
            Path(argument).is_dir() or (Path(argument).is_file() and argument.lower().endswith(".zip"))
        ):
            entries, problems = _entries(argument, streamed)
            unreadable += problems
        else:
            message = (
                "write TEAM=FILE: a name, an equals sign and the team's file; or name a folder or zip "
                "with one entry per team."
            )
            reading.add([error("bad-option", argument, message)], ())
            continue
        for team, entry in entries.items():
            if team in sources:
                reading.add(
                    [
                        error(
                            "bad-option",
                            argument,
                            f"team {team!r} is named twice: give each team its own name.",
                        )
                    ],
                    (),
                )
            else:
                sources[team] = entry
    return sources, [Excluded(problem.where, (problem,)) for problem in unreadable]


def _entries(source: str, streamed: tuple[str, ...]) -> tuple[dict[str, TeamEntry], list[Finding]]:
    try:
        return team_entries.of_teams(source, streamed=streamed)
    except InputRefused as refused:
        return {}, list(refused.problems)


def _team_options(
    reading: ProblemCollector,
    challenge: Challenge[Any, Any],
    arguments: argparse.Namespace,
    teams: Iterable[str],
) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """Return the options of single teams by team, and the options for all teams."""
    shared = chosen(arguments, challenge.options_of("score"))
    by_team: dict[str, dict[str, Any]] = {}
    for option in challenge.options_of("score"):
        if not option.per_team:
            continue
        texts, shared[option.name] = shared[option.name], option.default
        for text in texts:
            team, mark, value = text.rpartition("=")
            try:
                (by_team.setdefault(team, {}) if mark else shared)[option.name] = option.type(value)
            except ValueError:
                message = f"{text!r} is neither a number nor TEAM=number."
                reading.add([error("bad-option", option.flag, message)], ())
            if mark and team not in teams:
                reading.add([error("bad-option", option.flag, f"{team!r} is not one of the teams.")], ())
    return by_team, shared
