"""Files of nuclei: three forms as the same arrays, and every fault with its place."""

import codecs
import json

import numpy as np
import pytest

from scoring.challenges.puma.nucleus_classes import position
from scoring.inputs.nuclei import reader
from scoring.inputs.nuclei.reader import read_nuclei
from tests.support.findings import codes, only
from tests.support.nuclei import SQUARE, feature, features, nuclei, nucleus, polygon, polygons

CLOSED = (*SQUARE, SQUARE[0])


def read(data: bytes, graded: bool = True):
    return read_nuclei(data, "a.json", position, graded)


def sound(data: bytes, graded: bool = True):
    """What was read of a file without problems."""
    found = read(data, graded)
    assert found.problems == ()
    return found


def test_three_forms_of_one_nucleus():
    forms = (
        sound(polygons(polygon("tumor", SQUARE, score=0.5))),
        sound(features(feature("nuclei_tumor", [SQUARE], score=0.5))),
        sound(nuclei(nucleus("Tumour", [15, 15], score=0.5))),
    )
    for found in forms:
        assert found.nuclei.classes.tolist() == [0]
        assert found.nuclei.centroids.tolist() == [[15, 15]]
        assert found.nuclei.confidences.tolist() == found.nuclei.scores.tolist() == [0.5]
        assert found.findings == ()
    assert [found.nuclei.starts.tolist() for found in forms] == [[0, 4], [0, 4], [0, 0]]
    assert forms[0].nuclei.vertices.tolist() == [list(point) for point in SQUARE]
    assert [found.key for found in forms] == ["polygons", "features", "nuclei"]


def test_name_and_class_are_interchangeable():
    found = sound(
        polygons(
            {"class": "tumor", "path_points": SQUARE},
            {"name": "stroma", "class": "tumor", "path_points": SQUARE},
        )
    )
    assert found.nuclei.classes.tolist() == [0, 6]
    assert sound(nuclei({"name": "stroma", "centroid": [1, 2]})).nuclei.classes.tolist() == [6]


@pytest.mark.parametrize(
    ("data", "graded", "counted"),
    [
        (features(feature(rings=[CLOSED])), True, SQUARE),  # RFC 7946: the last vertex is the first one
        (features(feature(rings=[CLOSED])), False, CLOSED),  # as the organisers convert their GeoJSON
        (polygons(polygon(points=CLOSED)), True, CLOSED),  # as the official program counts
        (polygons(polygon(points=CLOSED)), False, CLOSED),
    ],
)
def test_a_closing_vertex_counts_but_in_predicted_geojson(data, graded, counted):
    found = sound(data, graded).nuclei
    assert found.centroids.tolist() == [[sum(xy[axis] for xy in counted) / len(counted) for axis in (0, 1)]]
    assert found.vertices.tolist() == [list(point) for point in counted]


def test_holes_are_ignored():
    assert sound(
        features(feature(rings=[SQUARE, [(12, 12), (13, 12), (13, 13)]]))
    ).nuclei.centroids.tolist() == [[15, 15]]


def test_points_of_two_and_three_numbers_in_one_file():
    flat, deep = [(0, 0), (4, 0), (4, 4)], [(0, 0, 0.5), (4, 0, 0.5), (4, 4, 0.5)]
    for items in ([flat, flat], [deep, deep], [flat, deep], [[flat[0], deep[1], flat[2]], deep]):
        found = sound(polygons(*(polygon(points=points) for points in items)))
        assert found.nuclei.centroids.tolist() == [[8 / 3, 4 / 3]] * 2


def test_the_largest_part_of_a_multipolygon():
    small, large, mirrored = (
        [(x, y), (x + side, y), (x + side, y + side)] for x, y, side in ((0, 0, 2), (50, 50, 4), (90, 90, 4))
    )
    found = sound(
        features(feature(kind="MultiPolygon", rings=[[small], [large[::-1]], [mirrored]]), feature())
    )
    assert found.nuclei.centroids[0].tolist() == pytest.approx([(50 + 54 + 54) / 3, (50 + 50 + 54) / 3])
    assert "1 nucleus (features[0])" in only(found.findings, "multipolygon").message


