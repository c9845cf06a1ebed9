"""What Benchside is, and the way to each challenge."""
import streamlit as st

from pages.shared import frame
from scoring.challenges import TITLES, load_challenge
from scoring.samples import SETS


def overview() -> None:
    frame.plain_opening("Benchside", "Official challenge scores for cancer-imaging models, to the last digit, with what is behind them. Everything runs on this computer.")
    with st.grid(min_column_width=280, gap="small"):
        for challenge_id, title in ((i, t) for i, t in TITLES.items() if i in SETS):
            challenge = load_challenge(challenge_id)
            with st.container(border=True, gap="xsmall"):
                st.header(title, anchor=False)
                st.markdown(f"Scored: {challenge.FORMULA}")
                st.caption(challenge.ABOUT)
                st.page_link(f"../{challenge_id}.py", label="Open on sample data", icon=":material/arrow_forward:")


overview()
