"""Stored files. They are named by their SHA-256, so that equal files are stored once, in a folder or a bucket
(S3).

A bucket is any address that fsspec accepts. Several copies of the program may share it, together with a
PostgreSQL database. Credentials come from the environment variables of the storage library.
"""

import hashlib
import os
import re
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from scoring.common.findings import InputRefused, error
from scoring.common.text import shortened

TEMPORARY = ".part-"
"""Prefix of the names of files that are being written."""
UNFINISHED = 3600
"""A file that is still unfinished after this time in seconds counts as abandoned."""
MARK, MARK_LENGTH = "store-id", 64
"""Name of the file that contains the store's id, and number of characters that are read from it."""
DIGEST = re.compile(r"[0-9a-f]{64}")
"""Pattern of the names of stored files."""


class FileStore(Protocol):
    """Storage of files by SHA-256, in a folder or a bucket. The methods are documented in `Folder`; `address`
    is the name in messages."""

    @property
    def address(self) -> str: ...
    def keep(self, data: bytes) -> str: ...
    def read(self, digest: str) -> bytes: ...
    def holds(self, digest: str) -> bool: ...
    def digests(self) -> Iterator[str]: ...
    def discard(self, digests: Iterable[str]) -> None: ...
    def discard_unfinished(self) -> None: ...
    def mark(self) -> str | None: ...
    def set_mark(self, store_id: str) -> None: ...


@dataclass(frozen=True)
class Folder:
    """Storage of files by SHA-256 in a folder."""

    path: Path

    @property
    def address(self) -> str:
        """Return the name of the folder in messages."""
        return str(self.path)

    def keep(self, data: bytes) -> str:
        """Write a file, unless it exists, and return its SHA-256. Raises OSError if the folder cannot be
        written. The file gets its name only after its data are on the disk, so that a killed program leaves
        no partial file."""
        digest = hashlib.sha256(data).hexdigest()
        target = self.place(digest)
        if not target.exists():
            self._write(target, data)
        return digest

    def _write(self, target: Path, data: bytes) -> None:
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

    def mark(self) -> str | None:
        """Return the id of the store that owns the files; None if no owner is recorded."""
        try:
            return (self.path / MARK).read_text(encoding="ascii", errors="replace")[:MARK_LENGTH]
        except FileNotFoundError:
            return None

    def set_mark(self, store_id: str) -> None:
        """Record the store that owns the files. Raises OSError if the folder cannot be written."""
        self._write(self.path / MARK, store_id.encode())

    def read(self, digest: str) -> bytes:
        """Return the content of a file. Raises InputRefused `store-damaged` if it is missing or has another
        hash."""
        try:
            data = self.place(digest).read_bytes()
        except FileNotFoundError:
            raise missing(digest) from None
        return checked(digest, data)

    def holds(self, digest: str) -> bool:
        """Return whether a file exists."""
        return self.place(digest).exists()

    def place(self, digest: str) -> Path:
        """Return the path of a file, even if no such file exists. Raises InputRefused if the name is not a
        SHA-256."""
        require_digest(digest)
        return self.path / digest[:2] / digest

    def digests(self) -> Iterator[str]:
        """Yield the SHA-256 of every file."""
        yield from (path.name for path in self.path.glob("??/*") if DIGEST.fullmatch(path.name))

    def discard_unfinished(self) -> None:
        """Delete partial files left by killed programs."""
        for path in self.path.glob(f"??/{TEMPORARY}*"):
            with suppress(FileNotFoundError):
                if time.time() - path.stat().st_mtime > UNFINISHED:
                    path.unlink()

    def discard(self, digests: Iterable[str]) -> None:
        """Delete files."""
        for digest in digests:
            self.place(digest).unlink(missing_ok=True)


def require_digest(text: str) -> None:
    """Check that a text is a SHA-256, because the text becomes part of a path. Raises InputRefused
    otherwise."""
    if not DIGEST.fullmatch(text):
        message = "a row of the database names a file without 64 hexadecimal digits: restore the last backup."
        raise InputRefused([error("store-damaged", shortened(text, 12), message)])


def missing(digest: str) -> InputRefused:
    """Return the exception that refuses access to a missing file."""
    problem = "the file is not in the store: import the board again. A missing truth must be imported too."
    return InputRefused([error("store-damaged", digest[:12], problem)])


def checked(digest: str, data: bytes) -> bytes:
    """Return the bytes read from a file. Raises InputRefused if their SHA-256 differs from the file's
    name."""
    if hashlib.sha256(data).hexdigest() != digest:
        problem = "the stored file was changed after it was saved: restore the file from a copy."
        raise InputRefused([error("store-damaged", digest[:12], problem)])
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


CONNECT_SECONDS, READ_SECONDS = 5, 20
OF_PROTOCOL = {
    "s3": {
        "config_kwargs": {
            "connect_timeout": CONNECT_SECONDS,
            "read_timeout": READ_SECONDS,
            "retries": {"max_attempts": 2},
        }
    },
}
"""Protocol -> settings of its storage library. With default settings, libraries wait minutes for a server
that does not answer."""
WITHOUT_FOLDERS = {"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss"}
"""Kinds of storage in which creating a folder would create a bucket."""
SETTING = "BENCHSIDE_FILES"
REFUSED = "access is refused: set credentials in the environment that may read, write, list and delete there."
MISSING = "there is no such bucket or folder: create it, or name another."


