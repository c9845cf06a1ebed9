"""Outlines have the size and the parts of their class."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.geometry import Polygon, box

from sample_data.generator.histology.nuclei import CLASSES, KINDS, annotated, shape
from scoring.challenges.puma import names

seeds = st.integers(0, 2**32 - 1)


def test_the_classes_are_those_of_the_challenge():
    assert CLASSES == names.CLASSES


@given(
    seeds,
    st.sampled_from(
        [kind for kind in CLASSES if kind not in ("neutrophils", "histiocytes", "apoptotic_cells")]
    ),
)
@settings(max_examples=30)
def test_an_outline_has_the_area_of_its_circle(seed, kind):
    nucleus = shape(np.random.default_rng(seed), kind, (50, 60), 10, 1.5, 0.7)
    (outline,) = nucleus.parts
    assert Polygon(outline).area == pytest.approx(np.pi * 10**2, rel=0.35)
    assert outline.mean(0) == pytest.approx((50, 60), abs=3)


@given(seeds, st.sampled_from(CLASSES), st.floats(0, 300), st.floats(0, 300))
@settings(max_examples=40)
def test_annotations_are_valid_and_on_the_tile(seed, kind, x, y):
    random = np.random.default_rng(seed)
    radius, length = KINDS[kind].radius[0], random.uniform(*KINDS[kind].length)
    drawn = annotated(shape(random, kind, (x, y), radius, length, random.uniform(0, np.pi)), 256)
    assert drawn.is_valid
    assert drawn.is_empty or box(0, 0, 256, 256).buffer(1e-9).contains(drawn)


@given(seeds)
@settings(max_examples=20)
def test_neutrophils_have_lobes_and_dying_cells_fragments_that_nobody_annotates(seed):
    random = np.random.default_rng(seed)
    lobed = shape(random, "neutrophils", (50, 50), 9, 1, 0)
    assert 2 <= len(lobed.parts) <= 4
    assert annotated(lobed, 256).area == pytest.approx(np.pi * 9**2, rel=0.75)
    dying = shape(random, "apoptotic_cells", (50, 50), 7, 1, 0)
    assert 1 <= len(dying.parts) <= 4
    assert annotated(dying, 256).area == pytest.approx(Polygon(dying.parts[0]).buffer(0).area)