@pytest.mark.parametrize(
    ("keys", "confidence", "score", "used"),
    [
        ({}, 1, 1, {}),
        ({"score": 0.25}, 0.25, 0.25, {"score": 1}),
        ({"confidence": 0.25}, 0.25, 1, {"confidence": 1}),
        ({"probability": 0.25}, 0.25, 1, {"probability": 1}),
        ({"probability": 0.5, "confidence": 0.75}, 0.75, 1, {"confidence": 1}),
        ({"probability": 0.5, "score": 0, "confidence": 0.75}, 0, 0, {"score": 1}),
    ],
)
def test_the_first_key_present_is_the_confidence(keys, confidence, score, used):
    for data in (polygons(polygon(**keys)), features(feature(**keys)), nuclei(nucleus(**keys))):
        found = sound(data)
        assert found.nuclei.confidences.tolist() == [confidence]
        assert found.nuclei.scores.tolist() == [score]
        assert found.confidence_keys == used


def test_the_confidences_of_a_truth_are_not_read():
    found = sound(polygons(polygon(score=None), polygon(probability=0.5)), graded=False)
    assert found.nuclei.confidences.tolist() == [1, 1]
    assert found.confidence_keys == {}


def test_file_order_and_positions():
    found = sound(polygons(polygon("stroma"), polygon(points=SQUARE[:2]), polygon("blood"), polygon("tumor")))
    assert found.nuclei.classes.tolist() == [6, 0]
    assert found.nuclei.numbers.tolist() == [0, 3]
    assert found.names == {"stroma": 1, "blood": 1, "tumor": 1}
    assert found.unknown == {"blood": (2,)}
    assert found.items == 4
    assert "1 nucleus (polygons[1])" in only(found.findings, "too-few-points").message


def test_what_is_left_out_is_not_looked_at_further():
    assert codes(sound(polygons(polygon("", SQUARE[:2], score="high"))).findings) == ["too-few-points"]
    assert codes(sound(features(feature(rings=[]))).findings) == ["too-few-points"]


def test_an_empty_list():
    for data in (polygons(), features(), nuclei()):
        found = sound(data)
        assert (len(found.nuclei), found.items, found.findings) == (0, 0, ())


def test_arrays_are_read_only():
    found = sound(polygons(polygon()))
    with pytest.raises(ValueError, match="read-only"):
        found.nuclei.centroids[0] = 0
    with pytest.raises(ValueError, match="read-only"):
        reader.Nuclei.empty().starts[0] = 1


@pytest.mark.parametrize(
    ("data", "twice"),
    [
        (b'{"polygons": [1], "polygons": []}', "polygons"),
        (b'{"nuclei": [{"centroid": [1, 2], "class": "tumor", "class": "lymphocytes"}]}', "class"),
        (
            features(feature()).replace(b'"geometry":', b'"geometry": {"type": "Polygon"}, "geometry":'),
            "geometry",
        ),
    ],
)
def test_a_key_that_stands_twice_is_refused(data, twice):
    assert f"the key {twice!r} twice" in only(read(data).problems, "bad-json").message


