"""A declared challenge: one submission, scored as the challenge's file defines."""

import pandas as pd
import streamlit as st

from pages.challenge.challenge_page import ChallengePage, Lines, show
from pages.challenge_tabs.declared import LINK, has_viewer, tabs
from pages.display import layout
from pages.input_widgets import selectors
from pages.server import access
from scoring.challenges.declared import library
from scoring.challenges.declared.cases import DeclaredCases
from scoring.core.scorecard import ScoreCard

access.guard(__file__)

CLOSING = "The challenge's file defines the score."


def _about_truth(truth: DeclaredCases) -> str:
    pictures = sum(image is not None for image in truth.images)
    return f"{len(truth)} cases{f', {pictures} with a picture' * bool(pictures)}"


def _about_submission(card: ScoreCard) -> str:
    missing = card.more.get("n_missing", 0)
    return f"{card.n_cases - missing} of {card.n_cases} cases" if missing else f"{card.n_cases} cases"


def declared() -> None:
    challenge = library.find(st.query_params.get("challenge", ""))
    if challenge is None:
        layout.plain_opening("No such challenge", "This server has no challenge with that name.")
        st.page_link("../challenges.py", label="All challenges", icon=":material/arrow_back:")
        return
    selectors.challenge_opened(challenge.id, challenge.words.title)
    lines = Lines(_about_truth, _about_submission, CLOSING)
    declaration = library.declaration_of(challenge.id)
    assert declaration is not None, challenge.id
    show(
        ChallengePage(
            challenge,
            lines,
            lambda card: pd.DataFrame(map(dict, card.cases)),
            tabs=tabs(declaration),
            viewer=LINK if has_viewer(declaration) else None,
        )
    )


declared()
