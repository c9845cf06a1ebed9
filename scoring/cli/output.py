"""Prints and writes what the command line returns: findings, files, JSON, progress, reports."""

import argparse
import shlex
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from scoring.common.findings import Finding, error, grouped, lines, tally, writing
from scoring.common.fixes import SuggestedFix, written_pairs
from scoring.common.text import as_json, shortened

SURE_SECONDS = 1.0
"""Running time in seconds after which the remaining time is shown."""
PROGRESS_WIDTH = 60


def print_findings(findings: Iterable[Finding]) -> None:
    """Write findings to standard error, one per line. On a terminal, findings are grouped and coloured."""
    findings = list(findings)
    if sys.stderr.isatty():
        print_grouped(findings)
        return
    fixes = (fix for finding in findings for fix in finding.fixes)
    for line in (*lines(findings), *(f"help: {label}: {flags}" for label, flags in helps(fixes))):
        print(line, file=sys.stderr)


def helps(fixes: Iterable[SuggestedFix]) -> Iterator[tuple[str, str]]:
    """Yield the label and the command line options of each fix, without duplicates. Fixes that were already
    applied are left out."""
    written = [(fix, " ".join(flags_of(fix))) for fix in fixes]
    printed = {flags for fix, flags in written if not fix.label}
    for fix, flags in written:
        if flags and flags not in printed:
            printed.add(flags)
            yield shortened(fix.label), flags


def offered(findings: Iterable[Finding], arguments: argparse.Namespace) -> list[Finding]:
    """Return findings without those fixes for which the command has no options."""

    def is_taken(fix: SuggestedFix) -> bool:
        names = (flag.split()[0].removeprefix("--").replace("-", "_") for flag in flags_of(fix))
        return all(hasattr(arguments, name) for name in names)

    return [replace(entry, fixes=tuple(filter(is_taken, entry.fixes))) for entry in findings]


def closing(verdict: str, problems: Sequence[Finding]) -> str:
    """Return the last line that `check` prints. On a terminal, it also says what to do next."""
    if not sys.stdout.isatty():
        return verdict
    if problems:
        return f"{verdict}: {tally(problems)}. Nothing was scored: fix the problems above and check again."
    return f"{verdict}: the files can be scored. To score them, use the command score."


def write(target: str, content: str | bytes | Iterable[str], option: str) -> None:
    """Write text (possibly in parts) or bytes to a file, or with "-" to standard output. Raises InputRefused
    `bad-option` if the file cannot be written. `option` is the option that names the file."""
    if target == "-":
        if isinstance(content, bytes):
            sys.stdout.buffer.write(content)
        else:
            sys.stdout.writelines([content] if isinstance(content, str) else content)
        return
    parts = [content] if isinstance(content, (str, bytes)) else content
    encoded = (p if isinstance(p, bytes) else p.encode("utf-8", "backslashreplace") for p in parts)
    with writing(target, option), Path(target).open("wb") as file:
        file.writelines(encoded)


def respond(target: str | None, value: Any, line: str) -> None:
    """Write a value as JSON if requested, otherwise print a text. `target` is the file for the JSON; None if
    no JSON is requested."""
    if target:
        write(target, as_json(value), "--json")
    else:
        print(line)


def progress(counted: str = "images") -> Callable[[int, int], None] | None:
    """Return a function that shows progress on standard error; None if standard error is not a terminal."""
    if not sys.stderr.isatty():
        return None
    start = time.monotonic()

    def show(done: int, total: int) -> None:
        elapsed = time.monotonic() - start
        remaining = f", about {elapsed / done * (total - done):.0f} s left" if 0 < done < total else ""
        line = f"{done} of {total} {counted}{remaining * (elapsed > SURE_SECONDS)}"
        end = "\n" if done == total else ""
        print(f"\r{line:<{PROGRESS_WIDTH}}", end=end, file=sys.stderr, flush=True)

    return show


Lines = Sequence[tuple[str, str]]


def front_lines(arguments: argparse.Namespace, submission: str | None) -> tuple[Lines, list[Finding]]:
    """Return the lines of the report's front page (file names, and texts from the command line), and a
    finding `bad-option` for every line without a name."""
    files = [("Test set", arguments.truth), ("Submission", submission)]
    lines = [(name, Path(path).name or str(path)) for name, path in files if path]
    problems = []
    for line_text in arguments.front:
        name, mark, text = line_text.partition("=")
        if mark and name.strip():
            lines.append((name.strip(), text.strip()))
        else:
            problems.append(error("bad-option", "--front", f"write NAME=TEXT instead of {line_text!r}."))
    return lines, problems


