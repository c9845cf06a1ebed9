"""A tile is drawn from its seed and setting and from nothing else."""

import numpy as np
from shapely.geometry import box

from sample_data.generator.histology.tile import SMALLEST_AREA, draw
from tests.sample_data.histology.support import MIXED


def test_same_seed_same_tile_other_seed_other_tile():
    first, again, other = draw(3, MIXED, 256), draw(3, MIXED, 256), draw(4, MIXED, 256)
    assert first.picture.shape == (256, 256, 3)
    assert first.picture.dtype == np.uint8
    assert (first.picture == again.picture).all()
    assert first.annotations == again.annotations
    assert (first.picture != other.picture).any()


def test_nuclei_are_annotated_where_they_are_seen():
    drawn = draw(7, MIXED, 256)
    tops = [annotation.outline.bounds[1] for annotation in drawn.annotations]
    assert tops == sorted(tops)
    dark = []
    for annotation in drawn.annotations:
        assert annotation.outline.is_valid
        assert annotation.outline.area >= SMALLEST_AREA
        assert box(0, 0, 256, 256).contains(annotation.outline)
        column, row = annotation.outline.representative_point().coords[0]
        dark.append(drawn.picture[int(row), int(column)].mean())
    assert np.mean(dark) < drawn.picture.mean() - 25
