"""Invented teams have the skill and the faults that they are given."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from shapely.geometry import Point

from sample_data.generator.annotations import Annotation, plain_polygons
from sample_data.generator.detectors import HARD, LOOK_ALIKES, PHANTOMS, VERTICES, Detector, detect
from sample_data.generator.histology.nuclei import CLASSES

SIDE = 1000
PERFECT = Detector(
    "P",
    "sees all",
    missed=0,
    misnamed=0,
    spurious=0,
    jitter=0,
    files=lambda found: {"all": plain_polygons(found["all"])},
)
PLACES = [(x, y) for x in range(25, SIDE - 20, 30) for y in range(25, SIDE - 20, 30)]
ANNOTATIONS = [
    Annotation(CLASSES[number % 10], Point(place).buffer(9)) for number, place in enumerate(PLACES)
]
COMMON = np.random.default_rng(0).standard_normal((len(PLACES), 2))


def found(seed: int = 1, **faults) -> list:
    return detect(replace(PERFECT, **faults), ANNOTATIONS, COMMON, SIDE, seed)


def middles(detections: list) -> np.ndarray:
    return np.array([detection.outline.mean(0) for detection in detections])


def test_tables_are_about_all_classes():
    assert set(HARD) == set(LOOK_ALIKES) == set(CLASSES)
    assert all(kind not in others and set(others) <= set(CLASSES) for kind, others in LOOK_ALIKES.items())
    assert sum(PHANTOMS.values()) == pytest.approx(1)


def test_a_perfect_team_finds_everything_where_it_is():
    detections = found()
    assert Counter(detection.kind for detection in detections) == Counter(
        annotation.kind for annotation in ANNOTATIONS
    )
    places = {tuple(place) for place in np.round((middles(detections) - 25) / 30).astype(int)}
    assert len(places) == len(ANNOTATIONS)
    assert all(detection.outline.shape == (VERTICES, 2) for detection in detections)
    assert [detection.confidence for detection in found()] == [
        detection.confidence for detection in detections
    ]


def test_shares_are_as_given():
    assert len(found(missed=0.1)) == pytest.approx(
        (1 - 0.1 * np.mean(list(HARD.values()))) * len(ANNOTATIONS), rel=0.05
    )
    assert len(found(spurious=0.5)) == pytest.approx(1.5 * len(ANNOTATIONS), rel=0.05)
    wrong = Counter(annotation.kind for annotation in ANNOTATIONS) - Counter(
        detection.kind for detection in found(misnamed=0.3)
    )
    assert wrong


def test_a_shift_is_of_all_and_stops_at_the_edge():
    before, after = middles(found()), middles(found(shift=(12.0, -7.0)))
    inner = (before[:, 0] < SIDE - 40) & (before[:, 1] > 40)
    assert (after - before)[inner].mean(0) == pytest.approx((12, -7), abs=0.01)
    outlines = np.concatenate([detection.outline for detection in found(shift=(60.0, -70.0))])
    assert (outlines.min(0) >= 0).all()
    assert (outlines.max(0) <= SIDE).all()


def test_a_blind_team_never_says_the_word():
    blind = {"plasma_cells": "lymphocytes"}
    expected = Counter(blind.get(annotation.kind, annotation.kind) for annotation in ANNOTATIONS)
    assert Counter(detection.kind for detection in found(blind=blind)) == expected
    assert "plasma_cells" not in {
        detection.kind for detection in found(blind=blind, misnamed=0.2, spurious=0.5)
    }


def test_context_keeps_names_to_the_classes_of_the_tile():
    few = [replace(annotation, kind="epithelium") for annotation in ANNOTATIONS]
    for context, kinds in ((1.0, {"epithelium"}), (0.0, {"epithelium", *LOOK_ALIKES["epithelium"]})):
        detections = detect(replace(PERFECT, misnamed=0.5, context=context), few, COMMON, SIDE, 1)
        assert {detection.kind for detection in detections} == kinds


def test_confidence_is_lower_for_what_is_not_there_unless_the_team_is_always_sure():
    detections = found(spurious=0.5, sure=3.0)
    confidences = np.array([detection.confidence for detection in detections])
    on_a_nucleus = (
        np.abs((middles(detections) - 25) / 30 - np.round((middles(detections) - 25) / 30)).max(1) < 0.03
    )
    assert 0 < confidences.min() < confidences.max() < 1
    assert np.median(confidences[on_a_nucleus]) > np.median(confidences[~on_a_nucleus]) + 0.2
    assert {detection.confidence for detection in found(spurious=0.5, sure=0.0)} == {1.0}


def test_teams_fail_at_the_same_nuclei_more_often_than_by_chance():
    seen = [
        {tuple(place) for place in np.round(middles(found(seed, missed=0.25)) / 30).astype(int)}
        for seed in (1, 2)
    ]
    missed = [len(ANNOTATIONS) - len(places) for places in seen]
    both = len(ANNOTATIONS) - len(seen[0] | seen[1])
    assert both > 1.4 * missed[0] * missed[1] / len(ANNOTATIONS)
