"""Tab History: saves the page's submission for its owner, and shows earlier scores."""

from collections.abc import Callable, Sequence

import streamlit as st

from pages.challenge.scored_submission import ScoredSubmission
from pages.challenge.scoring_run import Outcome, attempt
from pages.display import finding_list, layout
from pages.display.render import BlockPath, draw_all
from pages.history import keep_and_restore
from pages.history.keep_and_restore import HistoryContext
from pages.server import access, request_guard
from scoring.common.findings import InputRefused
from scoring.common.text import markdown
from scoring.comparison import score_units
from scoring.core.challenge import Challenge
from scoring.history import keeping, saved_submissions, views
from scoring.history.saved_submissions import SavedSubmission, series, series_of, steps
from scoring.store.database import Store, is_there
from scoring.store.schema import NAME

TAB = "History"
OFF = (
    "Submissions cannot be saved here. Other machines can reach this server and it has no logins, so a "
    "saved submission would have no owner. Start the app on your own machine to have a history."
)
NOTHING = "Nothing is saved yet. Press **Save this** below to compare your next submission with this one."
NOTHING_HERE = (
    "No submission to this test set is saved. The overview lists runs on other test sets. Press **Save "
    "this** below to save this submission."
)
REFUSED, KEPT, NOTE = "_keep_refused", "_kept_contents", "keep_note"
CHOSEN, HERE = "history_chosen", "_history_here"


def owner() -> str | None:
    """Return the owner of kept submissions: the person who is logged in; None if there would be no owner."""
    if access.is_configured():
        return access.actor().key or None
    return None if request_guard.is_public() else ""


def button(offer: HistoryContext) -> None:
    """Draw the form that saves the shown submission; after that, a link to the history."""
    if owner() is None:
        return
    if offer.scored.content in _contents():
        st.button("Saved: see History", type="tertiary", icon=":material/bookmark_added:", on_click=_to_tab)
        return
    with st.popover("Save this", type="tertiary", icon=":material/bookmark_add:"):
        st.text_input("Note", key=NOTE, max_chars=200, placeholder="what is new in this submission?")
        if offer.test_set.own:
            st.checkbox(
                "Save the test set too",
                key="keep_test_set",
                help="One click then opens the submission again. The test set contains the truth.",
            )
        file = f"{markdown(offer.submission.name, 60)}, " if offer.submission.own else ""
        st.caption(f"Scorecard, {file}options and note stay on this machine until you delete them.")
        st.button("Save", key="keep", icon=":material/bookmark_add:", on_click=_keep, args=(offer,))


def refused() -> None:
    """Draw once why the last submission could not be saved."""
    problem: InputRefused | None = st.session_state.pop(REFUSED, None)
    if problem is not None:
        st.error(" ".join(markdown(f"{p.where}: {p.message}", 400) for p in problem.problems))


def tab(offer: HistoryContext, _shown: ScoredSubmission) -> None:
    """Draw the history of the challenge: the shown submission compared with the best before, scores over
    time, notes."""
    whose = owner()
    if whose is None:
        st.markdown(OFF)
        return
    if not is_there():
        st.markdown(NOTHING)
        return
    try:
        store = _store()
        entries = saved_submissions.saved(store, offer.challenge.id, whose)
        groups = series(entries)
        chosen = _group(offer, groups)
        if chosen:
            _series(store, offer, chosen, entries)
        else:
            st.markdown(NOTHING_HERE if groups else NOTHING)
    except InputRefused as problem:
        finding_list.refusal(problem, title="The history cannot be shown now")


def _group(offer: HistoryContext, groups: Sequence[list[SavedSubmission]]) -> list[SavedSubmission]:
    """Draw the choice among series of the test set that is shown, and return the chosen one: that of what is
    shown, else the newest; none where nothing is kept of this test set. Others stay away: a private test set
    has no place below a sample's name."""
    current = _series_of(offer)
    here = [group for group in groups if group[0].series[:2] == current[:2]]
    if not here:
        return []
    st.markdown(f"Test set: **{markdown(here[0][-1].test_set_name, 60)}**")
    if len(here) == 1:
        return here[0]

    def label(number: int) -> str:
        rules = "the rules above" if here[number][0].series == current else "other rules"
        return f"{len(here[number])} saved, the last on {here[number][-1].created[:10]} ({rules})"

    first = next((number for number, group in enumerate(here) if group[0].series == current), 0)
    return here[st.selectbox("Rules", range(len(here)), first, format_func=label, key="history_series")]


def _series_of(offer: HistoryContext) -> tuple[str, str, str]:
    card = offer.scored.card
    return series_of(card.challenge, keeping.test_set_of(card, offer.scored.truth), keeping.rules_of(card))


