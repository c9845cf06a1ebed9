"""Widgets for the tabs of several challenges: choice of cases and thresholds."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from pages.display.render import CaseLink


def choose_case(
    noun: str,
    names: Sequence[str],
    link: CaseLink,
    first: Callable[[], str],
    format_func: Callable[[str], str],
    width: int,
) -> int:
    """Draw the choice of a case and return its index. Session and address store the case.

    Args:
        noun: Name for a case.
        names: Names of all cases, in order.
        link: Keys of the case and of the position in it, which is reset for another case.
        first: Function that returns the initial case if neither session nor address names one.
        format_func: As in `st.selectbox`.
        width: Width of the box in px.
    """
    # By hand: a bound box that is drawn for the first time leaves a value that a click elsewhere has set out
    # of the address.
    key = link.case
    wanted = (st.session_state.get(key), st.query_params.get(key))
    case = next((name for name in wanted if name in names), None) or first()
    st.session_state[key] = st.query_params[key] = case
    st.selectbox(
        noun,
        names,
        key=key,
        persist_state="page",
        width=width,
        on_change=link.leave,
        format_func=format_func,
        label_visibility="collapsed",
    )
    index = names.index(case)
    for label, step, side in (("Previous", -1, "left"), ("Next", 1, "right")):
        other = names[(index + step) % len(names)]
        st.button(
            f"{label} {noun.lower()}",
            key=f"{key}_{label}",
            icon=f":material/chevron_{side}:",
            on_click=_go_to,
            args=(link, other),
        )
    return index


def _go_to(link: CaseLink, case: str) -> None:
    st.session_state[link.case] = case
    link.leave()


def threshold_buttons(
    label: str, key: str, official: Mapping[str, float], best: Mapping[str, float] | None, caution: str = ""
) -> None:
    """Draw buttons for the official and the best thresholds.

    Args:
        official: Key of a slider -> the official threshold.
        best: Key of a slider -> the best threshold; None if there is none.
    """
    st.button(label, key=key, on_click=_set_sliders, args=(official,), icon=":material/flag:")
    if best is not None:
        st.button(
            "Best on these cases",
            key="to_best",
            on_click=_set_sliders,
            args=(best,),
            icon=":material/star:",
            help=caution or None,
        )


def _set_sliders(values: Mapping[str, float]) -> None:
    st.session_state.update(values)
