"""What a scorecard says of the official program, held against that program or a restatement of it."""

import math

from scoring.core.scorecard import ScoreCard

TOLERANCE = 1e-12


def contradiction(card: ScoreCard, there: float | None) -> str:
    """What is wrong with `official`, "" where nothing is. there: what the program gives; None where it stops,
    NaN where that is undefined."""
    said, defined = card.official, there is not None and not math.isnan(there)
    if said.same and there is None:
        return "same: true, and the program stops"
    if said.same and (card.score is not None) != defined:
        return f"same: true, {card.score} here and {there} there"
    told = card.score if said.same else said.score
    if told is not None and (not defined or abs(told - there) > TOLERANCE):
        return f"{told} is told, {there} is given there"
    if not said.same and said.score is None and defined and equal(card.score, there):
        return f"same: false, and {there} is given there too"
    return ""


def equal(here: float | None, there: float) -> bool:
    return here is not None and abs(here - there) <= TOLERANCE
