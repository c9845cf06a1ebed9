"""Model card: how good a model is on a test set as a whole, and what its file says of it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from scoring.common.arrays import Bools
from scoring.common.text import shortened
from scoring.single_image.similar_cases import Reference
from scoring.statistics.intervals import Share, share

MOST_ENTRIES, LONGEST = 12, 300
"""Entries of a model's file that are shown, and characters of one."""
TONE_COLUMN = re.compile(r"skin[ _-]?(tone|type)|fit[sz]patrick|monk", re.IGNORECASE)
LEAST_RANGE = 0.01
"""Range of the scores of a class over the test set below which they are nearly the same."""
MOST_TONES = 12
"""Values of a column of skin tones; with more it holds something else."""


@dataclass(frozen=True)
class ModelCard:
    """How good a model is on a test set.

    Attributes:
        commonest: Class number of the most frequent class, and its share: who always answers it is as often
            right.
        sensitivity: Malignant cases whose highest class is a malignant one; None without such cases, or
            where no class is malignant.
        specificity: The same of the others.
        found: Of each class, its cases that get it [K].
        confirmed: Of each class, the cases of it among those that get it [K].
        same: Whether all cases get nearly the same scores.
        by_tone: Cases that it is right on by skin tone; empty where the test set does not tell it.
    """

    right: Share
    commonest: tuple[int, float]
    sensitivity: Share | None
    specificity: Share | None
    found: tuple[Share, ...]
    confirmed: tuple[Share, ...]
    same: bool = False
    by_tone: Mapping[str, Share] = field(default_factory=dict)

    @property
    def no_better(self) -> bool:
        """Whether always answering the most frequent class may be as often right."""
        return bool(self.right.low <= self.commonest[1])

    @property
    def worse(self) -> bool:
        """Whether always answering the most frequent class is more often right, by the whole interval."""
        return bool(self.right.high < self.commonest[1])

    @property
    def cautions(self) -> list[str]:
        """What speaks against any answer of the model, in a few words each."""
        if self.same:
            return ["the model gives nearly the same scores for every test image"]
        if self.worse:
            return ["on the test set the model is worse than always predicting one class"]
        return ["the model may be no better than chance on the test set"] if self.no_better else []


def model_card(
    reference: Reference, malignant: Bools, columns: Mapping[str, Sequence[str]] | None = None
) -> ModelCard | None:
    """Return how good a model is on a test set; None without a case.

    Args:
        malignant: Which classes are [K].
        columns: Cells of the test set's table by header, where skin tone is looked for.
    """
    if not len(reference):
        return None
    truth, answers, units = reference.truth, reference.probabilities.argmax(1), reference.units
    right, positive, called = reference.right, malignant[truth], malignant[answers]

    def of(hits: Bools, among: Bools) -> Share:
        return share(hits[among], units[among])

    commonest = int(reference.support.argmax())
    classes = range(len(reference.classes))
    return ModelCard(
        share(right, units),
        (commonest, float(reference.support[commonest] / len(reference))),
        of(called, positive) if positive.any() else None,
        of(~called, ~positive) if malignant.any() and not positive.all() else None,
        tuple(of(right, truth == k) for k in classes),
        tuple(of(right, answers == k) for k in classes),
        len(reference) > 1 and bool(np.ptp(reference.probabilities, axis=0).max() < LEAST_RANGE),
        {tone: of(right, shown) for tone, shown in _tones(reference, columns or {}).items()},
    )


def _tones(reference: Reference, columns: Mapping[str, Sequence[str]]) -> dict[str, Bools]:
    """Return which cases have which skin tone, of the first column that holds such."""
    for name, cells in columns.items():
        if TONE_COLUMN.search(name):
            tones = np.array(cells)[reference.indices]
            values = [str(tone) for tone in np.unique(tones) if tone]
            if 1 < len(values) <= MOST_TONES:
                return {tone: tones == tone for tone in values}
    return {}


def card_line(card: ModelCard, names: tuple[str, ...]) -> str:
    """Return how good a model is, as sentences. names: the classes in full."""
    sentence = f"On the test set the model is right on {card.right} images."
    if card.sensitivity is not None and card.specificity is not None:
        sentence += (
            f" It predicts a malignant class for {card.sensitivity} malignant cases, and no malignant class "
            f"for {card.specificity} other cases."
        )
    if card.no_better:
        k, frequency = card.commonest
        sentence += (
            f" A model that always predicts {names[k]} would be right on {frequency:.0%}: this "
            f"model {'is worse' if card.worse else 'may not be better'}."
        )
    return sentence


def entries(metadata: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return what a model's file says of it: its own entries, in order of their names, cut short."""
    shown = sorted((name, value) for name, value in metadata.items() if value.strip())
    return [(shortened(name, LONGEST), shortened(value, LONGEST)) for name, value in shown[:MOST_ENTRIES]]
