"""Masks as run lengths are read by the middle of their pixels, and points and cells of QuPath as nuclei."""

import json
import math

import numpy as np
import pytest

from scoring.inputs.nuclei import run_lengths
from scoring.inputs.nuclei.reader import read_nuclei
from scoring.inputs.nuclei.tiles import by_tile
from scoring.inputs.sources import open_source

SIZE = (12, 9)
SHAPES = {
    "a box": [(3, 2), (3, 3), (4, 2), (4, 3)],
    "an L": [(0, 0), (1, 0), (2, 0), (3, 0), (3, 1), (3, 2), (3, 3)],
    "two parts of a column": [(0, 5), (1, 5), (7, 5), (8, 5), (8, 6)],
    "columns that touch": [(row, column) for column in (4, 5) for row in range(12)],
    "the last pixel": [(11, 8)],
}


def runs(pixels, order: str = "F", size=SIZE) -> list[int]:
    mask = np.zeros(size, int)
    mask[tuple(zip(*pixels, strict=True))] = 1
    flat = mask.ravel(order=order)
    ends = np.flatnonzero(np.diff(flat, prepend=0)).tolist()
    return np.diff([0, *ends, flat.size]).tolist()


def packed(counts: list[int]) -> str:
    """As `rleToString` of cocoapi."""
    letters = []
    for number, count in enumerate(counts):
        value = count - (counts[number - 2] if number > 2 else 0)
        more = True
        while more:
            bits, value = value & 31, value >> 5
            more = value != -1 if bits & 16 else value != 0
            letters.append(chr((bits | 32 * more) + 48))
    return "".join(letters)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("form", [list, packed])
def test_the_mean_of_the_vertices_is_the_middle_of_the_pixels(shape, form):
    pixels = SHAPES[shape]
    found = run_lengths.outline({"size": [*SIZE], "counts": form(runs(pixels))})
    rows, columns = zip(*pixels, strict=True)
    wanted = [np.mean(columns) + 0.5, np.mean(rows) + 0.5]
    assert np.mean(found, 0) == pytest.approx(wanted)
    of_box = run_lengths.outline_in_box(", ".join(map(str, runs(pixels, "C"))), "100", "-7", "9", "12")
    assert np.mean(of_box, 0) == pytest.approx(np.add(wanted, [100, -7]))


@pytest.mark.parametrize(
    "mask",
    [
        {},
        {"size": [12, 9], "counts": None},
        {"size": [12, 9], "counts": [108]},
        {"size": [12, 9], "counts": [0, 109]},
        {"size": [12, 9], "counts": [5, -3, 4]},
        {"size": [12, 9], "counts": [1.5, 2]},
        {"size": [12, 9], "counts": [True, True]},
        {"size": [12, 9], "counts": "\x00" * 50},
        {"size": [12, 9], "counts": "o" * 50},
        {"size": [12], "counts": [1, 2]},
        {"size": [10**12, 10**12], "counts": [1, 10**20]},
        {"size": ["12", 9], "counts": [1, 2]},
    ],
)
def test_what_is_no_mask_has_no_outline(mask):
    assert run_lengths.outline(mask) is None


@pytest.mark.parametrize(
    "box", [("1", "2", None, "4"), ("1", "2", "x", "4"), ("1", "2", "9" * 20, "4"), ("", "", "", "")]
)
def test_a_box_that_is_none_has_no_mask(box):
    assert run_lengths.outline_in_box("1,2", *box) is None
    assert run_lengths.outline_in_box("1,x", "1", "2", "3", "4") is None


def nuclei(files):
    """Middles and confidences of the one tile in files."""
    tiles = by_tile(open_source(files, "folder"))
    (member,) = [name for name in tiles.members if name.startswith("a.")]
    found = read_nuclei(tiles.read(member), member, lambda _name: 0)
    assert not found.problems
    return found.nuclei.centroids.tolist(), found.nuclei.confidences.tolist()


MASK = {"size": [*SIZE], "counts": packed(runs(SHAPES["an L"]))}
MIDDLE = [0.5 + 6 / 7, 0.5 + 15 / 7]
FILES = {
    "COCO": {
        "r.json": [
            {"image_id": 1, "category_id": 1, "bbox": [0, 0, 4, 4], "segmentation": MASK, "score": 0.5}
        ],
        "i.json": {"images": [{"id": 1, "file_name": "a.png"}], "categories": [{"id": 1, "name": "tumor"}]},
    },
    "MMDetection": {
        "a.json": {"labels": ["tumor"], "scores": [0.5], "bboxes": [[0, 0, 4, 4]], "masks": [MASK]},
    },
}


@pytest.mark.parametrize("tool", FILES)
def test_masks_count_beside_boxes(tool):
    """Before, the box of each was read, which gives another score, and nothing was said."""
    ((middle,), confidences) = nuclei({name: json.dumps(data).encode() for name, data in FILES[tool].items()})
    assert middle == pytest.approx(MIDDLE)
    assert confidences == [0.5]


def test_masks_of_cvat_are_no_missing_nuclei():
    text = ",".join(map(str, runs(SHAPES["an L"], "C")))
    mask = f'<mask label="tumor" rle="{text}" left="20" top="30" width="9" height="12"/>'
    xml = f'<annotations><image name="a.png">{mask}</image></annotations>'
    ((middle,), _) = nuclei({"annotations.xml": xml.encode()})
    assert middle == pytest.approx([20 + MIDDLE[0], 30 + MIDDLE[1]])
    broken = xml.replace(text, "1,x").encode()
    tiles = by_tile(open_source({"annotations.xml": broken}, "folder"))
    (problem,) = read_nuclei(tiles.read("a.json"), "a.json", lambda _name: 0).problems
    assert "nucleus 1: it has no outline" in problem.message
    assert "path_points" not in problem.message


def feature(kind: str, coordinates, **others) -> dict:
    properties = {"classification": {"name": "tumor"}, "measurements": {"Detection probability": 0.5}}
    return {
        "type": "Feature",
        "geometry": {"type": kind, "coordinates": coordinates},
        "properties": properties,
    } | others


def test_points_of_qupath_are_nuclei():
    features = [feature("Point", [1, 2]), feature("MultiPoint", [[3, 4], [5, 6]])]
    data = json.dumps({"type": "FeatureCollection", "features": features}).encode()
    found = read_nuclei(data, "a.geojson", lambda _name: 0)
    assert found.nuclei.centroids.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert found.nuclei.confidences.tolist() == [0.5] * 3
    mixed = json.dumps({"features": [*features, feature("Polygon", [[[0, 0], [1, 0], [1, 1]]])]}).encode()
    assert [problem.code for problem in read_nuclei(mixed, "a", lambda _name: 0).problems] == ["bad-geometry"]
    unnamed = json.dumps(
        {"features": [{"geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": 3}]}
    )
    (problem,) = read_nuclei(unnamed.encode(), "a", lambda _name: 0).problems
    assert problem.code == "missing-class"


def test_the_nucleus_of_a_cell_counts_and_not_the_cell():
    nucleus = {"type": "Polygon", "coordinates": [[[2, 2], [4, 2], [4, 4], [2, 4], [2, 2]]]}
    cell = feature("Polygon", [[[0, 0], [20, 0], [20, 9], [0, 9], [0, 0]]], nucleusGeometry=nucleus)
    found = read_nuclei(json.dumps({"features": [cell]}).encode(), "a.geojson", lambda _name: 0)
    assert found.nuclei.centroids.tolist() == [[3, 3]]
    assert math.isclose(found.nuclei.confidences[0], 0.5)
