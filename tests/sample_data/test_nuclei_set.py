"""Training tiles say where the middles of nuclei are."""

import numpy as np
from shapely.geometry import Point

from sample_data.generator.annotations import Annotation
from sample_data.generator.histology.nuclei import CLASSES
from sample_data.models.nuclei_set import BACKGROUND, NEITHER, STRIDE, any_setting, labels


def test_the_middle_is_of_the_class_the_rim_is_nothing_and_all_else_is_background():
    found = labels([Annotation("plasma_cells", Point(40, 60).buffer(12))], side=128)
    middles = np.arange(32) * STRIDE + STRIDE / 2
    away = np.hypot(middles - 40, (middles - 60)[:, None])
    assert found.shape == (32, 32)
    assert (found[away < 6] == CLASSES.index("plasma_cells") + 1).all()
    assert (found[(away > 7) & (away < 13)] == NEITHER).all()
    assert (found[away > 14.5] == BACKGROUND).all()


def test_between_two_nuclei_the_nearer_one_counts_in_either_order():
    pair = [Annotation("tumor", Point(40, 40).buffer(14)), Annotation("lymphocytes", Point(50, 40).buffer(9))]
    for listed in (pair, pair[::-1]):
        found = labels(listed, side=128)
        assert found[10, 9] == CLASSES.index("tumor") + 1
        assert found[10, 12] == CLASSES.index("lymphocytes") + 1


def test_settings_differ_and_are_drawn_from_the_seed():
    drawn = [any_setting(np.random.default_rng(seed)) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
