"""Why a file is no usable mask."""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from scoring.findings import InputRefused
from scoring.readers.inflate import deflate


class Malformed(Exception):
    """A mask that cannot be used.

    code: "unreadable-file", "bad-label" or "wrong-grid". words: what is wrong and how to mend it, one or two
    sentences that begin with "it".
    """

    def __init__(self, code: str, words: str):
        super().__init__(words)
        self.code, self.words = code, words


@contextmanager
def reading() -> Iterator[None]:
    """Whatever escapes while a foreign file is read is a fault of that file."""
    try:
        yield
    except (Malformed, MemoryError):
        raise
    except InputRefused as refused:
        raise Malformed("unreadable-file", refused.problems[0].message) from refused
    except EOFError as problem:
        raise cut_off() from problem
    except Exception as problem:  # gzip, zipfile, nibabel and struct raise a dozen kinds
        raise Malformed(
            "unreadable-file", f"it cannot be read ({_words(problem)}): write it again."
        ) from problem


def cut_off() -> Malformed:
    return Malformed(
        "unreadable-file",
        "it is cut off: fewer voxels are there than its header announces. Write or upload it again.",
    )


def _words(problem: Exception) -> str:
    if "CRC" in str(problem) or "incorrect data check" in str(problem):
        return "its checksum is wrong, so its data are damaged"
    if isinstance(problem, (zlib.error, deflate.error)):
        return "its compressed data are damaged"
    return (str(problem).splitlines() or [""])[0][:120] or type(problem).__name__
