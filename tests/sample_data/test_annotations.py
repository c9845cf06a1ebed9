"""Nuclei are written in the dialects that the challenge's readers know, and read back as what they were."""

import json
import zipfile

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.geometry import MultiPolygon, Point, Polygon

from sample_data.generator import annotations
from sample_data.generator.annotations import NAMES, Annotation, Detection
from scoring.challenges.puma import names
from scoring.challenges.puma.predictions import read_predictions
from scoring.challenges.puma.truth import read_truth

KINDS = tuple(NAMES)


def rings(random: np.random.Generator, count: int) -> list[np.ndarray]:
    """Irregular outlines of 12 vertices between 0 and 200 px."""
    angles = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    around = np.stack([np.cos(angles), np.sin(angles)], 1)
    return [random.uniform(30, 170, 2) + around * random.uniform(5, 15, (12, 1)) for _ in range(count)]


def annotated(random: np.random.Generator, count: int) -> list[Annotation]:
    outlines = [annotations.on_grid(Polygon(ring)) for ring in rings(random, count)]
    return [Annotation(KINDS[place % 10], outline) for place, outline in enumerate(outlines)]


def detected(random: np.random.Generator, count: int) -> list[Detection]:
    return [
        Detection(KINDS[place % 10], ring, random.uniform())
        for place, ring in enumerate(rings(random, count))
    ]


def test_the_names_are_the_challenges_in_its_order():
    assert KINDS == names.CLASSES
    assert all(
        names.CLASSES[names.position(written)] == kind for kind, written in annotations.PLATFORM_NAMES.items()
    )


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_what_can_be_written_is_valid_on_the_grid_and_near_what_it_was(seed):
    (ring,) = rings(np.random.default_rng(seed), 1)
    written = annotations.on_grid(Polygon(ring))
    assert written.is_valid
    points = shapely.get_coordinates(written)
    assert points == pytest.approx(np.round(points, 1), abs=1e-9)
    assert written.symmetric_difference(Polygon(ring)).area < 0.4 * Polygon(ring).length


def test_crumbs_and_holes_are_not_annotated():
    assert annotations.on_grid(Point(5, 5).buffer(0.5)) is None
    two = MultiPolygon([Point(5, 5).buffer(4), Point(30, 5).buffer(3)])
    assert annotations.on_grid(two).geom_type == "MultiPolygon"
    assert (
        annotations.on_grid(MultiPolygon([Point(5, 5).buffer(4), Point(30, 5).buffer(0.5)])).geom_type
        == "Polygon"
    )
    ring = Point(5, 5).buffer(5).difference(Point(5, 5).buffer(2))
    assert len(annotations.on_grid(ring).interiors) == 0


def test_geojson_is_the_data_sets_dialect_and_comes_back():
    known = [
        *annotated(np.random.default_rng(1), 20),
        Annotation("neutrophils", MultiPolygon([Point(9, 9).buffer(4), Point(20, 9).buffer(3)])),
    ]
    text = annotations.geojson(known, 5)
    assert text == annotations.geojson(known, 5) != annotations.geojson(known, 6)
    features = json.loads(text)["features"]
    assert list(features[0]) == ["type", "id", "geometry", "properties"]
    assert features[0]["properties"] == {
        "objectType": "annotation",
        "classification": {"name": "nuclei_tumor", "color": [200, 0, 0]},
    }
    assert len({feature["id"] for feature in features}) == 21
    assert all(
        feature["geometry"]["coordinates"][0][0] == feature["geometry"]["coordinates"][0][-1]
        for feature in features[:20]
    )
    for before, after in zip(known, annotations.read_geojson(text), strict=True):
        assert after.kind == before.kind
        assert after.main == pytest.approx(before.main, abs=0.06)


def test_the_main_part_is_the_largest():
    two = Annotation("neutrophils", MultiPolygon([Point(9, 9).buffer(2), Point(20, 9).buffer(5)]))
    assert two.main.mean(0) == pytest.approx((20, 9), abs=0.01)
    assert (two.main[0] != two.main[-1]).any()


@pytest.mark.parametrize(
    ("write", "key"),
    [
        (annotations.platform_polygons, "probability"),
        (annotations.plain_polygons, "score"),
        (annotations.centroids, "confidence"),
    ],
)
def test_the_challenge_reads_every_form_alike(write, key):
    random = np.random.default_rng(2)
    detections = detected(random, 30)
    truth = read_truth({"one_nuclei.geojson": annotations.geojson(annotated(random, 10), 0).encode()})
    (read,) = read_predictions({"one.json": write(detections).encode()}, truth).nuclei
    assert key in write(detections)
    assert [names.CLASSES[code] for code in read.classes] == [detection.kind for detection in detections]
    assert read.centroids == pytest.approx(
        np.stack([detection.outline.mean(0) for detection in detections]), abs=0.06
    )
    assert read.confidences == pytest.approx([detection.confidence for detection in detections], abs=6e-4)


def test_confidence_may_be_missing_and_names_may_differ():
    (written,) = json.loads(
        annotations.plain_polygons([Detection("tumor", np.eye(3, 2), None)], {"tumor": "Tumour"})
    )["polygons"]
    assert set(written) == {"name", "path_points"}
    assert written["name"] == "Tumour"


def test_archives_of_the_same_content_are_the_same_file(tmp_path):
    members = {"submission.csv": "case_id\n", "predictions/one.json": "{}"}
    for name in ("first.zip", "second.zip"):
        annotations.write_zip(tmp_path / name, members)
    assert (tmp_path / "first.zip").read_bytes() == (tmp_path / "second.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "first.zip") as archive:
        assert {name: archive.read(name).decode() for name in archive.namelist()} == members
