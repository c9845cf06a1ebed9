"""Findings on a terminal: folded, in colour, each with the options that mend it."""

import shlex
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from scoring.common.finding_groups import folded, tally
from scoring.common.findings import Finding
from scoring.common.fixes import SuggestedFix, written_pairs
from scoring.common.text import shortened

COLOURS = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}
CHARACTERS = 1000
"""Of a message."""


def print_folded(findings: Sequence[Finding]) -> None:
    """Write findings to standard error, worst first, and how many there are."""
    console = Console(stderr=True, highlight=False)
    said: set[tuple[str, ...]] = set()
    for fold in folded(findings):
        head = Text.assemble((fold.level, COLOURS[fold.level]), (f"[{shortened(fold.code)}] ", "dim"))
        console.print(head + Text(shortened(fold.where), "bold"))
        console.print(Padding(Text(shortened(fold.message, CHARACTERS)), (0, 0, 0, 2), expand=False))
        for mend in fold.mends:
            flags = tuple(flags_of(mend))
            if flags and flags not in said:
                said.add(flags)
                help_text = Text.assemble(
                    ("help: ", "bold green"), f"{shortened(mend.label)}: ", (" ".join(flags), "bold")
                )
                console.print(Padding(help_text, (0, 0, 0, 2), expand=False), soft_wrap=True)
    if findings:
        console.print(Text(f"{tally(findings)}.", "bold"))


def flags_of(mend: SuggestedFix) -> Iterator[str]:
    """Yield the options of the command line that mend something, of a team where it is one of several."""
    changes, of_team = mend.changes, f"{mend.team}:" * bool(mend.team)
    if changes.columns:
        yield f"--rename-columns {shlex.quote(of_team + written_pairs(changes.columns))}"
    if changes.cases:
        yield f"--rename-cases {shlex.quote(of_team + written_pairs(changes.cases))}"
    if changes.decimal_commas:
        yield f"--decimal-commas {shlex.quote(mend.team)}" if mend.team else "--decimal-commas"
    if changes.delimiter:
        yield f"--delimiter {shlex.quote(of_team + changes.delimiter)}"
    if changes.repeated[0]:
        row, column = changes.repeated
        yield f"--repeated-rows {shlex.quote(of_team + '='.join(filter(None, (row, column))))}"
    for name, value in changes.options:
        yield f"--{name.replace('_', '-')} {shlex.quote(str(value))}"
    if mend.option:
        value = f"{mend.team}=VALUE" if mend.team else "VALUE"
        yield f"--{mend.option.replace('_', '-')} {shlex.quote(value)}"
