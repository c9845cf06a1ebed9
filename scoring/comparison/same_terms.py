"""Test set, unit, replicates and options that scorecards must have in common to be compared."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from scoring.common.findings import Finding, error
from scoring.core.challenge import Challenge
from scoring.core.scorecard import ScoreCard

MAY_DIFFER = ("group", "metadata_sha256")
"""Options that say where the unit comes from; the unit itself is compared."""
EQUAL = ("unit", "n_units", "seed", "resamples")
"""What must be equal in the provenance of cards that are compared."""


def options_by_team(challenge: Challenge[Any, Any]) -> set[str]:
    """Return the options that may differ from team to team: sizes of models, and how files were read."""
    own = (o.name for o in challenge.options if o.per_team or "predictions" in o.stages)
    return {*MAY_DIFFER, *own}


def unequal(cards: Mapping[str, ScoreCard], may_differ: set[str]) -> Iterator[Finding]:
    """Yield errors for cards whose cases, labels, options, units or replicates differ from the first's."""
    (first, model), *others = cards.items()
    for name, card in others:
        if [row["case"] for row in card.cases] != [row["case"] for row in model.cases] or not _same_labels(
            card, model
        ):
            yield error(
                "different-test-set",
                name,
                f"it was scored on other cases than {first}: score both on one truth.",
            )
        for key in EQUAL:
            if card.provenance[key] != model.provenance[key]:
                words = (
                    f"{key} is {card.provenance[key]!r}, that of {first} is {model.provenance[key]!r}: "
                    "score both with the same options."
                )
                yield error("different-replicates", name, words)
        for option, value in model.provenance["options"].items():
            if option not in may_differ and card.provenance["options"].get(option) != value:
                words = (
                    f"{option} is {card.provenance['options'].get(option)!r}, that of {first} is "
                    f"{value!r}: score both with the same options."
                )
                yield error("different-options", name, words)


def _same_labels(card: ScoreCard, other: ScoreCard) -> bool:
    return np.array_equal(card.arrays.get("truth", ()), other.arrays.get("truth", ()))
