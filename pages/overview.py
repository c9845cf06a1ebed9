"""The overview: the purpose of Benchside, its three kinds of users, and the way to each challenge."""

import streamlit as st

from pages.challenge.challenge_card import challenge_card
from pages.display import layout
from pages.history import recent_runs
from pages.input_widgets import drop_messages, drop_target, dropped_files, upload_quota
from pages.input_widgets.upload_widget import BUTTON_WIDTH, UPLOAD_MB
from pages.server import access
from scoring.challenges import REGISTRY
from scoring.inference.cluster.scheduler import is_named

access.guard(__file__)

PEOPLE = (
    (
        ":material/upload_file: **Participants**",
        (
            "Drop an ONNX model or a prediction file above to see the official score, its interval, and "
            "where points were lost."
        ),
        None,
    ),
    (
        ":material/stethoscope: **Clinicians**",
        (
            "Open one image. See the model's prediction and confidence, the regions that change the "
            "prediction, and the model's results on similar cases. This is not a diagnosis."
        ),
        ("single_image", "Try one image"),
    ),
    (
        ":material/leaderboard: **Organizers**",
        (
            "Compare teams on the same cases. See which team leads, whether chance can explain the lead, "
            "and where teams differ. Download the report."
        ),
        ("compare_teams", "Compare the sample teams"),
    ),
)
"""Groups of visitors: name, goal, and the page with its label where a group begins; None for the file field
above."""


def overview() -> None:
    where = " and its operator's cluster" if is_named() else ""
    layout.plain_opening(
        "Benchside",
        "Benchside computes official challenge scores of cancer-imaging models and shows the cases and "
        "errors behind each score. "
        f"Everything runs on this computer{where}; no data go elsewhere.",
    )
    anything()
    recent_runs.draw()
    for column, (who, purpose, link) in zip(st.columns(3), PEOPLE, strict=True):
        with column.container(gap="xsmall"):
            st.markdown(f"{who}  \n{purpose}")
            if link:
                page, label = link
                st.page_link(f"../{page}.py", label=label, icon=":material/arrow_forward:")
    with st.grid(min_column_width=330, gap="small"):
        for challenge_id in REGISTRY:
            with st.container(border=True, gap="xsmall", height="stretch", vertical_alignment="distribute"):
                challenge_card(challenge_id)
    layout.closing()


def anything() -> None:
    """Draw the input for any file of any challenge, and the questions about it."""
    key = "any_files"

    def changed() -> None:
        known = st.session_state.get("any_seen", frozenset())
        files = upload_quota.arrived(key)
        st.session_state["any_seen"] = frozenset(file.file_id for file in files)
        new = [file for file in files if file.file_id not in known]
        if new:
            dropped_files.drop(new)

    with st.container(
        key="score_here", border=True, horizontal=True, vertical_alignment="center", gap="small"
    ):
        st.markdown(
            "**Score a submission**: drop predictions, a model, a test set, a zip or a folder anywhere on "
            "this page. Benchside recognises the file by its content. If you drop a photograph, "
            "Benchside opens a model for it."
        )
        with st.container(horizontal=True, gap="xsmall", width="content"):
            st.file_uploader(
                f"Any file: predictions, a model, a test set, a zip or a folder, up to {UPLOAD_MB} MB",
                accept_multiple_files=True,
                key=key,
                max_upload_size=UPLOAD_MB,
                on_change=changed,
                label_visibility="collapsed",
                width=BUTTON_WIDTH,
            )
            drop_target.folder_button(key, "of any challenge")
    drop_messages.line()


overview()
