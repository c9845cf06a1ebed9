"""What another threshold than 0.5 would give, against loops over the cases; no number of the card moves."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scoring.challenges.melanoma import threshold as melanoma_thresholds
from scoring.challenges.melanoma.formula import combined
from scoring.challenges.melanoma.threshold import (
    at_sensitivity,
    at_specificity,
    at_threshold,
    best_threshold,
    counts_at,
    net_benefit,
    predictive_values,
    ranked,
    threshold_range,
    thresholds,
)
from scoring.challenges.melanoma.threshold import histogram as melanoma_histogram
from scoring.metrics import binary, curves
from scoring.statistics.interval_basis import Basis
from scoring.statistics.interval_options import StatisticsOptions
from scoring.statistics.replicates import replicate
from tests.support import risk_tables
from tests.support.risk_tables import SCORES, TRUTH, card
from tests.support.soak import FACTOR

TENTHS = st.integers(0, 10).map(lambda k: k / 10)
BOTH = st.lists(st.tuples(st.booleans(), st.one_of(st.none(), TENTHS)), min_size=2, max_size=24).filter(
    lambda cases: {True, False} == {y for y, _ in cases} and any(s is not None for _, s in cases)
)
THRESHOLDS = st.one_of(TENTHS, st.floats(-0.2, 1.2))
RESAMPLES = 60


def columns(cases) -> tuple[list, list]:
    return [y for y, _ in cases], [s for _, s in cases]


def at(positive, ranked, threshold: float) -> dict[str, float | None]:
    """The quantities of the slider when "score > threshold" decides."""
    tp, fp, fn, tn = risk_tables.counts(positive, [s > threshold for s in ranked])
    found = {
        "f2": risk_tables.f_beta(tp, fp, fn, 2),
        "accuracy": (tp + tn) / len(positive),
        "recall": risk_tables.ratio(tp, tp + fn),
        "specificity": risk_tables.ratio(tn, tn + fp),
        "precision": risk_tables.ratio(tp, tp + fp),
    }
    auc = risk_tables.ordered_pairs(positive, ranked)
    return found | {"score": None if auc is None else 0.6 * found["f2"] + 0.3 * found["accuracy"] + 0.1 * auc}


def drawn_cases(n: int = 60, seed: int = 0) -> tuple[list[bool], list[float]]:
    dice = np.random.default_rng(seed)
    positive = dice.random(n) < 0.4
    return positive.tolist(), np.round(np.clip(dice.normal(0.3 + 0.3 * positive, 0.2), 0, 1), 2).tolist()


def resampled(positive, ranked, seed: int = 0) -> list[tuple[list[bool], list[float]]]:
    n = len(positive)
    counts = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    kept = [[i for i, k in enumerate(row) for _ in range(k)] for row in counts]
    return [([positive[i] for i in one], [ranked[i] for i in one]) for one in kept]


def quantiles(values) -> list[float]:
    return list(np.quantile([v for v in values if v is not None], [0.025, 0.975]))


@given(BOTH, THRESHOLDS)
def test_every_number_of_the_slider_restated(cases, threshold):
    positive, scores = columns(cases)
    found = at_threshold(card(positive, scores), threshold)
    expected = at(positive, risk_tables.ranks(positive, scores), threshold)
    assert set(found) == set(expected)
    for name, value in expected.items():
        assert found[name] == (None if value is None else pytest.approx(value, abs=1e-12), None)


@given(BOTH)
def test_at_a_half_it_is_the_official_number(cases):
    scored = card(*columns(cases), resamples=RESAMPLES)
    for name, (value, interval) in at_threshold(scored, 0.5).items():
        assert value == (pytest.approx(scored.score, abs=1e-12) if name == "score" else scored.metrics[name])
        assert interval == (
            None if scored.intervals[name] is None else pytest.approx(scored.intervals[name], abs=1e-12)
        )


@given(BOTH, THRESHOLDS)
def test_counts_restated(cases, threshold):
    positive, scores = columns(cases)
    tp, fp, fn, tn = risk_tables.counts(
        positive, [s > threshold for s in risk_tables.ranks(positive, scores)]
    )
    assert counts_at(card(positive, scores), threshold) == [[tn, fp], [fn, tp]]


@given(BOTH)
def test_all_thresholds_restated(cases):
    positive, scores = columns(cases)
    found, ranked = thresholds(card(positive, scores)), risk_tables.ranks(positive, scores)
    assert list(found["threshold"]) == sorted(set(found["threshold"]), reverse=True)
    assert 0.5 in found["threshold"]
    for name in ("f2", "accuracy", "score", "recall", "specificity", "precision"):
        expected = [at(positive, ranked, t)[name] for t in found["threshold"]]
        assert found[name].tolist() == pytest.approx(
            [math.nan if v is None else v for v in expected], abs=1e-12, nan_ok=True
        )
    decisions = {tuple(s > t for s in ranked) for t in found["threshold"]}
    assert decisions == {tuple(s > t for s in ranked) for t in (-1e9, *(s for s in scores if s is not None))}


@given(BOTH, st.integers(3, 6), st.lists(st.floats(0, 1), max_size=2))
def test_some_of_all_thresholds(cases, most, included):
    scored = card(*columns(cases))
    every, some = thresholds(scored), thresholds(scored, most, included)
    assert {0.5, every["threshold"][0], every["threshold"][-1], *included} <= set(some["threshold"])
    assert len(some["threshold"]) <= most + 1 + len(included)
    assert set(some["threshold"]) <= {*every["threshold"], *included}


@given(BOTH)
def test_the_best_threshold_is_the_best_and_nearest_to_a_half(cases):
    positive, scores = columns(cases)
    scored, ranked = card(positive, scores), risk_tables.ranks(positive, scores)
    best, tried = best_threshold(scored), thresholds(scored)["threshold"]
    reached = {t: at(positive, ranked, t)["score"] for t in tried}
    top = max(reached.values())
    assert reached[best] == pytest.approx(top, abs=1e-12)
    assert abs(best - 0.5) == min(abs(t - 0.5) for t in tried if reached[t] > top - 1e-13)


@pytest.mark.parametrize("prevalence", [None, 0.02, 0.5])
def test_predictive_values_restated(prevalence):
    positive, scores = drawn_cases()
    share = sum(positive) / len(positive) if prevalence is None else prevalence

    def worth(kinds, ranked) -> dict[str, float | None]:
        """A thousand people, counted."""
        found = at(kinds, ranked, 0.4)
        hits, alarms = 1000 * share * found["recall"], 1000 * (1 - share) * (1 - found["specificity"])
        missed, quiet = 1000 * share - hits, 1000 * (1 - share) - alarms
        return {
            "recall": found["recall"],
            "specificity": found["specificity"],
            "flagged": (hits + alarms) / 1000,
            "precision": risk_tables.ratio(hits, hits + alarms),
            "missed_among_cleared": risk_tables.ratio(missed, missed + quiet),
        }

    scored = card(positive, scores, resamples=RESAMPLES, interval="percentile")
    found = predictive_values(scored, 0.4, prevalence)
    replicates = resampled(positive, scores)
    for name, value in worth(positive, scores).items():
        assert found[name][0] == pytest.approx(value, abs=1e-9)
        assert found[name][1] == pytest.approx(
            quantiles([worth(*one)[name] for one in replicates]), abs=1e-6
        ), name


@given(BOTH, st.sampled_from([0.5, 0.8, 0.9, 0.95, 1.0]))
def test_wanted_sensitivity_and_specificity(cases, wanted):
    """The point keeps what is wanted, no threshold that does is better, and it holds as "score >
    threshold"."""
    positive, scores = columns(cases)
    scored, ranked = card(positive, scores), risk_tables.ranks(positive, scores)
    tried = [at(positive, ranked, t) for t in (math.inf, *(s for s in ranked if s < math.inf), -math.inf)]
    tried.append({"recall": 1.0, "specificity": 0.0})
    for find, kept, other in (
        (at_sensitivity, "recall", "specificity"),
        (at_specificity, "specificity", "recall"),
    ):
        point, interval = find(scored, wanted)
        reached = {"recall": point.sensitivity, "specificity": point.specificity}
        assert interval is None
        assert reached[kept] >= wanted - 1e-9
        assert reached[other] == pytest.approx(
            max(found[other] for found in tried if found[kept] >= wanted - 1e-9)
        )
        if None not in scores:
            again = at(positive, ranked, point.threshold)
            assert (again["recall"], again["specificity"]) == pytest.approx(
                (point.sensitivity, point.specificity)
            )


