"""A challenge in a card of the overview: what it looks like, its rule, and how the sample teams do."""

from collections.abc import Sequence

import streamlit as st

from pages.challenge import scoring_run
from pages.display import layout
from pages.display.layout import draw_picture
from scoring.challenges import REGISTRY, load_challenge, samples
from scoring.core.scorecard import ScoreCard
from scoring.presentation.figures.intervals import IntervalRow, intervals
from scoring.presentation.figures.numerals import points, share


def challenge_card(challenge_id: str) -> None:
    """One challenge: what it looks like, its rule in a line, and how the sample teams do."""
    challenge = load_challenge(challenge_id)
    with st.container(gap="xsmall"):
        draw_picture(
            _picture(challenge_id), width="stretch", alt=f"A drawn sample of {challenge.words.title}"
        )
        st.header(REGISTRY[challenge_id].name, anchor=False)
        st.markdown(f"Scored: {challenge.formula()}")
        st.caption(challenge.words.about)
    with st.container(gap="xsmall"):
        teams = scoring_run.sample_cards(challenge_id)
        _scores(challenge_id, tuple((title, card.score) for title, card in teams), layout.theme().name, teams)
        st.caption("The sample teams with their 95% intervals, best first.")
        st.page_link(f"../{challenge_id}.py", label="Open on sample data", icon=":material/arrow_forward:")


@st.cache_resource(max_entries=len(REGISTRY), show_spinner=False)
def _picture(challenge_id: str) -> bytes:
    return (samples.FOLDER / "pictures" / f"{challenge_id}.jpg").read_bytes()


@st.cache_resource(max_entries=4 * len(REGISTRY), show_spinner=False)
def _scores(
    challenge_id: str,
    known: tuple[tuple[str, float | None], ...],
    theme: str,
    _teams: Sequence[tuple[str, ScoreCard]],
) -> None:
    """Draw the scores of the sample teams, once for each theme."""
    challenge = load_challenge(challenge_id)
    scale, as_text = (100, points) if challenge.scoring.as_points else (1, share)
    rows = [
        IntervalRow(
            title,
            scale * card.score,
            [scale * bound for bound in card.intervals["score"] or ()] or None,
            beside=as_text(card.score),
        )
        for title, card in _teams
        if card.score is not None
    ]
    figure = intervals(
        rows,
        layout.theme(),
        f"{REGISTRY[challenge_id].name}: what do the sample teams score?",
        "points of 100" if challenge.scoring.as_points else "score",
        digits=0 if scale == 100 else 2,
    )
    st.plotly_chart(
        figure,
        theme=None,
        key=f"board_{challenge_id}",
        config=layout.CONFIG,
        alt=f"{REGISTRY[challenge_id].name}, sample teams: "
        + ", ".join(f"{row.name} {row.beside}" for row in rows),
    )
