"""The score along the matching radius and along the smallest confidence."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scoring.challenges.puma import matching
from scoring.challenges.puma.card import of_card, rule_of
from scoring.challenges.puma.detections import Detections, reaching
from scoring.challenges.puma.formula import RADIUS_RANGE, class_values, macro_f1, sums
from scoring.challenges.puma.matching import MatchingRule
from scoring.common.arrays import Floats
from scoring.core.scorecard import ScoreCard

MOST_PAIRS = 2_000_000
"""Pairs of nuclei that are kept for a curve at most."""


def widest(card: ScoreCard) -> Detections:
    """Return the nuclei of a card with their pairs up to 30 px; where nuclei are crowded, up to the card's
    own radius."""
    d = of_card(card)
    return reaching(d, RADIUS_RANGE[1], MOST_PAIRS) or d


def along_radius(card: ScoreCard, steps: int = 30) -> dict[str, Floats]:
    """Return the score by the card's rule at radii from 1 to 30 px, its smallest confidence unchanged: "x" in
    px and "y". Where nuclei are crowded the curve ends at the card's own radius."""
    rule, x, d = rule_of(card), np.linspace(*RADIUS_RANGE, steps), widest(card)
    x = x[x <= d.reach]
    return _along(d, x, [replace(rule, radius=float(radius)) for radius in x])


def along_confidence(card: ScoreCard, steps: int = 30) -> dict[str, Floats]:
    """Return the score by the card's rule when predictions below a confidence are left out, its radius
    unchanged: "x", evenly spread among the confidences that occur (0 first where all are above it), so that
    the first one leaves out nothing, and "y"."""
    rule, values = rule_of(card), np.unique(np.r_[card.arrays["confidence"], 0.0])
    x = values[np.unique(np.rint(np.linspace(0, len(values) - 1, steps)).astype(int))]
    return _along(of_card(card), x, [replace(rule, min_confidence=float(least)) for least in x])


def _along(d: Detections, x: Floats, rules: Sequence[MatchingRule]) -> dict[str, Floats]:
    return {"x": x, "y": np.array([_score(d, rule) for rule in rules])}


def _score(d: Detections, rule: MatchingRule) -> float:
    counted = matching.tallies(d, matching.match(d, rule))
    values = class_values(rule.name, sums(counted, np.ones((1, len(d)))))
    return float(macro_f1(rule.name, values, int(counted.occurs.any(0).sum()))[0])
