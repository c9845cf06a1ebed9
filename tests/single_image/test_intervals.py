"""Coverage of the intervals of right answers, of sets and of "no answer" on simulated test sets."""

import numpy as np
import pytest

from scoring.metrics import conformal
from scoring.single_image.abstention import least_score, tied
from scoring.single_image.similar_cases import MISS, Reference, right_alike
from scoring.statistics.intervals import Share, counted, share

SIZES = {
    "few": (5,) * 11,
    "unequal": (5, 10, 20, 50, 100, 200),
    "eleven": (20,) * 11,
    "two": (30, 120),
    "small": (12,) * 4,
    "even": (100,) * 3,
}
SHARPNESS = {"calibrated": 1.0, "overconfident": 3.0, "underconfident": 0.4}
SHAPES = (*SHARPNESS, "ties", "one-hot", "constant")
LARGE = 30_000
SIGNAL = 1.3


def outputs(sizes, shape: str, random) -> tuple[np.ndarray, np.ndarray]:
    """Posterior probabilities of classes that are normal clouds, then made worse, and the truth."""
    truth = np.repeat(np.arange(len(sizes)), sizes)
    seen = random.normal(0, 1, (len(truth), len(sizes))) + SIGNAL * np.eye(len(sizes))[truth]
    logits = SHARPNESS.get(shape, 1.0) * (SIGNAL * seen + np.log(np.array(sizes) / sum(sizes)))
    rows = np.exp(logits - logits.max(1, keepdims=True))
    rows /= rows.sum(1, keepdims=True)
    if shape == "ties":
        rows = np.round(rows, 1)
    if shape == "one-hot":
        rows = np.eye(len(sizes))[rows.argmax(1)]
    if shape == "constant":
        rows = np.tile(np.arange(1, len(sizes) + 1) / sum(range(1, len(sizes) + 1)), (len(rows), 1))
    return rows, truth


def known(rows, truth) -> Reference:
    ids, places = tuple(map(str, range(len(truth)))), np.arange(len(truth))
    classes = tuple(f"class {k}" for k in range(rows.shape[1]))
    return Reference("drawn", True, classes, ids, places, truth, rows, "probabilities", rows, places)


def holds(said: Share, truth: float) -> bool:
    return said.low - 1e-9 <= truth <= said.high + 1e-9


def held(sizes, shape: str, draws: int) -> dict[str, float]:
    """Share of simulated test sets in which each interval holds its truth, taken from many new images."""
    random = np.random.default_rng(7)
    rows, truth = outputs([max(1, LARGE * n // sum(sizes)) for n in sizes], shape, random)
    highest, right = rows.max(1), rows.argmax(1) == truth
    found: dict[str, list[bool]] = {}

    def add(name: str, said: Share, among: np.ndarray, hits: np.ndarray) -> None:
        if among.sum() >= 30:
            found.setdefault(name, []).append(holds(said, float(hits[among].mean())))

    for _ in range(draws):
        ref = known(*outputs(sizes, shape, random))
        for new in random.integers(0, len(truth), 4):
            said = right_alike(ref, rows[new])
            add("right", said.similar, said.every | (highest >= said.low) & (highest <= said.high), right)
            if said.of_class.n:
                add("right of class", said.of_class, rows.argmax(1) == rows[new].argmax(), right)
        cuts = conformal.thresholds(ref.probabilities, ref.truth, MISS)
        inside = (1 - rows[np.arange(len(truth)), truth] <= cuts[truth]) | right
        if ref.coverage.overall is not None:
            add("sets", ref.coverage.overall, np.array(sizes)[truth] > conformal.fewest_cases(MISS), inside)
        for k, said in enumerate(ref.coverage.by_class):
            if said is not None:
                add("sets of class", said, truth == k, inside)
        least = least_score(ref)
        if least is not None:
            answered = ref.highest >= least
            every = np.ones(len(truth), bool)
            if not tied(ref):  # else no interval is said
                add("answered", counted(int(answered.sum()), len(answered)), every, highest >= least)
            add("answered right", share(ref.right[answered]), highest >= least, right)
    return {name: float(np.mean(values)) for name, values in found.items()}


@pytest.mark.parametrize(
    ("sizes", "shape", "draws"),
    [
        ("unequal", "overconfident", 120),
        *[pytest.param(sizes, shape, 600, marks=pytest.mark.soak) for sizes in SIZES for shape in SHAPES],
    ],
)
def test_intervals_hold_their_truth_in_about_95_of_100_test_sets(sizes, shape, draws):
    found = held(SIZES[sizes], shape, draws)
    print(sizes, shape, {name: f"{100 * value:.1f}" for name, value in found.items()})
    assert found
    noise = 3 * np.sqrt(0.05 * 0.95 / draws)
    assert min(found.values()) >= 0.93 - noise
    if shape in SHARPNESS:
        assert max(found.values()) <= 0.97 + noise
