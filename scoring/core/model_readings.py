"""Search for another pixel range or channel order if the predictions of a model are near chance."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.common.fixes import InputChanges, SuggestedFix, editing
from scoring.core.scorecard import ScoreCard
from scoring.core.submitted_part import of_cases

PIXELS = ("255", "imagenet", "signed", "255 bgr")
"""The pixel ranges and channel orders that the search tries, as values of the edit `pixels`."""
OF_ORDER = ("columns-may-be-swapped", "two-column-output")
"""Codes of findings whose fixes change the order of the outputs."""
FEW, TRIED, LEAST_CASES = 20, 60, 20
"""Number of cases on which all pixel ranges are tried; number on which the best one is checked; minimum
number to judge whether a model is near chance."""
ABOVE_CHANCE, FAR_BETTER = 0.1, 0.1
"""Two shares of the distance from chance to 1. A recall below the first is near chance; a gain above the
second counts as far better."""
Progress = Callable[[int, int], object]
CardOf = Callable[[InputChanges, Any], ScoreCard | None]
"""Function from (changes to a model, cases) to the scorecard; None if the model is refused."""


def tells_nothing(card: ScoreCard) -> bool:
    """Return whether the recalls of a card are near chance, and no other order of outputs would be better.

    Args:
        card: Scorecard of a model.
    """
    counts = np.array(card.confusion[1])
    if counts.ndim != 2 or any(finding.code in OF_ORDER for finding in card.findings):
        return False
    cases, hits = counts.sum(1), np.diag(counts)
    chance = 1 / max(1, int(np.count_nonzero(cases)))
    recall = float(np.mean(hits[cases > 0] / cases[cases > 0]))
    return recall < chance + ABOVE_CHANCE * (1 - chance)


class Runs:
    """Runs a model again, with one progress bar for all runs.

    Attributes:
        run: (model, cases, progress) -> predictions.
        shown: Function that receives two numbers for the progress bar: finished images and all images.
    """

    def __init__(self, run: Callable[[Any, Any, Progress], Any], shown: Progress | None):
        self.run, self.shown = run, shown
        self._before = self._done = self._total = 0

    def __call__(self, model: Any, cases: Any) -> Any:
        """Run the model once more and return its predictions. Raises the errors of `run`."""
        self._before += self._done
        self._done = 0
        return self.run(model, cases, self.progress)

    def progress(self, done: int, total: int) -> None:
        """Report the progress of the current run."""
        self._done, self._total = done, max(self._total, self._before + total)
        if self.shown is not None:
            self.shown(self._before + done, self._total)

    def expect(self, images: int) -> None:
        """Report how many images the next run has."""
        self._total = self._before + self._done + images


@dataclass(frozen=True)
class Search:
    """A search for the pixel range and channel order with which a model scores far better.

    Attributes:
        base: Changes of the model that apply in any case.
        card: The model's scorecard with these changes; None if it is refused.
        truth: All cases.
        expect: Function that receives the number of cases of the next run.
    """

    base: InputChanges
    card: ScoreCard | None
    truth: Any
    card_of: CardOf
    expect: Callable[[int], None]

    def found(self) -> Iterator[tuple[InputChanges, float]]:
        """Yield at most two changes with their scores, best first. All ranges and orders are tried on few
        cases, and the promising ones on more cases."""
        few, part = self._part(FEW), self._part(TRIED)
        self.expect(len(PIXELS) * len(few))
        cards = {value: self.card_of(self._with(value), few) for value in PIXELS}
        promising = [value for value, card in cards.items() if card and not tells_nothing(card)]
        self.expect(len(promising) * len(part))
        tried = [self._in_order(self._with(value), part) for value in promising]
        best, usual = max((score for _, score in tried), default=-np.inf), _score(self.card)
        better = [pair for pair in tried if pair[1] > max(usual, best - 2 * FAR_BETTER) + FAR_BETTER]
        better = sorted(better, key=lambda pair: -pair[1])[:2]
        if len(part) < len(self.truth):
            self.expect(len(better) * len(self.truth))
            better = [(changes, _score(self.card_of(changes, self.truth))) for changes, _ in better]
        yield from (pair for pair in better if pair[1] > usual)

    def _part(self, most: int) -> Any:
        """Return so many cases, of every class as many as of the others where it has them."""
        if most >= len(self.truth):
            return self.truth
        labels = np.asarray(getattr(self.truth, "labels", np.zeros(len(self.truth))))
        order = np.argsort(labels, kind="stable")
        first = np.searchsorted(labels[order], labels[order])
        place = np.arange(len(order)) - first  # of a case within its class
        return of_cases(self.truth, np.sort(order[np.argsort(place, kind="stable")[:most]]))

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
