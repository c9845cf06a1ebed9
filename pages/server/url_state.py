"""URL state: the visitor's choices as parameters of the page's address (URL).

A choice on the page is written to the address. Back and Forward change the address, and the page applies its
choices.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

KNOWN, PAGE = "_address", "_address_page"
STEPS = ("tab", "set", "submission", "with", "challenge", "board", "view")
"""Parameters whose change adds a step to the browser's history."""
_history = st.components.v2.component(
    "history", html="<i></i>", js=(Path(__file__).parent / "history.js").read_text(encoding="utf-8")
)


def steps() -> None:
    """Make the browser's history one of steps. Call it once, above every page; it takes no room."""
    _history(key="history", data={"steps": STEPS}, height=1)


def start_run(page: str) -> bool:
    """Record which page is drawn. Call it before the page; choices of another page are forgotten.

    Returns:
        Whether this run opens the page.
    """
    opens = st.session_state.get(PAGE) != page
    if opens:
        st.session_state[PAGE], st.session_state[KNOWN] = page, {}
    return opens


def read_again() -> None:
    """Apply the choices in the address again, because the available choices have changed."""
    st.session_state[KNOWN] = {}


def end() -> None:
    """Store the choices in the address. Call it after the page."""
    st.session_state[KNOWN] = st.query_params.to_dict()


def write(parameter: str, value: str) -> None:
    """Write a choice to the address."""
    st.query_params[parameter] = value
    st.session_state.setdefault(KNOWN, {})[parameter] = value


def replace(**parameters: str) -> None:
    """Replace the whole address: the visitor opens another view of the same page."""
    st.query_params.from_dict(parameters)


def read(key: str, parameter: str, allowed: Iterable[str]) -> None:
    """Apply a new choice from the address; a choice that is no longer in the address returns to its
    default."""
    known, named, options = st.session_state.get(KNOWN, {}), st.query_params.get(parameter), list(allowed)
    if named != known.get(parameter):
        if named in options:
            st.session_state[key] = named
        elif named is None:
            st.session_state.pop(key, None)
    if st.session_state.get(key) not in (None, *options):
        del st.session_state[key]  # another test set has other submissions


def select(label: str, options: Sequence[str], key: str, width: int, format_func: Callable = str) -> Any:
    """Draw a list, and return the chosen option. key: also the parameter of the address."""
    return st.selectbox(
        label,
        options,
        key=key,
        bind="query-params",
        persist_state="page",
        width=width,
        format_func=format_func,
    )


def segments(label: str, options: Sequence[str], key: str, format_func: Callable = str) -> Any:
    """Draw options side by side with the first one selected; return the chosen one. key: as in `select`."""
    return st.segmented_control(
        label,
        options,
        key=key,
        bind="query-params",
        required=True,
        default=options[0],
        persist_state="page",
        format_func=format_func,
    )
