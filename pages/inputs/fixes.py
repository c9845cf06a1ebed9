"""Mends of own files: what buttons change of how a file is read or scored, and how that is undone."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import streamlit as st

from pages.display import finding_list
from pages.inputs.option_widgets import option_widget
from pages.inputs.selectors import ChosenInput
from scoring.challenges.recognition import fitting_test_set
from scoring.common.finding_groups import distinct
from scoring.common.findings import Finding
from scoring.common.fixes import InputChanges, SuggestedFix
from scoring.common.text import markdown
from scoring.core.challenge import Challenge
from scoring.core.options import Option
from scoring.inputs.sources import FixedSource
from scoring.inputs.table_edits import fixed_table

KEY = "mends"
"""In the session: key of an own input -> the mends that were applied to it, in their order."""
OF_ANOTHER_SET = {"no-common-case", "missing-case", "extra-case", "missing-column", "extra-column"}
"""Problems that files of another test set have."""


def _applied(given: ChosenInput) -> tuple[SuggestedFix, ...]:
    known: dict[str, tuple[SuggestedFix, ...]] = st.session_state.get(KEY, {})
    return known.get(given.key, ()) if given.own else ()


def changes_of(given: ChosenInput) -> InputChanges:
    """Return what the mends that were applied to an input change."""
    whole = InputChanges()
    for mend in _applied(given):
        whole = whole.joined(mend.changes)
    return whole


def mended(given: ChosenInput) -> ChosenInput:
    """Return the input as it is read with its mends, under a key of its own."""
    changes = changes_of(given).of_files
    if not changes:
        return given
    key = hashlib.sha256(f"{given.key} {changes}".encode()).hexdigest()
    return replace(given, key=key, source=FixedSource(given.source, changes))


def fixed_truth(challenge: Challenge, given: ChosenInput) -> ChosenInput:
    """Return a test set as it is read with its mends: options that change how it is read change its key."""
    found, needed = mended(given), challenge.needed("truth", options_of(given))
    if not needed:
        return found
    return replace(found, key=hashlib.sha256(f"{found.key} {sorted(needed.items())}".encode()).hexdigest())


def options_of(given: ChosenInput) -> Mapping[str, Any]:
    """Return the options of `score` that mends of an input set."""
    return dict(changes_of(given).options)


def take(challenge_id: str, given: ChosenInput, mend: SuggestedFix) -> None:
    """Apply a mend to an input, in this session only."""
    if mend.changes.test_set:
        st.session_state[f"{challenge_id}_set"] = mend.changes.test_set
        if "set" in st.query_params:
            st.query_params["set"] = mend.changes.test_set
        return
    _keep(given, (*_applied(given), mend))


def written(given: ChosenInput) -> list[dict[str, Any]]:
    """Return the mends of an input as JSON knows them."""
    return [{"label": mend.label, "changes": asdict(mend.changes)} for mend in _applied(given)]


def restore(key: str, entries: Sequence[Mapping[str, Any]]) -> None:
    """Apply mends that `written` gave to the input of that key."""
    found = [
        SuggestedFix(
            entry["label"], InputChanges(**{name: _fixed(value) for name, value in entry["changes"].items()})
        )
        for entry in entries
    ]
    st.session_state[KEY] = {**st.session_state.get(KEY, {}), key: tuple(found)}


def _fixed(value: Any) -> Any:
    """Return lists of JSON as tuples."""
    return tuple(map(_fixed, value)) if isinstance(value, (list, tuple)) else value


def set_option(given: ChosenInput, option: str, mend: SuggestedFix | None) -> None:
    """Let one mend set an option of an input in place of all that set it before; None: none sets it."""
    others = [known for known in _applied(given) if option not in dict(known.changes.options)]
    _keep(given, (*others, *([mend] if mend else [])))


def _undo(given: ChosenInput, mend: SuggestedFix) -> None:
    _keep(given, tuple(known for known in _applied(given) if known != mend))


def _keep(given: ChosenInput, mends: tuple[SuggestedFix, ...]) -> None:
    st.session_state[KEY] = {**st.session_state.get(KEY, {}), given.key: mends}


def lines(given: ChosenInput, key: str = "undo") -> None:
    """Draw what mends changed of an input, each with a button that undoes it. key: of the buttons."""
    applied = _applied(given)
    if not applied:
        return
    with st.container(gap=None):
        for number, mend in enumerate(applied):
            with st.container(horizontal=True, vertical_alignment="center", wrap=False, gap="small"):
                st.button(
                    "Undo",
                    key=f"{key}_{given.key[:16]}_{number}",
                    type="tertiary",
                    icon=":material/undo:",
                    on_click=_undo,
                    args=(given, mend),
                )
                name, words = markdown(given.name, 60), markdown(mend.label)
                st.markdown(f":material/build: **{name}** is mended: {words}.", width="stretch")


def offer(challenge: Challenge, given: ChosenInput, entries: Sequence[Finding], key: str = "offered") -> None:
    """Draw the mends of what was noticed about an own input that was scored all the same: a button each, or a
    field for what only the visitor knows. key: of the buttons."""
    found = distinct(mend for entry in entries for mend in entry.fixes)
    applied = {mend.changes for mend in _applied(given)}
    buttons = [mend for mend in found if mend.changes and mend.changes not in applied]
    fields = [challenge.option(mend.option) for mend in found if mend.option]
    if given.own and (buttons or fields):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            for option in fields:
                _field(given, option, key)
            if buttons:
                st.markdown(":material/help: Meant otherwise?", width="content")
                finding_list.mend_buttons(buttons, partial(take, challenge.id, given), key)


def _field(given: ChosenInput, option: Option, place: str) -> None:
    key = f"{place}_{option.name}_{given.key[:16]}"

    def fill_in() -> None:
        value = st.session_state[key]
        if value is not None:
            mend = SuggestedFix(f"{option.label}: {value:g}", InputChanges(options=((option.name, value),)))
            _keep(given, (*_applied(given), mend))

    appearance = {"min_value": 0.0, "placeholder": "unknown", "on_change": fill_in, "width": 260}
    option_widget(option, key, bind=None, persist_state=None, **appearance)


def other_test_set(
    challenge_id: str, test_set: ChosenInput, given: ChosenInput, codes: set[str]
) -> list[SuggestedFix]:
    """Return the mend that scores an own submission on the sample test set that has its cases; none where it
    is chosen, or no sample has them. codes: of its problems."""
    if test_set.own or not given.own or given.is_model or not codes & OF_ANOTHER_SET:
        return []
    changes = changes_of(given).of_files
    found = _fitting(challenge_id, (given.key, changes), test_set.name, given)
    return [found] if found else []


@st.cache_resource(max_entries=4, scope="session", show_spinner=False)
def _fitting(
    challenge_id: str, key: tuple[str, InputChanges], test_set: str, _given: ChosenInput
) -> SuggestedFix | None:
    source = _given.source
    if isinstance(source, bytes):
        source = {_given.name: fixed_table(source, key[1]) if key[1] else source}
    return fitting_test_set(challenge_id, source, test_set)
