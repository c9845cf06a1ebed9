"""Limits that the server's operator can set, for uploads, memory and models. For tables see
`inputs.table_text`. `pages.input_widgets.upload_quota` enforces the limits of uploads.
"""

import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class LimitSetting:
    """A limit that an environment variable sets.

    Attributes:
        default: Value if the variable is not set.
        meaning: End of a sentence that says what is limited.
    """

    name: str
    default: int
    meaning: str

    @property
    def value(self) -> int:
        """The number; the default if the variable is not set or is not an integer above 0."""
        return self.default if self.written is None or self.problem else int(self.written)

    @property
    def written(self) -> str | None:
        """Text of the environment variable; None if it is not set."""
        return os.environ.get(self.name)

    @property
    def problem(self) -> str:
        """Reason why the text of the variable is ignored; "" if it is valid or not set."""
        text = self.written
        if text is None or (text.isascii() and text.isdigit() and int(text) > 0):
            return ""
        return f"{self.name} is not a whole number above 0. Benchside uses {self.default} instead."


OPEN_MODELS = LimitSetting(
    "BENCHSIDE_OPEN_MODELS", 8, "models of visitors' own stay open at once on the page of single images"
)
SERVER_UPLOADS = LimitSetting("BENCHSIDE_SERVER_UPLOAD_MB", 4096, "MB of uploads of all visitors together")
SESSION_UPLOADS = LimitSetting(
    "BENCHSIDE_SESSION_UPLOAD_MB",
    1024,
    "MB of uploads of one visitor, if other machines can reach the server",
)
RESULTS = LimitSetting("BENCHSIDE_RESULTS_MB", 1024, "MB of scorecards and predictions of all visitors")
SESSION_RESULTS = LimitSetting(
    "BENCHSIDE_SESSION_RESULTS_MB", 256, "MB of test sets and comparisons from one visitor's own files"
)
SETTINGS = (OPEN_MODELS, SESSION_UPLOADS, SERVER_UPLOADS, RESULTS, SESSION_RESULTS)


@dataclass(frozen=True)
class Uploads:
    """Maximum bytes of uploads, for one session and for all sessions together."""

    session_bytes: int
    server_bytes: int


def uploads(public: bool) -> Uploads:
    """Return the limits of uploads.

    Args:
        public: Whether other machines can reach the server. If they cannot, one session may use the whole
            limit.
    """
    everybody = SERVER_UPLOADS.value
    alone = not public and SESSION_UPLOADS.written is None
    session = everybody if alone else min(SESSION_UPLOADS.value, everybody)
    return Uploads(session * MEGABYTE, everybody * MEGABYTE)


if sys.platform != "win32":
    import resource

ENOUGH_DESCRIPTORS = 1024
"""Number of file descriptors that is enough for a server: a tab needs 1, a model 5, and the program itself
about 60."""
MOST_DESCRIPTORS = 65_536


def descriptors() -> int | None:
    """Return how many files and connections this process may open; None if there is no such limit."""
    if sys.platform == "win32":
        return None
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def raise_descriptors() -> None:
    """Raise the limit of open files of this process to the user's maximum. Each visitor needs four files, and
    shells often allow only few."""
    if sys.platform == "win32":
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and wanted > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def memory() -> tuple[int, int] | None:
    """Return the bytes of memory of this process, and the free bytes of the machine; None if unknown."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
        return pages * os.sysconf("SC_PAGE_SIZE"), int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, ValueError, KeyError, IndexError):
        return None


def temporary_folder() -> Path | None:
    """Return the folder for temporary files; None if none is writable."""
    try:
        with tempfile.TemporaryFile():
            return Path(tempfile.gettempdir())
    except OSError:
        return None


def free_bytes(folder: Path) -> int:
    """Return the free bytes of a folder's disk."""
    return shutil.disk_usage(folder).free
