"""The head is logistic regression on standardised features, folded into one matrix."""

import numpy as np

from sample_data.models.linear import fit


def test_the_folded_head_separates_classes_whatever_the_features_units():
    random = np.random.default_rng(0)
    labels = np.tile(np.arange(3), 60)
    features = (np.eye(3)[labels] + random.normal(0, 0.15, (180, 3))) * [1, 100, 0.01] + [0, 500, 7]
    head = fit(features, labels, np.arange(180))
    assert head.matrix.shape == (3, 3)
    assert ((features @ head.matrix + head.offset).argmax(axis=1) == labels).mean() > 0.95


def test_two_classes_need_one_column():
    random = np.random.default_rng(0)
    labels = np.tile([0, 1], 90)
    features = labels[:, None] * [1, -2] + random.normal(0, 0.3, (180, 2))
    head = fit(features, labels, np.arange(180))
    assert head.matrix.shape == (2, 1)
    assert (((features @ head.matrix + head.offset)[:, 0] > 0) == labels).mean() > 0.95
