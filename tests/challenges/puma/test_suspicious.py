"""What is suspicious about the prediction of a case, and how far predictions lie from the truth."""

import numpy as np
import pytest

from scoring.challenges.puma.diagnostics import shift, shifts, suspicious_signs
from tests.support.nuclei_lists import card, nucleus


def tile(seed: int, n: int = 80, names=("tumor", "lymphocytes", "epithelium")) -> list[dict]:
    dice = np.random.default_rng(seed)
    return [nucleus(str(dice.choice(names)), *dice.uniform(0, 900, 2).tolist()) for _ in range(n)]


def moved(nuclei, right: float, down: float, jitter: float = 0.0) -> list[dict]:
    dice = np.random.default_rng(9)
    steps = dice.normal(0, jitter, (len(nuclei), 2)).tolist()
    return [
        nucleus(n["class"], n["centroid"][0] + right + x, n["centroid"][1] + down + y, score=0.5)
        for n, (x, y) in zip(nuclei, steps, strict=True)
    ]


def of(truth, prediction, **options) -> tuple[str, ...]:
    """What is suspicious about the first of two cases, the second of which is right."""
    images = {"a": truth, "b": tile(5)}
    found = {"b": moved(tile(5), 0, 0)} | ({} if prediction is None else {"a": prediction})
    return suspicious_signs(card(images, found, **options))[0]


@pytest.mark.parametrize(
    ("prediction", "words"),
    [
        (None, ("missing",)),
        ([], ("nothing predicted",)),
        (moved(tile(1), 1, 1), ()),
        (moved(tile(1), 1, 1) * 3, ("3.0 × the true number",)),
        (moved(tile(1), 0, 0)[:20], ("25% of the true number",)),
        ([n | {"class": "tumor"} for n in moved(tile(1), 0, 0)], ("one class only",)),
        (moved(tile(1), 9, -12), ("shifted 15 px",)),
    ],
)
def test_what_is_suspicious_is_said(prediction, words):
    assert of(tile(1), prediction) == words


def test_an_empty_image_that_is_not_called_empty():
    assert of([], moved(tile(1), 0, 0)) == ("the truth has none",)


def test_what_the_smallest_confidence_leaves_out_is_not_there():
    assert of(tile(1), moved(tile(1), 9, -12), min_confidence=0.6) == ("nothing predicted",)


@pytest.mark.parametrize(("right", "down"), [(0, 0), (12, 7), (-20, 3.5)])
def test_an_offset_is_found_to_a_pixel(right, down):
    images = {"a": tile(1), "b": tile(2)}
    found = card(images, {name: moved(nuclei, right, down, jitter=2) for name, nuclei in images.items()})
    for offset in (shift(found), *shifts(found)):
        assert offset == pytest.approx((right, down), abs=1)


def test_chance_is_no_offset():
    images = {"a": tile(1, 400, ("tumor",))}
    assert np.isnan(shift(card(images, {"a": moved(tile(2, 400, ("tumor",)), 0, 0)}))).all()
    assert np.isnan(shift(card({"a": tile(1, 9)}, {"a": moved(tile(1, 9), 0, 0)}))).all()
    assert np.isnan(shift(card({"a": tile(1)}, {"a": []}))).all()
