"""Measures of the samples' images are those that would be measured now, and of no other images."""

import numpy as np
import pytest

from sample_data.generator.measured_images import test_sets as sample_sets
from scoring.metrics.image_quality import STEPS
from scoring.single_image import quality, saved_measures
from scoring.single_image.saved_measures import PLACE, place, save, saved
from tests.support.thinned import some

SETS = {name: (truth, tile) for name, truth, tile in sample_sets()}


class Few:
    """Some cases of a test set."""

    def __init__(self, truth, indices):
        self.truth, self.indices = truth, indices

    def __len__(self):
        return len(self.indices)

    def picture(self, index):
        return self.truth.picture(self.indices[index])


def test_there_is_one_file_for_each_sample():
    assert sorted(PLACE.iterdir()) == sorted(place(truth) for truth, _ in SETS.values())


@pytest.mark.parametrize("every", some((50, 1), 2))
@pytest.mark.parametrize("name", SETS)
def test_images_are_measured_as_was_kept(name, every):
    truth, tile = SETS[name]
    kept, cases = saved(truth, tile), range(0, len(truth), every)
    now = quality.measured(Few(truth, cases), tile=tile)
    for case, found, parts in zip(cases, now.qualities, now.known.features, strict=True):
        assert found.as_dict() == pytest.approx(kept.qualities[case].as_dict(), rel=1e-4, abs=1e-6)
        assert np.all(np.abs(parts - kept.known.features[case]) <= STEPS * 1.001)


@pytest.mark.parametrize("name", SETS)
def test_factors_are_those_of_the_kept_images(name):
    truth, tile = SETS[name]
    kept = saved(truth, tile).known
    again = type(kept)(kept.features, kept.indices, tile)
    assert len(kept) == len(truth)
    assert kept.left_out == pytest.approx(again.left_out, rel=1e-6)


def test_measures_of_other_images_or_of_another_version_are_not_used(tmp_path, monkeypatch):
    truth, _ = SETS["melanoma"]
    few, other = Few(truth, range(6)), Few(truth, [0, 1, 2, 3, 4, 6])
    measured = quality.measured(few)
    save(few, measured, tmp_path)
    kept = saved(few, folder=tmp_path)
    assert kept.qualities == measured.qualities
    assert np.array_equal(kept.known.features, measured.known.features)
    assert saved(other, folder=tmp_path) is None
    monkeypatch.setattr(saved_measures, "VERSION", saved_measures.VERSION + 1)
    assert saved(few, folder=tmp_path) is None
