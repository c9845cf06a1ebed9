"""The nuclei of one case as they are drawn, with what became of each."""

import json

import pytest
from hypothesis import given

from scoring.challenges.puma.match_table import REASONS, STATUSES
from scoring.challenges.puma.nuclei_listing import overlay
from tests.challenges.puma.drawn import RULES, SETS
from tests.support import nuclei_lists as plain
from tests.support.nuclei_lists import CHALLENGE, CLASSES, nucleus, numbered

SQUARE = [[10.0, 10.0], [14.0, 10.0], [14.0, 14.0], [10.0, 14.0]]
TRIANGLE = [[30.0, 30.0], [36.0, 30.0], [33.0, 36.0]]


def scored(images, **options):
    truth = CHALLENGE.read_truth(plain.files(numbered(images[0])))
    predictions = CHALLENGE.read_predictions(plain.files(numbered(images[1])), truth)
    return truth, predictions, CHALLENGE.score(truth, predictions, **({"resamples": 0} | options))


def rows(drawn: dict) -> list[dict]:
    """The nuclei of an overlay as dictionaries."""
    columns = ("kind", "cls", "status", "reason", "partner", "number", "score", "distance", "centroids")
    return [
        dict(zip(columns, row, strict=True))
        for row in zip(*(drawn[name].tolist() for name in columns), strict=True)
    ]


@given(SETS, RULES)
def test_an_overlay_says_what_the_matches_say(images, rules):
    truth, predictions, card = scored(images, rules=rules)
    for index, case in enumerate(truth.ids):
        nuclei = rows(overlay(truth, predictions, card, index))
        mine = card.matches["case"] == case
        told = [
            dict(zip(card.matches, row, strict=True))
            for row in zip(*(c[mine].tolist() for c in card.matches.values()), strict=True)
        ]
        assert [n["kind"] for n in nuclei] == [0] * len(images[0][index]) + [1] * len(images[1][index])
        of_truth = {row["truth"]: row for row in told if row["truth"] >= 0}
        of_predictions = {row["prediction"]: row for row in told if row["prediction"] >= 0}
        for n in nuclei:
            row = (of_predictions if n["kind"] else of_truth)[n["number"]]
            entry = images[n["kind"]][index][n["number"]]
            assert n["centroids"] == entry["centroid"]
            assert CLASSES[n["cls"]] == entry["class"]
            assert STATUSES[n["status"]] == row["status"]
            assert REASONS[n["reason"]] == row["reason"]
            assert n["score"] == (plain.confidence(entry, rules) if n["kind"] else 1)
            other = row["near"] if row["status"] != "TP" else row["truth" if n["kind"] else "prediction"]
            assert (n["partner"] == -1) == (other == -1)
            if other >= 0:
                assert (nuclei[n["partner"]]["number"], nuclei[n["partner"]]["kind"]) == (
                    other,
                    1 - n["kind"],
                )
            distance = row["distance"] if row["status"] == "TP" else row["near_distance"]
            assert n["distance"] == pytest.approx(distance, nan_ok=True)


def test_what_the_smallest_confidence_leaves_out_is_not_drawn():
    images = (
        [[nucleus("tumor", 9, 9)]],
        [[nucleus("tumor", 5, 5, score=0.1), nucleus("tumor", 9, 8, score=0.8)]],
    )
    truth, predictions, card = scored(images, min_confidence=0.5)
    nuclei = rows(overlay(truth, predictions, card, 0))
    assert [(n["kind"], n["number"], n["partner"], n["status"]) for n in nuclei] == [
        (0, 0, 1, 0),
        (1, 1, 0, 0),
    ]


def test_outlines_follow_their_nuclei():
    polygons = [
        {"name": "tumor", "path_points": SQUARE, "score": 0.2},
        {"name": "tumor", "path_points": TRIANGLE, "score": 0.9},
    ]
    truth = CHALLENGE.read_truth({"a.json": json.dumps({"polygons": polygons[:1]}).encode()})
    predictions = CHALLENGE.read_predictions({"a.json": json.dumps({"polygons": polygons}).encode()}, truth)
    card = CHALLENGE.score(truth, predictions, resamples=0, min_confidence=0.5)
    drawn = overlay(truth, predictions, card, 0)
    outlines = [drawn["xy"][a:b].tolist() for a, b in zip(drawn["start"], drawn["start"][1:], strict=False)]
    assert outlines == [SQUARE, TRIANGLE]


def test_centroids_have_no_outline():
    truth, predictions, card = scored(([[nucleus("tumor", 9, 9)]], [[nucleus("tumor", 9, 8)]]))
    assert overlay(truth, predictions, card, 0)["start"].tolist() == [0, 0, 0]
