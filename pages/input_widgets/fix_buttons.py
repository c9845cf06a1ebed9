"""Buttons that fix visitors' files: changes in how a file is read or scored, and their undo.

For a refused file, `pages.display.finding_list.refusal` draws them, with fixes from
`scoring.inputs.fix_suggestions`.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import streamlit as st

from pages.display import finding_list
from pages.input_widgets.option_widgets import option_widget
from pages.input_widgets.selectors import ChosenInput
from scoring.challenges.recognition import fitting_test_set
from scoring.common.findings import InputRefused, distinct
from scoring.common.fixes import InputChanges, SuggestedFix
from scoring.common.text import markdown
from scoring.core.challenge import Challenge
from scoring.core.fix_trials import score_words
from scoring.core.options import Option
from scoring.core.scorecard import ScoreCard
from scoring.inputs.sources import FixedSource
from scoring.inputs.table_edits import fixed_table

KEY = "mends"
"""Session key of the fixes applied to the visitor's inputs: key of an input -> its fixes, in order."""
OF_ANOTHER_SET = {"no-common-case", "missing-case", "extra-case", "missing-column", "extra-column"}
"""Problems that occur if files belong to another test set."""
TAKEN = "fix_taken"
"""Session key of the input that was fixed last, and its number of earlier fixes."""
_into_view = st.components.v2.component(
    "fix_into_view",
    html="<span></span>",
    js="""
export default function ({data, parentElement}) {
  if (window.benchsideFix === data.turn) return;
  window.benchsideFix = data.turn;
  const at = parentElement.host ?? parentElement;
  const lines = at.closest("[class*=st-key-fix_lines]") ?? at;
  const show = () => lines.scrollIntoView({block: "nearest", behavior: "instant"});
  show();
  setTimeout(show, 300);  // after what came above and below was drawn
}""",
)


def _applied(chosen: ChosenInput) -> tuple[SuggestedFix, ...]:
    known: dict[str, tuple[SuggestedFix, ...]] = st.session_state.get(KEY, {})
    return known.get(chosen.key, ()) if chosen.own else ()


def changes_of(chosen: ChosenInput) -> InputChanges:
    """Return the changes by all fixes applied to an input."""
    whole = InputChanges()
    for fix in _applied(chosen):
        whole = whole.joined(fix.changes)
    return whole


def fixed_input(chosen: ChosenInput) -> ChosenInput:
    """Return the input with its fixes, under its own key."""
    changes = changes_of(chosen).of_files
    if not changes:
        return chosen
    key = hashlib.sha256(f"{chosen.key} {changes}".encode()).hexdigest()
    return replace(chosen, key=key, source=FixedSource(chosen.source, changes))


def fixed_truth(challenge: Challenge, chosen: ChosenInput) -> ChosenInput:
    """Return a test set with its fixes; options that change its reading change its key."""
    fixed, needed = fixed_input(chosen), challenge.needed("truth", options_of(chosen))
    if not needed:
        return fixed
    return replace(fixed, key=hashlib.sha256(f"{fixed.key} {sorted(needed.items())}".encode()).hexdigest())


def options_of(chosen: ChosenInput) -> Mapping[str, Any]:
    """Return the options of `score` that an input's fixes set."""
    return dict(changes_of(chosen).options)


def take(challenge_id: str, chosen: ChosenInput, fix: SuggestedFix) -> None:
    """Apply a fix to an input, in this session only."""
    if fix.changes.test_set:
        st.session_state[f"{challenge_id}_set"] = fix.changes.test_set
        if "set" in st.query_params:
            st.query_params["set"] = fix.changes.test_set
        return
    _keep(chosen, (*_applied(chosen), fix))
    st.session_state[TAKEN] = (chosen.key, st.session_state.get(TAKEN, ("", 0))[1] + 1)


def written(chosen: ChosenInput) -> list[dict[str, Any]]:
    """Return the fixes of an input as JSON values."""
    return [{"label": fix.label, "changes": asdict(fix.changes)} for fix in _applied(chosen)]


def restore(key: str, entries: Sequence[Mapping[str, Any]]) -> None:
    """Apply fixes from `written` to an input."""
    fixes = [
        SuggestedFix(
            entry["label"], InputChanges(**{name: _fixed(value) for name, value in entry["changes"].items()})
        )
        for entry in entries
    ]
    st.session_state[KEY] = {**st.session_state.get(KEY, {}), key: tuple(fixes)}


def _fixed(value: Any) -> Any:
    """Return lists of JSON as tuples."""
    return tuple(map(_fixed, value)) if isinstance(value, (list, tuple)) else value


