"""The fast reader takes ordinary files, and reads whatever it takes as the strict one does."""

import json
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scoring.challenges.puma.nucleus_classes import position
from scoring.inputs.nuclei import fast, reader
from tests.support.nuclei import SQUARE, feature, features, nuclei, nucleus, polygon, polygons
from tests.support.soak import FACTOR

NUMBERS = st.one_of(
    st.integers(-3, 1030),
    st.floats(-1e6, 1e6, allow_nan=False).map(lambda number: round(number, 3)),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([-0.0, 1e-320, 2**53 + 1, 2**64, 10**30]),
)
NAMES = st.sampled_from(["tumor", "nuclei_tumor", "Plasma cell", "stroma", "blood", ""])
CONFIDENCES = st.dictionaries(
    st.sampled_from(["score", "confidence", "probability"]), st.floats(0, 1) | st.integers(0, 2), max_size=2
)


def rings(width: int) -> st.SearchStrategy:
    return st.lists(st.lists(NUMBERS, min_size=width, max_size=width), max_size=5)


@st.composite
def nested(draw) -> bytes:
    """Files of outlines in the plane and in space, some with an element that is a list of points."""
    element = st.one_of(
        *(st.lists(st.just(7), min_size=n, max_size=n) for n in (2, 3)),
        st.lists(st.sampled_from([[1, 2], [1, 2, 3]]), min_size=1, max_size=3),
    )
    outlines = draw(st.lists(st.one_of(rings(2), rings(3), st.lists(element, max_size=4)), max_size=4))
    if draw(st.booleans()):
        return json.dumps(
            {"polygons": [{"name": "tumor", "path_points": ring} for ring in outlines]}
        ).encode()
    holes = draw(st.lists(st.one_of(rings(2), rings(3)), max_size=1))
    return features(*(feature(rings=[ring, *holes]) for ring in outlines))


@st.composite
def documents(draw) -> dict:
    """Files of all three forms, most of them sound."""
    key, width = draw(st.sampled_from(["polygons", "nuclei", "features"])), draw(st.sampled_from([2, 3]))
    ring, more = rings(width), CONFIDENCES
    if key == "polygons":
        item = st.builds(
            lambda name, points, rest: {"name": name, "path_points": points, "groups": [], **rest},
            NAMES,
            ring,
            more,
        )
    elif key == "nuclei":
        point = st.lists(NUMBERS, min_size=width, max_size=width)
        item = st.builds(
            lambda name, centroid, rest: {"class": name, "centroid": centroid, **rest}, NAMES, point, more
        )
    else:
        polygon_rings = st.lists(ring, min_size=1, max_size=2)
        geometry = st.one_of(
            polygon_rings.map(lambda found: ("Polygon", found)),
            st.lists(polygon_rings, max_size=3).map(lambda found: ("MultiPolygon", found)),
        )
        item = st.builds(
            lambda name, shape, rest: feature(name, shape[1], shape[0], **rest), NAMES, geometry, more
        )
    return {"type": "anything", key: draw(st.lists(item, max_size=4))}


PIECES = [
    *("[", "]", ",", "{", "}", '"', "-", "1", "[]", "[1]", "[1,2]", "[1,2,3]", "[1,2,3,4]", "[[1,2]]"),
    *("[[1],2]", "[[1,2],[3,4]]"),
]
PIECES += ["null", "true", "NaN", "1e999", '"x"', '"name":"tumor",', '"score":1,', "\\", "\ufeff", "\0"]


@st.composite
def damaged(draw) -> bytes:
    """Files with a few pieces put in, or taken out."""
    text = json.dumps(draw(documents()), separators=draw(st.sampled_from([(",", ":"), (", ", ": ")])))
    for _ in range(draw(st.integers(0, 2))):
        at, piece, gone = (
            draw(st.integers(0, len(text))),
            draw(st.sampled_from(PIECES)),
            draw(st.integers(0, 6)),
        )
        text = text[:at] + piece + text[at + gone :]
    return text.encode("utf-8", "surrogatepass")


def bits(value: object) -> object:
    """A value, or arrays as type, shape and bytes."""
    if isinstance(value, reader.Nuclei):
        arrays = [getattr(value, field.name) for field in fields(value)]
        return [(array.dtype, array.shape, array.tobytes()) for array in arrays]
    return value


def both_ways(data: bytes, graded: bool, monkeypatch: pytest.MonkeyPatch) -> tuple[list, list]:
    """Return what is read of a file with and without the fast reader."""
    results = []
    for how in (fast.listed, lambda data, graded: None):
        with monkeypatch.context() as patch:
            patch.setattr(fast, "listed", how)
            found = reader.read_nuclei(data, "a.json", position, graded)
        results.append([bits(getattr(found, field.name)) for field in fields(found)])
    return tuple(results)


