"""Scoring 40 images of 1,500 nuclei each: files to scorecard against plain loops with the official
evaluator's cost structure; and its parts.

Run with `make benchmark`.
"""

import json
import time
from pathlib import Path

import numpy as np
import pytest

from scoring.challenges.puma import nuclei_matching
from scoring.challenges.puma.card import rescore
from scoring.challenges.puma.diagnostics import along_confidence, along_radius
from scoring.challenges.puma.formula import quantities
from scoring.challenges.puma.nuclei_matching import MatchingRule, detections
from scoring.challenges.puma.nucleus_classes import position
from scoring.inputs.nuclei.reader import read_nuclei
from scoring.metrics import point_pairs
from scoring.statistics.replicates import replicate_weights
from tests.support import nuclei_lists as plain
from tests.support.nuclei_lists import CHALLENGE, CLASSES

IMAGES, NUCLEI, VERTICES, LOOPED = 40, 1500, 36, 2
REAL_IMAGES, REAL_NUCLEI, RESAMPLES = 41, 474, 1000
# How often each class stands in the public truth.
SHARES = np.array([57234, 21643, 520, 7168, 695, 366, 3856, 2211, 1696, 1804])
RULES = "grand-challenge"


def drawn(dice: np.random.Generator, nuclei: int) -> tuple[list, list]:
    """Class and place of the nuclei of one image, and what a detector that is mostly right makes of them."""
    names, places = (
        dice.choice(len(CLASSES), nuclei, p=SHARES / SHARES.sum()),
        dice.uniform(0, 1024, (nuclei, 2)),
    )
    called = np.where(dice.random(nuclei) < 0.8, names, dice.permutation(names))
    return (names, places), (called, places + dice.normal(0, 4, places.shape))


def polygons(dice: np.random.Generator, names: np.ndarray, places: np.ndarray) -> bytes:
    """A file of Multiple polygons."""
    angles = np.linspace(0, 2 * np.pi, VERTICES, endpoint=False)
    circle, radii = np.stack([np.cos(angles), np.sin(angles)], 1), dice.uniform(3, 9, (len(names), 1, 1))
    outlines = np.round(places[:, None] + radii * circle, 2).tolist()
    scores = np.round(dice.random(len(names)), 4).tolist()
    entries = [
        {"name": f"nuclei_{CLASSES[k]}", "path_points": points, "score": score}
        for k, points, score in zip(names, outlines, scores, strict=True)
    ]
    return json.dumps(
        {"type": "Multiple polygons", "polygons": entries, "version": {"major": 1, "minor": 0}}
    ).encode()


def written(folder: Path, images: int, nuclei: int) -> tuple[Path, Path]:
    dice = np.random.default_rng(0)
    for side in ("truth", "predictions"):
        (folder / side).mkdir()
    for i in range(images):
        for side, (names, places) in zip(("truth", "predictions"), drawn(dice, nuclei), strict=True):
            (folder / side / f"roi_{i:03d}.json").write_bytes(polygons(dice, names, places))
    return folder / "truth", folder / "predictions"


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> tuple[Path, Path]:
    return written(tmp_path_factory.mktemp("large"), IMAGES, NUCLEI)


@pytest.fixture(scope="module")
def read(tmp_path_factory) -> tuple:
    """A truth of the size of the challenge's test split, and predictions, as they were read."""
    true, found = written(tmp_path_factory.mktemp("real"), REAL_IMAGES, REAL_NUCLEI)
    truth = CHALLENGE.read_truth(true)
    return truth, CHALLENGE.read_predictions(found, truth)


def plainly_read(path: Path) -> list[dict]:
    entries = json.loads(path.read_text(encoding="utf-8"))["polygons"]
    return [
        plain.nucleus(
            e["name"].removeprefix("nuclei_"),
            *np.mean([p[:2] for p in e["path_points"]], axis=0),
            score=e["score"],
        )
        for e in entries
    ]


def scored(folders: tuple[Path, Path]):
    truth = CHALLENGE.read_truth(folders[0])
    return CHALLENGE.score(truth, CHALLENGE.read_predictions(folders[1], truth), rules=RULES, resamples=0)


