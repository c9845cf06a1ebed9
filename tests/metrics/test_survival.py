"""Concordance, Kaplan-Meier and log-rank against plain loops, lifelines and scikit-survival."""

from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics import survival
from tests.support import peer

PATIENTS = st.lists(
    st.tuples(st.integers(0, 6), st.booleans(), st.one_of(st.none(), st.integers(-3, 3))),
    min_size=1,
    max_size=14,
)
KINDS = ("comparable", "concordant", "tied", "missing", "discordant")


def arrays(patients) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    time, event, risk = zip(*patients, strict=True)
    return (
        np.array(time, float),
        np.array(event, bool),
        np.array([np.nan if r is None else r for r in risk], float),
    )


def drawn(n: int, seed: int, missing: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Patients with tied times and tied scores."""
    random = np.random.default_rng(seed)
    risk = random.normal(size=n).round(1)
    time = np.ceil(random.exponential(900 * np.exp(-risk)) / 30) * 30
    event = random.random(n) < 0.4
    risk[random.random(n) < missing] = np.nan
    return time, event, risk


def counted(time, event, risk) -> dict[str, int]:
    """Pairs by a loop over all ordered pairs of patients."""
    found = dict.fromkeys(KINDS, 0)
    for i in range(len(time)):
        for j in range(len(time)):
            if event[i] and (time[i] < time[j] or (time[i] == time[j] and not event[j])):
                found["comparable"] += 1
                if np.isnan(risk[i]) or np.isnan(risk[j]):
                    found["missing"] += 1
                else:
                    found[
                        "concordant" if risk[i] > risk[j] else "tied" if risk[i] == risk[j] else "discordant"
                    ] += 1
    return found


def ones(time) -> np.ndarray:
    return np.ones((1, len(time)), np.float32)


@pytest.mark.parametrize("at_once", [1, 3, survival.EVENTS_AT_ONCE])
@given(PATIENTS)
def test_pairs_and_the_three_rules_for_missing_scores(at_once, patients):
    columns = arrays(patients)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(survival, "EVENTS_AT_ONCE", at_once)
        found = survival.pairs(*columns, ones(patients))
    expected = counted(*columns)
    assert {kind: int(getattr(found, kind)[0]) for kind in KINDS} == expected
    m, c, t, lost = (expected[kind] for kind in ("comparable", "concordant", "tied", "missing"))
    for rule, credit, total in (
        ("non-concordant", c + t / 2, m),
        ("half", c + t / 2 + lost / 2, m),
        ("exclude", c + t / 2, m - lost),
    ):
        value = survival.c_index(found, rule)[0]
        assert np.isnan(value) if total == 0 else value == pytest.approx(credit / total, abs=1e-15)


@given(PATIENTS)
def test_flipping_is_reversing_every_sign(patients):
    time, event, risk = arrays(patients)
    found, reversed_pairs = (
        survival.pairs(time, event, risk, ones(time)),
        survival.pairs(time, event, -risk, ones(time)),
    )
    for rule in survival.MISSING_RISK:
        np.testing.assert_equal(survival.c_index_flipped(found, rule), survival.c_index(reversed_pairs, rule))
    if not np.isnan(risk).any() and found.comparable[0]:
        assert survival.c_index_flipped(found)[0] == pytest.approx(1 - survival.c_index(found)[0], abs=1e-15)


@given(PATIENTS, st.randoms())
def test_the_order_of_patients_and_any_growing_scale_of_scores_change_nothing(patients, random):
    shuffled = random.sample(patients, len(patients))
    time, event, risk = arrays(shuffled)
    first, second = (
        survival.pairs(*arrays(patients), ones(patients)),
        survival.pairs(time, event, np.exp(risk) * 7 - 3, ones(patients)),
    )
    assert all(getattr(first, kind)[0] == getattr(second, kind)[0] for kind in KINDS)


def test_weights_are_copies_of_patients():
    time, event, risk = drawn(40, 1, missing=0.1)
    weights = np.random.default_rng(0).multinomial(40, np.full(40, 1 / 40), size=20)
    found = survival.pairs(time, event, risk, weights.astype(np.float32))
    for b, row in enumerate(weights):
        copies = np.repeat(np.arange(40), row)
        assert {kind: int(getattr(found, kind)[b]) for kind in KINDS} == counted(
            time[copies], event[copies], risk[copies]
        )


def test_pairs_of_patients_count_each_pair_at_both():
    time, event, risk = drawn(30, 2, missing=0.1)
    everyone, total = np.arange(30), counted(time, event, risk)
    found = survival.pairs_of_patients(time, event, risk)
    for kind in KINDS:
        per_patient = getattr(found, kind)
        assert per_patient.sum() == 2 * total[kind]
        for i in (0, 7, 29):
            without = everyone != i
            assert per_patient[i] == total[kind] - counted(time[without], event[without], risk[without])[kind]


def test_the_worked_example():
    time, event, risk = (
        np.array([100.0, 200, 300, 400]),
        np.array([True, True, False, True]),
        np.array([4, np.nan, 2, 1]),
    )
    found = survival.pairs(time, event, risk, ones(time))
    assert found.comparable[0] == 5
    assert [survival.c_index(found, rule)[0] for rule in survival.MISSING_RISK] == [2 / 5, 7 / 10, 1.0]


def test_equal_scores_give_one_half_and_no_pair_gives_nothing():
    time, event, _ = drawn(20, 3)
    assert survival.c_index(survival.pairs(time, event, np.zeros(20), ones(time)))[0] == 0.5
    none = survival.pairs(time, np.zeros(20, bool), np.zeros(20), ones(time))
    assert [np.isnan(survival.c_index(none, rule)[0]) for rule in survival.MISSING_RISK] == [True] * 3
    assert np.isnan(
        survival.c_index(survival.pairs(np.zeros(0), np.zeros(0, bool), np.zeros(0), np.ones((2, 0))))
    ).all()


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=20))
def test_tertiles_keep_ties_together(scores):
    risk = np.array(scores, float)
    expected = [3 * sum(other < score for other in scores) // len(scores) for score in scores]
    assert survival.tertiles(risk).tolist() == expected


@given(PATIENTS)
def test_kaplan_meier_is_a_product_over_the_times(patients):
    time, event, _ = arrays(patients)
    curve, probability = survival.kaplan_meier(time, event), 1.0
    assert curve.time.tolist() == sorted(set(time))
    for k, moment in enumerate(curve.time):
        exposed = sum(t >= moment for t in time)
        events = sum(e and t == moment for t, e in zip(time, event, strict=True))
        probability *= 1 - events / exposed
        assert (curve.at_risk[k], curve.events[k], curve.censored[k]) == (
            exposed,
            events,
            sum(time == moment) - events,
        )
        assert curve.survival[k] == pytest.approx(probability, abs=1e-12)
    moments = np.array([0.0, 2.5, 6.0])
    assert survival.at_risk(time, moments).tolist() == [sum(t >= moment for t in time) for moment in moments]


def test_log_rank_needs_two_groups_and_an_event():
    time, event = np.array([1.0, 2, 3, 4]), np.array([True, False, True, False])
    assert survival.log_rank(time, event, np.zeros(4)) is None
    assert survival.log_rank(time, np.zeros(4, bool), np.arange(4) // 2) is None
    assert (
        survival.log_rank(time, event, np.array([0, 0, 2, 2])).p
        == survival.log_rank(time, event, np.array([2, 2, 0, 0])).p
    )


@pytest.mark.parametrize("groups", [2, 3, 5])
def test_log_rank_p_is_the_tail_of_chi_squared(groups):
    time, event, _ = drawn(60, groups)
    found = survival.log_rank(time, event, np.arange(60) % groups)
    assert found.p == scipy.stats.chi2.sf(found.chi2, groups - 1)


def test_log_rank_of_groups_that_are_never_exposed_together_says_nothing():
    found = survival.log_rank(
        np.array([1.0, 1, 2, 3]), np.array([False, False, True, True]), np.array([0, 0, 1, 1])
    )
    assert (found.chi2, found.p) == (0, 1)


@pytest.mark.slow
def test_lifelines_and_scikit_survival_agree():
    cases = []
    for seed in range(6):
        time, event, risk = drawn(60 + 40 * seed, seed)
        cases.append([time.tolist(), event.tolist(), risk.tolist(), survival.tertiles(risk).tolist()])
    for (time, event, risk, group), said in zip(
        cases, peer.asked(Path(__file__).with_name("survival_programs.py"), cases), strict=True
    ):
        time, event, risk = np.array(time), np.array(event), np.array(risk)
        found = survival.pairs(time, event, risk, ones(time))
        assert said["lifelines"] == pytest.approx(survival.c_index(found)[0], abs=1e-12)
        c_index, *pairs = said["scikit-survival"]
        assert c_index == pytest.approx(survival.c_index(found)[0], abs=1e-12)
        assert pairs == [int(getattr(found, kind)[0]) for kind in ("concordant", "discordant", "tied")]
        for horizon, uno in zip((time.max(), np.median(time)), said["uno"], strict=True):
            assert uno == pytest.approx(
                survival.uno_c_index(time, event, risk, ones(time), horizon)[0], abs=1e-12
            )
        curve = survival.kaplan_meier(time, event)
        moments, probability, fitted = said["kaplan-meier"]
        assert curve.time.tolist() == moments
        assert curve.survival == pytest.approx(probability, abs=1e-12)
        assert curve.survival == pytest.approx(fitted, abs=1e-12)
        test = survival.log_rank(time, event, np.array(group))
        assert said["log-rank"] == pytest.approx([test.chi2, test.p], rel=1e-8)
