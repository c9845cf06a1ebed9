"""Hard cases and disagreements, restated case by case."""

import math
from collections import Counter

import numpy as np
import pytest

from scoring.comparison import case_list
from tests.support.teams import lesion_teams, risk_teams


@pytest.fixture(scope="module")
def found():
    return lesion_teams(3, 60, (0.3, 1, 1.5, 2), resamples=0)


def by_case(found) -> list[list[dict]]:
    return [list(rows) for rows in zip(*(card.cases for card in found.cards.values()), strict=True)]


def test_hardest_first_then_disputed(found):
    table, rows = case_list.correctness(found), by_case(found)
    right = [sum(row["correct"] for row in of_case) for of_case in rows]
    shares = [
        [n / len(of_case) for n in Counter(row["predicted"] for row in of_case).values()] for of_case in rows
    ]
    bits = [-sum(p * math.log2(p) for p in of_case) for of_case in shares]
    assert table.cases == tuple(of_case[0]["case"] for of_case in rows)
    assert table.n_right.tolist() == right
    assert table.entropy == pytest.approx(bits)
    assert table.order.tolist() == sorted(range(60), key=lambda i: (right[i], -round(bits[i], 12), i))
    assert case_list.counted_right(table).tolist() == [right.count(n) for n in range(5)]


def test_filters(found):
    table, rows = case_list.correctness(found), by_case(found)
    correct = [[row["correct"] for row in of_case] for of_case in rows]
    a, b = table.teams[:2]
    alone = {i for i, of_case in enumerate(correct) if of_case == [True, False, False, False]}
    assert set(case_list.only_right(table, a).tolist()) == alone
    better = {i for i, of_case in enumerate(correct) if of_case[0] and not of_case[1]}
    assert set(case_list.right_and_wrong(table, a, b).tolist()) == better
    sure = {
        i
        for i, of_case in enumerate(rows)
        if not any(correct[i]) and any(max(row["outputs"]) >= 0.5 for row in of_case)
    }
    chosen = case_list.wrong_and_confident(table, found.cards, 0.5)
    assert set(chosen.tolist()) == sure
    places = {case: place for place, case in enumerate(table.order.tolist())}
    assert [places[case] for case in chosen.tolist()] == sorted(places[case] for case in chosen.tolist())


def test_one_risk_is_confident_either_way():
    found = risk_teams(5, 80, (0.4, 0.6), resamples=0)
    table, rows = case_list.correctness(found), by_case(found)
    expected = {
        i
        for i, of_case in enumerate(rows)
        if not any(row["correct"] for row in of_case)
        and any(max(row["output"], 1 - row["output"]) >= 0.9 for row in of_case)
    }
    assert set(case_list.wrong_and_confident(table, found.cards).tolist()) == expected
    assert np.array_equal(np.sort(table.order), np.arange(80))
