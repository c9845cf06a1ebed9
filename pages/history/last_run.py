"""Last run: the newest submission saved for a test set before the one on a page."""

import streamlit as st

from pages.challenge.scored_submission import ScoredSubmission
from pages.history import history_tab
from pages.server import access
from scoring.common.findings import InputRefused
from scoring.core.scorecard import ScoreCard
from scoring.history import keeping, saved_submissions
from scoring.store.database import is_there


def before(scored: ScoredSubmission) -> ScoreCard | None:
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
