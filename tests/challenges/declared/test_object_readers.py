"""Declared challenges of points and boxes: a table with a row per object, images without any among them."""

import numpy as np
import pytest

import scoring
from scoring.challenges.declared import library
from tests.support import peer
from tests.support.command_line import run
from tests.support.findings import refused

N = 30


def random_points(seed: int, axes: int):
    """Objects of the truth and detections of each image: some near an object, some anywhere."""
    random, truth, found = np.random.default_rng(seed), [], []
    for _ in range(N):
        objects = random.uniform(0, 100, (random.integers(0, 4), axes))
        near = objects[random.random(len(objects)) < 0.7]
        guesses = [
            near + random.normal(0, 3, near.shape),
            random.uniform(0, 100, (random.integers(0, 4), axes)),
        ]
        truth.append(objects.round(2))
        found.append(np.vstack(guesses).round(2))
    return truth, found, [random.random(len(places)).round(2) for places in found]


def tables(name: str, truth, found, scores, radius: float | None) -> tuple[bytes, bytes]:
    columns, answers = (
        getattr(library.find(name) and library.declaration_of(scoring.load_challenge(name).id), part)
        for part in ("truth", "predictions")
    )
    sized = [columns.radius] if columns.radius else []
    lines = [",".join([columns.case, *columns.places, *sized])]
    for image, places in enumerate(truth):
        rows = places.tolist() or [[""] * len(columns.places)]
        lines += [",".join([f"i{image}", *map(str, row), *[str(radius)] * len(sized)]) for row in rows]
    sent = [",".join([answers.case, *columns.places, answers.score])]
    for image, (places, values) in enumerate(zip(found, scores, strict=True)):
        sent += [f"i{image},{','.join(map(str, row))},{v}" for row, v in zip(places, values, strict=True)]
    return "\n".join(lines).encode(), "\n".join(sent).encode()


def scored(name: str, truth: bytes, sent: bytes, **options) -> scoring.ScoreCard:
    challenge = scoring.load_challenge(name)
    cases = challenge.read_truth(truth, "t.csv")
    return challenge.score(cases, challenge.read_predictions(sent, cases, "p.csv"), **options)


def froc(truth, found, scores, radius: float, rates: tuple[float, ...]) -> float:
    """Each object has the best score within its radius; a detection near none is a false alarm. Sensitivity
    is read on straight lines between the points of the curve."""
    hits, alarms = [], []
    for objects, places, values in zip(truth, found, scores, strict=True):
        away = (
            np.linalg.norm(objects[:, None] - places, axis=2) if len(objects) else np.ones((0, len(places)))
        )
        hits += [values[row < radius].max() for row in away if (row < radius).any()]
        alarms += [v for v, column in zip(values, away.T, strict=True) if not (column < radius).any()]
    total = sum(map(len, truth))
    cuts = sorted({*hits, *alarms}, reverse=True)
    sensitivity = [0.0] + [sum(hit >= cut for hit in hits) / total for cut in cuts]
    rate = [0.0] + [sum(alarm >= cut for alarm in alarms) / len(truth) for cut in cuts]
    return float(np.mean(np.interp(rates, rate, sensitivity)))


def pooled_f1(truth, found, scores, radius: float) -> float:
    """Each object in turn takes the nearest free detection within the radius."""
    hits = 0
    for objects, places in zip(truth, found, strict=True):
        free = list(range(len(places)))
        for point in objects:
            near = [(np.linalg.norm(places[k] - point), k) for k in free]
            if near and min(near)[0] <= radius:
                free.remove(min(near)[1])
                hits += 1
    return 2 * hits / (sum(map(len, truth)) + sum(map(len, found)))


