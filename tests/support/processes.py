"""The child processes that a test started: whatever else runs in this process may have children of its
own."""

import os
from pathlib import Path

others: set[int] = set()
"""Those that were there before the test."""


def living() -> set[int]:
    """Living child processes of this one."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid() and fields[0] != "Z":
            found.add(int(stat.parent.name))
    return found


def children() -> set[int]:
    """Living child processes that the test started."""
    return living() - others
