"""Small sets of images with nuclei on a grid, where ties, duplicates, empty images and distances of exactly
15 px are common."""

import numpy as np
from hypothesis import strategies as st

from tests.support.nuclei_lists import CLASSES, nucleus

COORDINATES = st.integers(0, 15).map(lambda k: 3.0 * k)
FEW_CLASSES = st.sampled_from(("tumor", "tumor", "tumor", "lymphocytes", "lymphocytes", "epithelium"))
LEVELS = st.sampled_from((-0.5, 0.2, 0.5, 0.9))
CONFIDENCES = st.one_of(
    st.just({}), LEVELS.map(lambda v: {"score": v}), LEVELS.map(lambda v: {"probability": v})
)
ANNOTATED = st.builds(nucleus, FEW_CLASSES, COORDINATES, COORDINATES)
PREDICTED = st.builds(
    lambda c, x, y, confidence: nucleus(c, x, y, **confidence),
    FEW_CLASSES,
    COORDINATES,
    COORDINATES,
    CONFIDENCES,
)
IMAGES = st.lists(
    st.tuples(st.lists(ANNOTATED, max_size=7), st.lists(PREDICTED, max_size=9)), min_size=1, max_size=3
)
SETS = IMAGES.filter(lambda images: any(truth for truth, _ in images)).map(
    lambda images: tuple(map(list, zip(*images, strict=True)))
)
"""Truth and predictions, a list of nuclei per image each; the truth holds at least one."""
RULES = st.sampled_from(("description", "grand-challenge", "pooled"))


def realistic(seed: int, images: int = 8, nuclei: int = 60, side: float = 400) -> tuple[list, list]:
    """Truth and predictions of a detector that is mostly right; most classes are rare, and absent from some
    images."""
    dice, shares = np.random.default_rng(seed), np.array([40, 30, 2, 8, 2, 1, 6, 3, 4, 4]) / 100
    truth, predictions = [], []
    for _ in range(images):
        places = dice.uniform(0, side, (nuclei, 2))
        names = dice.choice(CLASSES, nuclei, p=shares).tolist()
        truth.append([nucleus(name, x, y) for name, (x, y) in zip(names, places.tolist(), strict=True)])
        seen = np.flatnonzero(dice.random(nuclei) < 0.85)
        moved = places[seen] + dice.normal(0, 5, (len(seen), 2))
        called = [names[i] if dice.random() < 0.8 else str(dice.choice(CLASSES)) for i in seen]
        predictions.append(
            [
                nucleus(name, x, y, score=round(float(dice.random()), 2))
                for name, (x, y) in zip(called, moved.tolist(), strict=True)
            ]
        )
    return truth, predictions