def test_at_90_it_is_the_official_metric_with_its_interval():
    scored = card(*drawn_cases(), resamples=RESAMPLES)
    point, interval = at_sensitivity(scored, 0.9)
    name = "specificity_at_90_sensitivity"
    assert (point.specificity, interval) == (scored.metrics[name], scored.intervals[name])
    point, interval = at_specificity(scored, 0.9)
    name = "sensitivity_at_90_specificity"
    assert (point.sensitivity, interval) == (scored.metrics[name], scored.intervals[name])


def plainly(scored, threshold: float, wanted: float) -> dict[str, list[float] | None]:
    """Intervals from the weights of every case in every replicate, with nothing cumulated."""
    ranks, positive = ranked(scored)

    def best(called, kept, other) -> np.ndarray:
        reached = np.array([[kept(d), other(d)] for d in called])
        values = np.where(reached[:, 0] >= wanted - 1e-9, reached[:, 1], -np.inf).max(axis=0)
        return np.where(np.isnan(reached[-1]).any(axis=0), np.nan, values)

    def quantities(weights: np.ndarray) -> dict[str, np.ndarray]:
        d = binary.decisions(positive, ranks > threshold, weights)
        cuts = [ranks >= t for t in np.unique(ranks)] + [np.zeros(len(ranks), bool)]
        every = [binary.decisions(positive, called, weights) for called in cuts]
        return {
            "f2": binary.f_beta(d, 2),
            "accuracy": binary.accuracy(d),
            "score": combined(d, curves.resampled_auc(ranks, positive, weights)),
            "recall": binary.recall(d),
            "specificity": binary.specificity(d),
            "precision": binary.precision(d),
            "at sensitivity": best(every, binary.recall, binary.specificity),
            "at specificity": best(every, binary.specificity, binary.recall),
        }

    source = scored.provenance
    options = StatisticsOptions(RESAMPLES, source["seed"], interval=source["options"]["interval"])
    itself = quantities(np.ones((1, len(ranks)), np.float32))
    with_positive, with_negative, called = (
        len(set(scored.arrays["units"][cases].tolist())) for cases in (positive, ~positive, ranks > threshold)
    )
    rests_on = {
        **dict.fromkeys(("f2", "recall"), with_positive),
        "specificity": with_negative,
        "at specificity": with_positive if with_negative * (1 - wanted) > 1.499 else 0,
        "at sensitivity": with_negative if with_positive * (1 - wanted) > 1.499 else 0,
        "precision": called,
    }
    jumping = frozenset(("at sensitivity", "at specificity"))
    basis = Basis(rests_on, {"score": {"f2": 0.6}}, jumping=jumping)
    return replicate(quantities, itself, scored.arrays["units"], options, basis=lambda _: basis).intervals


