"""Preloading: what a server has before its first visitor."""

import subprocess
import sys

from tests.browser.driver import ROOT

PRELOADED = """
import scipy.linalg, threadpoolctl
from pages.server import preload
preload.preload()
print({pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"})
"""


def test_products_of_matrices_do_not_wait_for_other_threads():
    """With two threads on two shared cores, to measure one image took 8 s instead of 0.4."""
    environment = {"PATH": "", "OPENBLAS_NUM_THREADS": "2"}
    command = [sys.executable, "-c", PRELOADED]
    told = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert told.stdout.splitlines()[-1] == "{1}"
