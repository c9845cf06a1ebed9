"""Quality of outlines in a scorecard: against plain loops over pixels, and against panoptica."""

import json
from pathlib import Path

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from tests.support import peer
from tests.support.command_line import run
from tests.support.nuclei_lists import CHALLENGE, CLASSES

PROGRAM = Path(__file__).with_name("panoptica_program.py")
SIDE = 24
NAMES = CLASSES[:3]
BOXES = st.lists(
    st.tuples(st.sampled_from(NAMES), *[st.integers(0, SIDE - 2)] * 2, *[st.integers(1, 8)] * 2).map(
        lambda b: (b[0], b[1], b[2], min(SIDE, b[1] + b[3]), min(SIDE, b[2] + b[4]))
    ),
    min_size=1,
    max_size=5,
)
SETS = st.lists(st.tuples(BOXES, BOXES), min_size=1, max_size=3)


def ring(box) -> list:
    _, x0, y0, x1, y1 = box
    return [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]


def polygons(named_rings) -> bytes:
    entries = [{"name": name, "path_points": points} for name, points in named_rings]
    return json.dumps({"type": "Multiple polygons", "polygons": entries}).encode()


def card(images, **options):
    """The card of images, each (truth, predictions) as lists of (class, ring)."""
    truth = {f"{i:02d}.json": polygons(one) for i, (one, _) in enumerate(images)}
    sent = {f"{i:02d}.json": polygons(one) for i, (_, one) in enumerate(images)}
    cases = CHALLENGE.read_truth(truth, "truth")
    found = CHALLENGE.read_predictions(sent, cases, "sent")
    return CHALLENGE.score(cases, found, **{"resamples": 0, "outlines": True} | options)


def boxes(images):
    return [tuple([(box[0], ring(box)) for box in side] for side in one) for one in images]


def pixels(box) -> set:
    return {(x, y) for x in range(box[1], box[3]) for y in range(box[2], box[4])}


def plain_quality(images, name: str) -> tuple[float, int, int]:
    """Sum of IoU of the matches, matches, and nuclei of both sides: image by image, largest IoU first."""
    total, matched, nuclei = 0.0, 0, 0
    for truth, found in images:
        sides = [[box for box in side if box[0] == name] for side in (truth, found)]
        nuclei += len(sides[0]) + len(sides[1])
        pairs = []
        for i, one in enumerate(sides[0]):
            for j, other in enumerate(sides[1]):
                a, b = pixels(one), pixels(other)
                pairs.append((-len(a & b) / len(a | b), i, j))
        used: set = set()
        for negative, i, j in sorted(pairs):
            if -negative > 0.5 and not used & {("t", i), ("p", j)}:
                used |= {("t", i), ("p", j)}
                total, matched = total - negative, matched + 1
    return total, matched, nuclei


@given(SETS)
def test_panoptic_quality_is_that_of_counted_pixels(images):
    found = card(boxes(images))
    defined = []
    for name in NAMES:
        total, matched, nuclei = plain_quality(images, name)
        row = found.per_class[name]
        assert row["pq"] == (pytest.approx(2 * total / nuclei) if nuclei else None)
        assert row["sq"] == (pytest.approx(total / matched) if matched else None)
        assert row["rq"] == (pytest.approx(2 * matched / nuclei) if nuclei else None)
        defined += [row["pq"]] * bool(nuclei)
    assert found.metrics["pq"] == pytest.approx(np.mean(defined))


@pytest.mark.slow
@given(SETS, st.randoms(use_true_random=False))
def test_the_truth_itself_is_perfect_and_the_order_of_nuclei_nothing(images, dice):
    truth = [(one, one) for one, _ in images]
    perfect = card(boxes(truth)).metrics
    assert [perfect[name] for name in ("pq", "sq", "rq")] == pytest.approx([1, 1, 1])
    assert 0 < perfect["matched_iou"] <= 1 + 1e-12
    shuffled = [(one, dice.sample(other, len(other))) for one, other in images]
    before, after = card(boxes(images)), card(boxes(shuffled))
    for name in ("pq", "sq", "rq"):
        assert after.metrics[name] == pytest.approx(before.metrics[name])


def test_outlines_apart_are_nothing():
    """Middles 12 px apart, so the score matches them, and their outlines do not touch."""
    metrics = card([([("tumor", ring(("", 0, 0, 8, 8)))], [("tumor", ring(("", 12, 0, 20, 8)))])]).metrics
    assert metrics["macro_f1_pooled"] == 1
    assert [metrics[name] for name in ("pq", "rq", "matched_iou", "matched_dice")] == [0, 0, 0, 0]
    assert metrics["sq"] is None


def test_overlap_of_the_nuclei_that_the_score_matches():
    one, other = ("", 0, 0, 10, 10), ("", 5, 0, 15, 10)
    found = card([([("tumor", ring(one))], [("tumor", ring(other))])])
    assert found.metrics["matched_iou"] == pytest.approx(50 / 150)
    assert found.metrics["matched_dice"] == pytest.approx(100 / 200)
    assert found.cases[0]["matched_iou"] == pytest.approx(1 / 3)
    assert found.arrays["matched_iou"].tolist() == pytest.approx([1 / 3])
    assert found.matches["iou"].tolist() == pytest.approx([1 / 3])
    missed = card([([("tumor", ring(one))], [("epithelium", ring(other))])])
    assert np.isnan(missed.matches["iou"]).tolist() == [True, True]


