"""Difficulty of cases, by team."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.common.arrays import Bools, Floats, Ints
from scoring.common.direction_and_range import SHARE, Quantity
from scoring.comparison.compare import Comparison
from scoring.core.scorecard import ScoreCard

CONFIDENT = 0.9


@dataclass(frozen=True)
class Correctness:
    """values [N, A]: of `quantity`. For a share, 1 = right and less = less right; NaN = the case does not
    count. teams: best first. n_right [N]: sum over the teams. entropy [N]: entropy of the teams' labels in
    bits, 0 if all labels agree or there are none. order [N]: hardest cases first, then those on which teams
    disagree most."""

    cases: tuple[str, ...]
    teams: tuple[str, ...]
    values: Floats
    n_right: Floats
    entropy: Floats
    order: Ints
    quantity: Quantity = SHARE

    @property
    def graded(self) -> bool:
        """Whether a case can be partly right."""
        return self.quantity != SHARE or bool(((self.values > 0) & (self.values < 1)).any())


def correctness(comparison: Comparison) -> Correctness:
    """Return which cases each team got right, hardest cases first."""
    cards = list(comparison.cards.values())
    values = np.column_stack([comparison.spec.correct(card) for card in cards])
    n_right = np.round(values.sum(1), 12)
    entropy = _entropy(cards)
    counted = np.flatnonzero(~np.isnan(n_right))
    quantity = comparison.spec.case_value
    rightness = quantity.oriented(n_right[counted])
    order = counted[np.lexsort((counted, -np.round(entropy[counted], 12), rightness))]
    ids = tuple(str(row["case"]) for row in cards[0].cases)
    return Correctness(ids, tuple(comparison.cards), values, n_right, entropy, order, quantity)


def _entropy(cards: Sequence[ScoreCard]) -> Floats:
    if not all("predicted" in card.arrays for card in cards):
        return np.zeros(cards[0].n_cases)
    labels = np.column_stack([card.arrays["predicted"] for card in cards])
    shares = np.stack([(labels == label).mean(1) for label in np.unique(labels)])
    entropy: Floats = -np.sum(shares * np.log2(np.where(shares > 0, shares, 1)), axis=0)
    return entropy


def only_right(correct: Correctness, team: str) -> Ints:
    """Return the cases that only this team got right, hardest first."""
    right = correct.values == 1
    column = correct.teams.index(team)
    return _hardest_first(correct, right[:, column] & (right.sum(1) == 1))


def right_and_wrong(correct: Correctness, a: str, b: str) -> Ints:
    """Return the cases in which a did better than b, hardest first. For labels, these are the cases that a
    got right and b wrong."""
    values = correct.quantity.oriented(correct.values)
    return _hardest_first(correct, values[:, correct.teams.index(a)] > values[:, correct.teams.index(b)])


def wrong_and_confident(
    correct: Correctness, cards: Mapping[str, ScoreCard], least: float = CONFIDENT
) -> Ints:
    """Return cases that all teams got wrong while at least one gave its label `least` or more: their true
    labels may be wrong. Empty without outputs."""
    sure = np.zeros(len(correct.cases), bool)
    for card in cards.values():
        if "outputs" in card.arrays and correct.quantity == SHARE:
            sure |= _confidence(card) >= least
    return _hardest_first(correct, ~(correct.values > 0).any(1) & sure)


def _confidence(card: ScoreCard) -> Floats:
    """Return the confidence of each case [N]: its largest output, or max(risk, 1 - risk); 0 if outputs are
    missing or any is outside 0..1."""
    outputs: Floats = np.nan_to_num(card.arrays["outputs"])
    if outputs.min() < 0 or outputs.max() > 1:
        return np.zeros(len(outputs))
    largest: Floats = outputs.max(1) if outputs.shape[1] > 1 else np.maximum(outputs[:, 0], 1 - outputs[:, 0])
    return largest


def _hardest_first(correct: Correctness, chosen: Bools) -> Ints:
    return correct.order[chosen[correct.order]]


def counted_right(correct: Correctness) -> Ints:
    """Return how many cases were answered correctly by 0, 1 ... A teams [A + 1]."""
    return np.bincount((correct.values[correct.order] == 1).sum(1), minlength=len(correct.teams) + 1)
