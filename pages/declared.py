"""A declared challenge: one submission, scored as the challenge's file says."""

import pandas as pd
import streamlit as st

from pages.challenge.challenge_page import ChallengePage, Lines, show
from pages.display import layout
from pages.inputs import known_challenges
from pages.server import access
from scoring.challenges.declared import library

access.guard(__file__)

CLOSING = "The score is what the challenge's file declares."


def declared() -> None:
    challenge = library.find(st.query_params.get("challenge", ""))
    if challenge is None:
        layout.plain_opening("No such challenge", "This server knows no challenge of that name.")
        st.page_link("../challenges.py", label="All challenges", icon=":material/arrow_back:")
        return
    known_challenges.opened(challenge.id, challenge.words.title)
    lines = Lines(lambda truth: f"{len(truth)} cases", lambda card: f"{card.n_cases} cases", CLOSING)
    show(ChallengePage(challenge, lines, lambda card: pd.DataFrame(map(dict, card.cases))))


declared()