def test_a_byte_order_mark_is_noted():
    marked = sound(codecs.BOM_UTF8 + polygons(polygon()))
    assert codes(marked.findings) == ["bom"]
    assert len(marked.nuclei) == 1


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"{", "line 1, column 2"),
        (polygons(polygon())[:-10], "cut off"),
        (b'{"polygons": [{"name": "tum', "cut off"),
        (b'{"note": "NaN",\n "polygons": [NaN]}', "line 2, column 15: NaN"),
        (b'{"polygons": [-Infinity]}', "line 1, column 15: -Infinity"),
        (b'{"polygons": []} x', "line 1, column 18"),
        (b"{'polygons': []}", "line 1, column 2"),
        (b'{"polygons": [\xff]}', "byte 14"),
        (codecs.BOM_UTF8 + b'{"polygons": [\xff]}', "byte 17"),
        ('{"polygons": []}'.encode("utf-16"), "byte 0"),
        (b"[]", "[]"),
        (b'"text"', "'text'"),
        (b'{"boxes": []}', "boxes"),
        (b"{}", "polygons, nuclei, features"),
        (b"[" * 100_000, "nested"),
        (b'{"polygons":' * 100_000, "nested"),
        (b'{"polygons": [' + b"[" * 5000 + b"]" * 5000 + b"]}", "nested"),
        (b"\x00\x01", "line 1, column 1"),
        (b"PK\x03\x04", "line 1, column 1"),
    ],
)
def test_no_json(data, said):
    found = read(data)
    problem = only(found.problems, "bad-json")
    assert problem.where == "a.json"
    assert said in problem.message
    assert len(found.nuclei) == 0


TRIANGLE = [[0, 0], [2, 0], [1, 3]]
FAULTS = [
    ("bad-nucleus", "polygons", 7, "7"),
    ("bad-nucleus", "polygons", None, "null"),
    ("bad-nucleus", "polygons", {"name": "tumor"}, "path_points"),
    *(
        ("bad-nucleus", "polygons", {"name": "tumor", "path_points": points}, said)
        for points, said in (
            (None, "null"),
            ("0,0", "'0,0'"),
            ({}, "{}"),
            ([1, 2, 3], "1"),
            ([*TRIANGLE, [1]], "[1]"),
            ([*TRIANGLE, []], "[]"),
            ([*TRIANGLE, [1, 2, 3, 4]], "[1, 2, 3, 4]"),
            ([*TRIANGLE, [1, None]], "null"),
            ([*TRIANGLE, [1, True]], "true"),
            ([*TRIANGLE, ["1", 2]], "'1'"),
            ([*TRIANGLE, [[1, 2]]], "[[1, 2]]"),
            ([*TRIANGLE, [[1], 2]], "[[1], 2]"),
            ([*TRIANGLE, {"x": 1}], "{'x': 1}"),
            ([[[1, 2], [3, 4]], [5, 6], [1, 2]], "[[1, 2], [3, 4]]"),
        )
    ),
    ("bad-nucleus", "nuclei", {"class": "tumor"}, "centroid"),
    *(
        ("bad-nucleus", "nuclei", {"class": "tumor", "centroid": point}, said)
        for point, said in (
            *((None, "null"), ([1], "[1]"), ("1, 2", "'1, 2'"), ([1, False], "false")),
            *(([[1], 2], "[[1], 2]"), (3, "3")),
        )
    ),
    ("bad-nucleus", "features", {**feature(), "geometry": {"type": "Polygon"}}, "null"),
    ("bad-nucleus", "features", feature(rings=[7]), "7"),
    ("bad-nucleus", "features", feature(kind="MultiPolygon", rings=[[TRIANGLE], 7]), "7"),
    ("bad-geometry", "features", feature(kind="Point", rings=[1, 2]), "'Point'"),
    ("bad-geometry", "features", feature(kind="LineString", rings=TRIANGLE), "'LineString'"),
    ("bad-geometry", "features", {**feature(), "geometry": None}, "null"),
    ("bad-geometry", "features", {"properties": {}}, "null"),
    ("bad-coordinate", "polygons", {"name": "tumor", "path_points": [*TRIANGLE, [1e6 + 1, 0]]}, "1000001.0"),
    ("bad-coordinate", "polygons", {"name": "tumor", "path_points": [*TRIANGLE, [0, -1e7]]}, "-10000000.0"),
    ("bad-coordinate", "nuclei", {"class": "tumor", "centroid": [10**40, 0]}, "1e+40"),
    ("bad-confidence", "polygons", polygon(score=None), "score is null"),
    ("bad-confidence", "polygons", polygon(confidence="0.9"), "confidence is '0.9'"),
    ("bad-confidence", "nuclei", nucleus(probability=True), "probability is true"),
    ("bad-confidence", "features", feature(score=[1]), "score is [1]"),
    ("bad-confidence", "polygons", polygon(score=10**400), "score is inf"),
    ("missing-class", "polygons", {"path_points": TRIANGLE}, "neither name nor class"),
    ("missing-class", "polygons", polygon("  "), "name is '  '"),
    ("missing-class", "polygons", polygon(None), "name is null"),
    ("missing-class", "nuclei", nucleus(3), "class is 3"),
    ("missing-class", "features", feature(""), "classification.name is ''"),
    ("missing-class", "features", {**feature(), "properties": {}}, "null"),
    ("missing-class", "features", {**feature(), "properties": None}, "null"),
]
GOOD = {"polygons": polygon(), "nuclei": nucleus(), "features": feature()}


