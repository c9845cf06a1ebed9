"""Results in shared caches keep to their memory; the oldest are deleted first and computed again."""

import gc
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.server import memory_budget
from pages.server.memory_budget import MemoryBudget, size_of
from scoring.common.findings import InputRefused, error
from scoring.inputs.tables import read_table
from scoring.inputs.text_columns import LazyColumns, trimmed

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


def test_results_that_are_over_go_where_they_are_large(computed):
    compute, names = computed
    budget = MemoryBudget(100 * MEGABYTE)
    for name in "ab":
        budget.bound(compute, name=name, _more=None)
    budget.forget(lambda result: result.name == "a", 2 * MEGABYTE)
    assert budget.held_bytes >= 2 * MEGABYTE
    budget.forget(lambda result: result.name == "a", MEGABYTE)
    assert budget.held_bytes < 2 * MEGABYTE
    for name in "ba":
        budget.bound(compute, name=name, _more=None)
    assert names == list("aba")


def script() -> None:
    """A page that computes results of own files, a megabyte each."""
    import numpy as np
    import streamlit as st

    from pages.server import memory_budget

    @st.cache_resource(max_entries=20, scope="session", show_spinner=False)
    def compute(name: str, _more: object):
        st.session_state.setdefault("computed", []).append(name)
        return np.zeros(1_000_000, np.uint8)

    for name in st.session_state.get("wanted", ""):
        memory_budget.bound_own(compute, name=name, _more=None)
    st.write(f"{memory_budget.sessions_bytes()} bytes")


@pytest.fixture
def alone():
    """No earlier session's results: sessions of such tests have one name."""
    st.cache_resource.clear()
    memory_budget._SESSIONS.clear()


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("name", ["BENCHSIDE_SESSION_RESULTS_MB", "BENCHSIDE_RESULTS_MB"])
def test_the_oldest_results_of_own_files_make_room_and_the_page_says_so(monkeypatch, name):
    monkeypatch.setenv(name, "5")
    app = AppTest.from_function(script)
    app.session_state["wanted"] = "abcde"
    app.run()
    assert (app.markdown[0].value, len(app.toast)) == ("5000000 bytes", 0)
    app.session_state["wanted"] = "f"
    app.run()
    assert app.markdown[0].value == "5000000 bytes"
    assert "the oldest results were deleted" in app.toast[0].value
    app.session_state["wanted"] = "fb"
    app.run()
    assert (app.session_state["computed"], len(app.toast)) == (list("abcdef"), 0)
    app.session_state["wanted"] = "a"
    app.run()
    assert app.session_state["computed"] == list("abcdefa")


@pytest.mark.usefixtures("alone")
def test_what_a_page_shows_stays_however_large_it_is(monkeypatch):
    monkeypatch.setenv("BENCHSIDE_SESSION_RESULTS_MB", "1")
    app = AppTest.from_function(script)
    app.session_state["wanted"] = "abc"
    for _ in range(3):
        app.run()
    assert app.session_state["computed"] == list("abc")


def test_sizes_of_refusals_and_lazy_columns_are_those_of_what_they_hold():
    table = read_table(b"id,v\n" + b"case,0.123456789\n" * 10_000, "a.csv")
    lazy = LazyColumns({key: partial(trimmed, cells) for key, cells in zip("ab", table.columns, strict=True)})
    assert size_of(lazy) == len(table.columns[0]) * 17
    refused = InputRefused([error("a", f"x:{k}", "m" * 500) for k in range(1_000)], salvaged=lazy)
    assert size_of(refused) > 600_000 + size_of(lazy)


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
