"""Nuclei of one tile: counts, what a dense model must be, and a prediction file instead."""

import json

import numpy as np
import pytest

from scoring.challenges import load_challenge, samples
from scoring.challenges.puma.dense_models import peaks
from scoring.challenges.puma.nucleus_classes import CLASSES
from scoring.common.findings import InputRefused
from scoring.single_image import nuclei
from scoring.single_image.photograph import received
from scoring.statistics.intervals import counted
from tests.inference import builders
from tests.support.dense_models import dense
from tests.support.single_image import TILE_SUPPORT

DENSE = samples.FOLDER / "puma" / "models" / "dense.onnx"
TILE = samples.FOLDER / "puma" / "truth" / "sample_primary_roi_001.tif"


def refused(work, *given) -> str:
    with pytest.raises(InputRefused) as caught:
        work(*given)
    (problem,) = caught.value.problems
    return problem.message


@pytest.fixture(scope="module")
def tile():
    return received(TILE.read_bytes())


def test_the_sample_model_finds_what_is_there(tile):
    detector = nuclei.opened(TILE_SUPPORT, DENSE.read_bytes())
    found = nuclei.detected(detector, tile.pixels)
    detector.close()
    drawn = json.loads(TILE.with_name("sample_primary_roi_001_nuclei.geojson").read_text())["features"]
    assert len(found) == pytest.approx(len(drawn), rel=0.15)
    true = np.array([np.mean(_ring(one["geometry"]), axis=0) for one in drawn])
    near = np.sqrt(((found.centroids[:, None] - true[None]) ** 2).sum(2)).min(1)
    assert (near < 15).mean() > 0.85
    assert ((found.centroids >= 0) & (found.centroids <= 1024)).all()
    assert tile.dropped == ()


def _ring(geometry: dict) -> list:
    ring = geometry["coordinates"][0]
    return ring if geometry["type"] == "Polygon" else ring[0]


def test_no_peak_at_all():
    answer = np.zeros((11, 20, 20), np.float32)
    answer[0] = 1
    found = peaks(answer, 4)
    assert len(found) == 0
    seen = nuclei.overview(TILE_SUPPORT, found, (80, 80))
    assert (seen.total, seen.lymphocytes.n) == (0, 0)


def test_counts_per_class_and_area():
    answer = np.zeros((11, 60, 60), np.float32)
    for i, place in enumerate((0, 0, 1, 1, 1, 6)):
        answer[1 + place, 5 + 8 * i, 5 + 8 * i] = 40.0 if i % 2 else 20.0
    answer = np.clip(answer, 0, 40) / 40
    answer[0] = 1 - answer.sum(0)
    found = peaks(answer, 1000 / 60, least=0.01)
    seen = nuclei.overview(TILE_SUPPORT, found, (1000, 1000), micrometres=0.23)
    area = (1000 * 0.23 / 1000) ** 2
    counted = {name: n for name, n in zip(CLASSES, seen.counts.tolist(), strict=True) if n}
    assert counted == {"tumor": 2, "lymphocytes": 3, "stromal_cells": 1}
    assert seen.area_mm2 == pytest.approx(area)
    assert seen.per_mm2 == pytest.approx(seen.counts / area)
    assert (seen.lymphocytes.hits, seen.lymphocytes.n) == (3, 6)
    twice = nuclei.overview(TILE_SUPPORT, found, (1000, 1000), micrometres=0.46)
    assert twice.per_mm2 == pytest.approx(seen.per_mm2 / 4)
    unknown = nuclei.overview(TILE_SUPPORT, found, (1000, 1000))
    assert (unknown.area_mm2, unknown.per_mm2, unknown.total) == (None, None, 6)
    surer = nuclei.overview(TILE_SUPPORT, found, (1000, 1000), float(np.median(found.confidences)))
    assert surer.total == int((found.confidences >= np.median(found.confidences)).sum()) < seen.total


def test_a_sample_tile_says_how_its_counts_compare_with_the_annotated_nuclei():
    case = TILE.stem
    truth = load_challenge("puma").read_truth(TILE.parent)
    annotated = truth.nuclei[truth.ids.index(case)]
    drawn = json.loads(TILE.with_name(f"{case}_nuclei.geojson").read_text())["features"]
    names = [one["properties"]["classification"]["name"] for one in drawn]
    seen = nuclei.overview(TILE_SUPPORT, annotated, (1024, 1024), annotated=annotated)
    assert seen.truth.sum() == len(drawn)
    assert seen.truth[TILE_SUPPORT.classes.index("tumor")] == names.count("nuclei_tumor") > 0
    assert "The errors of the class counts add up to 0" in nuclei.truth_line(seen)
    fewer = nuclei.overview(TILE_SUPPORT, annotated, (1024, 1024), 1.1, annotated=annotated)
    said = nuclei.truth_line(fewer)
    assert said.startswith(f"{len(drawn)} nuclei are annotated in this tile, and 0 are detected. ")
    assert f"add up to {len(drawn)}." in said


def test_what_is_no_dense_model():
    assert "11 probabilities" in refused(nuclei.opened, TILE_SUPPORT, dense(channels=7))
    assert "2 inputs" in refused(nuclei.opened, TILE_SUPPORT, builders.classifier())
    assert "11 probabilities" in refused(nuclei.opened, TILE_SUPPORT, builders.classifier(vector=False))
    assert "categories" in refused(nuclei.opened, TILE_SUPPORT, dense(metadata="MEL,NV"))
    assert "finite" in refused(nuclei.opened, TILE_SUPPORT, dense(fill=0.0))
    assert refused(nuclei.opened, TILE_SUPPORT, b"nothing")


def points(*centres) -> bytes:
    return json.dumps(
        {"nuclei": [{"centroid": list(c), "class": "lymphocytes", "confidence": 0.5} for c in centres]}
    ).encode()


def test_a_prediction_file_instead_of_a_model():
    found = nuclei.listed(TILE_SUPPORT, points((10, 20), (30, 40)), (100, 100))
    assert found.centroids.tolist() == [[10, 20], [30, 40]]
    assert nuclei.overview(TILE_SUPPORT, found, (100, 100)).lymphocytes == counted(2, 2)
    assert len(nuclei.listed(TILE_SUPPORT, b'{"nuclei": []}', (100, 100))) == 0


def test_files_of_another_tile_and_no_files():
    far = points((10, 20), (300, 40), (5, 900))
    assert "outside" in refused(nuclei.listed, TILE_SUPPORT, far, (100, 100))
    with pytest.raises(InputRefused) as raised:
        nuclei.listed(TILE_SUPPORT, far, (100, 100), "mine.json")
    assert raised.value.problems[0].where == "mine.json"
    assert refused(nuclei.listed, TILE_SUPPORT, b"{}", (100, 100))
    assert refused(nuclei.listed, TILE_SUPPORT, b"\xff\xfe", (100, 100))
