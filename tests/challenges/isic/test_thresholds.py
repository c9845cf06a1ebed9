"""Other thresholds on a scored submission, restated by scoring the rescaled file with the official rule."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from scoring import load_challenge
from scoring.challenges.isic import thresholds
from scoring.challenges.isic.official_rejections import message as official_message
from tests.support.category_tables import random_pair

isic = load_challenge("isic")
CHOSEN = {"C0": 0.3, "C2": 0.62}


def scored(pair: tuple[bytes, bytes], **options):
    truth = isic.read_truth(pair[0], "truth.csv")
    return isic.score(truth, isic.read_predictions(pair[1], truth, "predictions.csv"), resamples=0, **options)


@pytest.fixture(scope="module")
def pair() -> tuple[bytes, bytes]:
    return random_pair(4, cases=90, weights=True)


@pytest.fixture(scope="module")
def card(pair):
    return scored(pair)


def test_the_rescaled_file_scores_what_the_thresholds_promise(pair, card):
    promised = thresholds.at(card, CHOSEN)
    rescaled = scored((pair[0], thresholds.rescaled_table(card, CHOSEN).encode()))
    assert rescaled.metrics["macro_f1"] == pytest.approx(promised["macro_f1"], abs=1e-12)
    assert rescaled.score == pytest.approx(promised["balanced_accuracy"], abs=1e-12)
    for name, row in promised["per_class"].items():
        assert {m: rescaled.per_class[name][m] for m in row} == pytest.approx(row, abs=1e-12)
    assert rescaled.metrics["macro_auc"] == pytest.approx(card.metrics["macro_auc"], abs=1e-12)


def test_half_is_what_was_scored(card):
    half = thresholds.at(card, {})
    assert half["macro_f1"] == pytest.approx(card.metrics["macro_f1"])
    assert half["balanced_accuracy"] == pytest.approx(card.score)


def test_a_sweep_has_every_measure_at_every_threshold(card):
    grid = np.array([0, 0.25, 0.5, 1])
    found = thresholds.sweep(card, "C1", grid)
    for i, cut in enumerate(grid):
        expected = thresholds.at(card, {"C1": cut})["per_class"]["C1"]
        assert {name: found[name][i] for name in expected} == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
def test_the_best_thresholds_beat_every_candidate(card):
    weights, best = card.arrays["score_weights"], thresholds.best(card)
    for k, name in enumerate(card.per_class):
        scores, positive = card.arrays["outputs"][:, k], card.arrays["positives"][:, k]
        reached = f1_score(positive, scores > best[name], sample_weight=weights)
        assert (
            reached
            >= max(
                f1_score(positive, scores > cut, sample_weight=weights, zero_division=0)
                for cut in np.linspace(0.01, 0.99, 99)
            )
            - 1e-12
        )


def test_three_macro_f1s(card):
    found = thresholds.compared(card)
    assert found["half"] == pytest.approx(card.metrics["macro_f1"])
    assert found["same_rows"] == pytest.approx(thresholds.at(card, thresholds.best(card))["macro_f1"])
    assert found["cross_validated"] <= found["same_rows"]
    assert thresholds.compared(card) == found


def test_three_macro_f1s_of_few_cases():
    assert thresholds.compared(scored(random_pair(0, cases=4)))["cross_validated"] is None


def test_the_page_s_rule_cuts_at_the_threshold_itself():
    truth = b"image,A,B\na,1,0\nb,0,1\n"
    pair = truth, b"image,A,B\na,0.3,0.1\nb,0.1,0.9\n"
    assert thresholds.at(scored(pair), {"A": 0.3})["per_class"]["A"]["sensitivity"] == 0
    assert thresholds.at(scored(pair, rules="milk10k-page"), {"A": 0.3})["per_class"]["A"]["sensitivity"] == 1


def test_the_table_is_one_that_the_official_scorer_takes(pair, card):
    assert official_message(thresholds.rescaled_table(card, CHOSEN).encode(), pair[0]) is None
