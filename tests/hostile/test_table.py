"""Every hostile input of `table.tsv`: refused (R), scored with a finding (W) or scored (A), each quickly and
within its memory; or held by the test that it names."""

import csv
import re
import time
from dataclasses import dataclass

import pytest

from tests.hostile.inputs import INPUTS
from tests.support.command_line import ROOT
from tests.support.memory import growth

SECONDS, MEGABYTES = 5, 400
COMMON = {"absent-class", "never-predicted", "names-not-grand-challenge", "subtask-not-scored"}
"""Findings of the small truth, not of the input."""
LARGE = ("C44a", "C44b", "C44c", "C44d", "C44e", "J27", "J31", "N7", "O30", "Z26", "Z31")
"""Rows of hundreds of megabytes, or that take seconds to make."""


@dataclass(frozen=True)
class Row:
    """A line of the table. test: where it is held, "" for here."""

    row: str
    input: str
    outcome: str
    codes: str
    test: str


def rows() -> list[Row]:
    with (ROOT / "tests" / "hostile" / "table.tsv").open(encoding="utf-8", newline="") as file:
        return [Row(**line) for line in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


ROWS = rows()
HERE = [
    pytest.param(row, id=row.row, marks=[pytest.mark.soak] if row.row in LARGE else [])
    for row in ROWS
    if not row.test
]


def test_every_row_is_once_in_the_table_and_held():
    assert len({row.row for row in ROWS}) == len(ROWS)
    assert {row.row for row in ROWS if not row.test} == set(INPUTS)
    assert len({re.match(r"\w\d+", row.row)[0] for row in ROWS}) >= 200


@pytest.mark.parametrize("row", [row for row in ROWS if row.test], ids=lambda row: row.row)
def test_rows_that_are_held_elsewhere_are(row):
    path, _, name = row.test.partition("::")
    assert f"def {name}" in (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("row", HERE)
def test_an_input_gets_its_answer(row):
    grown, begun = growth(), time.process_time()
    came = INPUTS[row.row]()
    spent = time.process_time() - begun
    codes = {code for code in row.codes.split(",") if code}
    assert came.codes - COMMON == codes
    assert came.refused == (row.outcome == "R"), came.words
    assert row.outcome != "W" or codes
    assert spent < SECONDS
    assert grown() < MEGABYTES + size_of(row)


def size_of(row: Row) -> float:
    """MB that making the input itself takes, for those that are large."""
    return 500 if row.row in LARGE else 0
