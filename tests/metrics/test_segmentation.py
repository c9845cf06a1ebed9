"""Metrics of masks against DeepMind's surface-distance and against plain loops over voxels and lesions."""

import itertools
from pathlib import Path

import numpy as np
import pytest
import scipy.ndimage
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.metrics import registry, surface_distances
from scoring.metrics.connected_components import components
from scoring.metrics.mask_measures import RegionPair, region_pairs
from scoring.metrics.surface_distances import element_areas, quantile
from scoring.metrics.task_cases import RegionCases
from tests.support import peer

ONE = np.ones((1, 1))
SPACINGS = ((1.0, 1.0, 1.0), (0.7, 0.9, 2.5))


def blobs(seed: int, shape: tuple[int, ...], rough: float = 0.6) -> np.ndarray:
    """Labels of random smooth parts: 0, 1 or 2."""
    random = np.random.default_rng(seed)
    field = scipy.ndimage.gaussian_filter(random.normal(size=shape), rough)
    return (field > np.quantile(field, 0.8)).astype(np.uint8) + (field > np.quantile(field, 0.92))


def pair(truth, prediction, spacing=SPACINGS[0], labels=(1, 2)) -> RegionPair:
    return next(region_pairs(truth, prediction, spacing, [labels]))


def value(name: str, region: RegionPair, **parameters) -> float:
    """A metric of one case and structure."""
    metric = registry.find("segmentation", name)
    cases = RegionCases(np.array([[metric.measure(region, **parameters)]]), ("lesion",))
    return float(metric.compute(cases, ONE, **parameters)[0])


@pytest.mark.slow
def test_deepmind_agrees():
    cases = [
        (blobs(seed, shape), blobs(seed + 50, shape), spacing[: len(shape)], 1.0)
        for seed, (shape, spacing) in enumerate(
            itertools.product([(11, 12, 13), (5, 30, 4), (20, 25)], [*SPACINGS, (2.0, 1.0, 3.0)])
        )
    ]
    asked = [((t > 0).tolist(), (p > 0).tolist(), spacing, limit) for t, p, spacing, limit in cases]
    answers = peer.asked(Path(__file__).with_name("mask_programs.py"), asked)
    for (truth, prediction, spacing, limit), said in zip(cases, answers, strict=True):
        for arrays in ((truth, prediction), (np.asfortranarray(truth), np.asfortranarray(prediction))):
            region = pair(*arrays, spacing)
            found = {name: value(name, region) for name in ("dice", "hd95", "assd")}
            found["nsd"] = value("nsd", region, tolerance_mm=limit)
            assert found == pytest.approx(said, rel=1e-9, abs=1e-9)


def test_areas_of_planes_and_slants():
    """A wall between two halves has the area of a voxel's face, whichever way it stands."""
    faces = element_areas((2.0, 3.0, 5.0))
    assert faces[[0, 255]].tolist() == [0, 0]
    assert faces[[0b00001111, 0b00110011, 0b01010101]].tolist() == [15, 10, 6]
    assert faces == pytest.approx(faces[::-1])
    assert faces[1:-1].min() > 0
    assert element_areas((3.0, 4.0))[[0b0011, 0b0101, 0b1000]].tolist() == [4, 3, 2.5]


@pytest.mark.parametrize("shape", [(9, 10, 11), (12, 17)])
def test_many_elements_are_searched_in_a_map_with_the_same_result(shape, monkeypatch):
    truth, prediction = blobs(1, shape), blobs(2, shape)
    expected = pair(truth, prediction, SPACINGS[1][: len(shape)]).distances
    monkeypatch.setattr(surface_distances, "MOST_SEARCHED", 0)
    for by_tree, by_map in zip(
        expected, pair(truth, prediction, SPACINGS[1][: len(shape)]).distances, strict=True
    ):
        assert by_map == pytest.approx(by_tree, rel=1e-12)
        assert by_map.max() > 0


@pytest.mark.parametrize("shape", [(14, 12), (14, 12, 10)])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("few", "near"), [(1, 0), (4, 3), (1000, 100)])
def test_the_nearest_element_is_found_where_surfaces_are_apart(shape, seed, few, near, monkeypatch):
    monkeypatch.setattr(surface_distances, "FEW", few)
    monkeypatch.setattr(surface_distances, "NEAR", near)
    random, spacing = np.random.default_rng(seed), (0.7, 1.1, 2.5)[: len(shape)]
    masks = []
    for side in random.permutation(2):
        mask = np.zeros(shape, bool)
        # Apart along some axes, beside each other along the others.
        part = tuple(slice(side * 7, side * 7 + 4) if random.random() < 0.6 else slice(1, -1) for _ in shape)
        mask[part] = random.random(mask[part].shape) < 0.3
        masks.append(surface_distances.surface(mask, spacing))
    for one, other in (masks, masks[::-1]):
        steps = (one.corners()[:, None] - other.corners()) * np.array(spacing)
        nearest = np.sqrt((steps**2).sum(2)).min(1)
        assert surface_distances.distances(one, other, spacing) == pytest.approx(nearest, abs=1e-12)


