"""What if the formula had other weights? One at a time."""

from collections.abc import Sequence

import streamlit as st

from pages.comparison.context import ComparisonContext
from pages.display import layout, render
from scoring.comparison import robustness, rule_views
from scoring.comparison.robustness import Rescored
from scoring.core.comparison_spec import Parameter


@st.fragment
def what_if(compared: ComparisonContext) -> None:
    """Draw the score under other numbers of its formula, with intervals. What is moved and what moves are
    drawn anew, nothing else."""
    comparison = compared.comparison
    usual: Rescored | None = compared.kept("usual weights", lambda: robustness.what_if(comparison, {}))
    if comparison.spec.what_if is None or usual is None:
        return
    layout.heading("What if the formula had other weights?")
    parameters = comparison.spec.what_if.parameters
    left, right = st.columns([2, 3], gap="large")
    with left:
        values = {parameter.name: _slider(compared, parameter) for parameter in parameters}
        st.button(
            "As official",
            key="parameters_back",
            type="tertiary",
            icon=":material/undo:",
            on_click=_reset,
            args=(compared, parameters),
        )
    changed = [f"{one.label} {values[one.name]:g}" for one in parameters if values[one.name] != one.usual]
    before = dict(zip(usual.teams, usual.ranks, strict=True))
    found = (robustness.what_if(comparison, values) if changed else None) or usual
    with right:
        render.draw(
            rule_views.rescored(compared.displayed, found, before, ", ".join(changed)),
            compared.place(f"What if/{values}"),
        )


def _slider(compared: ComparisonContext, parameter: Parameter) -> float:
    return st.slider(
        parameter.label[:1].upper() + parameter.label[1:],
        float(parameter.low),
        float(parameter.high),
        float(parameter.usual),
        0.05 if parameter.high <= 5 else 0.5,
        key=_key(compared, parameter),
        bind="query-params",
        persist_state="page",
        help=f"Official: {parameter.usual:g}. Weights are shares of their sum.",
    )


def _key(compared: ComparisonContext, parameter: Parameter) -> str:
    return f"parameter_{compared.challenge.id}_{parameter.name}"


def _reset(compared: ComparisonContext, parameters: Sequence[Parameter]) -> None:
    for parameter in parameters:
        st.session_state[_key(compared, parameter)] = float(parameter.usual)
