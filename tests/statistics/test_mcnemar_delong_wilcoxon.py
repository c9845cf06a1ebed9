"""Tests of pairs against their definitions, SciPy and statsmodels, and DeLong against MLstatkit."""

import gc
import itertools
import math
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests

from scoring.statistics.mcnemar_delong_wilcoxon import (
    BinarySample,
    ScoreSample,
    ValueSample,
    components,
    delong,
    holm,
    mcnemar,
    midranks,
    p_value,
    wilcoxon,
)
from tests.support import peer

BITS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)


def columns(rows) -> list[np.ndarray]:
    return [np.array(column) for column in zip(*rows, strict=True)]


@given(BITS)
def test_mcnemar_is_a_fair_coin_on_the_cases_that_one_alone_got_right(rows):
    only_a, only_b = sum(a and not b for a, b in rows), sum(b and not a for a, b in rows)
    n, few = only_a + only_b, min(only_a, only_b)
    expected = min(1.0, 2 * sum(math.comb(n, k) for k in range(few + 1)) / 2**n)
    assert mcnemar(*columns(rows)) == pytest.approx(expected)


@given(st.integers(0, 2500), st.integers(0, 2500))
def test_mcnemar_is_that_of_statsmodels_and_a_binomial_test(only_a, only_b):
    right_a = np.r_[np.ones(only_a, bool), np.zeros(only_b, bool)]
    found = mcnemar(right_a, ~right_a)
    expected = statsmodels_mcnemar([[0, only_a], [only_b, 0]], exact=True).pvalue if only_a + only_b else 1
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-300)
    if only_a + only_b:
        binomial = scipy.stats.binomtest(only_a, only_a + only_b).pvalue
        assert found == pytest.approx(binomial, rel=1e-9, abs=1e-300)


@given(st.lists(st.sampled_from([-np.inf, -1.5, 0.0, 0.25, 3.0, np.inf]), max_size=30))
def test_midranks_are_those_of_scipy(values):
    assert midranks(np.array(values)).tolist() == scipy.stats.rankdata(values).tolist()


def test_midranks_are_undefined_where_a_value_is():
    assert np.isnan(midranks(np.array([1.0, np.nan]))).all()


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=2, max_size=25))
def test_components_are_shares_of_pairs(rows):
    scores, positive = columns(rows)
    if not positive.any() or positive.all():
        return
    above, below = components(scores, positive)

    def won(hit: int, miss: int) -> float:
        return float(hit > miss) + 0.5 * float(hit == miss)

    hits, misses = scores[positive].tolist(), scores[~positive].tolist()
    assert above == pytest.approx([np.mean([won(h, m) for m in misses]) for h in hits])
    assert below == pytest.approx([np.mean([won(h, m) for h in hits]) for m in misses])


def by_definition(scores_a, scores_b, positive) -> float:
    """DeLong's p from the covariance matrices of the components."""
    parts = [components(scores, positive) for scores in (scores_a, scores_b)]
    covariance = sum(np.cov([part[k] for part in parts]) / len(parts[0][k]) for k in (0, 1))
    difference = parts[0][0].mean() - parts[1][0].mean()
    return 2 * scipy.stats.norm.sf(
        abs(difference) / math.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    )


def drawn(seed: int, n: int = 120, decimals: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    positive = random.random(n) < 0.3
    common = random.normal(size=n) + 1.2 * positive
    return (
        np.round(common + 0.5 * random.normal(size=n), decimals),
        np.round(common + 0.9 * random.normal(size=n), decimals),
        positive,
    )


@pytest.mark.slow
def test_delong_agrees_with_its_definition_and_with_mlstatkit():
    cases = [drawn(seed, decimals=decimals) for seed, decimals in itertools.product(range(3), (1, 6))]
    found = [delong(*case) for case in cases]
    assert found == pytest.approx([by_definition(*case) for case in cases], abs=1e-12)
    said = peer.asked(
        Path(__file__).with_name("delong_program.py"),
        [[column.tolist() for column in case] for case in cases],
    )
    assert found == pytest.approx(said, abs=1e-9)


def test_delong_where_nothing_varies():
    scores, positive = np.array([0.1, 0.2, 0.8, 0.9]), np.array([False, False, True, True])
    assert delong(scores, scores + 1, positive) == 1
    assert delong(scores, -scores, positive) == 0
    assert np.isnan(delong(scores, scores, np.ones(4, bool)))


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=3, max_size=30))
def test_wilcoxon_from_its_rank_sums(rows):
    a, b = (column / 10 for column in columns(rows))
    differences = [round(x - y, 12) for x, y in zip(a, b, strict=True) if round(x - y, 12)]
    if not differences:
        assert wilcoxon(a, b) == 1
        return
    sizes = [abs(d) for d in differences]
    ranks = [np.mean([place for place, size in enumerate(sorted(sizes), 1) if size == own]) for own in sizes]
    positive = sum(rank for rank, d in zip(ranks, differences, strict=True) if d > 0)
    n = len(sizes)
    ties = sum(sizes.count(size) ** 3 - sizes.count(size) for size in set(sizes))
    variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48
    distance = positive - n * (n + 1) / 4
    z = (distance - 0.5 * np.sign(distance)) / math.sqrt(variance)
    assert wilcoxon(a, b) == pytest.approx(min(1.0, 2 * scipy.stats.norm.sf(abs(z))))


def test_every_sample_has_its_test():
    a, b, positive = drawn(7)
    assert p_value(BinarySample(a > 0), BinarySample(b > 0)) == mcnemar(a > 0, b > 0)
    assert p_value(ScoreSample(a, positive), ScoreSample(b, positive)) == delong(a, b, positive)
    assert p_value(ValueSample(a), ValueSample(b)) == wilcoxon(a, b)


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
