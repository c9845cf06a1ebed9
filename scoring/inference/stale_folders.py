"""Temporary folders of workers, and those that a killed server left behind.

A worker's folder is always empty: it is where a confined process stands, and nothing is written there.
"""

import contextlib
import os
import re
import sys
import tempfile
from functools import cache
from pathlib import Path

_NAME = re.compile(r"benchside-(\d+)-.+")


def folder() -> "tempfile.TemporaryDirectory[str]":
    """Make the folder of a worker; the first one of a process sweeps what others left."""
    _sweep_once()
    return tempfile.TemporaryDirectory(prefix=f"benchside-{os.getpid()}-", ignore_cleanup_errors=True)


def abandoned() -> list[Path]:
    """Return the folders of workers whose server is gone."""
    matches = ((path, _NAME.fullmatch(path.name)) for path in Path(tempfile.gettempdir()).glob("benchside-*"))
    return [path for path, name in matches if name and not _lives(int(name[1]))]


def sweep() -> int:
    """Remove the empty folders of servers that are gone, and return how many."""
    removed = 0
    for path in abandoned():
        with contextlib.suppress(OSError):  # it holds something, or is another user's
            path.rmdir()
            removed += 1
    return removed


@cache
def _sweep_once() -> int:
    return sweep()


def _lives(process: int) -> bool:
    """Return whether a process of that number runs; where that cannot be told, it does."""
    if sys.platform == "win32":  # where the same call would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
