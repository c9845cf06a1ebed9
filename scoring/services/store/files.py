"""Files by their content: each is kept once, under its SHA-256, and is whole or not there."""

import hashlib
import os
import re
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from scoring.common.findings import InputRefused, error

TEMPORARY = ".part-"
"""How files begin that are still being written."""
UNFINISHED = 3600
"""Seconds after which nobody writes a file any more."""
DIGEST = re.compile(r"[0-9a-f]{64}")
"""Names of files."""


class FileStore(Protocol):
    """Files by content: a folder or a bucket; methods as of `Folder`."""

    def keep(self, data: bytes) -> str: ...
    def read(self, digest: str) -> bytes: ...
    def holds(self, digest: str) -> bool: ...
    def digests(self) -> Iterator[str]: ...
    def discard(self, digests: Iterable[str]) -> None: ...
    def discard_unfinished(self) -> None: ...


@dataclass(frozen=True)
class Folder:
    """A folder of files by content."""

    path: Path

    def keep(self, data: bytes) -> str:
        """Write a file, if it is not there yet, and return its SHA-256. What is written is on the disk before
        it has its name, so that a killed program leaves no half file. Raises OSError."""
        digest = hashlib.sha256(data).hexdigest()
        target = self.place(digest)
        if target.exists():
            return digest
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=TEMPORARY, dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        _sync(target.parent)
        return digest

    def read(self, digest: str) -> bytes:
        """Return a file.

        Raises:
            InputRefused: `store-damaged` where it is missing or does not have that hash.
        """
        try:
            data = self.place(digest).read_bytes()
        except FileNotFoundError:
            raise missing(digest) from None
        return checked(digest, data)

    def holds(self, digest: str) -> bool:
        """Return whether a file is there."""
        return self.place(digest).exists()

    def place(self, digest: str) -> Path:
        """Return where a file is or would be."""
        return self.path / digest[:2] / digest

    def digests(self) -> Iterator[str]:
        """Yield the SHA-256 of every file."""
        yield from (path.name for path in self.path.glob("??/*") if DIGEST.fullmatch(path.name))

    def discard_unfinished(self) -> None:
        """Delete files that a program was writing when it was killed."""
        for path in self.path.glob(f"??/{TEMPORARY}*"):
            with suppress(FileNotFoundError):
                if time.time() - path.stat().st_mtime > UNFINISHED:
                    path.unlink()

    def discard(self, digests: Iterable[str]) -> None:
        """Delete files."""
        for digest in digests:
            self.place(digest).unlink(missing_ok=True)


def missing(digest: str) -> InputRefused:
    """Return the refusal for a file that is not there."""
    words = "the file is not in the store: import the board again, with its truth if that is missing."
    return InputRefused([error("store-damaged", digest[:12], words)])


def checked(digest: str, data: bytes) -> bytes:
    """Return what was read of a file. Raises InputRefused where it does not have the hash."""
    if hashlib.sha256(data).hexdigest() != digest:
        words = "the file in the store was changed since it was kept: bring it back from a copy."
        raise InputRefused([error("store-damaged", digest[:12], words)])
    return data


def _sync(folder: Path) -> None:
    """Bring the names of a folder to the disk, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