def test_what_is_mended_and_what_has_no_outlines_is_said():
    square, tie = ring(("", 0, 0, 8, 8)), [[0, 0], [8, 8], [8, 0], [0, 8]]
    found = card([([("tumor", square)], [("tumor", tie)])])
    (said,) = [f for f in found.findings if f.code == "mended-outlines"]
    assert (said.level, said.where) == ("note", "sent")
    assert "nucleus 0 of 00" in said.message
    assert found.metrics["matched_iou"] == pytest.approx(0.5)
    cases = CHALLENGE.read_truth({"00.json": polygons([("tumor", square)])}, "truth")
    points = json.dumps({"nuclei": [{"centroid": [4, 4], "class": "tumor"}]}).encode()
    sent = CHALLENGE.read_predictions({"00.json": points}, cases, "sent")
    scored = CHALLENGE.score(cases, sent, outlines=True)
    assert ("warning", "no-outlines") in [(f.level, f.code) for f in scored.findings]
    assert scored.metrics["pq"] is None
    assert scored.more["outlines"]["n_tiles"] == 0


def test_intervals_and_the_rest_of_the_card():
    """Measuring adds to a card and changes nothing in it."""
    dice = np.random.default_rng(0)
    images = [
        tuple([("tumor", ring(("", x, 0, x + 6, int(dice.integers(4, 9))))) for x in (0, 10)] for _ in "ab")
        for _ in range(8)
    ]
    with_outlines, without = card(images, resamples=50), card(images, resamples=50, outlines=False)
    low, high = with_outlines.intervals["pq"]
    assert low < high
    assert with_outlines.per_class["tumor"]["pq_interval"] == pytest.approx([low, high])
    more, plain = with_outlines.as_dict(), without.as_dict()
    for key in ("metrics", "intervals"):
        assert {k: v for k, v in more[key].items() if k in plain[key]} == plain[key]
    assert set(more) - set(plain) == {"outlines"}


@pytest.mark.parametrize(("images_of_rare", "has_interval"), [(1, False), (2, True), (10, True)])
def test_qualities_of_a_class_rest_on_the_images_that_hold_it(images_of_rare, has_interval):
    images = []
    for i in range(30):
        rare = [("neutrophils", ring(("", 20, 0, 26, 5 + i % 3)))] * (i < images_of_rare)
        found = [("neutrophils", ring(("", 20, 0, 26, 6)))] * len(rare)
        common = [("tumor", ring(("", 0, 0, 6, 6)))]
        images.append(([*common, *rare], [("tumor", ring(("", 0, 0, 6, 5 + i % 2))), *found]))
    row = card(images, resamples=50).per_class["neutrophils"]
    for measure in ("pq", "sq", "matched_iou", "matched_dice"):
        interval = row[f"{measure}_interval"]
        assert bool(interval) == has_interval
        if images_of_rare == 2:  # of two images nearly anything may be true
            assert interval[0] < 0.5


def test_the_command_line(tmp_path):
    (tmp_path / "a.json").write_bytes(polygons([("tumor", ring(("", 0, 0, 8, 8)))]))
    given = ("score", "puma", "--truth", tmp_path, "--predictions", tmp_path, "--outlines")
    assert run(*given, "--json", "-").json["outlines"]["n_found"] == 1
    finished = run(*given, "--html", tmp_path / "report.html")
    assert "matched_dice" in finished.out
    assert "How good are the outlines?" in (tmp_path / "report.html").read_text(encoding="utf-8")


def ellipses(dice: np.random.Generator) -> tuple[list, list]:
    """Rings of nuclei apart from each other, and of predictions of most of them."""
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    sides: tuple[list, list] = ([], [])
    for x in range(20, 180, 32):
        for y in range(20, 180, 32):
            for side, moved in zip(sides, (0, 3), strict=True):
                if dice.random() < 0.85:
                    centre, radii = (x, y) + moved * dice.normal(0, 1, 2), dice.uniform(6, 12, 2)
                    points = centre + radii * np.stack([np.cos(angle), np.sin(angle)], 1)
                    side.append(points.round(2).tolist())
    return sides


def raster(rings: list, scale: int = 3) -> list:
    """A label image of `scale` px per px: whose ring holds the middle of each pixel."""
    middles = (np.arange(200 * scale) + 0.5) / scale
    labels = np.zeros((len(middles), len(middles)), int)
    for number, points in enumerate(rings, 1):
        labels[shapely.contains_xy(shapely.Polygon(points), *np.meshgrid(middles, middles))] = number
    return labels.tolist()


@pytest.mark.slow
def test_panoptica_says_the_same_of_rasters():
    """Within what a pixel more or less at the edge changes."""
    dice = np.random.default_rng(3)
    drawn = [ellipses(dice) for _ in range(3)]
    answers = peer.asked(PROGRAM, [[raster(side) for side in sides] for sides in drawn])
    for (truth, found), theirs in zip(drawn, answers, strict=True):
        row = card([([("tumor", r) for r in truth], [("tumor", r) for r in found])]).per_class["tumor"]
        assert row["rq"] == pytest.approx(theirs["rq"])
        assert row["sq"] == pytest.approx(theirs["sq"], abs=0.005)
        assert row["pq"] == pytest.approx(theirs["pq"], abs=0.005)
