"""Saving a run, and restoring a saved run on its page: files, samples, fixes and choices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.challenge import scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from pages.input_widgets import drop_routing, fix_buttons, reload_recovery, selectors
from pages.input_widgets.selectors import ChosenInput
from pages.server import url_state
from pages.server.streamlit_internals import uploaded_file
from scoring.challenges import samples
from scoring.common.text import markdown
from scoring.comparison import score_units
from scoring.core.challenge import Challenge
from scoring.core.submission import labels_digest
from scoring.history import keeping, saved_submissions
from scoring.history.saved_submissions import SavedSubmission
from scoring.store.database import Store

OPENED, LACKS = "_opened_again", "_opened_lacks"
NOT_CHOICES = ("tab", "set", "submission", "with")
"""Parameters of the address that do not affect how a submission is scored or shown."""


@dataclass(frozen=True)
class HistoryContext:
    """A scored submission that can be saved. test_set, submission: as dropped or chosen; samples: keys of the
    samples at both inputs."""

    challenge: Challenge
    test_set: ChosenInput
    submission: ChosenInput
    samples: tuple[str, str]
    scored: ScoredSubmission

    def is_same(self, entry: SavedSubmission) -> bool:
        """Return whether a saved submission is the one on the page, with the same scoring."""
        card = self.scored.card
        return keeping.is_same(entry, card, keeping.test_set_of(card, self.scored.truth))


def keep(store: Store, offer: HistoryContext, note: str, owner: str, with_test_set: bool) -> None:
    """Save the submission of a page, with everything needed to restore it. Raises InputRefused."""
    held = st.session_state.get(drop_routing.FILES_KEYS["metadata"].format(offer.challenge.id))
    keeping.keep(
        store,
        keeping.Keeping(
            offer.scored.card,
            offer.scored.truth,
            offer.scored.title,
            offer.test_set.name,
            _files(offer.submission),
            _files(offer.test_set) if with_test_set else (),
            [(file.name, file.getvalue()) for file in held[1]] if held else (),
            _page(offer),
            note,
            owner,
        ),
    )


def _files(chosen: ChosenInput) -> list[tuple[str, bytes]]:
    """Return the files of an own input as they were dropped; none of a sample."""
    if not chosen.own:
        return []
    if isinstance(chosen.source, Mapping):
        return list(chosen.source.items())
    return [(chosen.name, chosen.source)]


def _page(offer: HistoryContext) -> dict[str, Any]:
    """Return everything that restores a page, besides files."""
    state = st.session_state
    test_set, sample = offer.samples
    options = [option.name for option in offer.challenge.options]
    choices = [key for key in {*options, *st.query_params} if key not in NOT_CHOICES]
    return {
        "test_set": "" if offer.test_set.own else test_set,
        "submission": "" if offer.submission.own else sample,
        "mends": {chosen.key: fix_buttons.written(chosen) for chosen in (offer.submission, offer.test_set)},
        "choices": {key: state[key] for key in choices if isinstance(state.get(key), (str, int, float))},
    }


def open_again(store: Store, challenge: Challenge, entry: SavedSubmission, owner: str) -> None:
    """Restore a person's saved submission: its files or samples, its fixes and choices. Call it before the
    page is drawn. Raises InputRefused if a file cannot be read; nothing changes then."""
    submitted, page = saved_submissions.files(store, entry, keeping.SUBMISSION), entry.page
    keeper = entry if page.get("test_set") else _keeper(store, entry, owner)
    truth, metadata = (
        saved_submissions.files(store, keeper, role) for role in (keeping.TRUTH, keeping.METADATA)
    )
    sample = page.get("test_set") or ("" if truth else _sample_of(challenge, entry))
    st.session_state[LACKS] = None if truth or sample else _test_set(challenge.id)
    if truth or sample:
        place(challenge, "truth", truth, "set", sample)
    place(challenge, "submission", submitted, "submission", page.get("submission", ""))
    if truth or sample:
        place(challenge, "metadata", metadata, "", "")
    if submitted and (as_kept := page.get("as_kept")):
        fix_buttons.restore(selectors.dropped([uploaded_file(*file) for file in submitted]).key, as_kept)
    restore_fixes(keeper)
    restore_fixes(entry)
    for key, value in page.get("choices", {}).items():
        st.session_state[key] = value
    st.session_state[OPENED] = entry


def restore_fixes(entry: SavedSubmission) -> None:
    """Apply the fixes with which a saved submission and its test set were read."""
    for key, applied in entry.page.get("mends", {}).items():
        fix_buttons.restore(key, applied)


def _keeper(store: Store, entry: SavedSubmission, owner: str) -> SavedSubmission:
    """Return the person's saved submission that holds the test set of another one, the newest first."""
    saved = saved_submissions.saved(store, entry.challenge, owner)
    others = (other for other in reversed(saved) if other.has_truth and other.test_set == entry.test_set)
    return entry if entry.has_truth else next(others, entry)


