"""Recent runs of a person on the overview: name, score, test set and day, with a link to each; the run before
the one on a page."""

import streamlit as st

from pages.challenge.scored_submission import ScoredSubmission
from pages.display import finding_list, layout
from pages.history import history_tab, keep_and_restore
from pages.server import access
from scoring.challenges import REGISTRY, load_challenge
from scoring.common.findings import InputRefused
from scoring.common.text import markdown
from scoring.comparison import score_units
from scoring.core.scorecard import ScoreCard
from scoring.history import keeping, saved_submissions
from scoring.store.database import is_there

MOST, OLDER = 5, 45
"""Number of runs in the list, and in the collapsed list below it."""
SHORT = 14
"""Maximum characters of a name on a button: both buttons stand in a line on a phone."""


def draw() -> None:
    """Draw the newest saved runs; draw nothing if there are none, or if saving is impossible."""
    whose = history_tab.owner()
    if whose is None or not is_there():
        return
    try:
        store = access.program_store()
        runs = [entry for entry in saved_submissions.saved(store, owner=whose) if entry.challenge in REGISTRY]
        if runs:
            layout.heading("Your recent runs")
        newest_first = runs[::-1]
        for entry in newest_first[:MOST]:
            _run(store, entry, whose)
        if older := newest_first[MOST : MOST + OLDER]:
            with st.expander(f"{len(older)} older runs"):
                for entry in older:
                    _run(store, entry, whose)
    except InputRefused as problem:
        finding_list.refusal(problem, title="Your recent runs are not available now")


def _run(store, entry, whose: str) -> None:
    """Draw a run in a line. store: where it is kept. entry: the run. whose: its owner."""
    challenge = load_challenge(entry.challenge)
    of, about = score_units.of(challenge), f" · {markdown(entry.about, 80)}" if entry.about else ""
    interval = f" ({of.span(entry.interval)})" if entry.interval else ""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            f"**{markdown(entry.name, 40)}** {of.number(entry.score)}{interval}  \n"
            f":small[:gray[{REGISTRY[entry.challenge].short_name} · {markdown(entry.test_set_name, 40)} · "
            f"{entry.created[:10]}{about}]]",
            width="stretch",
        )
        short = markdown(entry.name, SHORT)
        with st.popover(f"Rename {short}", type="tertiary", icon=":material/edit:"):
            history_tab.rename(entry, "recent_name")
        if st.button(
            f"Open {short}", key=f"recent_{entry.id}", type="tertiary", icon=":material/restore_page:"
        ):
            keep_and_restore.open_again(store, challenge, entry, whose)
            st.switch_page(f"../{entry.challenge}.py")


def previous_run(scored: ScoredSubmission) -> ScoreCard | None:
    """Return the scorecard of the newest saved run other than the shown one, scored by the same rules; None
    if there is none."""
    whose, card = history_tab.owner(), scored.card
    if whose is None or not is_there():
        return None
    try:
        store, test_set = access.program_store(), keeping.test_set_of(card, scored.truth)
        series = saved_submissions.series_of(card.challenge, test_set, keeping.rules_of(card))
        entries = saved_submissions.saved(store, card.challenge, whose)
        others = [e for e in entries if e.series == series and not keeping.is_same(e, card, test_set)]
        return _card(others[-1].id, store, others[-1]) if others else None
    except InputRefused:
        return None  # the tab History says why


@st.cache_resource(max_entries=2, scope="session", show_spinner=False)
def _card(entry_id: str, _store, _entry) -> ScoreCard:
    return saved_submissions.card_of(_store, _entry)
