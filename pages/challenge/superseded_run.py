"""Superseded run: a new choice replaces the page's running submission, and the page says so."""

from dataclasses import dataclass

import streamlit as st

from pages.challenge.scoring_run import Running
from pages.input_widgets.selectors import ChosenInput
from pages.server import background_jobs
from scoring.common.text import markdown

LAST, STOPPED = "_last_run_{}", "_stopped_run_{}"
"""In the session, for each challenge: the last run, and the choice that replaced an unfinished run."""


@dataclass(frozen=True)
class LastRun:
    """The last run of a page. content: of test set and submission."""

    key: tuple
    content: tuple
    name: str


def begin(challenge_id: str, test_set: ChosenInput, submission: ChosenInput) -> None:
    """Stop the last run of a challenge's page if it still goes on for something else, and say that it was
    stopped as long as what took its place is there."""
    content, state = _content(test_set, submission), st.session_state
    last: LastRun | None = state.get(LAST.format(challenge_id))
    if last is not None and last.content != content:
        del state[LAST.format(challenge_id)]
        if background_jobs.queue().replace(last.key):
            state[STOPPED.format(challenge_id)] = (last.name, content)
    name, replacement = state.get(STOPPED.format(challenge_id), ("", None))
    if replacement == content:
        why = (
            "the test set changed"
            if name == submission.name
            else f"**{markdown(submission.name, 60)}** took its place"
        )
        st.info(f"**{markdown(name, 60)}** was still running. It was stopped, because {why}.")


def remember(challenge_id: str, test_set: ChosenInput, submission: ChosenInput, run: Running) -> None:
    """Remember the running submission of a challenge's page."""
    st.session_state[LAST.format(challenge_id)] = LastRun(
        run.key, _content(test_set, submission), submission.name
    )


def _content(test_set: ChosenInput, submission: ChosenInput) -> tuple:
    return test_set.key, submission.key, submission.name
