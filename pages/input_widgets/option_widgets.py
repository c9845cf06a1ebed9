"""Widgets for the options of a challenge, drawn from each option's declaration, with values in the
address."""

from typing import Any

import streamlit as st

from scoring.core.options import Option


def option_widget(option: Option, key: str = "", **appearance: Any) -> Any:
    """Draw the widget of an option and return the chosen value.

    An option with `values` is a selectbox, a switch a toggle, a number a number input. The choice is stored
    in the address and stays when the visitor opens other pages.

    Args:
        option: The option; its `label`, `value_labels` and `explain` are shown.
        key: Key of the widget in session and address; the option's name if not given.
        **appearance: Arguments of the Streamlit widget, such as `width` or `persist_state`.
    """
    settings = {
        "key": key or option.name,
        "help": option.explain or None,
        "bind": "query-params",
        "persist_state": "page",
    } | appearance
    if option.values:
        values = values_by_label(option)
        usual = list(values.values()).index(option.default)
        return values[st.selectbox(option.label, list(values), index=usual, **settings)]
    if option.type is bool:
        return st.toggle(option.label, value=bool(option.default), **settings)
    if option.type in (int, float):
        return st.number_input(option.label, value=option.default, **settings)
    raise TypeError(f"{option.flag} takes text: there is no widget for that")


def chosen_before(option: Option, key: str = "") -> Any:
    """Return the value of an option before its widget is drawn: from the session, or else the address, or
    else the default."""
    key = key or option.name
    values = values_by_label(option) if option.values else {"true": True, "false": False}
    chosen = st.session_state.get(key, st.query_params.get(key))
    return (
        chosen if isinstance(chosen, bool) or chosen in option.values else values.get(chosen, option.default)
    )


def values_by_label(option: Option) -> dict[str, Any]:
    """Return the allowed values of an option by their labels, in the page's order."""
    return {label: value for value, label in option.value_labels.items()} or {v: v for v in option.values}
