"""Yes-or-no decisions and their thresholds against loops over the repeated cases and scikit-learn."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics import binary
from scoring.metrics.auc_and_average_precision import curve, levels

CASES = st.lists(
    st.tuples(st.integers(0, 10).map(lambda k: k / 10), st.booleans(), st.integers(0, 3)),
    min_size=1,
    max_size=20,
)
NAN = float("nan")


def ratio(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else NAN


def prepared(cases) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[tuple[float, bool]]]:
    """Scores, truth, one row of weights, and the cases repeated by their weight."""
    scores, positive, weights = (np.array(column) for column in zip(*cases, strict=True))
    return (
        scores,
        positive,
        weights[None].astype(np.float32),
        [(s, y) for s, y, weight in cases for _ in range(weight)],
    )


@given(CASES, st.sampled_from([0.5, 1, 2]))
def test_decisions_restated(cases, beta):
    scores, positive, weights, repeated = prepared(cases)
    found = binary.decisions(positive, scores >= 0.5, weights)
    tp, fp = (sum(s >= 0.5 and y == kind for s, y in repeated) for kind in (True, False))
    fn, tn = (sum(s < 0.5 and y == kind for s, y in repeated) for kind in (True, False))
    n = len(repeated)
    denominator = (1 + beta**2) * tp + beta**2 * fn + fp
    expected = {
        "accuracy": ratio(tp + tn, n),
        "precision": ratio(tp, tp + fp),
        "recall": ratio(tp, tp + fn),
        "specificity": ratio(tn, tn + fp),
    }
    for name, value in expected.items():
        assert getattr(binary, name)(found)[0] == pytest.approx(value, abs=1e-12, nan_ok=True)
    assert binary.f_beta(found, beta)[0] == pytest.approx(
        (1 + beta**2) * tp / denominator if denominator else 0, abs=1e-12
    )
    assert found.total.tolist() == [n]
    assert binary.net_benefit(found, 0.2)[0] == pytest.approx(ratio(tp - fp / 4, n), abs=1e-12, nan_ok=True)


@given(CASES, st.sampled_from([0, 0.5, 0.8, 0.9, 1]))
def test_best_thresholds_restated(cases, wanted):
    scores, positive, weights, repeated = prepared(cases)
    steps = binary.count_by_threshold(scores, positive, weights)
    ill, well = [s for s, y in repeated if y], [s for s, y in repeated if not y]
    sensitivity, specificity = [], []
    if ill and well:
        for threshold in [math.inf, *scores]:
            hits, quiet = sum(s >= threshold for s in ill), sum(s < threshold for s in well)
            if quiet >= wanted * len(well) - 1e-9:
                sensitivity.append(hits / len(ill))
            if hits >= wanted * len(ill) - 1e-9 and threshold < math.inf:
                specificity.append(quiet / len(well))
    assert binary.sensitivity_at_specificity(steps, wanted)[0] == pytest.approx(
        max(sensitivity, default=NAN), nan_ok=True
    )
    if wanted:
        assert binary.specificity_at_sensitivity(steps, wanted)[0] == pytest.approx(
            max(specificity, default=NAN), nan_ok=True
        )


@given(CASES, st.sampled_from([0.5, 0.8, 0.9, 1]), st.booleans())
def test_best_thresholds_of_a_curve_are_those_of_all_thresholds(cases, wanted, several):
    scores, positive, weights, _ = prepared(cases)
    weights = np.vstack([weights, weights[:, ::-1]]) if several else weights
    every = binary.count_by_threshold(scores, positive, weights)
    of_curve = curve(levels(scores, positive), weights).counts
    for best in (binary.sensitivity_at_specificity, binary.specificity_at_sensitivity):
        assert best(of_curve, wanted).tobytes() == best(every, wanted).tobytes()


@pytest.mark.parametrize("kind", [True, False])
def test_nothing_is_defined_with_one_kind_only(kind):
    steps = binary.count_by_threshold(
        np.array([0.1, 0.9]), np.array([kind, kind]), np.ones((1, 2), np.float32)
    )
    for quantity in (
        binary.sensitivity_at_specificity(steps, 0.9),
        binary.specificity_at_sensitivity(steps, 0.9),
    ):
        assert np.isnan(quantity).all()


@given(
    st.lists(
        st.tuples(st.integers(0, 10), st.booleans(), st.sampled_from([0.0, 1.0, 2.5])),
        min_size=1,
        max_size=20,
    ),
    st.lists(st.integers(-1, 11), min_size=1, max_size=6, unique=True).map(sorted),
    st.booleans(),
)
def test_decisions_along_cuts_restated(cases, cuts, inclusive):
    scores, positive, weights = (np.array(column) for column in zip(*cases, strict=True))
    counted = binary.decisions_along(scores, positive, np.array(cuts), weights[None], inclusive)
    for k, cut in enumerate(cuts):
        above = scores >= cut if inclusive else scores > cut
        for sums, members in (
            (counted.true_positive, positive & above),
            (counted.false_positive, ~positive & above),
            (counted.false_negative, positive & ~above),
            (counted.true_negative, ~positive & ~above),
        ):
            assert sums[0, k] == weights[members].sum()


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12, unique=True), st.booleans(), st.booleans())
def test_cuts_between_part_neighbours(scores, above, below):
    """Also where a score is missing at either end, and where two scores are neighbours among the
    floating-point numbers."""
    scores = sorted({*scores, np.nextafter(scores[0], np.inf)}, reverse=True)
    levels = [*([np.inf] if above else []), *scores, *([-np.inf] if below else [])]
    for upper, lower in pairwise(levels):
        cut = binary.cuts_between([upper], [lower])[0]
        assert np.isfinite(cut)
        assert upper > cut >= lower


@given(CASES, st.sampled_from([0.01, 0.1, 0.5]), st.sampled_from([0.0, 0.2, 0.8]))
def test_another_prevalence_is_other_weights(cases, prevalence, threshold):
    """Weighting the two kinds until the positives have that share gives the same precision and net
    benefit."""
    scores, positive, _, _ = prepared(cases)
    called, kinds = scores > 0.45, (positive.sum(), (~positive).sum())
    plain = binary.decisions(positive, called, np.ones((1, len(scores))))
    found = binary.precision_at_prevalence(binary.recall(plain), binary.specificity(plain), prevalence)[0]
    benefit = binary.net_benefit_at_prevalence(plain, threshold, prevalence)[0]
    if 0 in kinds:
        assert np.isnan(found)
        assert np.isnan(benefit)
        return
    weighted = binary.decisions(
        positive, called, np.where(positive, prevalence / kinds[0], (1 - prevalence) / kinds[1])[None]
    )
    assert found == pytest.approx(binary.precision(weighted)[0], nan_ok=True)
    assert benefit == pytest.approx(binary.net_benefit(weighted, threshold)[0], abs=1e-12)


@given(CASES, st.sampled_from([0.5, 0.8, 0.9, 1.0]))
def test_chosen_points_reach_what_the_metrics_say(cases, wanted):
    scores, positive, _, _ = prepared(cases)
    steps = binary.count_by_threshold(scores, positive, np.ones((1, len(scores))))
    sensitive, specific = (
        binary.point_at_sensitivity(scores, positive, wanted),
        binary.point_at_specificity(scores, positive, wanted),
    )
    if positive.all() or not positive.any():
        assert sensitive is None
        assert specific is None
        return
    assert sensitive.specificity == pytest.approx(binary.specificity_at_sensitivity(steps, wanted)[0])
    assert specific.sensitivity == pytest.approx(binary.sensitivity_at_specificity(steps, wanted)[0])
    for point in (sensitive, specific):
        found = binary.decisions(positive, scores > point.threshold, np.ones((1, len(scores))))
        assert binary.recall(found)[0] == pytest.approx(point.sensitivity)
        assert binary.specificity(found)[0] == pytest.approx(point.specificity)
