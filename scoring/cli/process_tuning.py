"""Memory and threads of a process that computes and ends."""

import ctypes
from contextlib import suppress

import threadpoolctl

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Numbers of glibc's `mallopt`."""
KEPT_BYTES, MAPPED_BYTES = 64 << 20, 32 << 20


def tune() -> None:
    """Keep freed memory for the next array, and multiply matrices on one thread.

    To give memory back and ask for it again took a third of the time of a score with intervals; and of
    products of thin matrices threads make more work than they share.
    """
    threadpoolctl.threadpool_limits(1)
    with suppress(AttributeError, OSError, TypeError):  # where there is no glibc
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(TRIM_THRESHOLD, KEPT_BYTES)
        mallopt(MMAP_THRESHOLD, MAPPED_BYTES)