def _sample_of(challenge: Challenge, entry: SavedSubmission) -> str:
    """Return the key of the sample test set that was scored on, "" if it was none."""
    for key, sample in samples.test_sets(challenge.id).items():
        read = scoring_run.truth(challenge.id, selectors.sample_set(sample))
        if not isinstance(read, scoring_run.Running) and labels_digest(read.value) == entry.test_set:
            return key
    return ""


def place(
    challenge: Challenge, role: str, files: Sequence[tuple[str, bytes]], parameter: str, sample: str
) -> None:
    """Put files at an input, or choose a sample there."""
    files_key = drop_routing.FILES_KEYS[role].format(challenge.id)
    if files:
        st.session_state[files_key] = (OPENED, [uploaded_file(name, data) for name, data in files])
        return
    st.session_state.pop(files_key, None)
    if sample:
        st.session_state[files_key.removesuffix(reload_recovery.ENDING)] = sample
        url_state.write(parameter, sample)


def lacks(challenge_id: str) -> None:
    """Say that the test set of the reopened submission is missing, until another one is chosen."""
    entry: SavedSubmission | None = st.session_state.get(OPENED)
    before = st.session_state.get(LACKS)
    if entry is None or entry.challenge != challenge_id or before != _test_set(challenge_id):
        return
    name, test_set = markdown(entry.name, 60), markdown(entry.test_set_name, 60)
    message = f"was opened, but its test set **{test_set}** was not saved: drop the test set again."
    st.info(f"**{name}**, saved on {entry.created[:10]}, {message}", icon=":material/history:")


def line(offer: HistoryContext) -> None:
    """Say whether a reopened submission still has its saved score."""
    entry: SavedSubmission | None = st.session_state.get(OPENED)
    if entry is None or entry.challenge != offer.challenge.id or not _is_in_use(offer, entry):
        return
    name, day = markdown(entry.name, 60), entry.created[:10]
    if offer.is_same(entry):
        note = f": {markdown(entry.note)}" if entry.note else ""
        st.markdown(f":material/history: **{name}** has the same result as when it was saved on {day}{note}.")
    elif st.session_state.get(LACKS) is None:
        then = score_units.of(offer.challenge).words(entry.score)
        message = (
            f"had another score when it was saved on {day}: {then}, computed by version "
            f"{entry.program} of Benchside."
        )
        st.markdown(f":material/history: **{name}** {message}")


def _test_set(challenge_id: str) -> tuple[object, object]:
    """Return the chosen test set: a sample, and own files."""
    key = drop_routing.FILES_KEYS["truth"].format(challenge_id)
    return st.session_state.get(key.removesuffix(reload_recovery.ENDING)), st.session_state.get(key)


def _is_in_use(offer: HistoryContext, entry: SavedSubmission) -> bool:
    """Return whether the submission on the page is the one that was opened."""
    held = st.session_state.get(drop_routing.FILES_KEYS["submission"].format(offer.challenge.id))
    sample = entry.page.get("submission")
    return held[0] == OPENED if held else bool(sample) and sample == offer.samples[1]
