"""What the command line writes: findings, files, JSON and progress."""

import json
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from scoring.common.finding_groups import tally
from scoring.common.findings import Finding, InputRefused, error, lines

SURE_SECONDS = 1.0
"""After which it is said how long the rest takes."""
PROGRESS_WIDTH = 60


def print_findings(findings: Iterable[Finding]) -> None:
    """Write findings to standard error: a line each, folded and in colour where a person reads it."""
    findings = list(findings)
    if sys.stderr.isatty():
        from scoring.cli.terminal import print_folded  # rich is for terminals only

        print_folded(findings)
        return
    for line in lines(findings):
        print(line, file=sys.stderr)


def closing(verdict: str, problems: Sequence[Finding]) -> str:
    """Return the closing line of a check: the verdict alone, as scripts compare it; for a person with what
    happened and what to do."""
    if not sys.stdout.isatty():
        return verdict
    if problems:
        return f"{verdict}: {tally(problems)}. Nothing was scored: mend what is listed above and check again."
    return f"{verdict}: nothing is in the way. Nothing was scored yet: the command score does that."


def as_json(value: Any) -> str:
    """Return a value as JSON text."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def write(target: str, content: str | bytes, option: str) -> None:
    """Write text or bytes to a file, or with "-" to standard output.

    Raises:
        InputRefused: `bad-option` for the option that names the file.
    """
    if target == "-":
        if isinstance(content, bytes):
            sys.stdout.buffer.write(content)
        else:
            sys.stdout.write(content)
        return
    data = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
    try:
        Path(target).write_bytes(data)
    except OSError as problem:
        words = f"{target} cannot be written: {problem.strerror}."
        raise InputRefused([error("bad-option", option, words)]) from problem


def answer(target: str | None, value: Any, words: str) -> None:
    """Write JSON where it is wanted, else say the words. target: of JSON, None where none is wanted."""
    if target:
        write(target, as_json(value), "--json")
    else:
        print(words)


def progress(counted: str = "images") -> Callable[[int, int], None] | None:
    """Return what counts progress on standard error; None where that is no terminal."""
    if not sys.stderr.isatty():
        return None
    start = time.monotonic()

    def show(done: int, total: int) -> None:
        elapsed = time.monotonic() - start
        left = f", about {elapsed / done * (total - done):.0f} s left" if 0 < done < total else ""
        words = f"{done} of {total} {counted}{left * (elapsed > SURE_SECONDS)}"
        end = "\n" if done == total else ""
        print(f"\r{words:<{PROGRESS_WIDTH}}", end=end, file=sys.stderr, flush=True)

    return show