@dataclass(frozen=True)
class Bucket:
    """Storage of files by SHA-256 under an address such as `s3://bucket/prefix`."""

    url: str

    @property
    def address(self) -> str:
        """Return the address without user names and passwords, for messages."""
        protocol, mark, rest = self.url.partition("://")
        return f"{protocol}{mark}{rest.rpartition('@')[2]}"

    def keep(self, data: bytes) -> str:
        """Write a file, unless it exists completely, and return its SHA-256. Raises InputRefused if the
        bucket cannot be used."""
        digest = hashlib.sha256(data).hexdigest()
        with self._answering() as system:
            if self._size(digest) != len(data):
                if self._protocol not in WITHOUT_FOLDERS:
                    system.makedirs(self._path(digest).rpartition("/")[0], exist_ok=True)
                system.pipe_file(self._path(digest), data)
        return digest

    def read(self, digest: str) -> bytes:
        """Return the content of a file. Raises InputRefused `store-damaged` if it is missing or has another
        hash; with other codes if the bucket cannot be used."""
        with self._answering() as system:
            try:
                data: bytes = system.cat_file(self._path(digest))
            except FileNotFoundError:
                raise missing(digest) from None
        return checked(digest, data)

    def holds(self, digest: str) -> bool:
        """Return whether a file exists."""
        with self._answering():
            return self._size(digest) is not None

    def digests(self) -> Iterator[str]:
        """Yield the SHA-256 of every file."""
        with self._answering() as system:
            names = [path.rpartition("/")[2] for path in system.find(self._root)]
        yield from (name for name in names if DIGEST.fullmatch(name))

    def mark(self) -> str | None:
        """Return the id of the store that owns the files; None if no owner is recorded."""
        with self._answering() as system:
            try:
                return bytes(system.cat_file(f"{self._root}/{MARK}")[:MARK_LENGTH]).decode("ascii", "replace")
            except FileNotFoundError:
                return None

    def set_mark(self, store_id: str) -> None:
        """Record the store that owns the files. Raises InputRefused if the bucket cannot be used."""
        with self._answering() as system:
            if self._protocol not in WITHOUT_FOLDERS:
                system.makedirs(self._root, exist_ok=True)
            system.pipe_file(f"{self._root}/{MARK}", store_id.encode())

    def discard_unfinished(self) -> None:
        """Do nothing: a bucket contains no partial files."""

    def discard(self, digests: Iterable[str]) -> None:
        """Delete files."""
        with self._answering() as system:
            for digest in digests:
                with suppress(FileNotFoundError):
                    system.rm_file(self._path(digest))

    def _size(self, digest: str) -> int | None:
        """Return the bytes of a file, None if it is not there."""
        try:
            return int(self._system[0].info(self._path(digest))["size"])
        except FileNotFoundError:
            return None

    def _path(self, digest: str) -> str:
        require_digest(digest)
        return f"{self._root}/{digest[:2]}/{digest}"

    @property
    def _protocol(self) -> str:
        return self.url.partition("://")[0]

    @property
    def _root(self) -> str:
        return self._system[1].rstrip("/")

    @cached_property
    def _system(self) -> tuple[Any, str]:
        """Return fsspec's file system, and the path in it."""
        from fsspec.core import url_to_fs  # only where files are in a bucket

        found: tuple[Any, str] = url_to_fs(
            self.url, use_listings_cache=False, **OF_PROTOCOL.get(self._protocol, {})
        )
        return found

    @contextmanager
    def _answering(self) -> Iterator[Any]:
        """Turn what the place's library says into a refusal in a sentence."""
        try:
            yield self._system[0]
        except InputRefused:
            raise
        except FileNotFoundError as problem:
            raise InputRefused([error("store-unusable", self.address, MISSING)]) from problem
        except PermissionError as problem:
            raise InputRefused([error("store-read-only", self.address, REFUSED)]) from problem
        except (ImportError, ValueError) as problem:
            told = (
                f"{SETTING} names an unknown kind of place: install its library (for s3://, run: "
                'pip install "benchside[s3]"), or name a folder.'
            )
            raise InputRefused([error("store-unusable", self.address, told)]) from problem
        except Exception as problem:  # every library has its own
            if "credentials" in type(problem).__name__.lower():
                raise InputRefused([error("store-read-only", self.address, REFUSED)]) from problem
            told = f"it cannot be used ({type(problem).__name__}): check the address and the connection."
            raise InputRefused([error("store-unusable", self.address, told)]) from problem


def is_bucket(address: str) -> bool:
    """Return whether an address is a bucket rather than a folder of this machine."""
    return "://" in address and not address.startswith("file://")


def folder_of(address: str) -> str:
    """Return the local folder of an address, with `~` expanded."""
    return os.path.expanduser(address.removeprefix("file://"))
