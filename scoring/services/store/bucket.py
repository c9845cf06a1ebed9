"""Files by their content in a bucket, or any other place that fsspec knows by its address.

Several copies of the program may share it, together with a PostgreSQL database. Credentials come from the
environment, as the place's own library reads them.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scoring.common.findings import InputRefused, error
from scoring.services.store.files import DIGEST, checked, missing

CONNECT_SECONDS = 5
OF_PROTOCOL = {
    "s3": {"config_kwargs": {"connect_timeout": CONNECT_SECONDS, "retries": {"max_attempts": 2}}},
}
"""Settings of libraries that would wait for minutes for a place that does not answer."""
WITHOUT_FOLDERS = {"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss"}
"""Where making a folder would make a bucket."""
SETTING = "BENCHSIDE_FILES"
REFUSED = "access is refused: set credentials in the environment that may read, write, list and delete there."
MISSING = "there is no such bucket or folder: make it, or name another."


@dataclass(frozen=True)
class Bucket:
    """Files by content below an address such as `s3://bucket/prefix`."""

    address: str

    @property
    def place(self) -> str:
        """Return what messages call it: the address without names and passwords."""
        protocol, mark, rest = self.address.partition("://")
        return f"{protocol}{mark}{rest.rpartition('@')[2]}"

    def keep(self, data: bytes) -> str:
        """Write a file, if it is not there whole, and return its SHA-256. Raises InputRefused."""
        digest = hashlib.sha256(data).hexdigest()
        with self._answering() as system:
            if self._size(digest) != len(data):
                if self._protocol not in WITHOUT_FOLDERS:
                    system.makedirs(self._path(digest).rpartition("/")[0], exist_ok=True)
                system.pipe_file(self._path(digest), data)
        return digest

    def read(self, digest: str) -> bytes:
        """Return a file.

        Raises:
            InputRefused: `store-damaged` where it is missing or does not have that hash; other codes where
                the place cannot be used.
        """
        with self._answering() as system:
            try:
                data: bytes = system.cat_file(self._path(digest))
            except FileNotFoundError:
                raise missing(digest) from None
        return checked(digest, data)

    def holds(self, digest: str) -> bool:
        """Return whether a file is there."""
        with self._answering():
            return self._size(digest) is not None

    def digests(self) -> Iterator[str]:
        """Yield the SHA-256 of every file."""
        with self._answering() as system:
            names = [path.rpartition("/")[2] for path in system.find(self._root)]
        yield from (name for name in names if DIGEST.fullmatch(name))

    def discard_unfinished(self) -> None:
        """Do nothing: what a killed program was writing is no file of the bucket."""

    def discard(self, digests: Iterable[str]) -> None:
        """Delete files."""
        with self._answering() as system:
            for digest in digests:
                with suppress(FileNotFoundError):
                    system.rm_file(self._path(digest))

    def _size(self, digest: str) -> int | None:
        """Return the bytes of a file, None where it is not there."""
        try:
            return int(self._system[0].info(self._path(digest))["size"])
        except FileNotFoundError:
            return None

    def _path(self, digest: str) -> str:
        return f"{self._root}/{digest[:2]}/{digest}"

    @property
    def _protocol(self) -> str:
        return self.address.partition("://")[0]

    @property
    def _root(self) -> str:
        return self._system[1].rstrip("/")

    @cached_property
    def _system(self) -> tuple[Any, str]:
        """Return fsspec's file system, and the path in it."""
        from fsspec.core import url_to_fs  # only where files are in a bucket

        found: tuple[Any, str] = url_to_fs(
            self.address, use_listings_cache=False, **OF_PROTOCOL.get(self._protocol, {})
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
            raise InputRefused([error("store-unusable", self.place, MISSING)]) from problem
        except PermissionError as problem:
            raise InputRefused([error("store-read-only", self.place, REFUSED)]) from problem
        except (ImportError, ValueError) as problem:
            words = (
                f"{SETTING} names a kind of place that is not known here: install its library (the extra "
                "`s3` for s3://), or name a folder."
            )
            raise InputRefused([error("store-unusable", self.place, words)]) from problem
        except Exception as problem:  # every library has its own
            if "credentials" in type(problem).__name__.lower():
                raise InputRefused([error("store-read-only", self.place, REFUSED)]) from problem
            words = f"it cannot be used ({type(problem).__name__}): check the address and the connection."
            raise InputRefused([error("store-unusable", self.place, words)]) from problem


def is_bucket(address: str) -> bool:
    """Return whether an address names another place than a folder of this machine."""
    return "://" in address and not address.startswith("file://")


def folder_of(address: str) -> str:
    """Return the folder of this machine that an address names, with `~` for the user's own."""
    return os.path.expanduser(address.removeprefix("file://"))