@pytest.mark.parametrize(("code", "key", "item", "said"), FAULTS)
def test_a_nucleus_at_fault(code, key, item, said):
    found = read(json.dumps({key: [GOOD[key], item, GOOD[key]]}).encode())
    assert codes(found.problems) == [code]
    assert found.problems[0].where == "a.json"
    assert f"{key}[1]" in found.problems[0].message
    assert said in found.problems[0].message
    assert found.nuclei.numbers.tolist() == [0, 2]


@pytest.mark.parametrize(
    ("number", "code"),
    [(b"1e999", "bad-coordinate"), (b"-1e999", "bad-coordinate"), (b"9" * 5000, "bad-coordinate")],
)
def test_numbers_beyond_any_float(number, code):
    data = b'{"polygons": [{"name": "tumor", "path_points": [[0, 0], [2, 0], [1, %s]]}]}' % number
    assert codes(read(data).problems) == [code]
    assert codes(read(data.replace(b"[1, %s]" % number, b"[1, 1, %s]" % number)).problems) == []


@pytest.mark.parametrize("items", [[polygon()], [polygon(), polygon(points=[(1, 1, 0), (2, 1), (2, 2)])]])
@pytest.mark.parametrize("corner", [(1e6, -1e6), (-1e6, 1e6)])
def test_the_furthest_coordinates_that_are_read(items, corner):
    """By either reader: points of two and of three numbers in one file are left to the strict one."""
    found = polygons(*items, polygon(points=[corner, (0, 0), (1, 1)]))
    assert sound(found).nuclei.vertices[-3].tolist() == list(corner)
    further = tuple(1.000001 * number for number in corner)
    for points in ([(further[0], 0), (0, 0), (1, 1)], [(0, further[1]), (0, 0), (1, 1)]):
        assert codes(read(polygons(*items, polygon(points=points))).problems) == ["bad-coordinate"]


def test_a_confidence_beyond_any_float():
    data = b'{"nuclei": [{"class": "tumor", "centroid": [0, 0], "score": 1e999}]}'
    assert "score is inf" in only(read(data).problems, "bad-confidence").message


def test_entries_of_one_code_are_merged():
    items = [polygon(None if i % 2 else "tumor", score="x" if i % 3 == 0 else 1) for i in range(40)]
    missing, doubtful = (
        only(read(polygons(*items)).problems, code).message for code in ("missing-class", "bad-confidence")
    )
    assert missing.startswith("20 nuclei: polygons[1]: name is null; polygons[3]")
    assert "polygons[9]" in missing
    assert "polygons[11]" not in missing
    assert doubtful.startswith("14 nuclei")


def test_every_fault_of_one_nucleus_is_told():
    item = polygon("", [*SQUARE, (1e9, 0)], score=None)
    assert codes(read(polygons(item)).problems) == ["bad-coordinate", "missing-class", "bad-confidence"]


