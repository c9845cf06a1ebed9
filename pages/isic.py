"""ISIC Challenge: one submission, scored by the truth file's categories, with the details of its score."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

import scoring
from pages.challenge.challenge_page import ChallengePage, Lines, show
from pages.challenge_tabs.isic import tab_widgets
from pages.input_widgets import selectors
from pages.input_widgets.option_widgets import option_widget
from pages.input_widgets.selectors import ChosenInput
from pages.server import access
from scoring.challenges.isic.card import scores_at_half
from scoring.challenges.isic.options import METRIC, RULES
from scoring.challenges.isic.truth import IsicCases
from scoring.core.scorecard import ScoreCard
from scoring.core.submission import Predictions

access.guard(__file__)

CHALLENGE = scoring.load_challenge("isic")
CLOSING = (
    "The challenge site breaks ties by the time of submission. Its page of 2019 names the AUC instead, and "
    "Benchside breaks ties by the mean AUC. The choice of malignant categories, the thresholds and the "
    "calibration are additions "
    "of Benchside and do not change the ranking."
)


def choices(test_set: ChosenInput, _truth: IsicCases, predictions: Predictions) -> Mapping[str, Any]:
    """Draw the choice of the ranking metric, of the reading of 0.5, and of a table about the cases."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        chosen = {METRIC.name: option_widget(METRIC, width=275)}
        if scores_at_half(predictions):
            chosen[RULES.name] = option_widget(RULES, width=320)
        metadata = selectors.metadata(CHALLENGE.id, test_set.metadata)
    return chosen | ({"metadata": metadata} if metadata else {})


def about_truth(truth: IsicCases) -> str:
    """Return one line about a test set."""
    pictures = sum(image is not None for image in truth.images)
    return (
        f"{len(truth)} case{'s' * (len(truth) != 1)}, {len(truth.categories)} categories; {pictures} "
        f"image{'s' * (pictures != 1)}"
    )


def about_submission(card: ScoreCard) -> str:
    """Return one line about a submission."""
    return f"{card.n_cases} of {card.n_cases} predictions, {len(card.per_class)} scores each"


TABS = {
    "Categories": None,
    "Points": None,
    "Confusion": None,
    "Curves": tab_widgets.malignant_tab,
    "Thresholds": tab_widgets.threshold_tab,
    "Calibration": None,
    "Subgroups": None,
    "Cases": tab_widgets.all_cases,
    "Preflight": tab_widgets.preflight_tab,
}
"""The widgets below the section with a given name."""

show(
    ChallengePage(
        CHALLENGE,
        lines=Lines(about_truth, about_submission, CLOSING),
        tabs=TABS,
        table=tab_widgets.case_rows,
        choices=choices,
        refused=tab_widgets.official_message,
    )
)
