"""What a scorecard says of the official program, held against that program or a restatement of it."""

import math

from scoring.core.scorecard import ScoreCard

TOLERANCE = 1e-12


def contradiction(card: ScoreCard, there: float | None, may_be_unknown: bool = False) -> str:
    """What is wrong with `official`, "" where nothing is.

    there: what the program gives; None where it stops, NaN where that is undefined. may_be_unknown: whether
    another number may turn out to be the same."""
    said, defined = card.official, there is not None and not math.isnan(there)
    if said.same and there is None:
        return "same: true, and the program stops"
    if said.same and (card.score is not None) != defined:
        return f"same: true, {card.score} here and {there} there"
    told = card.score if said.same else said.score
    if told is not None and (not defined or abs(told - there) > TOLERANCE):
        return f"{told} is told, {there} is given there"
    if not (said.same or may_be_unknown) and said.score is None and defined and equal(card.score, there):
        return f"same: false, and {there} is given there too"
    return ""


def equal(here: float | None, there: float) -> bool:
    return here is not None and abs(here - there) <= TOLERANCE
