"""Shares in subgroups: counted in loops, on replicates too."""

import numpy as np
import pytest

from scoring.metrics import subgroups

RIGHT = np.array([True, True, False, True, False])
ILL = np.array([True, False, True, True, False])
SHARES = {
    "accuracy": subgroups.SubgroupShare(RIGHT, np.ones(5, bool)),
    "sensitivity": subgroups.SubgroupShare(RIGHT & ILL, ILL, "n_ill"),
}
GROUPS = {
    "sex": {
        "f": np.array([True, True, True, False, False]),
        "m": np.array([False, False, False, True, True]),
    },
    "age": {"old": np.array([False] * 4 + [True])},
}


def test_shares_restated():
    weights = np.array([[1, 1, 1, 1, 1], [0, 2, 1, 0, 2]], np.float32)
    found = subgroups.quantities(GROUPS, SHARES, weights)
    for (_, column, name, quantity), values in found.items():
        members, share = GROUPS[column][name], SHARES[quantity]
        for w, value in zip(weights, values, strict=True):
            whole = sum(w[i] for i in range(5) if members[i] and share.whole[i])
            part = sum(w[i] for i in range(5) if members[i] and share.part[i])
            assert value == pytest.approx(part / whole if whole else np.nan, nan_ok=True)
    assert len(found) == 6


def test_rows():
    point = subgroups.quantities(GROUPS, SHARES, np.ones((1, 5), np.float32))
    assert subgroups.rows(GROUPS, SHARES, point, {})["sex"] == {
        "f": {"n": 3, "accuracy": pytest.approx(2 / 3), "sensitivity": 0.5, "n_ill": 2},
        "m": {"n": 2, "accuracy": 0.5, "sensitivity": 1, "n_ill": 1},
    }
    with_intervals = subgroups.rows(GROUPS, SHARES, point, {name: [0, 1] for name in point})
    assert with_intervals["age"]["old"]["accuracy_interval"] == [0, 1]


def test_no_groups():
    assert subgroups.quantities({}, SHARES, np.ones((1, 5), np.float32)) == {}
    assert subgroups.rows({}, SHARES, {}, {}) == {}