def test_a_quantile_is_the_first_value_that_reaches_the_share():
    assert quantile(np.arange(20.0)[::-1], np.ones(20), 0.95) == 18
    assert quantile(np.array([3.0, 1.0]), np.array([0.2, 0.8]), 0.81) == 3


def lesion_wise_dice(truth, prediction, spacing, dilation, least) -> float:
    """As BraTS 2023 has it, lesion by lesion, each on the whole image."""
    around = scipy.ndimage.generate_binary_structure(truth.ndim, 2)
    grown = scipy.ndimage.binary_dilation(truth, around, iterations=dilation) if dilation else truth
    groups, n_groups = components(grown)
    guess, n_guess = components(prediction)
    values, touched = [], set()
    for group in range(1, n_groups + 1):
        lesion, reach = truth & (groups == group), groups == group
        numbers = set(np.unique(guess[reach])) - {0}
        touched |= numbers
        own = np.isin(guess, list(numbers))
        if lesion.sum() * np.prod(spacing) > least:
            values.append(2 * (own & lesion).sum() / (own.sum() + lesion.sum()))
    false = n_guess - len(touched)
    return sum(values) / (len(values) + false) if values or false else 1.0


@pytest.mark.parametrize(("dilation", "least"), [(0, 0), (1, 0), (0, None), (1, None), (3, 50)])
def test_lesion_wise_dice(dilation, least):
    for seed in range(12):
        truth, prediction = blobs(seed, (14, 13, 12)) == 2, blobs(seed + 50, (14, 13, 12)) == 2
        smallest = np.bincount(components(truth)[0].ravel())[1:].min()
        chosen = {"dilation": dilation, "min_volume_mm3": float(smallest) if least is None else least}
        found = value("lesion_dice", pair(truth, prediction, labels=[1]), **chosen)
        assert found == pytest.approx(lesion_wise_dice(truth, prediction, SPACINGS[0], *chosen.values()))


def test_lesions_that_match_and_false_volumes():
    spacing = SPACINGS[1]
    for seed in range(8):
        truth, prediction = blobs(seed, (14, 13, 12)), blobs(seed + 50, (14, 13, 12))
        region = pair(truth, prediction, spacing, [2])
        (true, n_true), (guess, n_guess) = components(truth == 2), components(prediction == 2)
        overlaps = [
            (((true == t) & (guess == g)).sum() / ((true == t) | (guess == g)).sum(), t, g)
            for t in range(1, n_true + 1)
            for g in range(1, n_guess + 1)
        ]
        for limit in (0.0, 0.1):
            used: set[tuple[str, int]] = set()
            for share, t, g in sorted(overlaps, key=lambda row: (-row[0], *row[1:])):
                if share > limit and not used & {("t", t), ("g", g)}:
                    used |= {("t", t), ("g", g)}
            expected = len(used) / (n_true + n_guess)
            assert value("lesion_f1", region, iou=limit) == pytest.approx(expected)
        for name, mask, other in (
            ("positive", prediction == 2, truth == 2),
            ("negative", truth == 2, prediction == 2),
        ):
            numbered, n = scipy.ndimage.label(mask, scipy.ndimage.generate_binary_structure(3, 2))
            missed = sum(
                (numbered == k).sum() for k in range(1, n + 1) if not (other & (numbered == k)).any()
            )
            assert value(f"false_{name}_volume", region) == pytest.approx(missed * np.prod(spacing) / 1000)


FULL, EMPTY = np.ones((3, 4, 5), np.uint8), np.zeros((3, 4, 5), np.uint8)
DIAGONAL = np.linalg.norm((3, 4, 5))


