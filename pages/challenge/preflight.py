"""What the official program would do, for challenges whose preflight is drawn by their page."""

from collections.abc import Mapping, Sequence

from pages.display import render
from scoring.challenges import preflight_views as views
from scoring.core.scorecard import ScoreCard


def verdicts(card: ScoreCard, question: str, words: Mapping[str, str], fine: str) -> None:
    """Draw what the official program does with the files."""
    render.block(views.verdict(card, question, words, fine))


def tensors(model: Mapping) -> None:
    """Draw the inputs and outputs that a model declares."""
    render.block(views.tensors(model))


def remarks(card: ScoreCard, codes: Sequence[str]) -> None:
    """Draw the findings with these codes, in full."""
    for block in views.remarks(card, codes):
        render.block(block)