@pytest.mark.slow
@settings(max_examples=60 * FACTOR, deadline=None)
@given(damaged(), st.booleans())
@example(b'{"polygons":[{"name":"tumor","path_points":[[1],[2,3,4],[5,6]]}]}', True)
@example(b'{"polygons":[{"name":"tumor","path_points":[[1,2],[[3,4],[5,6]],[7,8]]}]}', True)
@example(b'{"polygons":[{"name":"tumor","path_points":[[[1,2]],[[3,4]],[[5,6]]]}]}', True)
@example(b'{"polygons":[{"name":"tumor","path_points":[[[1,2,3]],[[3,4,5]],[[5,6,7]]]}]}', True)
@example(b'{"polygons":[{"name":"tumor","path_points":[[1,2],[3,4,5,6],[1,2,3]]}]}', True)
@example(b'{"polygons":[{"name":"tumor","path_points":[[],[1,2,3,4],[5,6]]}]}', True)
@example(b'{"polygons":[{"name":"tumor","path_points":[1,[2,3],[4,5,6]]}]}', True)
@example(b'{"polygons":[{"name":"tumor","path_points":[[1,2],[3,[4]],[5,6]]}]}', True)
@example(b'{"polygons":[{"name":"tumor","path_points":[1,2,3,[4,5,6,7,8]]}]}', True)
@example(b'{"polygons":[{"name":"tumor","path_points":[[1,2],[[3,4],[5,6]]]}]}', True)
@example(b'{"polygons":[{"name":"tumor","path_points":[[1,2,3],[[3,4,5],[5,6,7]],[8,9,1]]}]}', True)
@example(b'{"polygons":[{"name":"tumor","path_points":[[[3,4],[5,6]],[1,2]]}]}', True)
@example(b'{"polygons":[{"name":"tumor","path_points":[[1,2],[3,4,5],[5,6]]}]}', True)
def test_both_readers_agree(data, graded):
    with pytest.MonkeyPatch.context() as monkeypatch:
        by_fast, by_strict = both_ways(data, graded, monkeypatch)
    assert by_fast == by_strict


DEEP = [[x, y, 0.5] for x, y in SQUARE]


@pytest.mark.slow
@settings(max_examples=60 * FACTOR, deadline=None)
@given(nested())
def test_both_readers_agree_on_outlines_in_the_plane_and_in_space(data):
    with pytest.MonkeyPatch.context() as monkeypatch:
        by_fast, by_strict = both_ways(data, True, monkeypatch)
    assert by_fast == by_strict


ORDINARY = {
    "the platform's own": {
        "type": "Multiple polygons",
        "polygons": [
            {
                "name": "nuclei_tumor",
                "seed_point": [10, 10, 0.5],
                "path_points": [[x, y, 0.5] for x, y in SQUARE],
                "sub_type": "",
                "groups": [],
                "probability": 0.5,
            }
        ]
        * 3,
        "version": {"major": 1, "minor": 0},
    },
    "GeoJSON": json.loads(
        features(feature(), feature(rings=[SQUARE, [(12, 12), (13, 12), (13, 13), (12, 12)]]))
    ),
    "GeoJSON of several parts": json.loads(
        features(feature(kind="MultiPolygon", rings=[[SQUARE], [SQUARE]]), feature())
    ),
    "polygons": json.loads(polygons(polygon(score=0.5), polygon(points=SQUARE[:2], score=1))),
    "centroids": json.loads(nuclei(nucleus(), nucleus(score=0.5))),
    "outlines in the plane and in space": json.loads(polygons(polygon(), polygon(points=DEEP), polygon())),
    "GeoJSON in the plane and in space": json.loads(
        features(feature(), feature(rings=[DEEP, SQUARE]), feature(rings=[SQUARE, DEEP]))
    ),
    "an empty list": {"polygons": []},
}


@pytest.mark.parametrize("name", ORDINARY)
@pytest.mark.parametrize("indent", [None, 1])
def test_ordinary_files_are_read_quickly(name, indent):
    assert fast.listed(json.dumps(ORDINARY[name], indent=indent).encode(), True) is not None


@pytest.mark.parametrize(
    "points",
    [
        [[1], [2, 3, 4]],
        [[1, 2], [[3, 4]]],
        [[[1, 2]]],
        [[[1, 2, 3]]],
        [[1, 2], [3, 4, 5, 6]],
        [[], [1, 2]],
        [1, [2, 3]],
        [[1, 2], 3],
        [[[1], 2]],
    ],
)
def test_lists_that_are_none_of_points_are_left_to_the_strict_reader(points):
    assert fast.listed(polygons({"name": "tumor", "path_points": points}), True) is None


def test_long_lists_of_anything_else_never_become_lists_of_python(monkeypatch):
    monkeypatch.setattr(fast, "AS_LIST_BYTES", 10)
    assert fast.listed(nuclei(nucleus()), True) is None
    assert fast.listed(features(feature(kind="MultiPolygon", rings=[[SQUARE]])), True) is None
    assert fast.listed(polygons(polygon()), True) is not None


@pytest.mark.parametrize("seed", range(3))
def test_random_bytes(seed):
    random = np.random.default_rng(seed)
    for size in range(60):
        reader.read_nuclei(random.bytes(size), "a.json", position)
        mixed = bytes(random.choice(list(b'[]{},:"1e.-\\\xff polygons'), size).tolist())
        assert reader.read_nuclei(mixed, "a.json", position).problems
