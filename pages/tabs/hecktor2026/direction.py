"""How prognosis scores were read, and a switch that reads them the other way round."""

import streamlit as st

from pages.challenge.scored_submission import ScoredSubmission
from scoring.challenges.hecktor2026 import summary
from scoring.challenges.hecktor2026.options import DIRECTION
from scoring.presentation.figures.numerals import share

COLUMNS = {"risk": "a column of risks", "time": "a column of times (RFS)"}
RULES = {"risk": "the higher the worse", "time": "the lower the worse"}


def direction_switch(shown: ScoredSubmission) -> None:
    """Warn that scores may be read the wrong way round, beside a button that reads them the other way."""
    if not any(finding.code == "direction-suspect" for finding in shown.card.findings):
        return
    found, m = summary.direction(shown.card, shown.predictions), shown.card.metrics
    if found is None:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(
            f":orange-badge[▲ direction] The C-index is **{share(m['c_index'])}**, with every sign "
            f"reversed it would be **{share(m['c_index_flipped'])}**. The scores are read as a "
            f"{found.reading}: are they one?"
        )
        st.button(
            f"Read them as a {found.other}",
            key="switch_direction",
            icon=":material/swap_vert:",
            on_click=_read_as,
            args=(found.other,),
        )


def _read_as(reading: str) -> None:
    st.session_state[DIRECTION.name] = reading


def direction_used(shown: ScoredSubmission) -> None:
    """Say which column of scores counted, and as what it was read."""
    found = summary.direction(shown.card, shown.predictions)
    if found is None:
        st.markdown("There is no column of scores: every pair counts as missing.")
        return
    how = "as the option says" if found.forced else "as it is called"
    st.markdown(
        f"Direction used: {COLUMNS[found.column]}, read as a **{found.reading}** "
        f"({RULES[found.reading]}), {how}."
    )
