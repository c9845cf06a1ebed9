"""Disks that are really full, or really read-only."""

import contextlib
import errno
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def mounted(place: Path) -> Iterator[Path]:
    """A disk of one MiB in a folder that does not exist yet. The test is skipped where none can be
    mounted."""
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=20)
    except (OSError, subprocess.SubprocessError) as problem:
        pytest.skip(f"no disk can be mounted here: {problem}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True, capture_output=True, timeout=20)


def remount(place: Path, mode: str) -> None:
    """Mount a disk again. mode: "ro" or "rw"."""
    command = ["mount", "-o", f"remount,{mode}", str(place)]
    subprocess.run(command, check=True, capture_output=True, timeout=20)


def fill(path: Path) -> None:
    """Write until the disk is full."""
    handle = os.open(path, os.O_CREAT | os.O_WRONLY)
    try:
        while os.write(handle, b"x" * 4096):
            pass
    except OSError as problem:
        if problem.errno != errno.ENOSPC:
            raise
    finally:
        os.close(handle)
