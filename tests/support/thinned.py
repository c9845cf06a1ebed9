"""Parameters of which `make test` runs a part and `make soak` all."""

from collections.abc import Sequence

import pytest
from _pytest.mark.structures import ParameterSet


def some(values: Sequence[object], every: int, first: int = 0) -> list[ParameterSet]:
    """Return all values, of which `make test` runs one in `every`, beginning with the one at `first`."""
    return [_parameters(place % every == first % every, value) for place, value in enumerate(values)]


def some_rows(rows: Sequence[Sequence[object]], every: int, first: int = 0) -> list[ParameterSet]:
    """Return all rows of several parameters, of which `make test` runs one in `every`, as `some` does."""
    return [_parameters(place % every == first % every, *row) for place, row in enumerate(rows)]


def crossed(rows: Sequence[object], columns: Sequence[object], every: int) -> list[ParameterSet]:
    """Return every row with every column, of which `make test` runs one in `every`: each row and each column
    among them, where there are as many of the others."""
    return [
        _parameters((i + j) % every == 0, row, column)
        for i, row in enumerate(rows)
        for j, column in enumerate(columns)
    ]


def _parameters(always: bool, *values: object) -> ParameterSet:
    return pytest.param(*values, marks=() if always else pytest.mark.soak)
