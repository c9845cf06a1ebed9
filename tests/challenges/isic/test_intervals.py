"""Replicates: every quantity equals the scorer's own on the repeated cases, and the intervals are quantiles
of them."""

import numpy as np
import pytest

from scoring import load_challenge
from scoring.challenges.isic import measures
from scoring.challenges.isic.categories import malignant
from scoring.statistics.replicates import replicate_weights
from tests.challenges.isic import restated
from tests.support.category_tables import random_pair

isic = load_challenge("isic")
REPLICATES = 10


def read(seed: int, **settings):
    truth, predictions = random_pair(seed, **settings)
    answers = isic.read_truth(truth, "truth.csv")
    return answers, isic.read_predictions(predictions, answers, "predictions.csv")


def answers_of(truth, predictions, asked) -> measures.CategoryScores:
    return measures.answers(truth, predictions, malignant(truth.categories, asked), False)


@pytest.mark.parametrize(
    ("seed", "settings"),
    [
        (0, {}),
        (1, {"decimals": 1}),
        (2, {"weights": True}),
        (3, {"cases": 12, "categories": 5}),
        (4, {"categories": 2}),
    ],
)
def test_replicates_are_the_scorer_on_the_repeated_cases(seed, settings):
    truth, predictions = read(seed, **settings)
    asked = truth.categories[:1]
    prepared = answers_of(truth, predictions, asked)
    weights = np.concatenate(
        list(replicate_weights(np.arange(len(truth)), REPLICATES, seed, truth.weights.score))
    )
    found = measures.quantities(prepared, weights, "balanced_accuracy")
    counts = np.random.default_rng(seed).multinomial(
        len(truth), np.full(len(truth), 1 / len(truth)), size=REPLICATES
    )
    for b, count in enumerate(counts):
        rows = np.repeat(np.arange(len(truth)), count)
        expected, per_category = restated.metrics(
            truth.categories,
            asked,
            truth.positives[rows],
            predictions.outputs[rows],
            truth.weights.score[rows],
        )
        got = {name: None if np.isnan(found[name][b]) else found[name][b] for name in expected}
        assert got == pytest.approx(expected, abs=1e-12)
        for name, row in per_category.items():
            assert all(
                np.isnan(found[m, name][b]) if v is None else found[m, name][b] == pytest.approx(v, abs=1e-12)
                for m, v in row.items()
                if m != "support"
            )


@pytest.mark.parametrize("weights", [False, True])
def test_intervals_are_percentiles_of_every_metric_but_the_validation_score(weights):
    truth, predictions = read(7, weights=weights)
    options = {"resamples": 200, "seed": 5, "interval": "percentile", "malignant": "C0"}
    card = isic.score(truth, predictions, **options)
    draws = np.concatenate(list(replicate_weights(np.arange(len(truth)), 200, 5, truth.weights.score)))
    values = measures.quantities(answers_of(truth, predictions, "C0"), draws, "balanced_accuracy")
    assert set(card.intervals) == {*card.metrics, "score"} - {"validation_score"}
    for name, interval in card.intervals.items():
        assert interval == pytest.approx(
            np.quantile(values[name][~np.isnan(values[name])], [0.025, 0.975]), abs=1e-12
        )
    for name, row in card.per_class.items():
        assert row["auc_interval"] == pytest.approx(
            np.quantile(values["auc", name], [0.025, 0.975]), abs=1e-12
        )


@pytest.mark.parametrize("interval", ["jackknife", "bca"])
def test_leaving_one_unit_out_uses_the_weights(interval):
    truth, predictions = read(8, weights=True)
    card = isic.score(truth, predictions, resamples=50, interval=interval)
    if interval == "jackknife":
        prepared, left_out = answers_of(truth, predictions, None), []
        for i in range(len(truth)):
            kept = np.arange(len(truth)) != i
            left_out.append(
                measures.quantities(
                    prepared, np.where(kept, truth.weights.score, 0)[None], "balanced_accuracy"
                )["score"][0]
            )
        n = len(left_out)
        se = np.sqrt((n - 1) / n * np.sum((np.array(left_out) - np.mean(left_out)) ** 2))
        low, high = card.intervals["score"]
        assert (high - low) / 2 == pytest.approx(2.001 * se, rel=1e-3)
    assert card.intervals["score"][0] < card.score < card.intervals["score"][1]
    assert card.provenance["interval"] == interval


def test_an_undefined_metric_has_no_interval():
    truth, predictions = read(9)
    card = isic.score(truth, predictions, resamples=20, malignant="")
    assert card.intervals["malignant_auc"] is None
