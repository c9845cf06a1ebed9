"""Readers that misbehave, for the tests of the confined processes that run them."""

import os
import time

from scoring.common.findings import InputRefused, error
from scoring.common.fixes import keeping
from scoring.common.transport import isolated


@isolated
def sleep(data: bytes, name: str) -> None:
    """Take longer than any limit."""
    time.sleep(600)


@isolated
def allocate(data: bytes, name: str) -> int:
    """Ask for more memory than is allowed."""
    return len(bytearray(int(data)))


@isolated
def leave(data: bytes, name: str) -> None:
    """End the process."""
    os._exit(3)


@isolated
def fail(data: bytes, name: str) -> None:
    """Raise what no reader should."""
    raise RuntimeError("a defect")


@isolated
def open_file(data: bytes, name: str) -> bool:
    """Return whether a file of the machine can be read."""
    try:
        with open(data.decode(), "rb"):
            return True
    except OSError:
        return False


@isolated
def refuse(data: bytes, name: str) -> None:
    """Refuse with a problem that has a way to fix it."""
    raise InputRefused([error("unreadable-file", name, "No.").with_fixes(keeping("first", "id"))])


@isolated
def echo(data: bytes, name: str, value: object) -> object:
    """Return a value."""
    return value
