"""Which cases are hard, and for whom: cases by teams."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scoring.comparison.compare import Comparison
from scoring.scorecard import ScoreCard

CONFIDENT = 0.9


@dataclass(frozen=True)
class Correctness:
    """values [N, A]: 1 = right, less = less right, NaN = does not count. teams: best first. n_right [N]: sum
    over the teams. entropy [N]: bits of the teams' labels, 0 where all say the same or there are no labels.
    order [N]: cases hardest first, then those that teams dispute most."""

    cases: tuple[str, ...]
    teams: tuple[str, ...]
    values: np.ndarray
    n_right: np.ndarray
    entropy: np.ndarray
    order: np.ndarray


def correctness(found: Comparison) -> Correctness:
    """All cases that count for every team."""
    cards = found.cards.values()
    values = np.column_stack([found.spec.correct(card) for card in cards])
    n_right = np.round(values.sum(1), 12)
    entropy = _entropy(cards)
    counted = np.flatnonzero(~np.isnan(n_right))
    order = counted[np.lexsort((counted, -np.round(entropy[counted], 12), n_right[counted]))]
    ids = tuple(str(row["case"]) for row in next(iter(cards)).cases)
    return Correctness(ids, tuple(found.cards), values, n_right, entropy, order)


def _entropy(cards) -> np.ndarray:
    cards = list(cards)
    if not all("predicted" in card.arrays for card in cards):
        return np.zeros(cards[0].n_cases)
    labels = np.column_stack([card.arrays["predicted"] for card in cards])
    shares = np.stack([(labels == label).mean(1) for label in np.unique(labels)])
    return -np.sum(shares * np.log2(np.where(shares > 0, shares, 1)), axis=0)


def only_right(found: Correctness, team: str) -> np.ndarray:
    """Cases, hardest first, that this team alone got right."""
    right = found.values == 1
    place = found.teams.index(team)
    return _kept(found, right[:, place] & (right.sum(1) == 1))


def right_and_wrong(found: Correctness, a: str, b: str) -> np.ndarray:
    """Cases, hardest first, in which a did better than b: for labels those that a got right and b wrong."""
    return _kept(found, found.values[:, found.teams.index(a)] > found.values[:, found.teams.index(b)])


def wrong_and_confident(
    found: Correctness, cards: Mapping[str, ScoreCard], least: float = CONFIDENT
) -> np.ndarray:
    """Cases that all teams got wrong while at least one gave its label `least` or more: is the label of the
    truth right? Empty without such outputs."""
    sure = np.zeros(len(found.cases), bool)
    for card in cards.values():
        if "outputs" in card.arrays:
            sure |= _confidence(card) >= least
    return _kept(found, ~(found.values > 0).any(1) & sure)


def _confidence(card: ScoreCard) -> np.ndarray:
    """The largest output of each case [N]; of one risk its distance from the other answer. NaN-free: 0
    without outputs or outside 0..1."""
    outputs = np.nan_to_num(card.arrays["outputs"])
    if outputs.min() < 0 or outputs.max() > 1:
        return np.zeros(len(outputs))
    return outputs.max(1) if outputs.shape[1] > 1 else np.maximum(outputs[:, 0], 1 - outputs[:, 0])


def _kept(found: Correctness, chosen: np.ndarray) -> np.ndarray:
    return found.order[chosen[found.order]]


def counted_right(found: Correctness) -> np.ndarray:
    """How many cases 0, 1 ... A teams got right [A + 1]."""
    return np.bincount((found.values[found.order] == 1).sum(1), minlength=len(found.teams) + 1)
