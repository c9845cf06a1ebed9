"""HECKTOR 2026: one submission, scored in three subtasks, with the details of each."""

from collections.abc import Mapping

import streamlit as st

import scoring
from pages.challenge.challenge_page import ChallengePage, Lines, show
from pages.challenge_tabs.hecktor2026.tab_widgets import (
    LINK,
    all_patients,
    centers_tab,
    direction_switch,
    direction_used,
    patient_table,
    readings_tab,
    viewer_tab,
)
from pages.input_widgets.option_widgets import chosen_before, option_widget
from pages.input_widgets.selectors import ChosenInput
from pages.server import access
from scoring.challenges.hecktor2026 import summary
from scoring.challenges.hecktor2026.formula import CHOICES, LESIONS
from scoring.challenges.hecktor2026.views import CONFIDENTIAL
from scoring.core.scorecard import ScoreCard

access.guard(__file__)

CHALLENGE = scoring.load_challenge("hecktor2026")
CLOSING = (
    f"{CONFIDENTIAL} The official program is not public, and the challenge's description leaves some rules "
    "open. You choose these rules above the score. The tab Readings shows the score under each choice."
)


def score_options(_given: ChosenInput) -> Mapping[str, object]:
    """Return whether nodes are counted, because reading the masks depends on it before the switch is
    drawn."""
    name = LESIONS.name
    return {name: st.session_state.get(name, st.query_params.get(name) == "true")}


def choices(_test_set: ChosenInput, _truth, _predictions) -> Mapping[str, object]:
    """Draw the open questions of the challenge's description, folded; the label says whether an option was
    changed."""
    options = [*(CHALLENGE.option(name) for name in CHOICES), LESIONS]
    changed = sum(chosen_before(option) != option.default for option in options)
    label = f"Rules: {changed} changed" if changed else "Rules: official"
    with st.popover(label, type="tertiary", icon=":material/tune:"):
        return {option.name: option_widget(option) for option in options}


def about_truth(truth) -> str:
    """Return a line with the number of patients and facts about them."""
    known = {
        "mask": truth.has_mask,
        "T stage": truth.stages["t"] >= 0,
        "N stage": truth.stages["n"] >= 0,
        "relapse time": truth.has_survival,
    }
    counts = [_count(int(has.sum()), name) for name, has in known.items()]
    centers = _count(len({center for center in truth.center if center}), "center")
    images = f"{len(truth.contents.layout.images)} with CT or PET"
    return f"{_count(len(truth), 'patient')}: {', '.join(counts)}; {centers}; {images}"


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'s' * (n != 1)}"


def about_submission(card: ScoreCard) -> str:
    """Return the missing parts of the submission as text."""
    return ", ".join(summary.unusable(card)) or f"complete for {card.n_cases} patients"


TABS = {
    "Segmentation": None,
    "Staging": None,
    "Prognosis": direction_used,
    "Centers": centers_tab,
    "Readings": readings_tab,
    "Patients": all_patients,
    "Viewer": viewer_tab,
}
"""Section -> the widgets below it."""

show(
    ChallengePage(
        CHALLENGE,
        score_options=score_options,
        lines=Lines(about_truth, about_submission, CLOSING),
        tabs=TABS,
        table=patient_table,
        choices=choices,
        below_headline=direction_switch,
        viewer=LINK,
    )
)
