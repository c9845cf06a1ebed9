"""What few units of a class hide is in an interval: restated with plain sums."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics import interval_basis, intervals
from scoring.statistics.interval_basis import Basis
from scoring.statistics.interval_options import StatisticsOptions
from scoring.statistics.intervals import Estimate
from scoring.statistics.replicates import replicate

PARTS = st.lists(
    st.tuples(st.floats(0, 1), st.floats(0, 0.05), st.integers(0, 9), st.floats(0.01, 1)),
    min_size=1,
    max_size=6,
)


@given(PARTS)
def test_what_parts_hide_restated(parts):
    values = {("f1", k): Estimate(p, v, (p,), 40, n) for k, (p, v, n, _) in enumerate(parts)}
    weights = {("f1", k): w for k, (_, _, _, w) in enumerate(parts)}
    whole = Estimate(0.4, 0.01, (0.4, 0.41), 40, 40)
    found = interval_basis.with_unseen(whole, weights, values)
    seen = [part for part in parts if part[2]]
    is_mean = sum(w for *_, w in parts) > 1 - 1e-12
    assert found.rests_on == (min(40, sum(n for _, _, n, _ in seen)) if is_mean or not seen else 40)
    if not seen:
        assert intervals.wilson_t(found) is None
        return
    mean = sum(w * p for p, _, _, w in seen) / sum(w for *_, w in seen)
    variance, as_others = 0.01, 0.4
    for p, v, n, w in parts:
        q = (n * p + mean + 0.5) / (n + 2)
        shown = max(v, p * (1 - p) / n) if n and v else 0
        variance += w**2 * (max(q * (1 - q) / (n + 2) - shown, 0) if n else 0.5 * 0.5 / 2)
        as_others += 0 if n else w * (mean - p)
    assert found.variance == pytest.approx(variance)
    assert found.centers[:2] == (0.4, 0.41)
    assert found.centers[2:] == (() if len(seen) == len(parts) else (pytest.approx(as_others),))


def test_units_are_counted_once_and_areas_by_the_smaller_side():
    units = np.array([0, 0, 1, 2, 3])
    of_class = np.array([[1, 0], [1, 0], [0, 1], [0, 0], [0, 0]], bool)
    assert interval_basis.counted(
        {"a": of_class[:, 0], "b": of_class[:, 1], "c": of_class[:, 0] & False}, units
    ) == {
        "a": 1,
        "b": 1,
        "c": 0,
    }
    assert interval_basis.of_areas(["a", "b"], ~of_class, of_class, units) == {"a": 1, "b": 1}
    assert interval_basis.mean(["a", "b", "c"], {"a": 1, "b": 1, "c": 0}) == {"a": 0.5, "b": 0.5}
    assert interval_basis.mean(["c"], {"c": 0}) == {}


def test_a_perfect_score_of_a_class_of_two_cases_is_uncertain_and_of_one_case_has_no_interval():
    labels = np.array([0] * 36 + [1] * 2 + [2])
    right = np.ones(39)

    def quantities(weights):
        recalls = {("recall", k): weights[:, labels == k] @ right[labels == k] for k in range(3)}
        with np.errstate(invalid="ignore"):
            recalls = {name: hits / weights[:, labels == name[1]].sum(1) for name, hits in recalls.items()}
        return recalls | {"score": np.nanmean(np.stack([*recalls.values()]), 0)}

    units, options = np.arange(39), StatisticsOptions(50)
    rests_on = interval_basis.counted({("recall", k): labels == k for k in range(3)}, units)
    of = Basis(rests_on, {"score": interval_basis.mean([*rests_on], rests_on)})
    point = quantities(np.ones((1, 39)))
    found, plain = (
        replicate(quantities, point, units, options, basis=lambda _, known=known: known).intervals
        for known in (of, Basis())
    )
    assert found["recall", 1][0] < 0.4 < 0.9 < plain["recall", 1][0]
    assert found["recall", 2] is None
    assert found["recall", 0][0] == pytest.approx(intervals.wilson(36, 36, 2.024394)[0], abs=1e-6)
    assert found["score"][0] < 0.7 < 0.9 < plain["score"][0]
    assert found["score"][1] == 1


def test_an_area_may_have_one_more_unit_half_way_to_a_coin_and_what_jumps_varies_as_the_replicates():
    random, n = np.random.default_rng(2), 30
    values = random.random((n, 2))

    def quantities(weights):
        means = (weights @ values / weights.sum(1, keepdims=True)).T
        return {("auc", "A"): means[0], ("auc", "B"): means[0], "jumps": means[1]}

    def found(of):
        point = quantities(np.ones((1, n)))
        return replicate(quantities, point, np.arange(n), StatisticsOptions(300), basis=lambda _: of)

    units = {("auc", "A"): 9, ("auc", "B"): 30, "jumps": 30}
    plain, of = found(Basis(units)), Basis(units, worst={"auc": 0.5}, jumping=frozenset(("jumps",)))
    area, point = found(of), values.mean(0)
    variance = values[:, 0].var(ddof=1) / n + ((point[0] - 0.5) / 2 / 10) ** 2
    expected = Estimate(point[0], variance, (point[0],), n, 9, has_hidden=True)
    assert area.intervals["auc", "A"] == pytest.approx(intervals.wilson_t(expected), abs=1e-6)
    assert area.intervals["auc", "B"] != plain.intervals["auc", "B"]
    drawn = intervals.estimated(point[1], plain.values["jumps"], None, n)
    assert area.intervals["jumps"] == pytest.approx(intervals.wilson_t(drawn), abs=1e-6)
    assert ("jumps" in plain.left_out, "jumps" in area.left_out) == (True, False)


@pytest.mark.parametrize(
    ("chosen_by", "wanted", "found"), [(15, 0.9, 7), (14, 0.9, 0), (8, 0.8, 7), (29, 0.95, 0)]
)
def test_a_threshold_is_known_from_three_half_cases_beyond_it_on(chosen_by, wanted, found):
    assert interval_basis.beyond(chosen_by, wanted, 7) == found


@pytest.mark.parametrize(("variance", "adds"), [(0.0, 0.4**2 * 0.5 * 0.5 / 22), (1e-6, 0.0)])
def test_what_else_is_added_hides_something_only_where_it_does_not_vary(variance, adds):
    values = {"part": Estimate(0.5, 1.0, (0.5,), 40, 20), "c_index": Estimate(0.5, variance, (0.5,), 40, 20)}
    whole = Estimate(0.4, 0.01, (0.4,), 40, 40)
    found = interval_basis.with_unseen(whole, {"part": 0.5}, values, {"c_index": 0.4, "unknown": 0.2})
    assert found.variance == pytest.approx(0.01 + adds)
