"""Ranking and lead of the compared teams, pairs by a chosen metric, and the score under other weights."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from pages.comparison.context import ComparisonContext
from pages.display import layout, render
from pages.display.render import BlockPath
from pages.server import url_state
from scoring.common.direction_and_range import SCORE
from scoring.common.text import named
from scoring.comparison import robustness, rule_views, views
from scoring.comparison.display import MANY
from scoring.comparison.pairs import PairsChoice, pairs_of
from scoring.comparison.robustness import Rescored
from scoring.comparison.score_units import Scale
from scoring.comparison.team_views import containing
from scoring.core.comparison_spec import FormulaParameter
from scoring.core.views import Figure


def lead_tab(compared: ComparisonContext) -> None:
    """Draw the lead, and every pair of teams."""
    blocks = compared.once("lead", lambda: views.lead(compared.displayed))
    if len(compared.comparison.scored) < 2:
        render.draw_all(blocks, compared.path("Lead"))
        return
    lead_column, right = st.columns([9, 11], gap="large")
    with lead_column:
        render.draw_all(blocks, compared.path("Lead"))
    with right:
        pairs_of_teams(compared)


@st.fragment
def ranking_tab(compared: ComparisonContext) -> None:
    """Draw the ranking, and the parts of the scores. If there are many teams, the figure draws some, and the
    table can be searched."""
    view = compared.displayed
    if len(view.comparison.cards) <= MANY:
        render.draw_all(compared.once("ranking", lambda: views.ranking(view)), compared.path("Ranking"))
        return
    scores_column, right = st.columns([2, 3], gap="medium")
    with scores_column:
        render.draw(compared.once("scores", lambda: views.scores(view)), compared.path("Scores"))
    with right:
        wanted = st.text_input("Find a team", key="find_team", placeholder="a name, institution or method")
        table = containing(views.exported(view), wanted)
        render.draw(replace(table, columns=views.team_table(view).columns), BlockPath(None, True, "teams"))


@st.fragment
def pairs_of_teams(compared: ComparisonContext) -> None:
    """Draw every pair, by score or by another metric with its own test."""
    comparison = compared.comparison
    metrics = [
        metric
        for metric in comparison.spec.metrics
        if any(card.metrics.get(metric) is not None for card in comparison.cards.values())
    ]
    metric = url_state.select("Pairs by", [SCORE, *metrics], "pairs_metric", 240, named)

    def figure() -> Figure:
        if metric == SCORE:
            return views.pairs(compared.displayed, comparison.pairs, compared.displayed.scale)
        choice = PairsChoice(metric, quantity=comparison.quantity(metric))
        pairs = pairs_of(comparison.spec, comparison.cards, choice)
        return views.pairs(compared.displayed, pairs, Scale(1, 3, 3, named(metric)))

    render.draw(compared.once(f"pairs/{metric}", figure), compared.path(f"Pairs/{metric}"))


@st.fragment
def what_if(compared: ComparisonContext) -> None:
    """Draw the score with other numbers in its formula, with intervals. A change redraws only the numbers and
    the scores."""
    comparison = compared.comparison
    usual: Rescored | None = compared.once("usual weights", lambda: robustness.what_if(comparison, {}))
    if comparison.spec.what_if is None or usual is None:
        return
    layout.heading("What if the formula had other weights?")
    parameters = comparison.spec.what_if.parameters
    sliders_column, right = st.columns([2, 3], gap="large")
    with sliders_column:
        values = {parameter.name: _slider(compared, parameter) for parameter in parameters}
        st.button(
            "Official weights",
            key="parameters_back",
            type="tertiary",
            icon=":material/undo:",
            on_click=_reset,
            args=(compared, parameters),
        )
    changed = [f"{p.label} {values[p.name]:g}" for p in parameters if values[p.name] != p.usual]
    before = dict(zip(usual.teams, usual.ranks, strict=True))
    rescored = (robustness.what_if(comparison, values) if changed else None) or usual
    with right:
        render.draw(
            rule_views.rescored(compared.displayed, rescored, before, ", ".join(changed)),
            compared.path(f"What if/{values}"),
        )


def _slider(compared: ComparisonContext, parameter: FormulaParameter) -> float:
    return st.slider(
        parameter.label[:1].upper() + parameter.label[1:],
        float(parameter.low),
        float(parameter.high),
        float(parameter.usual),
        0.05 if parameter.high <= 5 else 0.5,
        key=_key(compared, parameter),
        bind="query-params",
        persist_state="page",
        help=f"Official: {parameter.usual:g}. Benchside divides each weight by the sum of all weights.",
    )


def _key(compared: ComparisonContext, parameter: FormulaParameter) -> str:
    return f"parameter_{compared.challenge.id}_{parameter.name}"


def _reset(compared: ComparisonContext, parameters: Sequence[FormulaParameter]) -> None:
    for parameter in parameters:
        st.session_state[_key(compared, parameter)] = float(parameter.usual)
