"""What class names of an own submission that are none of the ten count as: a choice for each, which needs no
new upload."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

import scoring
from pages.shared import submissions
from pages.shared.inputs import Input
from scoring.challenges.puma import names
from scoring.challenges.puma.names import CLASSES, IGNORE
from scoring.figures.detection import spaced
from scoring.mends import written_pairs
from scoring.text import markdown

if TYPE_CHECKING:
    from pages.shared.challenge_page import ScoredSubmission

MAPS = "puma_class_maps"
"""In the session: key of a submission -> what was chosen, by name."""
MOST = 24
"""Names that a page offers."""
TARGETS = (*CLASSES, IGNORE)


def class_map(given: Input) -> str | None:
    """Return what was chosen for a submission as the option of that name; None where nothing was."""
    chosen = _chosen(given)
    return written_pairs(chosen.items()) if chosen else None


def choose(given: Input) -> None:
    """Draw a choice for each class name of a submission that is none of the ten; nothing without any."""
    found = _others(scoring.__version__, (given.key, given.name), given)
    if not found:
        return
    st.header("What do the other class names count as?", anchor=False)
    st.caption("Applied at once, to the file as it was dropped. The choice stands in the findings.")
    with st.grid(min_column_width=220, gap="small"):
        for place, (name, count) in enumerate(list(found.items())[:MOST]):
            key, alike = f"puma_class_{given.key[:16]}_{place}", names.variant(name)
            usual = _chosen(given).get(name)
            st.selectbox(
                f"{markdown(name, 60)} ({count:,} {'nuclei' if count > 1 else 'nucleus'})",
                TARGETS,
                index=None if usual is None else TARGETS.index(usual),
                format_func=_target_words,
                placeholder=f"{spaced(alike)}?" if alike else "Choose what it counts as",
                key=key,
                on_change=_keep,
                args=(given, name, key),
            )
    if len(found) > MOST:
        st.caption(
            f"and {len(found) - MOST:,} more names: rename them, or leave out nuclei of other classes."
        )


def chosen(shown: "ScoredSubmission") -> None:
    """Draw what was chosen for the submission that is shown, and the choices to change it."""
    found = _chosen(shown.given)
    if found:
        words = ", ".join(f"{markdown(name, 60)} → {_target_words(target)}" for name, target in found.items())
        with st.expander(f"Class names as chosen: {words}", icon=":material/swap_horiz:"):
            choose(shown.given)


def _target_words(target: str) -> str:
    return "ignore: leave its nuclei out" if target == IGNORE else spaced(target)


def _chosen(given: Input) -> dict[str, str]:
    maps: dict[str, dict[str, str]] = st.session_state.setdefault(MAPS, {})
    return maps.get(given.key, {})


def _keep(given: Input, name: str, key: str) -> None:
    target = st.session_state[key]
    st.session_state[MAPS][given.key] = {k: v for k, v in _chosen(given).items() if k != name} | (
        {name: target} if target else {}
    )


@st.cache_resource(max_entries=4, scope="session", show_spinner=False)
def _others(version: str, key: tuple[str, str], _given: Input) -> Mapping[str, int]:
    """Return the class names of a submission that are none of the ten, and their nuclei; none where it cannot
    be read for another reason."""
    challenge = scoring.load_challenge("puma")
    read = submissions.attempt(
        challenge.read_predictions, _given.source, None, _given.name, unknown_classes="ignore"
    )
    if read.refused:
        return {}
    return {name: count for name, count in read.value.names.items() if names.position(name) is None}
