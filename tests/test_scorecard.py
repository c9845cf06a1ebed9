"""scorecard.json: order of its keys, undefined numbers, the same bytes."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import ScoreCard
from scoring.common.findings import note
from scoring.core.scorecard import Official, plain


def card(**more) -> ScoreCard:
    values = {
        "challenge": "c",
        "score": 0.5,
        "metrics": {"m": float("nan")},
        "per_class": {"A": {"f1": np.float64(0.25), "support": np.int64(3)}},
        "n_cases": 2,
        "cases": ({"case": "Größe", "outputs": np.array([1.0, np.inf])},),
        "findings": (note("n", "w", "m"),),
        "provenance": {"seed": 0},
        "official": Official(True, 0.5),
    }
    return ScoreCard(**{**values, **more})


def test_order_of_the_contract():
    assert list(card(more={"points": 1}, confusion_matrix={"labels": [], "counts": []}).as_dict()) == [
        *("challenge", "score", "metrics", "per_class", "confusion_matrix", "official", "incomplete"),
        *("n_cases", "intervals", "points", "cases", "findings", "provenance"),
    ]
    assert "confusion_matrix" not in card().as_dict()


def test_undefined_numbers_are_null():
    written = json.loads(card(score=None).to_json())
    assert (written["score"], written["metrics"], written["cases"]) == (
        None,
        {"m": None},
        [{"case": "Größe", "outputs": [1.0, None]}],
    )
    assert written["per_class"] == {"A": {"f1": 0.25, "support": 3}}
    assert written["findings"] == [{"level": "note", "code": "n", "where": "w", "message": "m"}]


def test_arrays_stay_out_of_the_json():
    assert card(arrays={"outputs": np.ones(3)}).to_json() == card().to_json()


def test_text_is_written_as_it_is():
    assert "Größe" in card().to_json()
    assert card().to_json().endswith("}\n")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_written_unrounded(value):
    assert json.loads(card(score=value).to_json())["score"] == value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((np.float32(0.5), 0.5), (np.bool_(True), True), ((1, (2,)), [1, [2]])),
        *(({1: np.arange(2)}, {"1": [0, 1]}), (float("-inf"), None), (np.float64("nan"), None), (None, None)),
        *(("a", "a"), (np.array(3), 3)),
    ],
)
def test_plain(value, expected):
    found = plain(value)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    "rows",
    [
        [
            {"case": 'a"%\\', "n": 1, "score": 0.1, "hit": True},
            {"case": "ü\n", "n": 2, "score": None, "hit": None},
        ],
        [{"case": "a", "score": 1e-9}, {"case": "b"}],
        [{"case": "a", "of": {"b": [1, 2]}}],
        [{"case": "a", "score": np.float64(0.5)}],
    ],
)
def test_cases_are_written_as_json_writes_them(rows):
    as_json = json.dumps(rows, ensure_ascii=False, separators=(",\n ", ": "))
    assert f'"cases": {as_json},\n' in card(cases=tuple(rows)).to_json()


def test_a_case_without_a_finite_number_has_null():
    assert '"score": null}]' in card(cases=({"case": "a", "score": float("nan")},)).to_json()