def _series(
    store: Store, offer: HistoryContext, group: Sequence[SavedSubmission], entries: Sequence[SavedSubmission]
) -> None:
    known = tuple((entry.id, entry.name, entry.note) for entry in group)
    same = [entry.id for entry in group if offer.is_same(entry)]
    here = next(iter(same), None)
    if group[0].series == _series_of(offer):
        others = [entry for entry in group if entry.id not in same]
        if summary := views.summary(store, offer.scored.card, offer.scored.title, others):
            st.markdown(f":material/compare_arrows: {summary}")
    outcome = _steps(known, store, group)
    if outcome.refused:
        finding_list.refusal(outcome.refused)
    else:
        draw_all(
            views.blocks(outcome.value, here), BlockPath((*map(repr, known), str(here)), True, "own_history")
        )
    _manage(offer, list(reversed(group)), here, entries)
    st.caption(f"Saved in {markdown(store.place)}.")


@st.cache_resource(max_entries=8, scope="session", show_spinner="Comparing ...")
def _steps(known: tuple, _store: Store, _group: Sequence[SavedSubmission]) -> Outcome:
    return attempt(steps, _store, _group)


def _manage(
    offer: HistoryContext,
    newest: Sequence[SavedSubmission],
    here: str | None,
    entries: Sequence[SavedSubmission],
) -> None:
    """Draw the choice of one that is kept, its name and note, and how it is opened again and deleted."""
    of, by_id = score_units.of(offer.challenge), {entry.id: entry for entry in newest}
    is_new = st.session_state.get(HERE) != here
    if st.session_state.get(CHOSEN) not in by_id or (is_new and here):
        st.session_state[CHOSEN] = here or newest[0].id
    st.session_state[HERE] = here
    layout.heading("Which submission do you want to open, rename or delete?")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        chosen = st.selectbox(
            "Saved submission",
            list(by_id),
            format_func=lambda kept_id: views.label(by_id[kept_id], of),
            key=CHOSEN,
        )
        entry = by_id[chosen]
        rename(entry, "history_name")
        key = f"history_note_{entry.id}"
        st.session_state.setdefault(key, entry.note)
        st.text_input("Note", key=key, max_chars=200, on_change=_note, args=(entry.id, key))
        st.button(
            "Open again",
            key="history_open",
            icon=":material/restore_page:",
            on_click=_open,
            args=(offer.challenge, entry),
        )
        with st.popover("Delete", type="tertiary", icon=":material/delete:"):
            st.markdown(
                "This deletes scorecard, files and note from the disk. This cannot be undone. "
                f"{_of_test_set(entry, entries)}"
            )
            st.button("Delete for good", key="history_delete", on_click=_delete, args=(entry,))


def rename(entry: SavedSubmission, key: str) -> None:
    """Draw the name of a saved submission in a field that changes it. key: of the field, without the id."""
    key = f"{key}_{entry.id}"
    if not st.session_state.get(key):
        st.session_state[key] = entry.name
    st.text_input("Name", key=key, max_chars=NAME, on_change=_rename, args=(entry.id, key))


def _of_test_set(entry: SavedSubmission, entries: Sequence[SavedSubmission]) -> str:
    """Return what becomes of a kept test set if the submission that holds it is deleted."""
    name, to = markdown(entry.test_set_name, 60), saved_submissions.heir(entries, entry, [entry.id])
    if to is not None:
        return f"The saved test set **{name}** stays, because **{markdown(to.name, 60)}** needs it."
    others = [other for other in entries if other.id != entry.id and other.test_set == entry.test_set]
    is_last = entry.has_truth and not others
    return f"The saved test set **{name}** is deleted too: no other submission needs it." if is_last else ""


def _store() -> Store:
    return access.program_store()


def _contents() -> set[tuple[str, ...]]:
    """Return the submissions that were kept in this session."""
    return st.session_state.setdefault(KEPT, set())


def _to_tab() -> None:
    st.session_state["tab"] = TAB


def _try(work: Callable[[str], object]) -> bool:
    """Run an action on behalf of the owner; if it is refused the page says why. Returns whether it was
    done."""
    whose = owner()
    if whose is None:
        return False
    try:
        work(whose)
    except InputRefused as problem:
        st.session_state[REFUSED] = problem
        return False
    return True


def _keep(offer: HistoryContext) -> None:
    note, with_test_set = st.session_state.get(NOTE) or "", bool(st.session_state.get("keep_test_set"))
    if _try(lambda whose: keep_and_restore.keep(_store(), offer, note, whose, with_test_set)):
        _contents().add(offer.scored.content)
        st.session_state[NOTE] = ""


def _rename(kept_id: str, key: str) -> None:
    if name := st.session_state[key].strip():
        _try(lambda whose: keeping.rename(_store(), kept_id, name, whose))


def _note(kept_id: str, key: str) -> None:
    _try(lambda whose: keeping.write_note(_store(), kept_id, st.session_state[key], whose))


def _open(challenge: Challenge, entry: SavedSubmission) -> None:
    _try(lambda whose: keep_and_restore.open_again(_store(), challenge, entry, whose))


def _delete(entry: SavedSubmission) -> None:
    if _try(lambda whose: keeping.delete(_store(), [entry.id], whose)):
        st.session_state.pop(KEPT, None)
