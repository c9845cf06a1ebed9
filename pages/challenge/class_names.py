"""Unknown class names in visitors' files: choice of a class for each."""

from collections.abc import Mapping

import streamlit as st

import scoring
from pages.challenge import scoring_run
from pages.input_widgets import fix_buttons
from pages.input_widgets.selectors import ChosenInput
from scoring.common.fixes import InputChanges, SuggestedFix, parsed_pairs, written_pairs
from scoring.common.text import markdown
from scoring.core.challenge import Challenge

MOST = 24
"""Maximum names on a page."""


def choose(challenge: Challenge, own_file: ChosenInput, key_prefix: str = "class") -> None:
    """Draw a choice for each unknown class name in a visitor's file; draw nothing if there are none.

    Args:
        own_file: The dropped file.
    """
    names = challenge.readers.other_names
    if names is None or not own_file.own or own_file.is_model:
        return
    read = fix_buttons.fixed_input(own_file)
    other_names = _others(challenge.id, scoring.__version__, (read.key, read.name), read)
    if not other_names:
        return
    chosen = _chosen(challenge, own_file)
    st.header(f"Which class does each unknown name in {markdown(own_file.name, 40)} mean?", anchor=False)
    st.caption("Your choice applies at once to the dropped file. The findings list the choice.")
    singular, plural = names.counted
    with st.grid(min_column_width=220, gap="small"):
        for number, (name, count) in enumerate(list(other_names.items())[:MOST]):
            key, alike = f"{key_prefix}_name_{own_file.key[:16]}_{number}", names.near(name)
            usual, targets = chosen.get(name), list(names.targets)
            st.selectbox(
                f"{markdown(name, 60)} ({count:,} {plural if count > 1 else singular})",
                targets,
                index=None if usual is None else targets.index(usual),
                format_func=lambda target: names.targets[target],
                placeholder=f"{names.targets[alike]}?" if alike else "Choose a class for this name",
                key=key,
                on_change=_take,
                args=(challenge, own_file, name, key),
            )
    if len(other_names) > MOST:
        st.caption(f"and {len(other_names) - MOST:,} more names: rename them, or leave them out.")


def change(challenge: Challenge, own_file: ChosenInput, key_prefix: str = "class") -> None:
    """Draw the earlier choices for a visitor's file, so that they can be changed; draw nothing if there are
    none."""
    if challenge.readers.other_names is None or not (chosen := _chosen(challenge, own_file)):
        return
    with st.expander(f"Class names as chosen: {_words(challenge, chosen)}", icon=":material/swap_horiz:"):
        choose(challenge, own_file, key_prefix)


def _words(challenge: Challenge, chosen: Mapping[str, str]) -> str:
    targets = challenge.readers.other_names.targets if challenge.readers.other_names else {}
    return ", ".join(
        f"{markdown(name, 60)} → {targets.get(target, target)}" for name, target in chosen.items()
    )


def _chosen(challenge: Challenge, own_file: ChosenInput) -> dict[str, str]:
    """Return the choices for an own file, by name."""
    names = challenge.readers.other_names
    written = fix_buttons.options_of(own_file).get(names.option) if names else None
    return dict(parsed_pairs(written)) if written else {}


def _take(challenge: Challenge, own_file: ChosenInput, name: str, key: str) -> None:
    names = challenge.readers.other_names
    if names is None:
        return
    target = st.session_state[key]
    chosen = {known: target_of for known, target_of in _chosen(challenge, own_file).items() if known != name}
    chosen |= {name: target} if target else {}
    listed = ", ".join(
        f"“{known}” counts as {names.targets[target_of]}" for known, target_of in chosen.items()
    )
    changes = InputChanges(options=((names.option, written_pairs(chosen.items())),))
    fix_buttons.set_option(own_file, names.option, SuggestedFix(listed, changes) if chosen else None)


@st.cache_resource(max_entries=8, scope="session", show_spinner=False)
def _others(
    challenge_id: str, version: str, key: tuple[str, str], _own_file: ChosenInput
) -> Mapping[str, int]:
    """Return the class names of an own file that are none of the challenge's; none where it cannot be read
    for another reason."""
    names = scoring.load_challenge(challenge_id).readers.other_names
    read = (
        scoring_run.attempt(names.found, _own_file.source, _own_file.name) if names else scoring_run.Outcome()
    )
    return read.value or {}
