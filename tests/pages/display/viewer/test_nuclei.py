"""Nuclei packed for the browser: coordinates, long outlines, whatever stands in names."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.display.viewer import nuclei
from pages.display.viewer.nuclei import TileInfo
from scoring.inputs.nuclei.reader import Nuclei
from tests.support.messages import read

SQUARE = np.array([[0, 0], [8, 0], [8, 8], [0, 8]], float)
REASONS = ("", "other-class")


def overlay(*shifts: float, **changes) -> dict[str, np.ndarray]:
    """Squares at shifts along the diagonal: the first is truth, the others predictions of which the first is
    its match."""
    n = len(shifts)
    columns = {
        "xy": np.concatenate([SQUARE + s for s in shifts]),
        "start": 4 * np.arange(n + 1),
        "centroids": np.array([[s + 4, s + 4] for s in shifts]),
        "kind": np.minimum(np.arange(n), 1),
        "cls": np.zeros(n, int),
        "status": np.array([0, 0, *[1] * (n - 2)])[:n],
        "reason": np.zeros(n, int),
        "partner": np.array([1, 0, *[-1] * (n - 2)])[:n],
        "number": np.array([0, *range(n - 1)]),
        "score": np.linspace(1, 0.5, n),
        "distance": np.array([2.5, 2.5, *[np.nan] * (n - 2)])[:n],
        "iou": np.array([0.75, 0.75, *[np.nan] * (n - 2)])[:n],
    }
    return columns | changes


def packed(columns, reasons=REASONS, radius=15.0, **more):
    about = {"name": "case", "size": (1024, 768), "classes": ["tumor"], "um_per_px": 0.23}
    return nuclei.results(columns, TileInfo(**about | more), reasons, radius)


def test_columns_arrive():
    head, arrays = read(
        packed(overlay(10, 11, 500), jpeg=b"\xff\xd8", radius=12.5, um_per_px=0.5).message(height_px=620)
    )
    assert (head["mode"], head["name"], head["width"], head["height"], head["height_px"]) == (
        "nuclei",
        "case",
        1024,
        768,
        620,
    )
    assert (head["radius"], head["um_per_px"], head["reasons"], head["detections"]) == (
        12.5,
        0.5,
        list(REASONS),
        False,
    )
    np.testing.assert_array_equal(arrays["xy"].reshape(-1, 2) / 16, overlay(10, 11, 500)["xy"])
    np.testing.assert_array_equal(arrays["centre"].reshape(-1, 2), [[14, 14], [15, 15], [504, 504]])
    assert arrays["start"].tolist() == [0, 4, 8, 12]
    assert arrays["partner"].tolist() == [1, 0, -1]
    assert arrays["distance"].tolist() == [2.5, 2.5, 0]
    assert arrays["iou"].tolist() == [0.75, 0.75, -1]
    assert arrays["jpeg"].tobytes() == b"\xff\xd8"


def test_an_image_without_nuclei():
    empty = {name: values[:0] for name, values in overlay(1, 2).items()} | {"start": np.array([0])}
    head, arrays = read(packed(empty).message())
    assert arrays["start"].tolist() == [0]
    assert arrays["xy"].size == arrays["kind"].size == 0
    assert "jpeg" not in head["arrays"]


def test_centroids_without_outlines():
    columns = overlay(10, 11) | {"xy": np.zeros((0, 2)), "start": np.zeros(3, int)}
    _, arrays = read(packed(columns).message())
    assert arrays["start"].tolist() == [0, 0, 0]
    assert arrays["centre"].tolist() == [14, 14, 15, 15]


@pytest.mark.parametrize("far", [2047.0, -2047.9, 2048.0, 4096.0, 1e6, -1e6])
def test_every_coordinate_that_is_read_keeps_its_place(far):
    found = nuclei.sixteenths(np.array([0.03125, far]))
    np.testing.assert_allclose(found / 16, [0.03125, far], atol=1 / 32)
    assert found.dtype == ("<i2" if abs(far) < 2048 else "<i4")


@settings(max_examples=30)
@given(st.lists(st.integers(0, 40), max_size=8), st.integers(1, 12))
def test_long_outlines_are_thinned_and_others_kept(lengths, most):
    start = np.concatenate([[0], np.cumsum(lengths, dtype=int)])
    xy = np.arange(2.0 * start[-1]).reshape(-1, 2)
    expected = [xy[a:b][:: max(1, -(-(b - a) // most))] for a, b in pairwise(start)]
    found, begins = nuclei.thinned(xy, start, most)
    np.testing.assert_array_equal(found, np.concatenate([np.zeros((0, 2)), *expected]))
    np.testing.assert_array_equal(np.diff(begins.astype(int)), [len(one) for one in expected])
    assert all(len(one) <= most for one in expected)


def test_a_giant_outline_is_sent_small():
    angle = np.linspace(0, 2 * np.pi, 1_000_000, endpoint=False)
    circle = 512 + 300 * np.c_[np.cos(angle), np.sin(angle)]
    columns = overlay(10, 11) | {
        "xy": np.concatenate([circle, SQUARE]),
        "start": np.array([0, 1_000_000, 1_000_004]),
    }
    payload = packed(columns)
    assert len(payload.body) < 20_000
    _, arrays = read(payload.message())
    reach = np.hypot(*(arrays["xy"].reshape(-1, 2)[: arrays["start"][1]] / 16 - 512).T)
    np.testing.assert_allclose(reach, 300, atol=0.1)


def test_detections_have_no_truth_and_no_result():
    starts = np.array([0, 4, 4], np.uint32)
    found = Nuclei(
        classes=np.array([1, 0], np.int8),
        centroids=np.array([[4.0, 4], [90, 20]]),
        confidences=np.array([0.25, 0.75]),
        scores=np.ones(2),
        numbers=np.array([0, 2], np.int32),
        vertices=SQUARE.astype(np.float32),
        starts=starts,
    )
    head, arrays = read(nuclei.detections(found, TileInfo("photo", (512, 512), ["a", "b"], 0.23)).message())
    assert head["detections"] is True
    assert set(arrays["status"]) == {nuclei.DETECTED}
    assert set(arrays["kind"]) == {nuclei.PREDICTION}
    assert arrays["score"].tolist() == [0.25, 0.75]
    assert arrays["number"].tolist() == [0, 2]
    np.testing.assert_array_equal(arrays["start"], starts)


def test_every_class_has_a_colour():
    head, _ = read(packed(overlay(1, 2), classes=[f"class {c}" for c in range(23)]).message())
    assert len(head["palette"]) == 23
    assert len(set(head["palette"])) == 10


DANGEROUS = (
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "eval(",
    "fetch(",
    "http:",
    "https:",
)


def test_text_of_files_reaches_the_page_as_text_alone():
    for script in Path(nuclei.__file__).parent.glob("*.js"):
        code = script.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not [word for word in DANGEROUS if word in code], script.name
