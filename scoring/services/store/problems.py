"""What can be wrong with the place of a store, each as a refusal in one sentence."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DatabaseError, InterfaceError, SQLAlchemyError

from scoring.common.findings import InputRefused, error

FULL = "the disk is full: make room there and do it again. Nothing was kept of this."
READ_ONLY = "it cannot be written: let this user write there, or name another folder in BENCHSIDE_STORE."
LOCKED = (
    "another program holds the database: wait until it is done and do it again. Nothing was kept of this."
)
DAMAGED = "the database is damaged, or is none: stop all copies and bring back the last backup."
_BY_ERRNO = {
    errno.ENOSPC: ("store-full", FULL),
    errno.EDQUOT: ("store-full", FULL),
    errno.EROFS: ("store-read-only", READ_ONLY),
    errno.EACCES: ("store-read-only", READ_ONLY),
    errno.EPERM: ("store-read-only", READ_ONLY),
}
_BY_WORDS = {
    "disk is full": ("store-full", FULL),
    "no space left": ("store-full", FULL),
    "readonly database": ("store-read-only", READ_ONLY),
    "read-only transaction": ("store-read-only", READ_ONLY),
    "permission denied": ("store-read-only", READ_ONLY),
    "database is locked": ("store-locked", LOCKED),
    "lock timeout": ("store-locked", LOCKED),
    "unable to open database file": ("store-read-only", READ_ONLY),
    "disk image is malformed": ("store-damaged", DAMAGED),
    "not a database": ("store-damaged", DAMAGED),
}


@contextmanager
def refusing(place: str) -> Iterator[None]:
    """Turn what the database or the disk says into a refusal. place: what messages call the store.

    Raises:
        InputRefused: With `store-full`, `store-read-only`, `store-locked`, `store-damaged` or
            `store-unusable`.
    """
    try:
        yield
    except OSError as problem:
        words = f"it cannot be used ({problem.strerror or problem})."
        code, message = _BY_ERRNO.get(problem.errno or 0, ("store-unusable", words))
        raise InputRefused([error(code, place, message)]) from problem
    except (DatabaseError, InterfaceError) as problem:
        raise InputRefused([error(*_of_database(problem, place))]) from problem
    except SQLAlchemyError as problem:
        words = f"the database cannot be used ({type(problem).__name__})."
        raise InputRefused([error("store-unusable", place, words)]) from problem


def _of_database(problem: DatabaseError | InterfaceError, place: str) -> tuple[str, str, str]:
    """Return code, place and message for what a database said."""
    said = " ".join(str(problem.orig).split())
    for words, (code, message) in _BY_WORDS.items():
        if words in said.lower():
            return code, place, message
    return "store-unusable", place, f"the database cannot be used ({said[:200]})."
