"""The score along radius and confidence, and F1 of classes and images."""

import numpy as np
import pytest

from scoring.challenges.puma.diagnostics import along_confidence, along_radius
from tests.challenges.puma.drawn import realistic
from tests.support import nuclei_lists as plain
from tests.support.nuclei_lists import CHALLENGE, CLASSES, nucleus, numbered


def scored(images, **options):
    truth = CHALLENGE.read_truth(plain.files(numbered(images[0])))
    predictions = CHALLENGE.read_predictions(plain.files(numbered(images[1])), truth)
    return truth, predictions, CHALLENGE.score(truth, predictions, **({"resamples": 0} | options))


@pytest.mark.parametrize("rules", plain.RULES)
def test_curves_pass_through_scores(rules):
    images = realistic(9, images=3, nuclei=30)
    _, _, card = scored(images, rules=rules)
    radius, confidence = along_radius(card, 30), along_confidence(card, 12)
    assert radius["x"].tolist() == [float(r) for r in range(1, 31)]
    for r in (1, 15, 30):
        assert radius["y"][r - 1] == pytest.approx(plain.score(*images, rules, radius=r), abs=1e-12)
    assert radius["y"][14] == pytest.approx(card.score)
    assert confidence["x"][0] == 0
    assert confidence["y"][0] == pytest.approx(card.score)
    assert len(confidence["x"]) == 12
    for x, y in zip(confidence["x"], confidence["y"], strict=True):
        assert y == pytest.approx(plain.score(*images, rules, least=x), abs=1e-12)


def test_a_curve_keeps_the_other_option():
    images = realistic(9, images=2, nuclei=30)
    _, _, card = scored(images, radius=8.0, min_confidence=0.4)
    assert along_radius(card)["y"][9] == pytest.approx(
        plain.score(*images, "description", radius=10, least=0.4), abs=1e-12
    )
    found = along_confidence(card, 5)
    assert found["y"][2] == pytest.approx(
        plain.score(*images, "description", radius=8, least=found["x"][2]), abs=1e-12
    )


def test_one_confidence_is_a_curve_of_two_points():
    _, _, card = scored(([[nucleus("tumor", 9, 9)]], [[nucleus("tumor", 9, 8)]]))
    assert along_confidence(card)["x"].tolist() == [0, 1]


def test_a_crowd_ends_the_curve_early(monkeypatch):
    monkeypatch.setattr("scoring.challenges.puma.diagnostics.MOST_PAIRS", 3)
    pile = [nucleus("tumor", k, 0) for k in range(5)]
    _, _, card = scored(([pile], [pile]))
    assert along_radius(card, 30)["x"].tolist() == [float(r) for r in range(1, 16)]


def test_heat_of_classes_and_images():
    images = realistic(2, images=3, nuclei=20)
    _, _, card = scored(images)
    counts = [plain.tallies(t, p, "description") for t, p in zip(*images, strict=True)]
    expected = np.array([[plain.f1(*image[name]) for name in CLASSES] for image in counts], float)
    assert np.isnan(expected).any()
    assert card.arrays["f1"] == pytest.approx(expected, nan_ok=True)
