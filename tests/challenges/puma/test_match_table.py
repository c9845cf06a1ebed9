"""What became of every nucleus and why, against plain loops."""

import csv
import io
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.challenges.puma.match_table import to_csv
from tests.challenges.puma.drawn import RULES, SETS
from tests.support import nuclei_lists as plain
from tests.support.nuclei_lists import card, nucleus, numbered

COLUMNS = [
    *("case", "truth", "prediction", "truth_class", "predicted_class", "confidence", "distance", "status"),
    *("reason", "near", "near_distance"),
]


def nearest(place, others, rules: str) -> tuple[int, float] | tuple[None, None]:
    """Position and distance of the nearest of the others (position -> entry) within the radius."""
    distances = sorted((math.dist(place, entry["centroid"]), k) for k, entry in others.items())
    inside = [(k, d) for d, k in distances if d < 15 or (d == 15 and rules != "grand-challenge")]
    return inside[0] if inside else (None, None)


def why(entry, others, rules: str) -> tuple:
    """Reason, near, near_distance of an unmatched nucleus, first that holds."""
    own = nearest(
        entry["centroid"],
        {k: other for k, other in others.items() if other["class"] == entry["class"]},
        rules,
    )
    if own[0] is not None:
        return "taken", *own
    other = nearest(entry["centroid"], others, rules)
    return ("other-class", *other) if other[0] is not None else ("nothing-near", None, None)


def restated(images, rules: str, least: float = 0, missing=()) -> list[tuple]:
    rows = []
    for case, truth, predictions in zip(numbered(images[0]), *images, strict=True):
        kept = {j: predictions[j] for j in plain.left(predictions, least)}
        match = {i: (j, d) for i, j, d in plain.matched(truth, predictions, rules, 15, least)}
        for i, entry in enumerate(truth):
            if i in match:
                j, distance = match[i]
                confidence = plain.confidence(predictions[j], rules)
                rows.append(
                    (case, i, j, entry["class"], entry["class"], confidence, distance, "TP", "", None, None)
                )
            else:
                reason = ("missing-case", None, None) if case in missing else why(entry, kept, rules)
                rows.append((case, i, None, entry["class"], "", None, None, "FN", *reason))
        for j, entry in kept.items():
            if j not in {j for j, _ in match.values()}:
                confidence, reason = plain.confidence(entry, rules), why(entry, dict(enumerate(truth)), rules)
                rows.append((case, None, j, "", entry["class"], confidence, None, "FP", *reason))
    return rows


def rows_of(matches) -> list[tuple]:
    def value(cell):
        return None if cell == -1 or (isinstance(cell, float) and math.isnan(cell)) else cell

    return [
        tuple(map(value, row)) for row in zip(*(column.tolist() for column in matches.values()), strict=True)
    ]


@given(SETS, RULES, st.sampled_from((0.0, 0.5)))
def test_every_row_restated(images, rules, least):
    truth, predictions = images
    found = card(numbered(truth), numbered(predictions), rules=rules, min_confidence=least)
    assert list(found.matches) == COLUMNS
    assert rows_of(found.matches) == [pytest.approx(row) for row in restated(images, rules, least)]


def test_a_missing_case_is_the_reason():
    truth, predictions = [[nucleus("tumor", 5, 5)], [nucleus("tumor", 5, 5)]], [[nucleus("tumor", 6, 5)], []]
    found = card(numbered(truth), {"roi_000": predictions[0]})
    assert rows_of(found.matches) == restated((truth, predictions), "description", missing=["roi_001"])
    assert found.matches["reason"].tolist() == ["", "missing-case"]


def test_of_two_at_one_place_the_first_is_reported_under_the_official_rule():
    truth = [nucleus("tumor", 0, 0)]
    predictions = [nucleus("tumor", 1, 0, score=0.2), nucleus("tumor", 1, 0, score=0.9)]
    used = {
        rules: card({"a": truth}, {"a": predictions}, rules=rules).matches["prediction"].tolist()
        for rules in plain.RULES
    }
    assert used == {"description": [1, 0], "pooled": [1, 0], "grand-challenge": [0, 1]}


def test_the_same_place_in_another_image_or_class_is_another_place():
    truth = numbered([[nucleus("tumor", 0, 0)], [nucleus("tumor", 0, 0)]])
    twins = [
        nucleus("lymphocytes", 1, 0),
        nucleus("tumor", 1, 0, score=0.2),
        nucleus("tumor", 1, 0, score=0.9),
    ]
    found = card(truth, numbered([twins, twins]), rules="grand-challenge").matches
    assert found["status"].tolist() == ["TP", "FP", "FP"] * 2
    assert found["prediction"].tolist() == [1, 0, 2] * 2


def test_probability_is_a_confidence_but_not_for_the_official_evaluator():
    truth = [nucleus("tumor", 0, 0)]
    predictions = [nucleus("tumor", 1, 0, probability=0.2), nucleus("tumor", 9, 0, probability=0.9)]
    used = {
        rules: card({"a": truth}, {"a": predictions}, rules=rules).matches["prediction"].tolist()[0]
        for rules in plain.RULES
    }
    assert used == {"description": 1, "pooled": 1, "grand-challenge": 0}


@pytest.mark.parametrize(
    ("x", "found"),
    [(15, {"description": 1, "pooled": 1, "grand-challenge": 0}), (15.000001, dict.fromkeys(plain.RULES, 0))],
)
def test_the_circle_itself(x, found):
    for rules in plain.RULES:
        status = (
            card({"a": [nucleus("tumor", 0, 0)]}, {"a": [nucleus("tumor", x, 0)]}, rules=rules)
            .matches["status"]
            .tolist()
        )
        assert status.count("TP") == found[rules]


def test_truth_chooses_in_the_order_of_its_file():
    first, second, between = nucleus("tumor", 0, 0), nucleus("tumor", 10, 0), nucleus("tumor", 4, 0)
    far = nucleus("tumor", 24, 0)
    assert card({"a": [first, second]}, {"a": [between, far]}).matches["prediction"].tolist() == [0, 1]
    assert card({"a": [second, first]}, {"a": [between, far]}).matches["status"].tolist() == [
        "TP",
        "FN",
        "FP",
    ]


@given(SETS, RULES)
def test_csv_holds_the_same_rows(images, rules):
    truth, predictions = images
    found = card(numbered(truth), numbered(predictions), rules=rules)
    header, *rows = csv.reader(io.StringIO(to_csv(found)))
    assert header == COLUMNS
    assert rows == [["" if cell is None else str(cell) for cell in row] for row in rows_of(found.matches)]


def test_columns_are_read_only_and_share_their_texts():
    found = card({"a": [nucleus("tumor", 0, 0)] * 3}, {"a": []})
    assert not any(column.flags.writeable for column in found.matches.values())
    assert len({id(text) for text in found.matches["status"].tolist()}) == 1
    assert found.matches["truth"].dtype.kind == "i"
    assert np.isnan(found.matches["distance"]).all()
