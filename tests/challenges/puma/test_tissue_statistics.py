"""Readouts for the clinic against plain loops."""

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.challenges.puma import diagnostics
from tests.challenges.puma.drawn import SETS
from tests.support import nuclei_lists as plain
from tests.support.nuclei_lists import card, nucleus, numbered


def distances(image) -> list[float]:
    """um from each tumour nucleus to the nearest lymphocyte; none where there are no lymphocytes."""
    tumor, immune = (
        [e["centroid"] for e in image if e["class"] == name] for name in ("tumor", "lymphocytes")
    )
    return [0.23 * min(math.dist(place, other) for other in immune) for place in tumor] if immune else []


def summary(values: list[float]) -> dict | None:
    if not values:
        return None
    within = {f"within_{reach}": sum(v <= reach for v in values) / len(values) for reach in (20, 50)}
    return {"n": len(values), "median": pytest.approx(statistics.median(values)), **within}


@given(SETS, st.sampled_from((0.0, 0.5)))
def test_tumour_and_immune_cells(images, least):
    kept = [[image[j] for j in plain.left(image, least)] for image in images[1]]
    found = card(*map(numbered, images), min_confidence=least)
    for name, side in (("truth", images[0]), ("predicted", kept)):
        key = f"tumor_lymphocyte_um_{name}"
        assert [row[key] for row in found.cases] == [summary(distances(image)) for image in side]
        assert found.more[key] == summary([value for image in side for value in distances(image)])


def test_in_micrometres():
    image = [
        nucleus("tumor", 0, 0),
        nucleus("tumor", 0, 300),
        nucleus("lymphocytes", 80, 0),
        nucleus("lymphocytes", 100, 300),
    ]
    found = card({"a": image}, {"a": []})
    assert found.more["tumor_lymphocyte_um_truth"] == {
        "n": 2,
        "median": pytest.approx(0.23 * 90),
        "within_20": 0.5,
        "within_50": 1.0,
    }
    assert found.more["tumor_lymphocyte_um_predicted"] is None


def test_a_distance_that_is_reached_is_within():
    found = diagnostics.summary(np.array([20, 20.001, np.nan, 50, 50.001]))
    assert found == summary([20, 20.001, 50, 50.001])


@given(SETS)
def test_share_of_lymphocytes_per_image(images):
    found = card(*map(numbered, images))
    for row, truth, predictions in zip(found.cases, *images, strict=True):
        for name, image in (("truth", truth), ("predicted", predictions)):
            share = sum(e["class"] == "lymphocytes" for e in image) / len(image) if image else None
            assert row[f"til_share_{name}"] == (None if share is None else pytest.approx(share))


def test_a_tile_of_the_challenge_is_a_twentieth_of_a_square_millimetre():
    found = card({"a": [nucleus("tumor", 0, 0)]}, {"a": []})
    assert 1 / found.per_class["tumor"]["per_mm2_truth"] == pytest.approx(0.05547, abs=1e-5)


@given(st.lists(st.floats(0, 400), max_size=30), st.integers(0, 3))
def test_shares_within_a_distance_are_counted(values, undefined):
    away = np.array(values + [np.nan] * undefined)
    places = diagnostics.drawn_within(away, np.array([np.nan]))
    found = diagnostics.cumulative(away, places)
    if not values:
        assert found is None
    else:
        assert found.tolist() == [sum(v <= place for v in values) / len(values) for place in places]
        assert found[-1] >= 0.98
    assert (len(places), places[0], places[-1] % 60) == (61, 0, 0)