def set_option(chosen: ChosenInput, option: str, fix: SuggestedFix | None) -> None:
    """Let one fix set an option of an input, replacing earlier ones; None: no fix sets it."""
    others = [known for known in _applied(chosen) if option not in dict(known.changes.options)]
    _keep(chosen, (*others, *([fix] if fix else [])))


def _undo(chosen: ChosenInput, fix: SuggestedFix) -> None:
    _keep(chosen, tuple(known for known in _applied(chosen) if known != fix))


def _keep(chosen: ChosenInput, fixes: tuple[SuggestedFix, ...]) -> None:
    st.session_state[KEY] = {**st.session_state.get(KEY, {}), chosen.key: fixes}


def lines(chosen: ChosenInput, key: str = "undo") -> None:
    """Draw the changes that fixes made to an input, each with an undo button, and scroll to them after a fix,
    because its button is far below. key: of the buttons."""
    applied = _applied(chosen)
    if not applied:
        return
    with st.container(key=f"fix_lines_{key}_{chosen.key[:16]}", gap=None):
        for number, fix in enumerate(applied):
            with st.container(horizontal=True, vertical_alignment="center", wrap=False, gap="small"):
                st.button(
                    "Undo",
                    key=f"{key}_{chosen.key[:16]}_{number}",
                    type="tertiary",
                    icon=":material/undo:",
                    on_click=_undo,
                    args=(chosen, fix),
                )
                name, label = markdown(chosen.name, 60), markdown(fix.label)
                st.markdown(f":material/build: **{name}** is fixed: {label}.", width="stretch")
        last, turn = st.session_state.get(TAKEN, ("", 0))
        if last == chosen.key:
            _into_view(key=f"into_view_{key}_{chosen.key[:16]}", data={"turn": turn}, height=1)


def offer(challenge: Challenge, chosen: ChosenInput, card: ScoreCard, key: str = "offered") -> None:
    """Draw the fixes of findings about a scored file: a button each, or a field for a value that only the
    visitor knows. key: of the buttons."""
    distinct_fixes = distinct(fix for entry in card.findings for fix in entry.fixes)
    applied = {fix.changes for fix in _applied(chosen)}
    buttons = [fix for fix in distinct_fixes if fix.changes and fix.changes not in applied]
    fields = [challenge.option(fix.option) for fix in distinct_fixes if fix.option]
    if chosen.own and (buttons or fields):
        with st.container(key=f"{key}_fixes", horizontal=True, vertical_alignment="center", gap="small"):
            for option in fields:
                _field(chosen, option, key)
            if buttons:
                now = "" if card.score is None else f" Score now: {score_words(challenge, card.score)}."
                st.markdown(
                    f":material/help: Did Benchside interpret the file wrongly?{now}", width="content"
                )
                finding_list.fix_buttons(buttons, partial(take, challenge.id, chosen), key)


def _field(chosen: ChosenInput, option: Option, key_prefix: str) -> None:
    key = f"{key_prefix}_{option.name}_{chosen.key[:16]}"

    def fill_in() -> None:
        value = st.session_state[key]
        if value is not None:
            fix = SuggestedFix(f"{option.label}: {value:g}", InputChanges(options=((option.name, value),)))
            _keep(chosen, (*_applied(chosen), fix))

    appearance = {"min_value": 0.0, "placeholder": "unknown", "on_change": fill_in, "width": 340}
    option_widget(option, key, bind=None, persist_state=None, **appearance)


def other_test_set(
    challenge_id: str, test_set: ChosenInput, chosen: ChosenInput, codes: set[str]
) -> list[SuggestedFix]:
    """Return the fix that scores a submission on the sample test set with its cases; None if it is chosen or
    no sample has them. codes: codes of its problems."""
    if test_set.own or not chosen.own or chosen.is_model or not codes & OF_ANOTHER_SET:
        return []
    changes = changes_of(chosen).of_files
    fitting = _fitting(challenge_id, (chosen.key, changes), test_set.name, chosen)
    return [fitting] if fitting else []


@st.cache_resource(max_entries=4, scope="session", show_spinner=False)
def _fitting(
    challenge_id: str, key: tuple[str, InputChanges], test_set: str, _chosen: ChosenInput
) -> SuggestedFix | None:
    source = _chosen.source
    if isinstance(source, bytes):
        try:
            source = {_chosen.name: fixed_table(source, _chosen.name, key[1]) if key[1] else source}
        except InputRefused:  # it takes too long, or too much memory
            return None
    return fitting_test_set(challenge_id, source, test_set)
