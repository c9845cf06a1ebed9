"""Diagnostics of a card: the score by radius and confidence, and signs of mistakes in files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy

from scoring.challenges.puma import nuclei_matching
from scoring.challenges.puma.formula import RADIUS_RANGE, class_values, macro_f1, sums
from scoring.challenges.puma.nuclei_matching import MatchingRule, PairedNuclei, of_card, reaching, rule_of
from scoring.challenges.puma.nucleus_classes import CLASSES
from scoring.common.arrays import Floats
from scoring.core.scorecard import ScoreCard

MOST_PAIRS = 2_000_000
"""Maximum pairs of nuclei for a curve."""


def widest(card: ScoreCard) -> PairedNuclei:
    """Return the nuclei of a card with their pairs up to 30 px; if nuclei are crowded, up to the card's own
    radius."""
    d = of_card(card)
    return reaching(d, RADIUS_RANGE[1], MOST_PAIRS) or d


def along_radius(card: ScoreCard, steps: int = 30) -> dict[str, Floats]:
    """Return the score by the card's rule at radii from 1 to 30 px, with the card's smallest confidence: "x"
    in px and "y". If nuclei are crowded, the curve ends at the card's own radius."""
    rule, x, d = rule_of(card), np.linspace(*RADIUS_RANGE, steps), widest(card)
    x = x[x <= d.reach]
    return _along(d, x, [replace(rule, radius=float(radius)) for radius in x])


def along_confidence(card: ScoreCard, steps: int = 30) -> dict[str, Floats]:
    """Return the score by the card's rule without predictions below a confidence, with the card's radius:
    "x", evenly spread among the confidences, beginning with a value that leaves out nothing, and "y"."""
    rule, values = rule_of(card), np.unique(np.r_[card.arrays["confidence"], 0.0])
    x = values[np.unique(np.rint(np.linspace(0, len(values) - 1, steps)).astype(int))]
    return _along(of_card(card), x, [replace(rule, min_confidence=float(least)) for least in x])


def _along(d: PairedNuclei, x: Floats, rules: Sequence[MatchingRule]) -> dict[str, Floats]:
    return {"x": x, "y": np.array([_score(d, rule) for rule in rules])}


def _score(d: PairedNuclei, rule: MatchingRule) -> float:
    counted = nuclei_matching.tallies(d, nuclei_matching.match(d, rule))
    values = class_values(rule.name, sums(counted, np.ones((1, len(d)))))
    return float(macro_f1(rule.name, values, int(counted.occurs.any(0).sum()))[0])


SHIFT_PX = 5.0
TIMES = 2
LEAST_PAIRS, DENSER = 10, 3
"""Number of pairs that must agree on an offset: a minimum, and a minimum multiple of the number expected by
chance."""
AGREE_PX, SMOOTHING_PX = 5.0, 2.0


def shift(card: ScoreCard) -> np.ndarray:
    """Return the offset of predictions from the truth, px to the right and down [2].

    It is the offset on which most pairs of a true nucleus and a prediction of its class within 30 px agree,
    within 5 px; NaN if no offset is clear.
    """
    ways, _, reach = _ways(card)
    return _densest(ways, reach)


def shifts(card: ScoreCard) -> np.ndarray:
    """Return the same for every image [N, 2]."""
    ways, of_case, reach = _ways(card)
    return np.array([_densest(ways[of_case == case], reach) for case in range(len(card.cases))])


def _ways(card: ScoreCard) -> tuple[np.ndarray, np.ndarray, float]:
    """From truth nuclei to the kept predictions of their class nearby [P, 2], the image of each [P], and what
    is nearby, px."""
    d = widest(card)
    pairs = d.pairs[
        (d.truth.classes[d.pairs.truth] == d.predicted.classes[d.pairs.prediction])
        & _kept(card)[d.pairs.prediction]
    ]
    return (
        d.predicted.points[pairs.prediction] - d.truth.points[pairs.truth],
        d.truth.case[pairs.truth],
        float(d.reach),
    )


def _densest(ways: np.ndarray, reach: float) -> np.ndarray:
    edges = np.arange(-np.ceil(reach) - 0.5, np.ceil(reach) + 1)
    counts = scipy.ndimage.gaussian_filter(
        np.histogram2d(ways[:, 0], ways[:, 1], bins=[edges, edges])[0], SMOOTHING_PX, mode="constant"
    )
    peak = edges[list(np.unravel_index(counts.argmax(), counts.shape))] + 0.5
    agreeing = np.hypot(*(ways - peak).T) <= AGREE_PX
    by_chance = len(ways) * (AGREE_PX / reach) ** 2
    if agreeing.sum() >= max(LEAST_PAIRS, DENSER * by_chance):
        return np.asarray(ways[agreeing].mean(0))
    return np.full(2, np.nan)


def _kept(card: ScoreCard) -> np.ndarray:
    return rule_of(card).keeps(card.arrays["confidence"])


def suspicious_signs(card: ScoreCard) -> tuple[tuple[str, ...], ...]:
    """Return signs of mistakes for each case, as text: missing, nothing predicted, twice or half as many
    nuclei as in the truth, all of one class, or shifted by at least 5 px."""
    d, counting = of_card(card), _kept(card)
    occurring = np.zeros((2, len(d), len(CLASSES)), bool)
    occurring[0][d.truth.case, d.truth.classes] = True
    occurring[1][d.predicted.case[counting], d.predicted.classes[counting]] = True
    one_class = (occurring[0].sum(1) > 2) & (occurring[1].sum(1) == 1)
    away = np.hypot(*shifts(card).T)
    return tuple(tuple(_of_case(row, bool(one_class[i]), float(away[i]))) for i, row in enumerate(card.cases))


def _of_case(row: Mapping[str, Any], one_class: bool, away: float) -> Iterator[str]:
    true, predicted = row["n_truth"], row["n_predicted"]
    if row["missing"]:
        yield "missing"
    elif true and not predicted:
        yield "nothing predicted"
    elif predicted > TIMES * true:
        yield f"{predicted / true:.1f} times as many" if true else "the truth has none"
    elif TIMES * predicted < true:
        yield f"{predicted / true:.0%} as many"
    if one_class:
        yield "one class only"
    if away >= SHIFT_PX:
        yield f"shifted {away:.0f} px"
