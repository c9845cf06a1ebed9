"""What a headline says of a scorecard, restated in plain loops over its patients."""

import pytest

from scoring.challenges.hecktor2026 import summary
from tests.challenges.hecktor2026.eight import ROWS, TOLD, TRUTH
from tests.support import patients
from tests.support.patients import CHALLENGE


def test_parts_add_up_to_the_score(card):
    parts = summary.parts(card)
    assert [(part.name, part.weight) for part in parts] == [
        ("Segmentation", 0.25),
        ("Staging", 0.35),
        ("Prognosis", 0.4),
    ]
    assert sum(part.won for part in parts) == pytest.approx(card.score)
    assert all(part.won == part.weight * part.value for part in parts)


def test_what_lacks_is_counted_by_kind(card):
    assert summary.unusable(card) == ("1 missing mask", "1 missing T stage", "1 missing score")


def test_the_credit_of_empty_masks_is_what_the_score_loses_when_they_count_nothing(read, card):
    without = CHALLENGE.score(*read, empty_masks="zero", resamples=0)
    assert summary.credit_of_empty(card) == pytest.approx(card.score - without.score)
    assert summary.credit_of_empty(without) == 0


def test_pairs_are_counted_once_each(card):
    told = {row["PatientID"]: row["risk"] for row in TOLD}
    expected = dict.fromkeys(("concordant", "tied", "discordant", "missing"), 0)
    for i in ROWS:
        for j in ROWS:
            if i["Relapse"] and (i["RFS"] < j["RFS"] or (i["RFS"] == j["RFS"] and not j["Relapse"])):
                first, second = told[i["PatientID"]], told[j["PatientID"]]
                kind = (
                    "missing"
                    if None in (first, second)
                    else "concordant"
                    if first > second
                    else "tied"
                    if first == second
                    else "discordant"
                )
                expected[kind] += 1
    assert summary.pairs(card) == expected


@pytest.mark.parametrize(
    ("columns", "option", "expected"),
    [
        (("risk",), "auto", ("risk", "risk", "time", False)),
        (("RFS",), "auto", ("time", "time", "risk", False)),
        (("risk",), "time", ("risk", "time", "risk", True)),
        (("risk", "RFS"), "time", ("time", "time", "risk", True)),
        ((), "auto", None),
    ],
)
def test_the_direction_names_the_column_and_its_reading(columns, option, expected):
    truth = CHALLENGE.read_truth(TRUTH)
    told = CHALLENGE.read_predictions(
        patients.submission_folder([{"PatientID": "P1", "T_stage": "T1", **dict.fromkeys(columns, 1)}]), truth
    )
    found = summary.direction(CHALLENGE.score(truth, told, prognosis_direction=option, resamples=0), told)
    assert found == (None if expected is None else summary.Direction(*expected))
