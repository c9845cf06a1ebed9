"""Memory, threads and garbage collection of a process that computes and ends."""

import ctypes
import gc
from contextlib import suppress

import threadpoolctl

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Numbers of glibc's `mallopt`."""
KEPT_BYTES, MAPPED_BYTES = 64 << 20, 32 << 20
COLLECTIONS = 50_000, 20, 20
"""Thresholds of the garbage collector: by the usual ones it walks through the cases of all scorecards again
and again, for a sixth of the time of a comparison of 200."""


def tune() -> None:
    """Keep freed memory for the next array, multiply matrices on one thread, and look for garbage rarely.

    To give memory back and ask for it again took a third of the time of a score with intervals; and of
    products of thin matrices threads make more work than they share.
    """
    threadpoolctl.threadpool_limits(1)
    gc.set_threshold(*COLLECTIONS)
    with suppress(AttributeError, OSError, TypeError):  # where there is no glibc
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(TRIM_THRESHOLD, KEPT_BYTES)
        mallopt(MMAP_THRESHOLD, MAPPED_BYTES)
