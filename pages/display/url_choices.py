"""Choices stored in the page's address (query parameters), so that a link shares them;
`pages.server.url_state` reads and writes the addresses of whole pages."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st


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
