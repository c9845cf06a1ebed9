"""Marks of declared points and boxes: hits, false alarms and misses are those that the score counts."""

import numpy as np
import pytest

from scoring.challenges.declared import library
from scoring.challenges.declared.scenes import marks
from scoring.metrics.detection_matching import FALSE_ALARM, HIT, MISSED, PREDICTION, TRUTH
from tests.support.declared_kinds import KINDS


def read(kind: str, seed: int, share: float):
    challenge = KINDS[kind].challenge
    made = [KINDS[kind].made(np.random.default_rng(s), w).encode() for s, w in ((0, 0.0), (seed, share))]
    cases = challenge.read_truth(made[0], "t.csv")
    sent = challenge.read_predictions(made[1], cases, "p.csv")
    return library.declaration_of(challenge.id), cases, sent, challenge.score(cases, sent, resamples=0)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("kind", ["points", "boxes"])
def test_counts_are_those_of_the_score(kind, seed):
    declaration, cases, sent, card = read(kind, seed, 0.5)
    for index, row in enumerate(card.cases):
        drawn = marks(declaration, cases, sent, index)
        of_truth, status = drawn["kind"] == TRUTH, drawn["status"]
        assert (of_truth & (status == HIT)).sum() == row["found"]
        assert (of_truth & (status == MISSED)).sum() == row["objects"] - row["found"]
        assert (~of_truth & (status == FALSE_ALARM)).sum() == row["detections"] - row["found"]
        pairs = np.flatnonzero(drawn["partner"] >= 0)
        assert (drawn["partner"][drawn["partner"][pairs]] == pairs).all()
        assert (drawn["cls"][pairs] == drawn["cls"][drawn["partner"][pairs]]).all()
        near = drawn["distance"][pairs] <= 5 if kind == "points" else drawn["iou"][pairs] >= 0.5
        assert near.all()


def test_boxes_are_outlined_by_their_corners_and_points_by_their_radius():
    declaration, cases, sent, _ = read("boxes", 1, 0.5)
    drawn = marks(declaration, cases, sent, 0)
    np.testing.assert_array_equal(drawn["xy"][:4], [[10, 5], [30, 5], [30, 30], [10, 30]])
    np.testing.assert_array_equal(drawn["centroids"][0], [20, 17.5])
    declaration, cases, sent, _ = read("points", 1, 0.5)
    drawn = marks(declaration, cases, sent, 0)
    first = drawn["xy"][: drawn["start"][1]] - drawn["centroids"][0]
    np.testing.assert_allclose(np.linalg.norm(first, axis=1), 5)
    found = np.flatnonzero(drawn["kind"] == PREDICTION)
    assert (drawn["start"][found] == drawn["start"][found + 1]).all()


def test_a_radius_that_the_file_leaves_out_is_drawn_as_it_is_scored():
    challenge = library.of_text(KINDS["points"].text.replace("radius = 5", ""), "c.toml")
    cases = challenge.read_truth(b"id,x,y\ni0,10,10\n")
    sent = challenge.read_predictions(b"id,x,y,score\ni0,10,19,.5\n", cases)
    drawn = marks(library.declaration_of(challenge.id), cases, sent, 0)
    assert drawn["status"].tolist() == [HIT, HIT]
    circle = drawn["xy"][: drawn["start"][1]]
    assert np.linalg.norm(circle - [10, 10], axis=1).mean() == pytest.approx(10)


def test_an_image_without_detections_has_misses_alone():
    challenge = KINDS["boxes"].challenge
    cases = challenge.read_truth(b"id,x0,y0,x1,y1,kind\ni0,0,0,9,9,a\ni1,,,,,\n")
    sent = challenge.read_predictions(b"id,x0,y0,x1,y1,kind,score\ni1,0,0,9,9,a,.5\n", cases)
    declaration = library.declaration_of(challenge.id)
    assert marks(declaration, cases, sent, 0)["status"].tolist() == [MISSED]
    assert marks(declaration, cases, sent, 1)["status"].tolist() == [FALSE_ALARM]


def test_two_detections_near_one_object_are_matched_with_two_objects():
    challenge = KINDS["points"].challenge
    cases = challenge.read_truth(b"id,x,y\ni0,10,10\ni0,13,10\n")
    sent = challenge.read_predictions(b"id,x,y,score\ni0,10,10,.9\ni0,11,10,.8\ni0,90,90,.7\n", cases)
    drawn = marks(library.declaration_of(challenge.id), cases, sent, 0)
    assert drawn["partner"].tolist() == [2, 3, 0, 1, -1]
    assert drawn["status"].tolist() == [HIT, HIT, HIT, HIT, FALSE_ALARM]


def test_one_detection_that_two_objects_take_is_the_hit_of_both():
    text = KINDS["points"].text.replace('metric = "f1"', 'metric = "froc"')
    challenge = library.of_text(text, "c.toml")
    cases = challenge.read_truth(b"id,x,y\ni0,10,10\ni0,13,10\ni0,50,50\n")
    sent = challenge.read_predictions(b"id,x,y,score\ni0,11,10,.9\n", cases)
    drawn = marks(library.declaration_of(challenge.id), cases, sent, 0)
    assert challenge.score(cases, sent, resamples=0).cases[0]["found"] == 2
    assert drawn["status"].tolist() == [HIT, HIT, MISSED, HIT]
    assert drawn["partner"][:3].tolist() == [3, 3, -1]
