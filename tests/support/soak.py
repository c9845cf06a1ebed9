"""How many times longer than usual the tests run: the environment variable BENCHSIDE_SOAK, 1 where it is not
set."""

import os
from collections.abc import Callable

from hypothesis import settings

FACTOR = max(1, int(os.environ.get("BENCHSIDE_SOAK", "1")))


def few_examples(test: Callable) -> Callable:
    """Decorate a property of whole scorecards, of which one costs tens of milliseconds, before `given`."""
    return settings(max_examples=12 * FACTOR)(test)
