"""A challenge in a card of the overview: a sample picture, its rule, and the scores of the sample teams."""

import base64
from collections.abc import Sequence

import streamlit as st

from pages.challenge import scoring_run
from pages.display import layout
from pages.display.layout import draw_picture
from scoring.challenges import REGISTRY, load_challenge, samples
from scoring.comparison import score_units as scales
from scoring.core.scorecard import ScoreCard
from scoring.presentation.figures.intervals import IntervalRow, intervals

NEUTRAL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAADklEQVR42mOYtWAZEAEADQ8DwTwL7qwAAAAASUVORK5CYII="
)
"""A grey picture, twice as wide as high."""


def challenge_card(challenge_id: str) -> None:
    """Draw a challenge: a sample picture, its rule in a line, and the scores of the sample teams."""
    challenge = load_challenge(challenge_id)
    with st.container(gap="xsmall", key=f"card_{challenge_id}"):
        picture, title = _picture(challenge_id), challenge.words.title
        draw_picture(
            picture or NEUTRAL,
            width="stretch",
            alt=f"A computer-generated sample of {title}" if picture else f"There is no picture of {title}",
        )
        st.header(REGISTRY[challenge_id].name, anchor=False)
        st.markdown(f"Scored: {challenge.formula()}")
        st.caption(challenge.words.about)
    with st.container(gap="xsmall"):
        teams = scoring_run.sample_cards(challenge_id)
        if teams:
            known = tuple((title, card.score) for title, card in teams)
            _scores(challenge_id, known, layout.theme().name, teams)
            st.caption("The sample teams with their 95% intervals, best first.")
        label = "Open on sample data" if teams else "Open"
        st.page_link(f"../{challenge_id}.py", label=label, icon=":material/arrow_forward:")


@st.cache_resource(max_entries=len(REGISTRY), show_spinner=False)
def _picture(challenge_id: str) -> bytes | None:
    return samples.picture(challenge_id)


@st.cache_resource(max_entries=4 * len(REGISTRY), show_spinner=False)
def _scores(
    challenge_id: str,
    known: tuple[tuple[str, float | None], ...],
    theme: str,
    _teams: Sequence[tuple[str, ScoreCard]],
) -> None:
    """Draw the scores of the sample teams, once for each theme."""
    challenge = load_challenge(challenge_id)
    scale = scales.of(challenge)
    rows = [
        IntervalRow(
            title,
            scale.points(card.score),
            scale.scaled(card.intervals.get("score")),
            beside=scale.number(card.score),
        )
        for title, card in _teams
        if card.score is not None
    ]
    figure = intervals(
        rows,
        layout.theme(),
        f"{REGISTRY[challenge_id].name}: what are the scores of the sample teams?",
        scale.unit,
        digits=0 if scale.factor == 100 else 2,
    )
    st.plotly_chart(
        figure,
        theme=None,
        key=f"board_{challenge_id}",
        config=layout.CONFIG,
        alt=f"{REGISTRY[challenge_id].name}, sample teams: "
        + ", ".join(f"{row.name} {row.beside}" for row in rows),
    )