@pytest.mark.parametrize("value", [7, None, "x", {"name": "tumor"}, True])
def test_a_list_that_is_none(value):
    for key in ("polygons", "nuclei", "features"):
        assert key in only(read(json.dumps({key: value}).encode()).problems, "bad-nucleus").message


def test_values_that_are_strange_to_print():
    data = (
        b'{"polygons": [{"name": "\\ud800\\u202e\\u0000", "path_points": [[0, 0], [2, 0], [1, 3]]}, '
        b'{"name": 1, "path_points": "%s"}]}'
    )
    found = read(data % (b"x" * 10_000))
    assert list(found.unknown) == ["\ud800\u202e\x00"]
    assert len(only(found.problems, "bad-nucleus").message) < 400


def test_confidences_outside_0_to_1_are_used():
    found = sound(polygons(polygon(score=1.5), polygon(score=-1), polygon(score=1), polygon(score=0)))
    assert found.nuclei.confidences.tolist() == [1.5, -1, 1, 0]
    message = only(found.findings, "confidence-range").message
    assert "2 nuclei (polygons[0], polygons[1])" in message
    assert "1.5" in message


def test_identical_centroids_of_one_class():
    found = sound(nuclei(nucleus(), nucleus("stroma"), nucleus(), nucleus(centroid=[15, 16]), nucleus()))
    assert "2 nuclei (nuclei[2], nuclei[4])" in only(found.findings, "duplicate-centroids").message
    assert len(found.nuclei) == 5


def test_shapes_without_area_are_scored():
    bow, flat = [(0, 0), (4, 4), (4, 0), (0, 4)], [(1, 1), (1, 1), (1, 1)]
    assert sound(polygons(polygon(points=bow), polygon(points=flat))).findings == ()


@pytest.mark.slow
def test_more_nuclei_than_are_read():
    items = [{"class": "tumor", "centroid": [i % 1000, i // 1000]} for i in range(100_001)]
    for extra in ({}, {"bounds": float("1e300"), "bounds2": [[1], 2]}):
        found = read(json.dumps({"nuclei": items, **extra}).encode())
        assert codes(found.problems) == ["too-large"]
        assert "100,001" in found.problems[0].message
    assert len(sound(json.dumps({"nuclei": items[1:]}).encode()).nuclei) == 100_000


@pytest.mark.parametrize("data", [b"[" + b"[]," * 6_000_000 + b"[]]", b"[" * 6_000_001])
def test_more_lists_than_are_read(data, monkeypatch):
    monkeypatch.setattr(reader.fast, "listed", None)
    found = read(data)
    assert codes(found.problems) == ["too-large"]
    assert "6,000,000" in found.problems[0].message


def test_larger_files_than_are_read(monkeypatch):
    monkeypatch.setattr(reader, "FILE_BYTES", 40)
    assert codes(read(polygons(polygon())).problems) == ["too-large"]


def test_a_long_outline_is_scored_from_all_vertices_and_drawn_from_fewer():
    angles = np.linspace(0, 2 * np.pi, 25_000)
    points = np.column_stack([500 + 100 * np.cos(angles), 300 + 50 * np.sin(angles)])
    found = sound(polygons(polygon(), polygon(points=points.tolist()), polygon()))
    assert found.nuclei.centroids[1].tolist() == [
        sum(points[:, 0].tolist()) / 25_000,
        sum(points[:, 1].tolist()) / 25_000,
    ]
    assert np.diff(found.nuclei.starts.astype(int)).tolist() == [4, 8334, 4]
    assert np.array_equal(found.nuclei.vertices[4:8338], points[::3].astype(np.float32))
    assert "polygons[1]" in only(found.findings, "many-vertices").message


def test_exactly_as_many_vertices_as_are_drawn():
    found = sound(polygons(polygon(points=[(i % 100, i // 100) for i in range(10_000)])))
    assert found.findings == ()
    assert found.nuclei.starts.tolist() == [0, 10_000]
