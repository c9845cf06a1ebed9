"""Class by team, restated from the scorecards; differences from replicates drawn again."""

import numpy as np
import pytest

import scoring
from scoring.challenges import samples
from scoring.comparison import classes
from tests.support.lesion_tables import CLASSES
from tests.support.teams import lesion_teams


@pytest.fixture(scope="module")
def found():
    return lesion_teams(2, 90, (0.5, 1.5, 3), resamples=60, seed=4)


def test_the_matrix_is_that_of_the_cards(found):
    table = classes.matrix(found)
    assert (table.classes, set(table.measures), table.teams) == (CLASSES, {"f1"}, tuple(found.cards))
    for k, name in enumerate(CLASSES):
        rows = [card.per_class[name] for card in found.cards.values()]
        assert table.support[k] == rows[0]["support"]
        assert table.values[k].tolist() == [row["f1"] for row in rows]


def test_differences_of_two_teams_from_replicates_drawn_again(found):
    a, b = list(found.cards)[:2]
    truth = found.cards[a].arrays["truth"]
    counts = np.random.default_rng(4).multinomial(90, np.full(90, 1 / 90), size=60)

    def f1(labels: np.ndarray, k: int, weights: np.ndarray) -> float:
        hits = weights[(truth == k) & (labels == k)].sum()
        either = weights[truth == k].sum() + weights[labels == k].sum()
        return 2 * hits / either if either else 0.0

    for k, row in enumerate(classes.differences(found, a, b)):
        labels = [found.cards[name].arrays["predicted"] for name in (a, b)]
        drawn = [f1(labels[0], k, weights) - f1(labels[1], k, weights) for weights in counts]
        ones = np.ones(90)
        assert (row.name, row.measure) == (CLASSES[k], "f1")
        assert row.difference == pytest.approx(f1(labels[0], k, ones) - f1(labels[1], k, ones))
        assert row.interval == pytest.approx(
            np.quantile(np.round(drawn, 12), [0.025, 0.975]).tolist(), abs=1e-9
        )


def test_stages_and_structures_have_measures_of_their_own():
    sample = next(iter(samples.test_sets("hecktor2026").values()))
    challenge = scoring.load_challenge("hecktor2026")
    truth = challenge.read_truth(sample.path)
    sent = {
        name: challenge.read_predictions(sample.submissions[name].path, truth)
        for name in list(sample.submissions)[:2]
    }
    compared = scoring.compare(challenge, truth, sent, resamples=20)
    table = classes.matrix(compared)
    assert dict(zip(table.classes, table.measures, strict=True)) == {
        name: "mean_dice" if name.startswith("GTV") else "recall" for name in table.classes
    }
    assert {"T2", "N1", "GTVp", "GTVn"} <= set(table.classes)
    assert all(
        row.interval for row in classes.differences(compared, *compared.cards) if row.name.startswith("GTV")
    )
