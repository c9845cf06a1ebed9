"""Scored submission: a scorecard on the page, with the inputs that it was made of."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import scoring
from pages.inputs.selectors import ChosenInput
from scoring.core.scorecard import ScoreCard


@dataclass(frozen=True)
class ScoredSubmission:
    """A scorecard on the page, with what it was made of. truth, predictions: as the challenge read them."""

    name: str
    card: ScoreCard
    truth: Any
    predictions: Any
    given: ChosenInput
    truth_key: str
    own: bool = True
    """Whether the visitor brought any of it."""
    title: str = ""
    """What the page calls the submission."""
    of_sample: bool = False
    """Whether the test set is a sample."""

    @cached_property
    def content(self) -> tuple[str, ...]:
        """What all that is shown rests on."""
        card = self.card
        return (card.challenge, repr(card.provenance), self.truth_key, self.given.key)

    @cached_property
    def scored(self) -> str:
        """What the numbers rest on, without what only changes how they are shown."""
        card, how = self.card, (self.card.provenance["options"], self.card.provenance["unit"])
        return repr((card.challenge, scoring.__version__, self.truth_key, self.given.key, how))
