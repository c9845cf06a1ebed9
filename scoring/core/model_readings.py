"""Other pixels for a model that tells nothing apart: ranges and orders that it may have been trained on."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.common.fixes import InputChanges, SuggestedFix, editing
from scoring.core.case_subset import of_cases
from scoring.core.scorecard import ScoreCard

PIXELS = ("255", "imagenet", "signed", "255 bgr")
"""Values of the edit `pixels` that are tried."""
OF_ORDER = ("columns-may-be-swapped", "two-column-output")
"""Codes of findings whose fixes put outputs in another order."""
TRIED, LEAST_CASES = 60, 20
"""Cases on which a model is tried, and those below which nobody knows what is near chance."""
ABOVE_CHANCE, FAR_BETTER = 0.1, 0.1
"""Share of the way from chance to 1 up to which nothing is told apart; what is far better than a score."""
CardOf = Callable[[InputChanges, Any], ScoreCard | None]
"""Scores a model with changes on cases; None where that is refused."""


def tells_nothing(card: ScoreCard) -> bool:
    """Return whether the recalls of a card are near chance, and no order of outputs would be better.

    Args:
        card: Of a model.
    """
    counts = np.array(card.confusion[1])
    if counts.ndim != 2 or any(finding.code in OF_ORDER for finding in card.findings):
        return False
    cases, hits = counts.sum(1), np.diag(counts)
    chance = 1 / max(1, int(np.count_nonzero(cases)))
    recall = float(np.mean(hits[cases > 0] / cases[cases > 0]))
    return recall < chance + ABOVE_CHANCE * (1 - chance)


@dataclass(frozen=True)
class Search:
    """A search for pixels by which a model scores far better.

    Attributes:
        base: What is changed of the model anyway.
        truth: All cases.
        card_of: Scores it.
    """

    base: InputChanges
    truth: Any
    card_of: CardOf

    def found(self) -> Iterator[SuggestedFix]:
        """Yield the fixes, best first, at most two; they are tried on some cases."""
        n = len(self.truth.ids)
        chosen = np.unique(np.linspace(0, n - 1, min(n, TRIED)).astype(int))
        part = of_cases(self.truth, chosen) if len(chosen) < n else self.truth
        card = self.card_of(self.base, part) if self.base else None
        if card is not None and not tells_nothing(card):
            return
        usual = self._in_order(self.base, part)[1]
        tried = {value: self._in_order(self._with(value), part)[1] for value in PIXELS}
        least = max(usual, max(tried.values()) - 2 * FAR_BETTER) + FAR_BETTER
        better = [value for value in PIXELS if tried[value] > least]
        for value in sorted(better, key=lambda value: -tried[value])[:2]:
            changes, score = self._in_order(self._with(value), self.truth)
            if score > usual:
                yield SuggestedFix(f"Read {changes.words()}", changes)

    def _with(self, value: str) -> InputChanges:
        return self.base.joined(editing("pixels", value).changes)

    def _in_order(self, changes: InputChanges, truth: Any) -> tuple[InputChanges, float]:
        """Return changes, with the order of outputs that is better, and their score."""
        card = self.card_of(changes, truth)
        best = changes, _score(card)
        for fix in _orders(card):
            other = changes.joined(fix.changes)
            best = max(best, (other, _score(self.card_of(other, truth))), key=lambda pair: pair[1])
        return best


def _orders(card: ScoreCard | None) -> Sequence[SuggestedFix]:
    findings = card.findings if card else ()
    return [fix for finding in findings if finding.code in OF_ORDER for fix in finding.fixes]


def _score(card: ScoreCard | None) -> float:
    return card.score if card is not None and card.score is not None else -np.inf
