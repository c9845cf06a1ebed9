"""The nuclei of a case as rows: what the matches say, in words."""

import numpy as np
import pytest
from hypothesis import given

from scoring.challenges.puma import nuclei_listing
from scoring.challenges.puma.nuclei_listing import overlay
from tests.challenges.puma.drawn import RULES, SETS
from tests.challenges.puma.test_overlay import scored
from tests.support.nuclei_lists import CHALLENGE, CLASSES, nucleus

LISTING = nuclei_listing
STATUSES = {"errors": ("FP", "FN"), "FP": ("FP",), "FN": ("FN",), "TP": ("TP",), "all": ("TP", "FP", "FN")}


def drawn(images, index: int = 0, **options):
    truth, predictions, card = scored(images, **options)
    return overlay(truth, predictions, card, index), card


@given(SETS, RULES)
def test_rows_are_those_of_the_matches(images, rules):
    truth, predictions, card = scored(images, rules=rules)
    for index, case in enumerate(truth.ids):
        m = {name: column[card.matches["case"] == case] for name, column in card.matches.items()}
        columns = overlay(truth, predictions, card, index)
        for which, statuses in STATUSES.items():
            found = LISTING.listing(columns, which, 15.0)
            chosen = np.flatnonzero(np.isin(m["status"], statuses))
            assert found.total == len(chosen) == len(found.rows)
            for row, i in zip(found.rows, chosen, strict=True):
                assert row.status == m["status"][i]
                assert row.name == (m["truth_class"][i] or m["predicted_class"][i])
                assert row.number == (m["truth"][i] if row.side == "truth" else m["prediction"][i])
                assert row.partner == (m["prediction"][i] if row.status == "TP" else None)
                assert row.confidence == (None if np.isnan(m["confidence"][i]) else m["confidence"][i])
                away = m["distance"][i] if row.status == "TP" else m["near_distance"][i]
                assert row.distance == (None if np.isnan(away) else pytest.approx(away))


@given(SETS)
def test_every_nucleus_is_found_in_the_row_that_lists_it(images):
    columns, _ = drawn(images)
    everything = LISTING.listing(columns, "all", 15.0)
    for kind, number in zip(columns["kind"].tolist(), columns["number"].tolist(), strict=True):
        side = LISTING.SIDES[kind]
        row = LISTING.nucleus_row(columns, side, number, 15.0)
        assert everything.rows[everything.place(side, number)] == row
        assert (row.side, row.number) == (side, number) or (row.status, row.partner) == ("TP", number)


def test_why_in_words():
    images = (
        [
            [
                nucleus("tumor", 0, 0),
                nucleus("tumor", 5, 0),
                nucleus("tumor", 100, 0),
                nucleus("epithelium", 200, 0),
            ]
        ],
        [[nucleus("tumor", 0, 0), nucleus("plasma_cells", 209, 12), nucleus("endothelium", 400, 0)]],
    )
    columns, _ = drawn(images, radius=20.0)
    rows = {(row.side, row.number): row.why for row in LISTING.listing(columns, "all", 20.0).rows}
    assert rows == {
        ("truth", 0): "matched",
        ("truth", 1): "the prediction of this class, 5.0 px away, is matched with another nucleus",
        ("truth", 2): "no prediction within 20 px",
        ("truth", 3): "the nearest prediction, 15.0 px away, is plasma cells",
        ("prediction", 1): "the nearest truth, 15.0 px away, is epithelium",
        ("prediction", 2): "no truth within 20 px",
    }


def test_a_missing_case_is_the_reason():
    truth = CHALLENGE.read_truth(
        {"a.json": b'{"nuclei": [{"centroid": [1, 2], "class": "tumor"}]}', "b.json": b'{"nuclei": []}'}
    )
    predictions = CHALLENGE.read_predictions({"b.json": b'{"nuclei": []}'}, truth)
    card = CHALLENGE.score(truth, predictions, resamples=0)
    (row,) = LISTING.listing(overlay(truth, predictions, card, 0), "FN", 15.0).rows
    assert row.why == "this image has no prediction"


def test_a_long_list_is_cut_and_says_how_long_it_is():
    columns, _ = drawn(([[nucleus(CLASSES[k % 10], 40 * k, 0) for k in range(30)]], [[]]))
    found = LISTING.listing(columns, "errors", 15.0, most=12)
    assert (len(found.rows), found.total) == (12, 30)
    assert found.place("truth", 20) is None


@pytest.mark.parametrize(("side", "number"), [("truth", 1), ("prediction", 0)])
def test_what_is_not_there_is_not_found(side, number):
    columns, _ = drawn(([[nucleus("tumor", 0, 0)]], [[]]))
    assert LISTING.nucleus_row(columns, side, number, 15.0) is None
    assert LISTING.listing(columns, "all", 15.0).place(side, number) is None
