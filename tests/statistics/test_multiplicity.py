"""Holm against statsmodels."""

import gc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from scoring.statistics.multiplicity import holm


@pytest.fixture(scope="module", autouse=True)
def _nothing_old_to_collect():
    """`multipletests` calls the garbage collector each time: it need not go through all that other tests have
    left."""
    gc.freeze()
    yield
    gc.unfreeze()


@given(st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.01, 0.02, 0.04])), min_size=1, max_size=30))
def test_holm_is_that_of_statsmodels(p_values):
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1], abs=1e-15)


def test_holm_of_nothing():
    assert holm([]).tolist() == []