@settings(max_examples=10 * FACTOR, deadline=None)
@given(BOTH, THRESHOLDS, st.floats(0.5, 1), st.sampled_from(["percentile", "auto"]))
@example([(False, 0.0), (False, 0.0), (True, 0.1), (False, None)], 0.0, 1.0, "percentile")
def test_kept_counts_give_the_plain_numbers_to_the_last_bit(cases, threshold, wanted, interval):
    scored = card(*columns(cases), resamples=RESAMPLES, interval=interval)
    expected = plainly(scored, threshold, wanted)
    for most in (melanoma_thresholds.KEPT_BYTES, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(melanoma_thresholds, "KEPT_BYTES", most)
            moved = at_threshold(scored, threshold)
            assert {name: bounds for name, (_, bounds) in moved.items()} | {
                "at sensitivity": at_sensitivity(scored, wanted)[1],
                "at specificity": at_specificity(scored, wanted)[1],
            } == expected


@pytest.mark.parametrize("prevalence", [None, 0.03])
def test_net_benefit_restated(prevalence):
    positive, scores = drawn_cases()
    grid = [0.0, 0.1, 0.25, 0.5, 0.9]

    def benefit(kinds, called, t) -> float:
        tp, fp, fn, tn = risk_tables.counts(kinds, called)
        if prevalence is None:
            return tp / len(kinds) - fp / len(kinds) * t / (1 - t)
        return prevalence * tp / (tp + fn) - (1 - prevalence) * fp / (fp + tn) * t / (1 - t)

    found = net_benefit(card(positive, scores, resamples=RESAMPLES), grid, prevalence)
    replicates = resampled(positive, scores)
    for k, t in enumerate(grid):
        assert found["model"][k] == pytest.approx(benefit(positive, [s > t for s in scores], t), abs=1e-12)
        assert found["everybody"][k] == pytest.approx(benefit(positive, [True] * len(positive), t), abs=1e-12)
        assert found["nobody"][k] == 0
        drawn = [benefit(kinds, [s > t for s in ranked], t) for kinds, ranked in replicates]
        assert [found["low"][k], found["high"][k]] == pytest.approx(quantiles(drawn), abs=1e-6)


def test_net_benefit_without_replicates_has_no_band():
    assert set(net_benefit(card(TRUTH, SCORES), [0.1])) == {
        "threshold",
        "model",
        "everybody",
        "nobody",
    }


@given(BOTH)
def test_the_histogram_counts_every_score_once_on_its_side_of_a_half(cases):
    positive, scores = columns(cases)
    found = melanoma_histogram(card(positive, scores))
    edges = found["edges"]
    for name, kind in (("positive", True), ("negative", False)):
        told = [s for y, s in cases if y is kind and s is not None]
        assert found[name].sum() == len(told)
        assert found[name][edges[1:] <= 0.5 + 1e-12].sum() == sum(s <= 0.5 for s in told)


@given(st.lists(st.floats(-30, 30), min_size=1, max_size=9))
def test_the_range_of_thresholds_holds_every_score_and_a_half(scores):
    found = card([True, *[False] * (len(scores) - 1)], scores)
    low, high = threshold_range(found)
    assert low <= min(*scores, 0.5) + 1e-6
    assert high >= max(*scores, 0.5) - 1e-6
    histogram = melanoma_histogram(found)
    assert (histogram["edges"][0], histogram["edges"][-1]) == (low, high)
    assert histogram["positive"].sum() + histogram["negative"].sum() == len(scores)


def test_no_threshold_moves_a_number_of_the_card():
    scored = card(TRUTH, SCORES, resamples=20)
    before = scored.to_json()
    at_threshold(scored, 0.2)
    best_threshold(scored)
    net_benefit(scored, [0.1, 0.2], 0.05)
    assert scored.to_json() == before
    with pytest.raises(ValueError, match="read-only"):
        scored.arrays["rank_scores"][0] = 1