def write_reports(
    arguments: argparse.Namespace,
    lines: Lines,
    html: Callable[[Lines], str],
    paper: Callable[[Lines], bytes],
) -> None:
    """Write the report and the zip for papers, if the command line requests them. `html` and `paper` are
    functions that return their contents."""
    if arguments.html:
        write(arguments.html, html(lines), "--html")
    if arguments.paper:
        with writing(arguments.paper, "--paper"):
            Path(arguments.paper).write_bytes(paper(lines))


def write_appendix(report: str, text: str) -> None:
    """Write the part that a report leaves out into `report-appendix.html` beside it. Nothing is written if
    this part is empty, or if the report goes to standard output."""
    if text and report != "-":
        path = Path(report)
        write(str(path.with_name(f"{path.stem}-appendix.html")), text, "--html")


MOST_CELLS = 60
"""Maximum width of a column in character cells of the terminal. A Chinese character or an emoji takes two
cells."""


def aligned(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Return the lines of a table. Each column is as wide as its widest cell; the last column is not padded.

    Args:
        right: Columns that are aligned right, such as numbers.
    """
    from rich.cells import cell_len, set_cell_size  # for tables only

    def cut(text: str) -> str:
        fits = cell_len(text) <= MOST_CELLS
        return text if fits else f"{set_cell_size(text, MOST_CELLS - 1).rstrip()}…"

    cells = [[*map(cut, row[:-1]), row[-1]] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]

    def padded(row: Sequence[str]) -> Iterator[str]:
        for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
            blanks = " " * (width - cell_len(cell))
            yield blanks + cell if place in right else cell + blanks

    return ["  ".join(padded(row)).rstrip() for row in cells]


COLOURS = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}
CHARACTERS = 1000
"""Maximum number of characters of a message."""


def print_grouped(findings: Sequence[Finding]) -> None:
    """Write findings to standard error, worst first, each with its number of occurrences."""
    from rich.console import Console  # for terminals only
    from rich.padding import Padding
    from rich.text import Text

    console = Console(stderr=True, highlight=False)
    printed: set[str] = set()
    for group in grouped(findings):
        head = Text.assemble((group.level, COLOURS[group.level]), (f"[{shortened(group.code)}] ", "dim"))
        console.print(head + Text(shortened(group.where), "bold"))
        console.print(Padding(Text(shortened(group.message, CHARACTERS)), (0, 0, 0, 2), expand=False))
        for label, flags in helps(group.fixes):
            if flags not in printed:
                printed.add(flags)
                console.print(
                    Text.assemble("  ", ("help: ", "bold green"), f"{label}: ", (flags, "bold")),
                    soft_wrap=True,
                )
    if findings:
        console.print(Text(f"{tally(findings)}.", "bold"))


def flags_of(fix: SuggestedFix) -> Iterator[str]:
    """Yield the command line options of a fix. If there are several teams, the options name the team."""
    changes, of_team = fix.changes, f"{fix.team}:" * bool(fix.team)
    if changes.columns:
        yield f"--rename-columns {shlex.quote(of_team + written_pairs(changes.columns))}"
    if changes.cases:
        yield f"--rename-cases {shlex.quote(of_team + written_pairs(changes.cases))}"
    if changes.decimal_commas:
        yield f"--decimal-commas {shlex.quote(fix.team)}" if fix.team else "--decimal-commas"
    if changes.delimiter:
        yield f"--delimiter {shlex.quote(of_team + changes.delimiter)}"
    if changes.repeated[0]:
        row, column = changes.repeated
        yield f"--repeated-rows {shlex.quote(of_team + '='.join(filter(None, (row, column))))}"
    if changes.edits:
        yield f"--edit-table {shlex.quote(of_team + written_pairs(changes.edits))}"
    if changes.submitted_only:
        yield "--submitted-only"
    for name, value in changes.options:
        yield f"--{name.replace('_', '-')} {shlex.quote(str(value))}"
    if fix.option:
        value = f"{fix.team}=VALUE" if fix.team else "VALUE"
        yield f"--{fix.option.replace('_', '-')} {shlex.quote(value)}"