LUNA, CAMELYON = (0.125, 0.25, 0.5, 1, 2, 4, 8), (0.25, 0.5, 1, 2, 4, 8)
OFFICIAL = {
    "luna16": (3, lambda *given: froc(*given, 6.0, LUNA)),
    "camelyon16-lesions": (2, lambda *given: froc(*given, 6.0, CAMELYON)),
    "midog2021": (2, lambda *given: pooled_f1(*given, 7.5)),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", OFFICIAL)
def test_the_score_is_the_official_one(name, seed):
    axes, official = OFFICIAL[name]
    given = random_points(seed, axes)
    found = scored(name, *tables(name, *given, 6.0), resamples=0)
    assert found.n_cases == N
    assert found.score == pytest.approx(official(*given), abs=1e-9)
    assert [row["objects"] for row in found.cases] == [len(objects) for objects in given[0]]


def test_every_file_of_points_and_boxes_is_held_to_its_formula():
    of_places = [f.name for f in library.known() if f.declaration.task in ("points", "boxes")]
    assert sorted(of_places) == sorted([*OFFICIAL, "riva2026"])


def random_boxes(seed: int) -> tuple[list, list]:
    """Images with corners of boxes: of the truth, and detected ones that are the former, moved, or anywhere,
    each with its score."""
    random, truth, found = np.random.default_rng(seed), [], []
    for _ in range(N):
        starts = random.integers(0, 300, (random.integers(0, 6), 2))
        boxes = np.hstack([starts, starts + random.integers(40, 90, starts.shape)])
        moved = boxes[random.random(len(boxes)) < 0.8] + random.integers(0, 9, 4) * np.array([0, 0, 1, -1])
        strays = np.repeat(random.integers(0, 300, (random.integers(0, 4), 2)), 2, axis=0).reshape(-1, 4)
        sent = np.vstack([moved, strays + np.array([0, 0, 50, 60])])
        truth.append(boxes.tolist())
        found.append([[*box, round(random.random(), 3)] for box in sent.tolist()])
    return truth, found


@pytest.mark.parametrize("seed", range(3))
def test_boxes_of_the_gallery_score_as_pycocotools_does(seed):
    truth, found = random_boxes(seed)
    rows = [f"i{i},{','.join(map(str, box))}" for i, boxes in enumerate(truth) for box in boxes or [[""] * 4]]
    sent = [f"i{i},{','.join(map(str, row))}" for i, each in enumerate(found) for row in each]
    ours = scored(
        "riva2026",
        "\n".join(["image,x0,y0,x1,y1", *rows]).encode(),
        "\n".join(["image,x0,y0,x1,y1,confidence", *sent]).encode(),
        resamples=0,
    )
    assert (ours.score, ours.metrics["ap_0.5"]) == pytest.approx(pycocotools(truth, found), abs=1e-9)


def pycocotools(truth: list, found: list) -> tuple[float, float]:
    """AP at IoU 0.50 to 0.95, and at 0.50, of boxes with corners."""

    def box(x0, y0, x1, y1):
        return [x0, y0, x1 - x0, y1 - y0]

    boxes = [(image, *box(*corners)) for image, each in enumerate(truth) for corners in each]
    told = [
        {"id": i, "image_id": image, "category_id": 1, "bbox": list(b), "area": b[2] * b[3], "iscrowd": 0}
        for i, (image, *b) in enumerate(boxes, 1)
    ]
    data = {"images": [{"id": i} for i in range(N)], "categories": [{"id": 1}], "annotations": told}
    results = [
        {"image_id": image, "category_id": 1, "bbox": box(*corners), "score": score}
        for image, each in enumerate(found)
        for *corners, score in each
    ]
    said = peer.asked(peer.ROOT / "tests" / "metrics" / "box_programs.py", [[data, results]])[0]
    return said["coco_map"], said["ap"]


BOXES = """id = "b"
title = "B"
task = "boxes"
classes = ["car", "dog"]
[truth]
case = "image"
label = "class"
places = ["x0", "y0", "x1", "y1"]
[predictions]
score = "p"
label = "class"
[score]
metric = "ap"
iou = 0.5
"""


def test_boxes_of_classes():
    challenge = library.of_text(BOXES, "b.toml")
    truth = b"image,x0,y0,x1,y1,class\n1,0,0,10,10,car\n2,5,5,15,15,dog\n3,,,,,\n"
    cases = challenge.read_truth(truth)
    sent = b"image,x0,y0,x1,y1,class,p\n1,0,0,10,9,car,.9\n2,5,5,15,15,car,.8\n"
    sent += b"2,6,5,15,15,dog,.7\n3,0,0,1,1,dog,.6\n"
    found = challenge.score(cases, challenge.read_predictions(sent, cases), resamples=0)
    assert found.score == pytest.approx(1.0)
    worse = sent.replace(b"dog,.6", b"dog,.95")
    found = challenge.score(cases, challenge.read_predictions(worse, cases), resamples=0)
    assert found.score == pytest.approx(0.75)


def test_what_is_no_box_is_refused_with_line():
    challenge = library.of_text(BOXES, "b.toml")
    cases = challenge.read_truth(b"image,x0,y0,x1,y1,class\n1,0,0,10,10,car\n")
    sent = b"image,x0,y0,x1,y1,class,p\n1,9,0,3,9,car,.9\n1,a,0,3,9,cat,.9\n"
    problems = refused(challenge.read_predictions, sent, cases, "p.csv").problems
    assert [(p.code, p.where) for p in problems] == [
        ("bad-label", "p.csv:2"),
        ("not-a-number", "p.csv:3"),
        ("bad-label", "p.csv:3"),
    ]


def test_the_command_line_scores_reports_and_compares_points(tmp_path):
    given = random_points(1, 2)
    truth, sent = tables("midog2021", *given, None)
    other = tables("midog2021", given[0], [places + 20 for places in given[1]], given[2], None)[1]
    for name, data in (("t", truth), ("a", sent), ("b", other)):
        (tmp_path / f"{name}.csv").write_bytes(data)
    common = ("midog2021", "--truth", tmp_path / "t.csv", "--resamples", 50)
    done = run("score", *common, "--predictions", tmp_path / "a.csv", "--html", tmp_path / "r.html")
    assert done.status == 0, done.err
    done = run("compare", *common, *(f"{n}={tmp_path / n}.csv" for n in "ab"), "--json", "-")
    assert done.status == 0, done.err
    assert [team["team"] for team in done.json["teams"]] == ["a", "b"]
