"""Errors of masks, and the fields of their headers."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.common.arrays import Floats
from scoring.common.findings import InputRefused
from scoring.inputs.inflate import DEFLATE_ERRORS


class MaskError(Exception):
    """A mask that cannot be used.

    Attributes:
        code: "unreadable-file", "bad-label" or "wrong-grid".
        words: What is wrong and how to fix it, in one or two sentences. The first sentence begins with "it",
            which means the mask.
    """

    def __init__(self, code: str, words: str):
        super().__init__(words)
        self.code, self.words = code, words

    def __reduce__(self) -> tuple[type["MaskError"], tuple[str, str]]:
        """Return how to restore the exception in another process. By default only its text would be passed
        on."""
        return type(self), (self.code, self.words)


NO_NUMBER = ("invalid literal", "could not convert", "Exceeds the limit")
"""First words of Python's messages about text that is no number, or is too long for a number."""


@contextmanager
def reading() -> Iterator[None]:
    """Context manager that turns every exception into a MaskError."""
    try:
        yield
    except (MaskError, MemoryError):
        raise
    except InputRefused as refused:
        raise MaskError("unreadable-file", refused.problems[0].message) from refused
    except EOFError as problem:
        raise cut_off() from problem
    except Exception as problem:  # gzip, zipfile, nibabel and struct raise a dozen kinds
        raise MaskError(
            "unreadable-file", f"it cannot be read ({_words(problem)}): save the mask again."
        ) from problem


def cut_off() -> MaskError:
    """Return the error of a truncated file."""
    message = "it is cut off: it has fewer voxels than its header announces. Save or upload the file again."
    return MaskError("unreadable-file", message)


def _words(problem: Exception) -> str:
    if "CRC" in str(problem) or "incorrect data check" in str(problem):
        return "its checksum is wrong, so its data are damaged"
    if str(problem).startswith(NO_NUMBER):
        return "a value in its header is not a valid number"
    if isinstance(problem, DEFLATE_ERRORS):
        return "its compressed data are damaged"
    return (str(problem).splitlines() or [""])[0][:120] or type(problem).__name__


RAS_FROM_LPS = np.diag([-1.0, -1.0, 1.0, 1.0])


@dataclass(frozen=True, eq=False)
class Fields:
    """Fields of a header that are not checked yet.

    Attributes:
        shape: Number of voxels along each axis.
        affine: Index -> mm in RAS, float64 [4, 4].
        dtype: Type of the stored values, with byte order.
        slope: The value of a voxel is slope * stored value + intercept.
        intercept: See `slope`.
        packed: Compression of the voxels: "zlib", "gzip", or "" for none.
        packed_size: Number of compressed bytes that the header states; "" if it states none.
        names: Label name as it is written -> number.
        is_part: Whether the volume was cropped from a larger volume.
    """

    shape: tuple[int, ...]
    affine: Floats
    dtype: np.dtype[Any]
    slope: float = 1.0
    intercept: float = 0.0
    packed: str = ""
    packed_size: str = ""
    names: tuple[tuple[str, str], ...] = ()
    is_part: bool = False
