"""Cells of a table as bytes: the same texts, made where they are read and nowhere else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.inputs import tables
from scoring.inputs.text_columns import LazyColumns, TextColumns, trimmed

CELLS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\n"), max_size=5)


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=1)))
def test_cells_are_the_same_one_by_one_and_all_together(columns):
    made = TextColumns.of(columns, len(columns[0]))
    assert [list(column) for column in made] == columns
    assert [[column[row] for row in range(len(column))] for column in made] == columns
    assert made == tuple(map(tuple, columns))
    assert [column[-1] for column in made] == [column[-1] for column in columns]
    assert made[0][1:] == tuple(columns[0][1:])
    with pytest.raises(IndexError):
        made[0][len(columns[0])]


@pytest.mark.parametrize(
    ("text", "starts", "n_rows"),
    [
        (b"a\nb\n", [0, 4], 1),
        (b"a\nb\n", [0, 2, 9], 1),
        (b"a\nb\n", [2, 0, 4], 1),
        (b"a\nb\nc\n", [0, 2, 6], 1),
    ],
)
def test_columns_of_another_length_are_none(text, starts, n_rows):
    with pytest.raises(ValueError, match="as many cells"):
        TextColumns(np.frombuffer(text, np.uint8), np.array(starts), n_rows)


def test_a_table_of_millions_of_cells_takes_about_its_own_size():
    rows = "\n".join(f"a{k}" + ",0.25" * 400 for k in range(5_000))
    data = f"{','.join(f'c{k}' for k in range(401))}\n{rows}".encode()
    columns = tables.read_table(data, "a.csv").columns
    assert isinstance(columns, TextColumns)
    assert columns.text.nbytes < len(data)
    assert columns[400][4_999] == "0.25"


def test_columns_are_read_when_they_are_asked_for():
    asked = []

    def read(name):
        asked.append(name)
        return (name,)

    columns = LazyColumns({name: lambda name=name: read(name) for name in "abc"})
    assert (list(columns), len(columns), "b" in columns, "d" in columns) == (["a", "b", "c"], 3, True, False)
    assert asked == []
    assert columns["b"] == ("b",)
    assert asked == ["b"]


def test_cells_are_trimmed_and_follow_the_rows_that_are_named():
    assert trimmed([" a", "b "]) == ("a", "b")
    assert trimmed([" a", "b "], [1, None, 0]) == ("b", "", "a")
