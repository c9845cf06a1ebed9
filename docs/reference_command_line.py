"""The reference page of the command line, from the parsers of the commands."""

import argparse
from collections.abc import Iterator, Mapping

from reference_python import cell

from scoring.challenges import REGISTRY
from scoring.cli.commands import parser
from scoring.cli.refusing_parser import Parser

Row = tuple[str, str]
"""An option as a user types it, and its meaning."""


def command_line() -> str:
    """Return the help of every command."""
    return "\n".join(["# Command line", "", *_help(parser(), 2)])


def _help(command: argparse.ArgumentParser, level: int) -> Iterator[str]:
    _fill(command)
    if level > 2:
        yield f"{'#' * (level - 1)} `{_named(command.prog)}`\n"
    yield f"```text\n{_named(command.format_help()).strip()}\n```\n"
    for action in command._actions:
        if not isinstance(action, argparse._SubParsersAction):
            continue
        if set(action.choices) & set(REGISTRY):
            yield from _of_challenges(command, action.choices)
            continue
        for follower in action.choices.values():
            yield from _help(follower, level + 1)


def _fill(command: argparse.ArgumentParser) -> None:
    """Add the options that a parser otherwise adds only when it is used for the first time."""
    if isinstance(command, Parser) and command.fill:
        command.fill(command)
        command.fill = None


def _named(text: str) -> str:
    return text.replace("python -m scoring", "benchside").replace("mkdocs", "benchside")


def _of_challenges(
    command: argparse.ArgumentParser, parsers: Mapping[str, argparse.ArgumentParser]
) -> Iterator[str]:
    """Yield a table of the options that every challenge has, then a table of the other options."""
    having: dict[Row, list[str]] = {}
    for challenge_id, of_challenge in parsers.items():
        _fill(of_challenge)
        for row in _rows(of_challenge):
            having.setdefault(row, []).append(challenge_id)
    name = _named(command.prog)
    yield f"`{name} CHALLENGE` accepts these options for every challenge:\n"
    yield "| option | meaning |\n|---|---|"
    yield from (
        f"| `{option}` | {about} |" for (option, about), own in having.items() if len(own) == len(parsers)
    )
    own_rows = [(row, own) for row, own in having.items() if len(own) < len(parsers)]
    if own_rows:
        yield "\nSome challenges accept further options:\n"
        yield "| challenge | option | meaning |\n|---|---|---|"
        for (option, about), own in own_rows:
            yield f"| {', '.join(f'`{one}`' for one in own)} | `{option}` | {about} |"
    yield ""


def _rows(of_challenge: argparse.ArgumentParser) -> Iterator[Row]:
    """Yield the arguments of a parser that `--help` lists."""
    for action in of_challenge._actions:
        if action.help is argparse.SUPPRESS or isinstance(action, argparse._HelpAction):
            continue
        value = action.metavar or "|".join(action.choices or ()) or action.dest.upper()
        flags = ", ".join(action.option_strings)
        written = flags if flags and action.nargs == 0 else f"{flags} {value}".strip()
        required = " (required)" if flags and action.required else ""
        yield written, cell(f"{action.help}{required}".replace("*", "\\*"))
