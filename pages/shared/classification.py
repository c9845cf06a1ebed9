"""Blocks that challenges without views of their own take from those that classify."""

from collections.abc import Sequence

from pages.shared import render
from scoring.challenges import classification_views as views
from scoring.challenges.classification_views import RISK_MEASURES, CalibrationWords, Measure, method
from scoring.figures.numerals import span
from scoring.scorecard import ScoreCard

__all__ = ["SMALL", "CalibrationWords", "Measure", "calibration", "interval", "method", "subgroups"]

SMALL = views.STARRED


def interval(pair, digits: int = 2) -> str:
    """Return an interval in words, a dash where there is none."""
    return span(pair or None, digits)


def calibration(card: ScoreCard, words: CalibrationWords = CalibrationWords()) -> None:
    """Draw whether outputs can be taken at their word."""
    for block in views.calibration(card, words):
        render.block(block)


def subgroups(card: ScoreCard, measures: Sequence[Measure] = RISK_MEASURES) -> None:
    """Draw shares by age, gender and body site."""
    for block in views.subgroups(card, measures):
        render.block(block)
