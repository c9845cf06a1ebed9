"""What a command writes for readers: a report, and what a paper needs."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from scoring.cli.output import write
from scoring.common.findings import Finding, InputRefused, error

Lines = Sequence[tuple[str, str]]


def front_lines(arguments: argparse.Namespace, submission: str | None) -> tuple[Lines, list[Finding]]:
    """Return what stands on the front page, the names of the files and what the command line adds, and
    `bad-option` for every line without a name."""
    files = [("Test set", arguments.truth), ("Submission", submission)]
    lines = [(name, Path(path).name or str(path)) for name, path in files if path]
    problems = []
    for given in arguments.front:
        name, mark, text = given.partition("=")
        if mark and name.strip():
            lines.append((name.strip(), text.strip()))
        else:
            problems.append(error("bad-option", "--front", f"write NAME=TEXT instead of {given!r}."))
    return lines, problems


def write_reports(
    arguments: argparse.Namespace,
    lines: Lines,
    html: Callable[[Lines], str],
    paper: Callable[[Lines], bytes],
) -> None:
    """Write the report and the zip for papers where they are wanted; html and paper make them."""
    if arguments.html:
        write(arguments.html, html(lines), "--html")
    if arguments.paper:
        try:
            Path(arguments.paper).write_bytes(paper(lines))
        except OSError as problem:
            words = f"{arguments.paper} cannot be written: {problem.strerror}."
            raise InputRefused([error("bad-option", "--paper", words)]) from problem
