"""Lesions of two masks against the same on whole arrays."""

import nibabel
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.inputs.masks import blocks
from scoring.inputs.masks.counting import examine
from scoring.inputs.masks.lesions import Lesions, lesions
from scoring.metrics.connected_components import components
from tests.support.volumes import AFFINE, nifti, opener, random_labels

GTVN = 2
LARGE = (71, 81, 91)


def truth_of(labels: np.ndarray):
    return examine(opener(nifti(labels)))


def plain(true: np.ndarray, guess: np.ndarray) -> Lesions:
    """Every pair of parts compared over the whole volume."""
    sides = [
        [numbers == k + 1 for k in range(count)]
        for numbers, count in (components(labels == GTVN) for labels in (true, guess))
    ]
    iou = {
        (i, j): (a & b).sum() / (a | b).sum() for i, a in enumerate(sides[0]) for j, b in enumerate(sides[1])
    }
    matched = []
    for i, j in sorted(iou, key=lambda pair: (-iou[pair], pair)):
        if iou[i, j] > 0.3 and all(i != a and j != b for a, b in matched):
            matched.append((i, j))
    return Lesions(len(sides[0]), len(sides[1]), len(matched))


@given(
    st.integers(0, 2**32),
    st.tuples(*[st.integers(1, 9)] * 3),
    st.sampled_from([0, 0.03, 0.1, 0.5]),
    st.sampled_from([0, 0.01, 0.05]),
)
def test_lesions_restated(seed, shape, filled, changed):
    random = np.random.default_rng(seed)
    true = random_labels(random, shape, filled)
    guess = np.where(random.random(shape) < changed, random_labels(random, shape, 0.5), true)
    assert lesions(truth_of(true), opener(nifti(guess)), GTVN) == plain(true, guess)


def balls(*centres: tuple[int, int, int], label: int = GTVN) -> np.ndarray:
    index = np.indices(LARGE)
    far = [sum((axis - at) ** 2 for axis, at in zip(index, centre, strict=True)) > 36 for centre in centres]
    return np.where(np.all(far, axis=0), 0, label).astype(np.uint8)


@pytest.mark.parametrize("kept", [0, blocks.MOST])
def test_nodes_in_a_volume_of_several_blocks(kept, monkeypatch):
    monkeypatch.setattr(blocks, "MOST", kept)
    true, guess = (
        balls((10, 10, 10), (40, 40, 40), (60, 70, 80)),
        balls((11, 10, 10), (60, 70, 75), (40, 10, 60), (41, 41, 41)),
    )
    assert lesions(truth_of(true), opener(nifti(guess)), GTVN) == Lesions(3, 4, 2) == plain(true, guess)
    turned = nibabel.Nifti1Image(guess, AFFINE).as_reoriented([[2, -1], [0, 1], [1, -1]])
    assert lesions(truth_of(true), opener(nifti(np.asarray(turned.dataobj), turned.affine)), GTVN) == Lesions(
        3, 4, 2
    )


@pytest.mark.parametrize(
    "prediction", [None, opener(nifti(np.zeros(LARGE))), opener(nifti(balls((10, 10, 10), label=1)))]
)
def test_no_node_in_the_prediction(prediction):
    assert lesions(truth_of(balls((10, 10, 10))), prediction, GTVN) == Lesions(1, 0, 0)


def test_no_node_in_the_truth():
    assert lesions(truth_of(np.zeros(LARGE)), opener(nifti(balls((10, 10, 10)))), GTVN) == Lesions(0, 1, 0)


@pytest.mark.parametrize(("drawn", "matched"), [(3, 0), (4, 1)])
def test_a_node_matches_above_three_tenths(drawn, matched):
    true, guess = np.zeros((10, 1, 1)), np.zeros((10, 1, 1))
    true[:], guess[:drawn] = GTVN, GTVN
    assert lesions(truth_of(true), opener(nifti(guess)), GTVN) == Lesions(1, 1, matched)


def test_nodes_far_apart_share_nothing():
    assert lesions(truth_of(balls((10, 10, 10))), opener(nifti(balls((60, 70, 80)))), GTVN) == Lesions(
        1, 1, 0
    )
