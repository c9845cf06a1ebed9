"""Counts a pair of masks, given as paths, in a process of its own, and prints how many megabytes its peak
memory grew by while it did."""

import io
import re
import sys
from functools import partial
from pathlib import Path

import numpy as np

from scoring.inputs.masks.counting import count, examine
from tests.support.volumes import nifti


def peak_mb() -> float:
    """By Linux's own account: what `resource` says goes on from the peak of the process that started this
    one."""
    return int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024


if __name__ == "__main__":
    small = nifti(np.ones((3, 3, 3)))
    count(examine(lambda: io.BytesIO(small)), lambda: io.BytesIO(small))
    before = peak_mb()
    found = count(examine(partial(open, sys.argv[1], "rb")), partial(open, sys.argv[2], "rb"))
    print(found.state, peak_mb() - before)
