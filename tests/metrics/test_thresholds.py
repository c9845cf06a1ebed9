"""Thresholds by plain counting: every cut, the best one, folds, and rescaled scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from scoring.metrics import thresholds
from tests.support.weighted_cases import arrays

ROWS = st.lists(
    st.tuples(st.integers(0, 10), st.booleans(), st.sampled_from([0.0, 1.0, 2.5])), min_size=2, max_size=30
)


def test_candidates_are_the_midpoints_and_a_half():
    assert list(thresholds.candidates(np.array([0.2, 0.4, 0.4, 0.9]))) == pytest.approx([0.3, 0.5, 0.65])


@given(ROWS)
def test_the_best_cut_has_the_highest_f1_and_is_nearest_to_a_half(rows):
    scores, positive, weights = arrays(rows, 10)
    cuts = thresholds.candidates(scores)
    reached = [
        f1_score(positive, scores > cut, sample_weight=weights, zero_division=0) if weights.sum() else 0
        for cut in cuts
    ]
    best = max(np.round(reached, 12))
    assert abs(thresholds.best(scores, positive, weights) - 0.5) == min(
        abs(cut - 0.5) for cut, value in zip(cuts, np.round(reached, 12), strict=True) if value == best
    )


@given(st.lists(st.integers(0, 3), min_size=5, max_size=60), st.integers(1, 3), st.integers(0, 5))
def test_folds_keep_units_whole_and_every_case_once(labels, per_unit, seed):
    labels = np.array(labels)
    units = np.arange(len(labels)) // per_unit
    found = thresholds.folds(labels, units, seed)
    if units.max() + 1 < 5:
        assert found is None
        return
    assert sorted(np.concatenate([fifth for _, fifth in found])) == list(range(len(labels)))
    for four, fifth in found:
        assert not set(units[four]) & set(units[fifth])
        assert len(four) + len(fifth) == len(labels)


def test_folds_spread_the_labels():
    labels = np.repeat([0, 1], [50, 10])
    assert all((labels[fifth] == 1).sum() == 2 for _, fifth in thresholds.folds(labels, np.arange(60), 0))


def test_cross_validated_cuts_come_from_the_other_four_folds():
    random = np.random.default_rng(0)
    scores, positives, weights = random.random((40, 2)), random.random((40, 2)) < 0.4, np.ones(40)
    parts = thresholds.folds(np.zeros(40, int), np.arange(40), 0)
    called, used = thresholds.cross_validated(scores, positives, weights, parts)
    for fold, (four, fifth) in enumerate(parts):
        for k in range(2):
            assert used[fold, k] == thresholds.best(scores[four, k], positives[four, k], weights[four])
        assert np.array_equal(called[fifth], scores[fifth] > used[fold])


def test_a_category_without_a_positive_is_cut_at_a_half():
    parts = [(np.array([0, 1]), np.array([2, 3]))]
    _, used = thresholds.cross_validated(
        np.array([[0.1], [0.9], [0.2], [0.3]]), np.zeros((4, 1), bool), np.ones(4), parts
    )
    assert used.tolist() == [[0.5]]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.floats(0, 1))
def test_folded_scores_are_cut_at_a_half_as_they_were_at_t(scores, cut):
    scores = np.array(scores)[:, None]
    found = thresholds.rescaled(scores, np.array([cut]))
    assert ((found >= 0) & (found <= 1)).all()
    assert np.array_equal(found > 0.5, scores > cut)
    assert (np.diff(found[np.argsort(scores[:, 0]), 0]) >= 0).all()


@pytest.mark.parametrize(
    ("score", "cut", "expected"),
    [
        *((0.2, 0.4, 0.25), (0.4, 0.4, 0.5), (0.7, 0.4, 0.75), (0, 0, 0), (1, 0.3, 1), (1, 1, 0.5)),
        *((0.25, 0.5, 0.25), (0.75, 0.5, 0.75)),
    ],
)
def test_folding_by_hand(score, cut, expected):
    assert thresholds.rescaled(np.array([[score]]), np.array([cut]))[0, 0] == pytest.approx(expected)
