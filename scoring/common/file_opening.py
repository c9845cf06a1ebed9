"""Opens files by path, and refuses devices and pipes without a writer. Also makes zips with reproducible
bytes."""

import errno
import io
import os
import stat
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path

WRITER_SECONDS = 2.0
"""Time in seconds to wait for the program that writes to a pipe, if it opens the pipe after Benchside."""


def is_regular(path: Path) -> bool:
    """Return whether a path is a file and not a pipe. Raises OSError for a folder, a device or a missing
    file."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder: name a file")
    if not stat.S_ISREG(mode) and not stat.S_ISFIFO(mode):
        raise OSError(errno.EINVAL, "it is a device: name a file")
    return stat.S_ISREG(mode)


def read_file(path: Path, most: int | None = None) -> bytes:
    """Read a file, or a pipe until its writer closes it.

    Args:
        most: Maximum bytes to read, because a pipe has no size and may never end.

    Raises:
        OSError: If the file cannot be read; `strerror` states the reason.
    """
    if is_regular(path):
        with path.open("rb") as file:
            return file.read(-1 if most is None else most)
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # otherwise this would wait for a writer
    with os.fdopen(descriptor, "rb", buffering=0) as pipe:
        deadline = time.monotonic() + WRITER_SECONDS
        while (beginning := pipe.read(1)) == b"":  # no writer has opened it yet, or it is closed again
            if time.monotonic() > deadline:
                raise OSError(errno.EPIPE, "no program writes into this pipe")
            time.sleep(0.01)
        os.set_blocking(descriptor, True)
        head = beginning or b""
        return head + io.BufferedReader(pipe).read(-1 if most is None else most - len(head))


WRITTEN = (1980, 1, 1, 0, 0, 0)
"""Fixed time stamp of every file in a zip, so that the same content gives the same bytes."""


def zipped(members: Iterable[tuple[str, bytes]]) -> bytes:
    """Return a zip of files by name. The files are not compressed, because the bytes would depend on the
    version of zlib."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as written:
        for name, data in members:
            written.writestr(zipfile.ZipInfo(name, WRITTEN), data)
    return target.getvalue()
