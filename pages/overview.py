"""What Benchside is, whom it serves, and the way to each challenge."""

from collections.abc import Sequence

import streamlit as st

from pages.shared import access, drop, inputs, layout, placement, submissions
from pages.shared.pictures import draw_picture
from scoring import samples
from scoring.challenges import REGISTRY, load_challenge
from scoring.cluster.scheduler import is_named
from scoring.figures.intervals import Row, intervals
from scoring.figures.numerals import points, share
from scoring.scorecard import ScoreCard

access.guard(__file__)

PEOPLE = (
    (
        ":material/upload_file: **Participants**",
        (
            "Drop an ONNX model or a prediction file above: the official score, its interval, and where the "
            "points went."
        ),
        None,
    ),
    (
        ":material/stethoscope: **Clinicians**",
        (
            "Try one image: what a model says, how sure it is, what it looked at, and how it did on "
            "cases like it. Never a diagnosis."
        ),
        ("single_image", "Try one image"),
    ),
    (
        ":material/leaderboard: **Organizers**",
        (
            "Compare teams on the same cases: who leads, whether it is more than chance, where they "
            "differ; download the report."
        ),
        ("compare_teams", "Compare the sample teams"),
    ),
)
"""Who comes, what for, and the page where that begins with its words; None: it begins above."""


def overview() -> None:
    where = " and its operator's cluster" if is_named() else ""
    layout.plain_opening(
        "Benchside",
        "Official challenge scores for cancer-imaging models, to the last digit, with what is behind them. "
        f"Everything runs on this computer{where}; nothing leaves it.",
    )
    anything()
    for place, (who, what, link) in zip(st.columns(3), PEOPLE, strict=True):
        with place.container(gap="xsmall"):
            st.markdown(f"{who}  \n{what}")
            if link:
                page, words = link
                st.page_link(f"../{page}.py", label=words, icon=":material/arrow_forward:")
    with st.grid(min_column_width=330, gap="small"):
        for challenge_id in REGISTRY:
            with st.container(border=True, gap="xsmall", height="stretch", vertical_alignment="distribute"):
                challenge_card(challenge_id)
    layout.closing()


def anything() -> None:
    """Draw where a file of any challenge is dropped or chosen, and the questions about it."""
    key = "any_files"

    def changed() -> None:
        known = st.session_state.get("any_seen", frozenset())
        files = st.session_state[key]
        st.session_state["any_seen"] = frozenset(file.file_id for file in files)
        new = [file for file in files if file.file_id not in known]
        if new:
            placement.drop(new)

    with st.container(
        key="score_here", border=True, horizontal=True, vertical_alignment="center", gap="small"
    ):
        st.markdown(
            "**Score a submission**: drop a file anywhere on this page, predictions, a model, a test set, a "
            "zip or a folder. What it is for is seen from what it holds; a photograph goes to a model.",
        )
        with st.container(horizontal=True, gap="xsmall", width="content"):
            st.file_uploader(
                f"Any file: predictions, a model, a test set, a zip or a folder, up to {inputs.UPLOAD_MB} MB",
                accept_multiple_files=True,
                key=key,
                max_upload_size=inputs.UPLOAD_MB,
                on_change=changed,
                label_visibility="collapsed",
                width=inputs.BUTTON_WIDTH,
            )
            drop.folder_button(key, "of any challenge")
    placement.line()


def challenge_card(challenge_id: str) -> None:
    """One challenge: what it looks like, its rule in a line, and how the sample teams do."""
    challenge = load_challenge(challenge_id)
    with st.container(gap="xsmall"):
        draw_picture(_picture(challenge_id), width="stretch", alt=f"A drawn sample of {challenge.title}")
        st.header(REGISTRY[challenge_id].name, anchor=False)
        st.markdown(f"Scored: {challenge.formula}")
        st.caption(challenge.about)
    with st.container(gap="xsmall"):
        teams = submissions.sample_cards(challenge_id)
        scores(challenge_id, tuple((title, card.score) for title, card in teams), layout.theme().name, teams)
        st.caption("The sample teams with their 95% intervals, best first.")
        st.page_link(f"../{challenge_id}.py", label="Open on sample data", icon=":material/arrow_forward:")


@st.cache_resource(max_entries=len(REGISTRY), show_spinner=False)
def _picture(challenge_id: str) -> bytes:
    return (samples.FOLDER / "pictures" / f"{challenge_id}.jpg").read_bytes()


@st.cache_resource(max_entries=4 * len(REGISTRY), show_spinner=False)
def scores(
    challenge_id: str,
    known: tuple[tuple[str, float | None], ...],
    theme: str,
    _teams: Sequence[tuple[str, ScoreCard]],
) -> None:
    """Draw the scores of the sample teams, once for each theme."""
    challenge = load_challenge(challenge_id)
    scale, shown = (100, points) if challenge.as_points else (1, share)
    rows = [
        Row(
            title,
            scale * card.score,
            [scale * bound for bound in card.intervals["score"] or ()] or None,
            beside=shown(card.score),
        )
        for title, card in _teams
        if card.score is not None
    ]
    figure = intervals(
        rows,
        layout.theme(),
        f"{REGISTRY[challenge_id].name}: what do the sample teams score?",
        "points of 100" if challenge.as_points else "score",
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


overview()
