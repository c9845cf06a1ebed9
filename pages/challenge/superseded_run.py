"""Superseded run: if a visitor chooses another submission or test set, the run of the earlier choice is
stopped, and the page says so."""

from dataclasses import dataclass

import streamlit as st

from pages.challenge.scoring_run import Running
from pages.input_widgets.selectors import ChosenInput
from pages.server import background_jobs
from scoring.common.text import markdown

LAST, STOPPED = "_last_run_{}", "_stopped_run_{}"
"""Session keys for each challenge: the last run; and the run that was stopped, with the choice that replaced
it."""


@dataclass(frozen=True)
class LastRun:
    """The last run of a page. content: identifies test set and submission."""

    key: tuple
    content: tuple
    name: str


def begin(challenge_id: str, test_set: ChosenInput, submission: ChosenInput) -> None:
    """Stop the last run of a challenge's page if it is still running for another submission."""
    content, state = _content(test_set, submission), st.session_state
    last: LastRun | None = state.get(LAST.format(challenge_id))
    if last is not None and last.content != content:
        del state[LAST.format(challenge_id)]
        if background_jobs.queue().replace(last.key):
            why = (
                "the test set changed"
                if last.name == submission.name
                else f"**{markdown(submission.name, 60)}** replaced it"
            )
            message = f"**{markdown(last.name, 60)}** was stopped before its end, because {why}."
            state[STOPPED.format(challenge_id)] = (message, content)
    if state.get(STOPPED.format(challenge_id), ("", content))[1] != content:
        del state[STOPPED.format(challenge_id)]


def line(challenge_id: str, image: str = "") -> None:
    """Say that the last run was stopped, as long as its replacement is shown, with the same image. image:
    identifies the image on a page that shows one."""
    key = STOPPED.format(challenge_id)
    message, content, *shown = st.session_state.get(key, ("", None))
    if shown and shown[0] != image:
        del st.session_state[key]
    elif message:
        st.session_state[key] = (message, content, image)
        st.info(message)


def remember(challenge_id: str, test_set: ChosenInput, submission: ChosenInput, run: Running) -> None:
    """Remember the running submission of a challenge's page."""
    st.session_state[LAST.format(challenge_id)] = LastRun(
        run.key, _content(test_set, submission), submission.name
    )


def _content(test_set: ChosenInput, submission: ChosenInput) -> tuple:
    return test_set.key, submission.key, submission.name
