"""Which case a row of a prediction file belongs to."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath

import numpy as np

EXTRA, AMBIGUOUS = -1, -2


@dataclass(frozen=True)
class Matches:
    """case: index of the case of each row, EXTRA where the truth has none, AMBIGUOUS where several fit.
    candidates: the cases of an ambiguous row."""

    case: np.ndarray
    candidates: dict[int, tuple[int, ...]]


def as_written(name: str) -> str:
    """The id itself: trimmed, `\\` as `/`, without `./` in front."""
    return name.strip().replace("\\", "/").removeprefix("./")


def base_name(name: str) -> str:
    return as_written(name).rsplit("/", 1)[-1]


def stem(name: str) -> str:
    """Base name without its extension."""
    return PurePosixPath(base_name(name)).stem


WAYS = (as_written, base_name, stem)


def match(rows: Sequence[str], cases: Sequence[str]) -> Matches:
    """Find the case of each row: by the id as written, else by base name, else without extension; the first
    way that gives exactly one case."""

    @cache  # most tables write their ids as the truth does: the other ways are then never looked up
    def places(way: Callable[[str], str]) -> Mapping[str, list[int]]:
        found = defaultdict(list)
        for index, case in enumerate(cases):
            found[way(case)].append(index)
        return found

    found, candidates = np.full(len(rows), EXTRA), {}
    for i, row in enumerate(rows):
        for way in WAYS:
            fits = places(way).get(way(row), ())
            if len(fits) == 1:
                found[i] = fits[0]
                candidates.pop(i, None)
                break
            if fits and i not in candidates:
                found[i], candidates[i] = AMBIGUOUS, tuple(fits)
    return Matches(found, candidates)
