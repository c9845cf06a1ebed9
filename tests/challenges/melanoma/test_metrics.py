"""Every number of a melanoma scorecard against plain loops and scikit-learn, its replicates against the
metrics of the repeated cases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.challenges.melanoma.threshold import at_sensitivity, best_threshold
from tests.support import risk_tables
from tests.support.findings import codes, only
from tests.support.risk_tables import CHALLENGE, SCORES, TRUTH, card
from tests.support.soak import FACTOR

TENTHS = st.integers(0, 10).map(lambda k: k / 10)
CASES = st.lists(st.tuples(st.booleans(), TENTHS), min_size=1, max_size=24)
WITH_MISSING = st.lists(st.tuples(st.booleans(), st.one_of(st.none(), TENTHS)), min_size=1, max_size=24)
LOGITS = st.lists(
    st.tuples(st.booleans(), st.floats(-4, 4).map(lambda v: round(v, 1))), min_size=1, max_size=24
)


def columns(cases) -> tuple[list, list]:
    return [y for y, _ in cases], [s for _, s in cases]


def assert_equal(found: dict, expected: dict) -> None:
    assert set(found) == set(expected)
    for name, value in expected.items():
        assert found[name] == (None if value is None else pytest.approx(value, abs=1e-12)), name


@given(st.one_of(CASES, WITH_MISSING, LOGITS).filter(lambda cases: any(s is not None for _, s in cases)))
def test_every_metric_restated(cases):
    positive, scores = columns(cases)
    found, expected = card(positive, scores), risk_tables.metrics(positive, scores)
    assert_equal(found.metrics, expected)
    assert found.score == (
        None if expected["auc"] is None else pytest.approx(risk_tables.score(expected), abs=1e-12)
    )
    assert found.more["n_missing"] == scores.count(None)


def test_the_worked_example():
    positive, scores = [True] * 3 + [False] * 5, [0.933, 0.956, 0.319, 0.616, 0.106, 0.218, 0.429, 0.307]
    found = card(positive, scores)
    assert found.metrics["f2"] == pytest.approx(10 / 15)
    assert found.metrics["accuracy"] == 6 / 8
    assert found.metrics["auc"] == pytest.approx(13 / 15)
    assert found.score == pytest.approx(0.711667, abs=1e-6)
    assert found.confusion_matrix == {"labels": ["negative", "positive"], "counts": [[4, 1], [1, 2]]}
    assert found.more["points"] == pytest.approx({"f2": 0.4, "accuracy": 0.225, "auc": 13 / 150})


@given(WITH_MISSING.filter(lambda cases: any(s is not None for _, s in cases)))
def test_both_classes_restated(cases):
    positive, scores = columns(cases)
    found, called = card(positive, scores), [s > 0.5 for s in risk_tables.ranks(positive, scores)]
    for name, kind in (("negative", False), ("positive", True)):
        tp, fp, fn, tn = risk_tables.counts([y is kind for y in positive], [c is kind for c in called])
        expected = {
            "support": tp + fn,
            "predicted": tp + fp,
            "precision": risk_tables.ratio(tp, tp + fp),
            "recall": risk_tables.ratio(tp, tp + fn),
            "f1": risk_tables.f_beta(tp, fp, fn, 1),
            "specificity": risk_tables.ratio(tn, tn + fp),
        }
        assert_equal(found.per_class[name], expected)
    assert [c["truth"] for c in found.cases] == ["positive" if y else "negative" for y in positive]
    assert [c["output"] for c in found.cases] == scores
    assert [c["predicted"] for c in found.cases] == [
        None if s is None else "positive" if s > 0.5 else "negative" for s in scores
    ]
    assert [c["correct"] for c in found.cases] == [
        s is not None and (s > 0.5) is y for y, s in zip(positive, scores, strict=True)
    ]


@pytest.mark.parametrize("seed", range(4 * FACTOR))
def test_intervals_are_quantiles_over_the_repeated_cases(seed):
    dice, n, resamples = np.random.default_rng(100 + seed), 40, 60
    positive = dice.random(n) < 0.4
    positive[:2] = True, False
    scores = [None if dice.random() < 0.1 else round(float(dice.random()), 1) for _ in range(n)]
    found = card(positive.tolist(), scores, resamples=resamples, seed=seed, interval="percentile")
    drawn = {name: [] for name in (*found.metrics, "score")}
    for row in np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=resamples):
        kept = [i for i, times in enumerate(row) for _ in range(times)]
        values = risk_tables.metrics([bool(positive[i]) for i in kept], [scores[i] for i in kept])
        for name, value in (values | {"score": risk_tables.score(values)}).items():
            drawn[name].append(value)
    assert set(found.intervals) == set(drawn) - {"expected_calibration_error"}
    for name, interval in found.intervals.items():
        defined = [value for value in drawn[name] if value is not None]
        assert interval == pytest.approx(list(np.quantile(defined, [0.025, 0.975])), abs=1e-6), name


def test_a_half_is_negative():
    assert card([True, False], [0.5, 0.5]).metrics["recall"] == 0
    assert card([True, False], [np.nextafter(0.5, 1), 0.5]).metrics["recall"] == 1


@pytest.mark.parametrize("kind", [True, False])
def test_one_class_has_no_score_but_everything_else(kind):
    found = card([kind] * 4, [0.1, 0.4, 0.6, 0.9], resamples=50)
    assert found.score is None
    assert found.metrics["auc"] is None
    assert found.metrics["accuracy"] == 0.5
    assert only(found.findings, "one-class-truth").level == "warning"
    assert best_threshold(found) is None
    assert at_sensitivity(found, 0.9) == (None, None)
    assert found.to_json()


def test_what_is_said_of_scores():
    assert "never-predicted" in codes(card(TRUTH, [s / 2 for s in SCORES]).findings)
    assert card(TRUTH, [s / 2 for s in SCORES]).metrics["precision"] is None
    constant = card(TRUTH, [0.7] * len(TRUTH))
    assert only(constant.findings, "constant-output").level == "warning"
    assert constant.metrics["auc"] == 0.5
    assert only(card(TRUTH, SCORES).findings, "tied-scores").message.startswith("1 pair ")


def test_few_cases_of_a_class_are_said():
    findings = card([True] * 14 + [False] * 40, np.linspace(0, 1, 54), resamples=20).findings
    few = [f.where for f in findings if f.code == "few-cases-in-class"]
    assert few == ["positive", "specificity_at_90_sensitivity"]


def test_slices_hold_accuracy_and_sensitivity():
    rows = [
        ("a", "True", "30", "m"),
        ("b", "False", "31", "f"),
        ("c", "True", "30", "f"),
        ("d", "False", "70", ""),
    ]
    truth = risk_tables.table(("image", "label", "age", "gender"), *rows)
    told = risk_tables.table(("image", "score"), ("a", "0.9"), ("b", "0.9"), ("c", "0.1"), ("d", "0.1"))
    cases = CHALLENGE.read_truth(truth)
    slices = CHALLENGE.score(cases, CHALLENGE.read_predictions(told, cases), resamples=0).more["slices"]
    assert slices["age"]["30-49"] == {
        "n": 3,
        "accuracy": pytest.approx(1 / 3),
        "recall": 0.5,
        "n_positive": 2,
    }
    assert slices["gender"]["unknown"] == {"n": 1, "accuracy": 1.0, "recall": None, "n_positive": 0}
    assert "location" not in slices
