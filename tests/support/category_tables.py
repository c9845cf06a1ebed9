"""Small tables of ISIC Challenges: a truth and predictions that are right, to be spoiled by the tests."""

from collections.abc import Sequence

import numpy as np

from tests.support.lesion_tables import table

CATEGORIES = ("MEL", "NV", "BCC")
IDS = tuple(f"ISIC_{i}" for i in range(1, 7))
LABELS = ("MEL", "NV", "BCC", "NV", "MEL", "BCC")


def truth_rows(
    ids: Sequence[str] = IDS, labels: Sequence[str] = LABELS, categories: Sequence[str] = CATEGORIES
) -> list[list[str]]:
    return [
        [name, *("1.0" if c == label else "0.0" for c in categories)]
        for name, label in zip(ids, labels, strict=True)
    ]


def truth(
    ids: Sequence[str] = IDS, labels: Sequence[str] = LABELS, categories: Sequence[str] = CATEGORIES
) -> bytes:
    return table(("image", *categories), *truth_rows(ids, labels, categories))


def prediction_rows(
    ids: Sequence[str] = IDS, labels: Sequence[str] = LABELS, categories: Sequence[str] = CATEGORIES
) -> list[list[str]]:
    """Probabilities with their maximum at the label."""
    low = f"{0.2 / (len(categories) - 1):g}"
    return [
        [name, *("0.8" if c == label else low for c in categories)]
        for name, label in zip(ids, labels, strict=True)
    ]


def predictions(
    ids: Sequence[str] = IDS, labels: Sequence[str] = LABELS, categories: Sequence[str] = CATEGORIES
) -> bytes:
    return table(("image", *categories), *prediction_rows(ids, labels, categories))


def random_pair(
    seed: int,
    cases: int = 60,
    categories: int = 4,
    decimals: int = 6,
    weights: bool = False,
    shuffled: bool = False,
) -> tuple[bytes, bytes]:
    """A truth that has every category, and predictions that are better than chance, as files."""
    random = np.random.default_rng(seed)
    names = [f"C{k}" for k in range(categories)]
    labels = np.r_[np.arange(categories), random.integers(0, categories, cases - categories)]
    scores = np.round(
        random.dirichlet(np.ones(categories), cases) * 0.6
        + 0.4 * (labels[:, None] == np.arange(categories)) * random.random((cases, 1)),
        decimals,
    )
    ids = [
        f"ISIC_{i:07d}"
        for i in (
            random.permutation(10 * cases)[:cases]
            if shuffled
            else np.sort(random.permutation(10 * cases)[:cases])
        )
    ]
    header, rows = (
        ["image", *names],
        [[i, *map(float, label == np.arange(categories))] for i, label in zip(ids, labels, strict=True)],
    )
    if weights:
        header += ["score_weight", "validation_weight"]
        heavy = np.round(random.choice([0.0, 1.0, 0.5, 1.7], cases, p=[0.1, 0.4, 0.25, 0.25]), 3)
        heavy[:categories] = 1
        rows = [
            [*row, w, float(v)]
            for row, w, v in zip(
                rows,
                heavy,
                np.r_[np.ones(categories), random.integers(0, 2, cases - categories)],
                strict=True,
            )
        ]
    order = random.permutation(cases)
    return table(header, *rows), table(("image", *names), *([ids[i], *scores[i].tolist()] for i in order))
