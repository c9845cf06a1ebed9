"""Notes of a challenge's page about the files and their score. With a score they are below the tabs, so that
they never move the tabs."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import streamlit as st

from pages.challenge import class_names, scored_submission, superseded_run
from pages.challenge.scored_submission import ScoredSubmission
from pages.challenge.second_submission import Second
from pages.display import downloads
from pages.display.render import CaseLink
from pages.history import keep_and_restore
from pages.history.keep_and_restore import HistoryContext
from pages.input_widgets import drop_messages, fix_buttons
from pages.input_widgets.selectors import ChosenInput
from scoring.core.challenge import Challenge

VIEWER = "Viewer"
"""Name of the tab that begins with the image; links to an image open this tab."""
Body = Callable[[ScoredSubmission], None]


def of_files(challenge: Challenge, test_set: ChosenInput, submission: ChosenInput) -> None:
    """Draw what happened to dropped files: their recognised use, applied fixes, a run that was stopped."""
    drop_messages.taken(challenge.id)
    fix_buttons.lines(test_set)
    fix_buttons.lines(submission)
    superseded_run.line(challenge.id)


@dataclass(frozen=True)
class Notes:
    """Notes of a scored submission.

    Attributes:
        viewer: The tab that opens when a case is clicked.
        extra: Function that draws the widgets of the score.
    """

    offer: HistoryContext
    viewer: CaseLink | None
    extra: Body | None
    compared: Second | None

    def draw(self) -> None:
        """Draw the notes."""
        offer, scored = self.offer, self.offer.scored
        challenge = offer.challenge
        with st.container(key="notes", gap="xsmall"):
            of_files(challenge, offer.test_set, offer.submission)
            scored_submission.notes(scored, self.viewer)
            if scored.card.official.changes:
                _changed_file_button(challenge, scored)
            if self.extra:
                self.extra(scored)
            class_names.change(challenge, offer.test_set, "set")
            class_names.change(challenge, offer.submission)
            fix_buttons.offer(challenge, offer.submission, scored.card)
            keep_and_restore.line(offer)
            if self.compared:
                self.compared.say()

    def beside(self, name: str, body: Body) -> Body:
        """Return the body of a tab with the notes, above the body or below a viewer."""
        return partial(self._drawn, name == VIEWER, body)

    def _drawn(self, last: bool, body: Body, scored: ScoredSubmission) -> None:
        # Of another submission everything is drawn anew: nothing of the one before moves to make room.
        digest = hashlib.sha256(repr((scored.truth_key, scored.submission.key)).encode()).hexdigest()[:12]
        if not last:
            self.draw()
        with st.container(key=f"body_{digest}"):
            body(scored)
        if last:
            self.draw()


def _changed_file_button(challenge: Challenge, scored: ScoredSubmission) -> None:
    """The submission with its changes, in the form that is official."""
    submission = scored.submission

    def changed() -> bytes:
        read = (scored.truth, scored.predictions)
        return challenge.changed_file(*read, submission.source, submission.name)[1]

    stem, _, ending = submission.name.rpartition(".")
    suffix = "zip" if challenge.inputs.submission.several else "csv"
    name = f"{stem or ending}-changed.{ending if submission.is_model else suffix}"
    downloads.button("Changed file", changed, name, "download_changed", type="tertiary")
