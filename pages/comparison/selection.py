"""Which teams are compared: samples, added and dropped ones."""

from collections.abc import Mapping

import streamlit as st

from pages.comparison import teams
from pages.comparison.teams import ComparedTeam
from pages.inputs import selectors
from pages.inputs.option_widgets import option_widget
from pages.inputs.selectors import ChosenInput
from scoring.challenges.samples import SampleTestSet
from scoring.common.text import markdown
from scoring.core.challenge import Challenge

NAMED = 6
"""Teams that are named before "and N more"."""


def selected_teams(
    challenge: Challenge, test_set: ChosenInput, sample: SampleTestSet
) -> tuple[list[ComparedTeam], list, dict]:
    """Return the chosen teams, what is wrong with dropped folders, and the options of all teams."""
    with st.container(border=True, gap="xsmall", height="stretch"):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            named, place = st.container(gap=None), st.popover("Choose", icon=":material/groups:")
            with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall", width="content"):
                single, packs, in_use = selectors.teams(challenge.id, elsewhere=True)
            if in_use.names:
                st.button(
                    "Without own files",
                    key=f"{challenge.id}_teams_back",
                    type="tertiary",
                    icon=":material/undo:",
                    on_click=in_use.forget,
                )
        offered, problems = teams.offered(challenge, test_set, sample, single, packs)
        with place:
            chosen = _chosen(challenge.id, test_set.key, offered)
            shared = _shared_option(challenge)
        with named:
            st.caption("Teams")
            listed = ", ".join(markdown(name, 30) for name in chosen[:NAMED])
            st.markdown(
                f"**{listed or 'none'}**" + f" and {len(chosen) - NAMED} more" * (len(chosen) > NAMED)
            )
    return [offered[one] for one in chosen], problems, shared


def _shared_option(challenge: Challenge) -> dict:
    """Draw the option that comparisons offer for all teams, where the challenge has one."""
    if not challenge.comparison.offered:
        return {}
    option = challenge.option(challenge.comparison.offered)
    key = f"compared_{option.name}"
    return {option.name: option_widget(option, key, help=None, persist_state="session")}


def _chosen(challenge_id: str, truth_key: str, offered: Mapping[str, ComparedTeam]) -> list[str]:
    """Return the teams to compare: those of the address, else all prediction files; what is dropped later is
    added."""
    key, known = f"{challenge_id}_compared", f"{challenge_id}_known"
    before = st.session_state.get(known)
    if before is None or before[0] != truth_key or key not in st.session_state:
        named = [name for name in st.query_params.get_all("teams") if name in offered]
        held = named or [name for name, team in offered.items() if team.joins]
    else:
        held = [name for name in st.session_state[key] if name in offered]
        held += [
            name
            for name, team in offered.items()
            if team.joins and name not in before[1] and name not in held
        ]
    st.session_state[known] = (truth_key, frozenset(name for name, team in offered.items() if team.joins))
    st.session_state[key] = held[: teams.MOST]

    def to_address() -> None:
        st.query_params["teams"] = st.session_state[key]

    return st.pills(
        "Teams to compare",
        list(offered),
        selection_mode="multi",
        format_func=lambda name: markdown(name, 60),
        key=key,
        on_change=to_address,
        persist_state="session",
    )