def test_files_to_scorecard(benchmark, folders):
    begun = time.process_time()
    looped = [
        plain.tallies(*(plainly_read(folder / f"roi_{i:03d}.json") for folder in folders), RULES)
        for i in range(LOOPED)
    ]
    seconds = (time.process_time() - begun) / LOOPED * IMAGES
    card = benchmark.pedantic(scored, (folders,), rounds=3, warmup_rounds=1)
    begun = time.process_time()
    scored(folders)
    own = time.process_time() - begun
    for image, row in zip(looped, card.cases, strict=False):
        assert row["f1"] == pytest.approx(
            {name: plain.f1(*counts) for name, counts in image.items() if counts[1] + counts[2]}
        )
    # The loops are too slow to be run whole: a few of the images, times as many as that.
    benchmark.extra_info["plain_loops_cpu_seconds_scaled"] = round(seconds, 1)
    benchmark.extra_info["cpu_seconds"] = round(own, 2)
    benchmark.extra_info["times_faster"] = round(seconds / own)


def test_outlines_in_the_plane_and_in_space(benchmark):
    """One file with both kinds takes as long as one with outlines in the plane."""
    names, places = drawn(np.random.default_rng(0), NUCLEI)[0]
    plane = polygons(np.random.default_rng(0), names, places)
    document = json.loads(plane)
    for entry in document["polygons"][::2]:
        entry["path_points"] = [[x, y, 0.5] for x, y in entry["path_points"]]
    both = json.dumps(document).encode()

    def seconds(data: bytes) -> float:
        begun = time.process_time()
        for _ in range(20):
            assert len(read_nuclei(data, "a.json", position).nuclei) == NUCLEI
        return time.process_time() - begun

    usual = seconds(plane)
    benchmark.pedantic(read_nuclei, (both, "a.json", position), rounds=20, warmup_rounds=2)
    benchmark.extra_info["times_as_long_as_in_the_plane"] = round(seconds(both) / usual, 2)


def test_matching_alone(benchmark):
    dice = np.random.default_rng(1)
    truth = dice.uniform(0, 1024, (3000, 2))
    predictions, confidence = truth + dice.normal(0, 4, truth.shape), dice.random(3000)

    def matched():
        return point_pairs.choose(point_pairs.near_pairs([truth], [predictions], 15, 10**7), confidence)

    rows, _ = benchmark(matched)
    assert len(rows) > 2500


def test_scoring_again_under_another_radius(benchmark, read):
    card = CHALLENGE.score(*read, resamples=0)
    again = benchmark.pedantic(rescore, (*read, card), {"radius": 12.0}, rounds=20, warmup_rounds=2)
    assert again.score < card.score


def test_scoring_again_with_another_confidence_and_a_thousand_replicates(benchmark, read):
    card = CHALLENGE.score(*read)
    again = benchmark.pedantic(rescore, (*read, card), {"min_confidence": 0.3}, rounds=20, warmup_rounds=2)
    assert again.intervals["score"] != card.intervals["score"]


def test_curves(benchmark, read):
    card = CHALLENGE.score(*read, resamples=0)
    found = benchmark.pedantic(
        lambda: (along_radius(card), along_confidence(card)), rounds=5, warmup_rounds=1
    )
    assert found[0]["y"][14] == pytest.approx(card.score)


def test_a_thousand_replicates(benchmark, read):
    d = detections(*read)
    counted = {
        name: nuclei_matching.tallies(d, nuclei_matching.match(d, MatchingRule(name))) for name in plain.RULES
    }
    weights = np.concatenate(list(replicate_weights(np.arange(REAL_IMAGES), RESAMPLES, 0)))
    found = benchmark(quantities, "description", counted, weights)
    assert found["score"].shape == (RESAMPLES,)


def test_matches_of_sixty_thousand_nuclei_as_csv(benchmark, folders):
    card = scored(folders)
    (write,) = (output.text for output in CHALLENGE.scoring.outputs if output.flag == "--matches")
    assert benchmark.pedantic(write, (card,), rounds=3).count("\n") == len(card.matches["case"]) + 1


def test_quality_of_outlines(benchmark, folders):
    """At most 3 s of CPU for 40 tiles of 1,500 nuclei, with the intervals; scoring alone is not slowed."""
    truth = CHALLENGE.read_truth(folders[0])
    predictions = CHALLENGE.read_predictions(folders[1], truth)

    def seconds(**options) -> float:
        begun = time.process_time()
        CHALLENGE.score(truth, predictions, **options)
        return time.process_time() - begun

    card = benchmark.pedantic(
        CHALLENGE.score, (truth, predictions), {"outlines": True}, rounds=3, warmup_rounds=1
    )
    with_outlines, without = seconds(outlines=True), seconds()
    benchmark.extra_info["cpu_seconds"] = round(with_outlines, 2)
    benchmark.extra_info["cpu_seconds_without"] = round(without, 2)
    assert card.more["outlines"]["n_truth"] == IMAGES * NUCLEI
    assert with_outlines < 3
