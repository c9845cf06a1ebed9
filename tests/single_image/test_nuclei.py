"""Nuclei of one tile: peaks, counts, what a dense model must be, and a prediction file instead."""

import json

import numpy as np
import onnx
import pytest

from scoring import samples
from scoring.challenges.puma.names import CLASSES
from scoring.findings import InputRefused
from scoring.single_image import nuclei
from scoring.single_image.photograph import received
from tests.models import builders

DENSE = samples.FOLDER / "puma" / "models" / "dense.onnx"
TILE = samples.FOLDER / "puma" / "truth" / "sample_primary_roi_001.tif"


def dense(
    channels: int = 11,
    stride: int = 4,
    side=(None, None),
    metadata: str | None = None,
    fill: float | None = None,
) -> bytes:
    """Channel k is the mean of cells of the tile, whatever its class."""
    sides = ["height", "width"] if side == (None, None) else list(side)
    nodes = [
        onnx.helper.make_node(
            "AveragePool",
            ["image"],
            ["cells"],
            kernel_shape=[stride, stride],
            strides=[stride, stride],
            ceil_mode=1,
        ),
        onnx.helper.make_node("Conv", ["cells", "W"], ["wide"], kernel_shape=[1, 1]),
        onnx.helper.make_node(
            "Div" if fill is not None else "Softmax",
            ["wide", "nought"] if fill is not None else ["wide"],
            ["p"],
            **({} if fill is not None else {"axis": 1}),
        ),
    ]
    weights = np.random.default_rng(0).normal(0, 3, (channels, 3, 1, 1)).astype(np.float32)
    constants = [builders.initializer("W", weights), builders.initializer("nought", np.float32(fill or 0))]
    image = ("image", onnx.TensorProto.FLOAT, ["N", 3, *sides])
    model = builders.proto(
        nodes, [image], [("p", onnx.TensorProto.FLOAT, ["N", channels, None, None])], constants
    )
    if metadata is not None:
        entry = model.metadata_props.add()
        entry.key, entry.value = "categories", metadata
    return model.SerializeToString()


def refused(work, *given) -> str:
    with pytest.raises(InputRefused) as caught:
        work(*given)
    (problem,) = caught.value.problems
    return problem.message


@pytest.fixture(scope="module")
def tile():
    return received(TILE.read_bytes())


def test_the_sample_model_finds_what_is_there(tile):
    detector = nuclei.opened(DENSE.read_bytes())
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


def test_one_peak_is_one_point_at_its_place():
    answer = np.zeros((11, 40, 60), np.float32)
    for row, column, place in ((10, 20, 0), (30, 5, 3), (30, 50, 9)):
        answer[1 + place, row - 1 : row + 2, column - 1 : column + 2] = 0.9
    answer[1 + 4, 10, 40] = 0.2
    answer[0] = 1 - answer.sum(0)
    found = nuclei.peaks(answer, 4)
    assert dict(zip(found.classes.tolist(), found.centroids.tolist(), strict=True)) == {
        0: [82, 42],
        3: [22, 122],
        9: [202, 122],
    }
    assert len(found.starts) == len(found) + 1
    assert (found.confidences > 0.4).all()


def test_no_peak_at_all():
    answer = np.zeros((11, 20, 20), np.float32)
    answer[0] = 1
    found = nuclei.peaks(answer, 4)
    assert len(found) == 0
    seen = nuclei.overview(found, (80, 80))
    assert (seen.total, seen.til_share) == (0, None)


@pytest.mark.parametrize(("stride", "radius"), [(1, 10), (2, 6), (4, 4)])
def test_a_sure_model_gives_one_nucleus_each(stride, radius):
    """1 all over each disc, 0 elsewhere: many cells are equally high."""
    rows, columns = np.mgrid[:160, :160]
    centres = [(y, x) for y in range(20, 160, 40) for x in range(20, 160, 40)]
    answer = np.zeros((11, 160, 160), np.float32)
    for y, x in centres:
        answer[3, (rows - y) ** 2 + (columns - x) ** 2 <= radius**2] = 1
    answer[0] = 1 - answer[3]
    found = nuclei.peaks(answer, stride)
    assert found.centroids[:, ::-1] == pytest.approx((np.array(centres) + 0.5) * stride, abs=1e-6)
    assert set(found.classes.tolist()) == {2}


