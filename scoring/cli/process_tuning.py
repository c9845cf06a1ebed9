"""Memory, threads and garbage collection of a short-lived process that computes."""

import ctypes
import gc
from contextlib import suppress

import threadpoolctl

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Option numbers of glibc's `mallopt`."""
KEPT_BYTES, MAPPED_BYTES = 64 << 20, 32 << 20
COLLECTIONS = 50_000, 20, 20
"""Thresholds of the garbage collector: with the defaults, it would scan the cases of all scorecards
repeatedly, a sixth of the time of a comparison of 200."""


def tune() -> None:
    """Keep freed memory for later arrays, multiply matrices on one thread, and collect garbage rarely.

    Returning memory and requesting it again took a third of the time of a score with intervals. For thin
    matrices, threads cost more than they save.
    """
    threadpoolctl.threadpool_limits(1)
    gc.set_threshold(*COLLECTIONS)
    with suppress(AttributeError, OSError, TypeError):  # where there is no glibc
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(TRIM_THRESHOLD, KEPT_BYTES)
        mallopt(MMAP_THRESHOLD, MAPPED_BYTES)
