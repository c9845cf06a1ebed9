"""Metrics of points and boxes against pycocotools and against the definitions of LUNA16, CAMELYON16 and MIDOG
in plain loops."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.metrics import registry
from scoring.metrics.detection_matching import detection_cases
from scoring.metrics.task_cases import Objects
from tests.support import peer

CLASSES = ("a", "b")
RADIUS = 1.5


def points(
    seed: int, images: int = 8, dimensions: int = 3, rounded: int = 1
) -> list[tuple[Objects, Objects]]:
    """Images with few or no points; scores have ties, detections near the truth higher ones."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(images):
        n, extra = random.integers(0, 5), random.integers(0, 7)
        places = random.random((n, dimensions)) * 6
        near = np.repeat(places, random.integers(0, 3, n), axis=0)
        guesses = np.vstack([near + random.normal(size=near.shape), random.random((extra, dimensions)) * 6])
        scores = np.r_[random.random(len(near)) * 0.7 + 0.3, random.random(extra)].round(rounded)
        kinds, guess_kinds = random.integers(0, 2, n), random.integers(0, 2, len(guesses))
        found.append((Objects(places, kinds), Objects(guesses, guess_kinds, scores)))
    return found


def of_kind(images, kind: int) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Places of the truth and of the detections and the scores of these, image by image."""
    return [
        (t.places[t.kinds == kind], p.places[p.kinds == kind], p.scores[p.kinds == kind]) for t, p in images
    ]


def computed(task: str, name: str, images, weights=None, **chosen) -> np.ndarray:
    metric = registry.find(task, name)
    cases = detection_cases(metric, images, CLASSES, **chosen)
    return metric.compute(cases, np.ones((1, len(images))) if weights is None else weights, **chosen)


def midog_counts(images, radius: float) -> tuple[int, int, int]:
    """Hits, objects and detections as evalutils counts them: each object takes the nearest free detection."""
    hits = 0
    for truth, guesses, _ in images:
        used = set()
        for place in truth:
            away = np.sqrt(((guesses - place) ** 2).sum(1))
            for k in np.argsort(away, kind="stable"):
                if away[k] <= radius and k not in used:
                    used.add(k)
                    hits += 1
                    break
    return hits, sum(len(t) for t, _, _ in images), sum(len(g) for _, g, _ in images)


def froc_by_loops(images, radius: float, rates) -> float:
    """Sensitivity at false alarms per image, from every threshold and (0, 0), on straight lines."""
    hits, alarms, objects = [], [], 0
    for truth, guesses, scores in images:
        objects += len(truth)
        inside = np.array([[((g - t) ** 2).sum() < radius**2 for g in guesses] for t in truth]).reshape(
            len(truth), len(guesses)
        )
        hits += [scores[row].max() for row in inside if row.any()]
        alarms += list(scores[~inside.any(0)])
    hits, alarms, x, y = np.array(hits), np.array(alarms), [0.0], [0.0]
    for threshold in sorted({*hits, *alarms}, reverse=True):
        x.append((alarms >= threshold).sum() / len(images))
        y.append((hits >= threshold).sum() / objects)
    return float(np.mean(np.interp(rates, x, y)))


def ranked_precision(images, radius: float) -> float:
    """Average precision: the detections of an image in falling order take the nearest free point."""
    rows, objects = [], 0
    for truth, guesses, scores in images:
        objects, used = objects + len(truth), set()
        for k in np.argsort(-scores, kind="stable"):
            away = np.sqrt(((truth - guesses[k]) ** 2).sum(1))
            free = [t for t in np.argsort(away, kind="stable") if away[t] <= radius and t not in used]
            used |= set(free[:1])
            rows.append((scores[k], bool(free)))
    total, before = 0.0, 0
    for threshold in sorted({score for score, _ in rows}, reverse=True):
        taken = [hit for score, hit in rows if score >= threshold]
        total += (sum(taken) - before) / objects * sum(taken) / len(taken)
        before = sum(taken)
    return total


@pytest.mark.parametrize("seed", range(6))
def test_points_by_plain_loops(seed):
    images = points(seed, dimensions=2 + seed % 2)
    counts = [midog_counts(of_kind(images, kind), RADIUS) for kind in (0, 1)]
    f1 = [2 * hits / (objects + found) for hits, objects, found in counts]
    assert computed("points", "f1", images, radius=RADIUS) == pytest.approx([np.mean(f1)])
    hits, objects, found = np.sum(counts, 0)
    micro = computed("points", "f1", images, radius=RADIUS, average="micro")
    assert micro == pytest.approx([2 * hits / (objects + found)])
    for rates, places in (("luna16", 2.0 ** np.arange(-3, 4)), ("camelyon16", 2.0 ** np.arange(-2, 4))):
        expected = [froc_by_loops(of_kind(images, kind), RADIUS, places) for kind in (0, 1)]
        found = computed("points", "froc", images, radius=RADIUS, rates=rates)
        assert found == pytest.approx([np.mean(expected)], abs=1e-12)
    expected = [ranked_precision(of_kind(images, kind), RADIUS) for kind in (0, 1)]
    for kind, title in enumerate(CLASSES):
        found = computed("points", "average_precision", images, radius=RADIUS, **{"class": title})
        assert found == pytest.approx([expected[kind]], abs=1e-12)


def test_a_detection_at_the_radius_and_radii_of_objects():
    """evalutils takes it, LUNA16 does not; a nodule has its own radius."""
    kinds = np.zeros(1, int)
    truth, found = np.array([[0.0, 0.0]]), Objects(np.array([[3.0, 4.0]]), kinds, np.array([0.5]))
    images = [(Objects(truth, kinds), found)]
    assert computed("points", "f1", images, radius=5.0) == [1]
    assert computed("points", "froc", images, radius=5.0) == [0]
    larger = [(Objects(truth, kinds, radii=np.array([5.1])), found)]
    assert computed("points", "froc", larger, radius=1.0) == [1]


def test_objects_may_take_the_surest_detection_first():
    kinds = np.zeros(2, int)
    truth = Objects(np.array([[0.0, 0.0], [2.0, 0.0]]), kinds)
    found = Objects(np.array([[-0.1, 0.0], [1.0, 0.0]]), kinds, np.array([0.1, 0.9]))
    assert computed("points", "f1", [(truth, found)], radius=1.2) == [1]
    assert computed("points", "f1", [(truth, found)], radius=1.2, prefer="score") == [0.5]


def boxes(seed: int, images: int = 6, most: int = 6, rounded: int = 2) -> list[tuple[Objects, Objects]]:
    """Images with boxes that overlap the truth more or less; whole numbers give equal overlaps."""
    random, found = np.random.default_rng(seed), []
    for _ in range(images):
        n, extra = random.integers(0, most), random.integers(0, 4)
        places = np.c_[random.integers(0, 30, (n, 2)), random.integers(4, 14, (n, 2))].astype(float)
        near = np.repeat(places, random.integers(0, 4, n), axis=0)
        kinds = random.integers(0, 2, n)
        near_kinds = np.repeat(kinds, [int((near == place).all(1).sum()) for place in places])[: len(near)]
        near = near + random.integers(-2, 3, near.shape)
        others = np.c_[random.integers(0, 30, (extra, 2)), random.integers(4, 14, (extra, 2))]
        scores = random.random(len(near) + extra).round(rounded)
        guess_kinds = np.r_[near_kinds, random.integers(0, 2, len(near) + extra - len(near_kinds))]
        found.append((Objects(places, kinds), Objects(np.vstack([near, others]), guess_kinds, scores)))
    return found


def as_coco(images) -> tuple[dict, list]:
    truth = [
        {
            "image_id": image,
            "category_id": int(kind) + 1,
            "bbox": box.tolist(),
            "area": float(box[2] * box[3]),
            "iscrowd": 0,
        }
        for image, (objects, _) in enumerate(images)
        for box, kind in zip(objects.places, objects.kinds, strict=True)
    ]
    results = [
        {"image_id": image, "category_id": int(kind) + 1, "bbox": box.tolist(), "score": float(score)}
        for image, (_, found) in enumerate(images)
        for box, kind, score in zip(found.places, found.kinds, found.scores, strict=True)
    ]
    return {
        "images": [{"id": image} for image in range(len(images))],
        "categories": [{"id": 1}, {"id": 2}],
        "annotations": [{"id": number, **row} for number, row in enumerate(truth, 1)],
    }, results


@pytest.mark.slow
def test_pycocotools_agrees():
    # The last has more detections of a class in an image than COCO looks at.
    cases = [*(boxes(seed) for seed in range(6)), boxes(7, images=2, most=160)]
    answers = peer.asked(Path(__file__).with_name("box_programs.py"), [as_coco(images) for images in cases])
    for images, said in zip(cases, answers, strict=True):
        assert computed("boxes", "coco_map", images) == pytest.approx([said["coco_map"]], abs=1e-9)
        assert computed("boxes", "ap", images, iou=0.5) == pytest.approx([said["ap"]], abs=1e-9)


def test_froc_of_boxes():
    """As of points, with an overlap in place of a distance."""
    kind = np.zeros(2, int)
    truth = Objects(np.array([[0.0, 0, 10, 10], [20, 20, 10, 10]]), kind)
    found = Objects(
        np.array([[0.0, 0, 10, 5], [40, 40, 5, 5], [0, 0, 10, 10]]),
        np.zeros(3, int),
        np.array([0.9, 0.5, 0.4]),
    )
    assert computed("boxes", "froc", [(truth, found)], iou=0.5) == [0.5]
    # At an overlap of more than a half two false alarms come before the only hit.
    expected = np.mean(np.interp(2.0 ** np.arange(-3, 4), [0, 2, 2], [0, 0, 0.5]))
    assert computed("boxes", "froc", [(truth, found)], iou=0.6) == pytest.approx([expected])


METRICS = [(task, m.name) for task in ("points", "boxes") for m in registry.of_task(task)]


@pytest.mark.parametrize(("task", "name"), METRICS)
@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_weights_are_repeated_images_and_names_change_nothing(task, name, seed):
    images = points(seed, 5, rounded=12) if task == "points" else boxes(seed, 5, rounded=12)
    random = np.random.default_rng(seed)
    weights = np.vstack([np.ones(5), random.integers(0, 3, (2, 5))])
    values = computed(task, name, images, weights)
    assert all(np.isnan(value) or 0 <= value <= 1 + 1e-12 for value in values)
    for row, value in zip(weights, values, strict=True):
        again = [image for image, times in zip(images, row, strict=True) for _ in range(int(times))]
        if again:
            assert computed(task, name, again) == pytest.approx([value], abs=1e-9, nan_ok=True)
    order = random.permutation(5)
    swapped = [tuple(Objects(o.places, 1 - o.kinds, o.scores) for o in images[place]) for place in order]
    assert computed(task, name, swapped, weights[:, order]) == pytest.approx(values, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize(("task", "name"), METRICS)
def test_images_without_objects_or_detections(task, name):
    width = 2 if task == "points" else 4
    nothing = Objects(np.zeros((0, width)), np.zeros(0, int), np.zeros(0))
    one = Objects(np.ones((1, width)), np.zeros(1, int), np.ones(1))
    assert computed(task, name, [(one, nothing), (nothing, nothing)]) == [0]
    assert computed(task, name, [(one, one), (nothing, nothing)]) == pytest.approx([1])
    assert np.isnan(computed(task, name, [(nothing, nothing)])[0])
    only_false = computed(task, name, [(nothing, one)])[0]
    assert only_false == 0 if name == "f1" else np.isnan(only_false)
