"""Reader studies: counts by hand, paired intervals on simulated readers, and the draw of cases."""

import csv
import io
import math

import numpy as np
import pandas as pd
import pytest

from pages.display import downloads
from scoring.single_image.reader_study import (
    RIGHT,
    SENSITIVITY,
    SPECIFICITY,
    UNSURE,
    Impression,
    ReadImage,
    compared,
    drawn,
    summary,
    table,
)

MALIGNANT = np.array([False, True, True])


def read(alone: int, model: int, assisted: int, truth: int) -> ReadImage:
    return ReadImage("image", Impression(alone, "low"), Impression(assisted, "high"), model, 0.5, truth)


def test_shares_are_those_counted_by_hand_and_unsure_is_never_right():
    images = [
        read(1, 1, 1, 1),
        read(2, UNSURE, 1, 1),  # a malignant class, but not the true one
        read(UNSURE, 1, 1, 2),
        read(0, 1, 0, 0),
        read(UNSURE, 0, UNSURE, 0),
        read(1, 0, 0, 0),
        read(1, 1, 1, UNSURE),  # of unknown truth: counts for nothing
    ]
    found = compared(images, MALIGNANT)
    hits = {name: [(one.hits, one.n) for one in measure.shares] for name, measure in found.items()}
    assert hits == {
        RIGHT: [(2, 6), (3, 6), (4, 6)],
        SENSITIVITY: [(2, 3), (2, 3), (3, 3)],
        SPECIFICITY: [(1, 3), (2, 3), (2, 3)],
    }
    assert [measure.difference for measure in found.values()] == pytest.approx([2 / 6, 1 / 3, 1 / 3])
    first, second = summary(images)
    assert "the same class in 2 of 4 images in which both name a class; you were unsure in 2 of 7" in first
    assert "the model gave no answer in 1." in first
    assert "in 3 of 7 images: to the true class in 2, away from the true class in 0." in second


def test_what_no_image_speaks_of_is_not_said():
    assert compared([], MALIGNANT) == {}
    assert compared([read(0, 0, 0, UNSURE)], MALIGNANT) == {}
    assert summary([read(UNSURE, 0, UNSURE, 0)])[0].startswith("In no image did both you and the model name")
    alone = compared([read(0, 0, 0, 0)], MALIGNANT)
    assert list(alone) == [RIGHT, SPECIFICITY]
    assert alone[RIGHT].interval is None
    assert list(compared([read(0, 0, 0, 0)] * 2, np.zeros(3, bool))) == [RIGHT]


@pytest.mark.parametrize("n", [10, pytest.param(20, marks=pytest.mark.soak)])
@pytest.mark.parametrize(("gained", "lost"), [(0.05, 0.05), (0.2, 0.05), (0.3, 0.0)])
def test_paired_intervals_hold_the_true_difference(n, gained, lost):
    random, draws, held = np.random.default_rng(3), 300, 0
    for _ in range(draws):
        kinds = random.choice(3, n, p=[gained, lost, 1 - gained - lost])
        images = [read(*[(0, 0, 1), (1, 0, 0), (0, 0, 0)][kind], 1) for kind in kinds]
        low, high = compared(images, MALIGNANT)[RIGHT].interval
        held += low - 1e-9 <= gained - lost <= high + 1e-9
    assert held / draws >= 0.93 - 3 * math.sqrt(0.05 * 0.95 / draws)


def test_the_table_says_all_and_is_safe_in_a_spreadsheet():
    rows = table([read(1, UNSURE, UNSURE, 2), read(0, 0, 0, UNSURE)], ("nevus", "=melanoma", "carcinoma"))
    written = list(csv.reader(io.StringIO(downloads.csv(pd.DataFrame(rows), False).decode("utf-8-sig"))))
    assert written[1:] == [
        ["image", "carcinoma", "'=melanoma", "low", "no answer", "0.5", "unsure", "high", ""],
        ["image", "", "nevus", "low", "nevus", "0.5", "nevus", "high", ""],
    ]


@pytest.mark.parametrize(("malignant_cases", "count", "half"), [(30, 20, 10), (3, 20, 3), (60, 10, 5)])
def test_half_of_the_cases_drawn_are_malignant_where_there_are_as_many(malignant_cases, count, half):
    labels = np.repeat([1, 0, -1], [malignant_cases, 60, 5])
    chosen = drawn(labels, MALIGNANT, np.arange(len(labels)), count, 4)
    assert len(set(chosen)) == len(chosen) == count
    assert sum(labels[chosen] == 1) == half
    assert sum(labels[chosen] == 0) == count - half
    assert chosen == drawn(labels, MALIGNANT, np.arange(len(labels)), count, 4)
    assert chosen != drawn(labels, MALIGNANT, np.arange(len(labels)), count, 5)
