"""Truths and predictions reduced to some of their cases, so that parts of a test set can be scored
separately."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast

import numpy as np

from scoring.common.arrays import Ints
from scoring.common.findings import InputRefused, error

T = TypeVar("T")


def of_cases(value: T, chosen: Ints) -> T:
    """Return a truth or predictions with only some of their cases.

    Args:
        value: A dataclass whose `per_case` names the fields that have an entry for each case.
        chosen: Indices of the cases, ascending.

    Raises:
        InputRefused: `bad-split` if the challenge does not name these fields.
    """
    names = getattr(value, "per_case", None)
    if names is None:
        message = f"this challenge cannot score a part of its cases ({type(value).__name__}.per_case)."
        raise InputRefused([error("bad-split", "split", message)])
    changed = {name: _taken(getattr(value, name), chosen) for name in names}
    return cast(T, replace(cast(Any, value), **changed))


def _taken(value: Any, chosen: Ints) -> Any:
    if value is None or (isinstance(value, tuple) and not value):
        return value
    if isinstance(value, np.ndarray):
        return value[chosen]
    if isinstance(value, tuple):
        return tuple(value[index] for index in chosen)
    if isinstance(value, frozenset):  # of indices
        return frozenset(place for place, index in enumerate(chosen) if index in value)
    if isinstance(value, Mapping):
        return {name: _taken(value[name], chosen) for name in value}
    return of_cases(value, chosen)
