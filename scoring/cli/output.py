"""What the command line writes: findings, files, JSON and progress."""

import json
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from scoring.findings import Finding, InputRefused, error, lines


def print_findings(findings: Iterable[Finding]) -> None:
    """Write findings to standard error, a line each."""
    for line in lines(findings):
        print(line, file=sys.stderr)


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


def progress(counted: str = "images") -> Callable[[int, int], None] | None:
    """Return what counts progress on standard error; None where that is no terminal."""
    if not sys.stderr.isatty():
        return None
    start = time.monotonic()

    def show(done: int, total: int) -> None:
        left = (time.monotonic() - start) / done * (total - done) if done else 0
        end = "\n" if done == total else ""
        words = f"\r{done} of {total} {counted}, about {left:.0f} s left "
        print(words, end=end, file=sys.stderr, flush=True)

    return show