@pytest.mark.parametrize(
    ("name", "perfect", "worst"),
    [
        *(("dice", 1, 0), ("iou", 1, 0), ("nsd", 1, 0), ("hd95", 0, DIAGONAL), ("assd", 0, DIAGONAL)),
        ("lesion_f1", 1, 0),
    ],
)
def test_what_empty_masks_count(name, perfect, worst):
    both, missed, false = pair(EMPTY, EMPTY), pair(FULL, EMPTY), pair(EMPTY, FULL)
    assert value(name, pair(FULL, FULL)) == value(name, both) == perfect
    assert value(name, missed) == value(name, false) == pytest.approx(worst)
    assert value(name, missed, both_empty="skip") == pytest.approx(worst)
    assert np.isnan(value(name, both, both_empty="skip"))
    if name not in ("hd95", "assd"):
        assert value(name, both, both_empty="worst") == worst
    if name != "lesion_f1":
        assert np.isnan(value(name, false, empty_truth="skip"))
    if name == "hd95":
        assert value(name, both, both_empty="worst", worst_mm=374) == value(name, missed, worst_mm=374) == 374


def measured(name: str, seed: int, cases: int) -> tuple[RegionCases, list[list[RegionPair]]]:
    """Cases with two structures; of some the second is empty."""
    pairs = []
    for case in range(cases):
        truth, prediction = blobs(seed + case, (7, 8, 9)), blobs(seed + case + 50, (7, 8, 9))
        truth[truth == 2] = 2 * (case % 3 > 0)
        prediction[prediction == 2] = 2 * (case % 2)
        pairs.append(list(region_pairs(truth, prediction, SPACINGS[1], [(1, 2), (2,)])))
    metric = registry.find("segmentation", name)
    rows = [[metric.measure(region) for region in case] for case in pairs]
    return RegionCases(np.array(rows, float), ("whole", "core")), pairs


NAMES = [metric.name for metric in registry.of_task("segmentation")]


@pytest.mark.parametrize("name", NAMES)
def test_means_over_cases_and_structures(name):
    cases, pairs = measured(name, 3, 6)
    metric = registry.find("segmentation", name)
    weights = np.vstack([np.ones(6), np.random.default_rng(1).integers(0, 3, (3, 6))])
    chosen = {"both_empty": "skip"} if "both_empty" in metric.parameters else {}
    alone = np.array([[value(name, region, **chosen) for region in case] for case in pairs])
    of_structures = []
    for structure, title in enumerate(cases.classes):
        kept = ~np.isnan(alone[:, structure])
        expected = [np.average(alone[kept, structure], weights=w[kept]) for w in weights]
        found = metric.compute(cases, weights, **{"class": title}, **chosen)
        assert found == pytest.approx(expected, abs=1e-12)
        of_structures.append(expected)
    assert metric.compute(cases, weights, **chosen) == pytest.approx(np.mean(of_structures, 0), abs=1e-12)


@pytest.mark.parametrize("name", ["dice", "iou", "nsd"])
def test_cases_taken_as_one(name):
    """As one image in which all cases lie side by side, far enough apart."""
    apart = 3
    cases, pairs = measured(name, 5, 3)
    weights = np.array([[1.0, 1, 1], [0, 2, 1], [0, 0, 0]])
    found = registry.find("segmentation", name).compute(cases, weights, average="micro", **{"class": "whole"})
    for row, got in zip(weights[:2], found, strict=False):
        images = []
        for side in ("truth", "prediction"):
            parts = [
                np.pad(getattr(case[0], side), apart)
                for case, w in zip(pairs, row, strict=True)
                for _ in range(int(w))
            ]
            most = np.max([part.shape for part in parts], axis=0)
            images.append(
                np.concatenate(
                    [np.pad(p, [(0, m - n) for m, n in zip(most, p.shape, strict=True)]) for p in parts]
                )
            )
        assert got == pytest.approx(value(name, pair(*images, SPACINGS[1], labels=[1])), abs=1e-12)
    assert np.isnan(found[2])


@settings(max_examples=30)
@given(
    st.integers(0, 1000), st.permutations(range(3)), st.tuples(st.booleans(), st.booleans(), st.booleans())
)
def test_axes_and_directions_change_nothing(seed, axes, flips):
    """A volume that is stored another way is the same volume."""
    spacing, way = SPACINGS[1], tuple(slice(None, None, -1 if flip else 1) for flip in flips)
    truth, prediction = blobs(seed, (8, 9, 7)), blobs(seed + 1, (8, 9, 7))
    turned = [array.transpose(axes)[way] for array in (truth, prediction)]
    regions = pair(truth, prediction, spacing), pair(*turned, [spacing[axis] for axis in axes])
    for name in NAMES:
        assert value(name, regions[0]) == pytest.approx(value(name, regions[1]), rel=1e-9, abs=1e-9), name
