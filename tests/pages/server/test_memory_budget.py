"""Results in shared caches take no more memory than they may; the oldest make room and are computed again."""

import gc
from dataclasses import dataclass

import numpy as np
import pytest
import streamlit as st

from pages.server.memory_budget import MemoryBudget, size_of

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Result:
    name: str
    numbers: np.ndarray


@pytest.fixture
def computed():
    """A cached function, and what it computed so far."""
    names = []

    @st.cache_resource(max_entries=5, show_spinner=False)
    def compute(name: str, _more: object) -> Result:
        names.append(name)
        return Result(name, np.zeros(MEGABYTE, np.uint8))

    yield compute, names
    compute.clear()


def test_the_oldest_results_make_room(computed):
    compute, names = computed
    budget = MemoryBudget(3 * MEGABYTE + 1000)
    for name in "abcabd":  # c was used longest ago when d comes
        assert budget.bound(compute, name=name, _more=object()).name == name
        assert budget.held_bytes <= 3 * MEGABYTE + 1000
    assert names == list("abcd")
    for name in "abd":
        budget.bound(compute, name=name, _more=None)
    assert names == list("abcd"), "those that were used later are still there"
    budget.bound(compute, name="c", _more=None)
    assert names == list("abcdc")


def test_one_result_beyond_the_budget_stays_until_the_next(computed):
    compute, names = computed
    budget = MemoryBudget(MEGABYTE // 2)
    for name in "aabb":
        budget.bound(compute, name=name, _more=None)
    assert names == ["a", "b"]
    assert budget.held_bytes < 2 * MEGABYTE


def test_what_the_cache_itself_let_go_counts_no_more(computed):
    compute, _ = computed
    budget = MemoryBudget(100 * MEGABYTE)
    for name in "abcdefgh":
        budget.bound(compute, name=name, _more=None)
    gc.collect()
    assert 5 * MEGABYTE <= budget.held_bytes < 6 * MEGABYTE


@pytest.mark.parametrize(
    ("value", "least", "most"),
    [
        (np.zeros((100, 10)), 8_000, 8_100),
        (["x" * 100] * 10_000, 1_400_000, 1_700_000),
        ({f"case {k}": float(k) for k in range(10_000)}, 700_000, 2_000_000),
        (Result("a", np.zeros(5_000)), 40_000, 40_200),
        ((Result("a", np.zeros(5_000)),) * 3, 120_000, 121_000),
        (None, 1, 100),
    ],
    ids=["array", "texts", "dictionary", "dataclass", "nested", "nothing"],
)
def test_sizes_are_about_right(value, least, most):
    assert least <= size_of(value) <= most