def test_a_tile_whose_last_cells_are_cut_is_measured_in_whole_strides(monkeypatch):
    """30 cells of 4 px over 118 px: cell 26 has its centre at 106 px."""
    answer = np.zeros((11, 30, 30), np.float32)
    answer[0] = 1
    answer[:2, 25:28, 25:28] = [[[0]], [[1]]]
    monkeypatch.setattr(nuclei, "probabilities", lambda detector, pixels: answer)
    found = nuclei.detected(None, np.zeros((118, 118, 3), np.uint8))
    assert found.centroids.tolist() == [[106, 106]]


def test_counts_per_class_and_area():
    answer = np.zeros((11, 60, 60), np.float32)
    for i, place in enumerate((0, 0, 1, 1, 1, 6)):
        answer[1 + place, 5 + 8 * i, 5 + 8 * i] = 40.0 if i % 2 else 20.0
    answer = np.clip(answer, 0, 40) / 40
    answer[0] = 1 - answer.sum(0)
    found = nuclei.peaks(answer, 1000 / 60, least=0.01)
    seen = nuclei.overview(found, (1000, 1000))
    area = (1000 * 0.23 / 1000) ** 2
    counted = {name: n for name, n in zip(CLASSES, seen.counts.tolist(), strict=True) if n}
    assert counted == {"tumor": 2, "lymphocytes": 3, "stromal_cells": 1}
    assert seen.area_mm2 == pytest.approx(area)
    assert seen.per_mm2 == pytest.approx(seen.counts / area)
    assert seen.til_share == pytest.approx(3 / 6)
    surer = nuclei.overview(found, (1000, 1000), float(np.median(found.confidences)))
    assert surer.total == int((found.confidences >= np.median(found.confidences)).sum()) < seen.total


@pytest.mark.parametrize("side", [(256, 256), (100, 77)])
@pytest.mark.parametrize("stride", [1, 4, 8])
def test_any_stride_that_covers_the_tile(side, stride):
    detector = nuclei.opened(dense(stride=stride))
    found = nuclei.probabilities(detector, np.random.default_rng(0).integers(0, 256, (*side, 3), np.uint8))
    detector.close()
    assert found.shape == (11, -(-side[0] // stride), -(-side[1] // stride))
    assert found.sum(0) == pytest.approx(1, abs=1e-5)


def test_classes_are_put_in_the_challenge_s_order():
    pixels = np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8)
    names = ["background", *reversed(CLASSES)]
    maps = []
    for data in (dense(), dense(metadata=",".join(names))):
        detector = nuclei.opened(data)
        maps.append(nuclei.probabilities(detector, pixels))
        detector.close()
    assert np.array_equal(maps[1][0], maps[0][0])
    assert np.array_equal(maps[1][1:], maps[0][:0:-1])


def test_what_is_no_dense_model():
    assert "11 probabilities" in refused(nuclei.opened, dense(channels=7))
    assert "2 inputs" in refused(nuclei.opened, builders.classifier())
    assert "11 probabilities" in refused(nuclei.opened, builders.classifier(vector=False))
    assert "categories" in refused(nuclei.opened, dense(metadata="MEL,NV"))
    assert "finite" in refused(nuclei.opened, dense(fill=0.0))
    assert refused(nuclei.opened, b"nothing")


def test_tiles_that_a_model_does_not_take():
    detector = nuclei.opened(dense(side=(64, 64)))
    assert "64 x 64" in refused(nuclei.probabilities, detector, np.zeros((64, 80, 3), np.uint8))
    assert "cut out a part" in refused(nuclei.probabilities, detector, np.zeros((16, 64, 3), np.uint8))
    assert "cut out a part" in refused(nuclei.probabilities, detector, np.zeros((64, 2049, 3), np.uint8))
    detector.close()


def points(*centres) -> bytes:
    return json.dumps(
        {"nuclei": [{"centroid": list(c), "class": "lymphocytes", "confidence": 0.5} for c in centres]}
    ).encode()


def test_a_prediction_file_instead_of_a_model():
    found = nuclei.listed(points((10, 20), (30, 40)), (100, 100))
    assert found.centroids.tolist() == [[10, 20], [30, 40]]
    assert nuclei.overview(found, (100, 100)).til_share == 1
    assert len(nuclei.listed(b'{"nuclei": []}', (100, 100))) == 0


def test_files_of_another_tile_and_no_files():
    assert "outside" in refused(nuclei.listed, points((10, 20), (300, 40), (5, 900)), (100, 100))
    assert refused(nuclei.listed, b"{}", (100, 100))
    assert refused(nuclei.listed, b"\xff\xfe", (100, 100))
