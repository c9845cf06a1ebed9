"""Melanoma: one submission, scored, and the effect of another threshold."""

import numpy as np

import scoring
from pages.challenge.challenge_page import ChallengePage, Lines, show
from pages.challenge_tabs.melanoma import tab_widgets
from pages.server import access
from scoring.challenges.safe_scan.cases import SafeScanCases
from scoring.core.scorecard import ScoreCard
from scoring.presentation.figures.number_format import percent

access.guard(__file__)

CHALLENGE = scoring.load_challenge("melanoma")
CLOSING = (
    "This page evaluates a model on a test set. It gives no diagnosis. The official threshold is 0.5; other "
    "thresholds on this page do not change the official score."
)


def about_truth(truth: SafeScanCases) -> str:
    """Return one line about a test set."""
    positives, pictures = int(np.sum(truth.labels == 1)), sum(image is not None for image in truth.images)
    return (
        f"{len(truth)} case{'s' * (len(truth) != 1)}, {positives} melanoma{'s' * (positives != 1)} "
        f"({percent(positives / len(truth))}); {pictures} image{'s' * (pictures != 1)}"
    )


def about_submission(card: ScoreCard) -> str:
    """Return one line about a submission."""
    return f"{card.n_cases - card.more['n_missing']} of {card.n_cases} predictions"


TABS = {
    "Threshold": tab_widgets.threshold_tab,
    "Missed": tab_widgets.missed_tab,
    "Classes": None,
    "Calibration": None,
    "Net benefit": tab_widgets.benefit_tab,
    "Subgroups": None,
    "Cases": tab_widgets.all_cases,
    "Preflight": tab_widgets.preflight_tab,
}
"""The widgets below the section with a given name."""

show(
    ChallengePage(
        CHALLENGE, lines=Lines(about_truth, about_submission, CLOSING), table=tab_widgets.case_rows, tabs=TABS
    )
)
