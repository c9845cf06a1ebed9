"""How many times longer than usual the tests run: the environment variable BENCHSIDE_SOAK, 1 where it is not
set."""

import os

FACTOR = max(1, int(os.environ.get("BENCHSIDE_SOAK", "1")))
