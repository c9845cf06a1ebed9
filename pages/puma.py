"""PUMA: detected nuclei of ten classes, scored under three rules, and the result of each."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

import scoring
from pages.challenge.challenge_page import ChallengePage, Lines, show
from pages.challenge_tabs.puma.radius_and_confidence import radius_tab
from pages.challenge_tabs.puma.viewer import LINK, images_tab, viewer_tab
from pages.input_widgets.option_widgets import option_widget
from pages.input_widgets.selectors import ChosenInput
from pages.server import access
from scoring.challenges.puma.formula import OUTLINES, RULE
from scoring.challenges.puma.match_table import cells
from scoring.challenges.puma.predictions import NucleiPredictions
from scoring.challenges.puma.truth import PumaTruth
from scoring.core.scorecard import ScoreCard

access.guard(__file__)

CHALLENGE = scoring.load_challenge("puma")
CLOSING = (
    "▲ scorecard.json, the report and the tables contain the truth of every image: do not give these files "
    "to anyone who must not see the truth. 1 µm is 4.35 px. No number on this page is a diagnosis."
)


def choices(_test_set: ChosenInput, _truth: PumaTruth, _predictions: NucleiPredictions) -> Mapping:
    """Draw the choice of the macro F1 that is the score, and whether outlines are measured too."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content"):
        rule = st.segmented_control(
            RULE.label,
            RULE.values,
            key="rules",
            bind="query-params",
            persist_state="page",
            required=True,
            format_func=RULE.value_labels.__getitem__,
            wrap=True,
            default=RULE.default,
            label_visibility="collapsed",
        )
        measured = option_widget(OUTLINES)
    return {RULE.name: rule, OUTLINES.name: measured}


def about_truth(truth: PumaTruth) -> str:
    """Return one line about the test set."""
    nuclei, n_images = sum(map(len, truth.nuclei)), sum(image is not None for image in truth.images)
    images = f"{n_images} with an image" if n_images else "without images"
    if n_images == len(truth):
        images = "with images"
    return f"{len(truth)} case{'s' * (len(truth) != 1)} {images}, {nuclei:,} nuclei"


def about_submission(card: ScoreCard) -> str:
    """Return one line about the submission."""
    missing = sum(row["missing"] for row in card.cases)
    return f"{card.metrics['n_predicted']:,} nuclei for {card.n_cases - missing} of {card.n_cases} cases"


def case_table(card: ScoreCard) -> pd.DataFrame:
    """Return the cases, for download."""
    return pd.json_normalize([dict(row) for row in card.cases], sep="_")


def match_table(card: ScoreCard) -> pd.DataFrame:
    """Return the outcome of every nucleus, as written by --matches."""
    return pd.DataFrame({name: cells(column) for name, column in (card.matches or {}).items()})


TABS = {
    "Classes": None,
    "Images": images_tab,
    "Viewer": viewer_tab,
    "Radius": radius_tab,
    "Outlines": None,
    "Tissue": None,
    "Model": None,
}
"""The section with a given name, or the function that handles clicks."""

show(
    ChallengePage(
        CHALLENGE,
        lines=Lines(about_truth, about_submission, CLOSING),
        tabs=TABS,
        table=case_table,
        choices=choices,
        tables={"matches": match_table},
        viewer=LINK,
    )
)
