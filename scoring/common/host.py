"""What the machine gives to this program: memory, descriptors and a folder for temporary files."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

if sys.platform != "win32":
    import resource

ENOUGH_DESCRIPTORS = 1024
"""Each open tab takes one, each model five, and the program itself about 60."""
MOST_DESCRIPTORS = 65_536


def descriptors() -> int | None:
    """Return how many files and connections this process may have open; None where that is not limited so."""
    if sys.platform == "win32":
        return None
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def raise_descriptors() -> None:
    """Allow this process as many descriptors as its owner may have: each visitor takes one, and shells often
    allow few."""
    if sys.platform == "win32":
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and wanted > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def memory() -> tuple[int, int] | None:
    """Return the bytes of memory that this process holds, and that are free on the machine; None where the
    system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
        return pages * os.sysconf("SC_PAGE_SIZE"), int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, ValueError, KeyError, IndexError):
        return None


def temporary_folder() -> Path | None:
    """Return the folder for temporary files; None where none can be written."""
    try:
        with tempfile.TemporaryFile():
            return Path(tempfile.gettempdir())
    except OSError:
        return None


def free_bytes(folder: Path) -> int:
    """Return the room that is left in a folder."""
    return shutil.disk_usage(folder).free
