"""Saved inputs: a person's saved test sets and submissions, offered if they fit the page's inputs."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st

from pages.history import history_tab, keep_and_restore
from pages.input_widgets import drop_routing, fix_buttons, selectors
from pages.input_widgets.selectors import ChosenInput
from pages.input_widgets.upload_widget import kept_files
from pages.server import access
from pages.server.streamlit_internals import uploaded_file
from scoring.common.findings import InputRefused
from scoring.common.text import markdown
from scoring.comparison import score_units
from scoring.core.challenge import Challenge
from scoring.core.submission import labels_digest
from scoring.history import keeping, run_log, saved_submissions
from scoring.history.saved_submissions import SavedSubmission
from scoring.store.database import Store, is_there

MOST = 20
"""Kept runs that are offered at once."""


def _kept(challenge: Challenge) -> tuple[Store, list[SavedSubmission]] | None:
    """Return the store and the person's kept submissions to a challenge, newest first; None if there are
    none."""
    whose = history_tab.owner()
    if whose is None or not is_there():
        return None
    try:
        store = access.program_store()
        return store, saved_submissions.saved(store, challenge.id, whose)[::-1]
    except InputRefused:
        return None  # the tab History says why


def offer_test_set(challenge: Challenge, dropped: ChosenInput) -> None:
    """Draw a button that scores a submission on the saved test set with its cases, if there is one."""
    kept = _kept(challenge)
    if kept is None or not dropped.own or dropped.is_model:
        return
    submission = fix_buttons.fixed_input(dropped)
    sets = run_log.test_sets_of(kept[1])
    key = (submission.key, *(entry.id for entry in sets))
    entry = _fitting(key, kept[0], sets, submission)
    if entry is None:
        return
    name, day = markdown(entry.test_set_name, 60), entry.created[:10]
    st.button(
        f"Use the saved test set {name} of {day}, which has these cases",
        key="use_kept_test_set",
        icon=":material/history:",
        on_click=_use,
        args=(kept[0], challenge, entry),
    )


def _use(store: Store, challenge: Challenge, entry: SavedSubmission) -> None:
    for role in (keeping.TRUTH, keeping.METADATA):
        keep_and_restore.place(challenge, role, saved_submissions.files(store, entry, role), "", "")


@st.cache_resource(max_entries=4, scope="session", show_spinner=False)
def _fitting(
    key: tuple[str, ...], _store: Store, _sets: Sequence[SavedSubmission], _submission: ChosenInput
) -> SavedSubmission | None:
    return run_log.fitting(_store, _sets, _submission.source, _submission.name)


def runs(
    challenge: Challenge, truth, shown: ChosenInput
) -> Mapping[str, tuple[str, Callable[[], ChosenInput]]]:
    """Return the saved runs on a test set, newest first: key -> title, and a function that opens it. shown:
    the submission on the page; runs of its files are left out, because it would be compared with itself."""
    kept, test_set, of = _kept(challenge), labels_digest(truth), score_units.of(challenge)
    if kept is None or not test_set:
        return {}
    own = [entry for entry in kept[1] if entry.test_set == test_set and not entry.page.get("submission")]
    if own and shown.own:
        files = saved_submissions.file_digests(kept[0], keeping.SUBMISSION)
        on_page = kept_files(drop_routing.FILES_KEYS["submission"].format(challenge.id))
        of_page = sorted(map(selectors.digest, on_page))
        own = [entry for entry in own if files.get(entry.id) != of_page]
    return {
        f"kept_{entry.id}": (
            f"{entry.name}, {of.number(entry.score)}, saved on {entry.created[:10]}",
            partial(_opened, entry.id, kept[0], entry),
        )
        for entry in own[:MOST]
    }


@st.cache_resource(max_entries=4, scope="session", show_spinner=False)
def _opened(entry_id: str, _store: Store, _entry: SavedSubmission) -> ChosenInput:
    """Return the files of a kept run as an input, with the fixes that it was read with."""
    try:
        files = saved_submissions.files(_store, _entry, keeping.SUBMISSION)
    except InputRefused as refused:
        return ChosenInput(entry_id, _entry.name, {}, True, problems=refused.problems)
    chosen = selectors.dropped([uploaded_file(*file) for file in files])
    if chosen.key not in st.session_state.get(fix_buttons.KEY, {}):
        page = _entry.page
        fix_buttons.restore(chosen.key, page.get("as_kept") or page.get("mends", {}).get(chosen.key, ()))
    return chosen
