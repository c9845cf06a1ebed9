"""What makes the prediction of a case suspicious: signs of a mistake in the files rather than in the model."""

import numpy as np

from scoring.challenges.puma.card import of_card, rule_of
from scoring.challenges.puma.detections import Detections
from scoring.challenges.puma.names import CLASSES
from scoring.metrics import detection
from scoring.scorecard import ScoreCard

SHIFT_PX = 5.0
LEAST_PAIRS = 10
TIMES = 2


def shifts(card: ScoreCard) -> np.ndarray:
    """How far predictions lie from the truth in each image, px to the right and down [N, 2]: the median over the truth nuclei of the way to
    the nearest kept prediction of the same class within reach; NaN below ten nuclei that have one."""
    d = of_card(card)
    ways, of_case = _ways(d, d.confidence >= rule_of(card).min_confidence)
    found = np.full((len(d), 2), np.nan)
    for case in np.flatnonzero(np.bincount(of_case, minlength=len(d)) >= LEAST_PAIRS):
        found[case] = np.median(ways[of_case == case], axis=0)
    return found


def shift(card: ScoreCard) -> np.ndarray:
    """The same over all images together [2]."""
    d = of_card(card)
    ways, _ = _ways(d, d.confidence >= rule_of(card).min_confidence)
    return np.median(ways, axis=0) if len(ways) >= LEAST_PAIRS else np.full(2, np.nan)


def _ways(d: Detections, kept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """From truth nuclei to the nearest prediction of their class [n, 2], and the image of each [n]."""
    same = d.pairs[(d.truth_class[d.pair_truth] == d.predicted_class[d.pair_prediction]) & kept[d.pair_prediction]]
    row = detection.nearest(same.truth, same.prediction, same.distance, len(d.truth_class))
    near = np.flatnonzero(row >= 0)
    return d.predicted_points[same.prediction[row[near]]] - d.truth_points[near], d.truth_case[near]


def doubts(card: ScoreCard) -> tuple[tuple[str, ...], ...]:
    """Of each case, in words: missing, nothing predicted, twice or half as many nuclei as in the truth, all of one class, or shifted by 5 px
    and more."""
    d, moved = of_card(card), shifts(card)
    kept = d.confidence >= rule_of(card).min_confidence
    occurring = np.zeros((len(d), len(CLASSES)), bool), np.zeros((len(d), len(CLASSES)), bool)
    occurring[0][d.truth_case, d.truth_class] = True
    occurring[1][d.predicted_case[kept], d.predicted_class[kept]] = True
    several, predicted_classes = occurring[0].sum(1) > 2, occurring[1].sum(1)
    return tuple(
        tuple(_of_case(row, bool(several[i] and predicted_classes[i] == 1), float(np.hypot(*moved[i])))) for i, row in enumerate(card.cases)
    )


def _of_case(row, one_class: bool, away: float):
    true, found = row["n_truth"], row["n_predicted"]
    if row["missing"]:
        yield "missing"
    elif true and not found:
        yield "nothing predicted"
    elif found > TIMES * true:
        yield f"{found / true:.1f} times as many" if true else "the truth has none"
    elif TIMES * found < true:
        yield f"{found / true:.0%} as many"
    if one_class:
        yield "one class only"
    if away >= SHIFT_PX:
        yield f"shifted {away:.0f} px"
