"""Whether the lead is more than chance, and every pair of teams by a metric that is chosen."""

from dataclasses import replace

import streamlit as st

from pages.comparison.context import ComparisonContext
from pages.display import render
from pages.display.render import BlockPath
from scoring.common.text import named
from scoring.comparison import views
from scoring.comparison.display import MANY
from scoring.comparison.pairs import SCORE, pairs_of
from scoring.comparison.scale import Scale
from scoring.comparison.team_views import containing
from scoring.core.views import Figure


def lead(compared: ComparisonContext) -> None:
    """Draw the lead, and every pair."""
    blocks = compared.kept("lead", lambda: views.lead(compared.displayed))
    if len(compared.comparison.scored) < 2:
        render.draw_all(blocks, compared.place("Lead"))
        return
    left, right = st.columns([9, 11], gap="large")
    with left:
        render.draw_all(blocks, compared.place("Lead"))
    with right:
        pairs_of_teams(compared)


@st.fragment
def ranking(compared: ComparisonContext) -> None:
    """Who wins, and what makes the scores. Of many teams the figure draws some, and the table can be
    searched."""
    shown = compared.displayed
    if len(shown.comparison.cards) <= MANY:
        render.draw_all(compared.kept("ranking", lambda: views.ranking(shown)), compared.place("Ranking"))
        return
    left, right = st.columns([2, 3], gap="medium")
    with left:
        render.draw(compared.kept("scores", lambda: views.scores(shown)), compared.place("Scores"))
    with right:
        wanted = st.text_input("Find a team", key="find_team", placeholder="a name, institution or method")
        table = containing(views.exported(shown), wanted)
        render.draw(replace(table, columns=views.team_table(shown).columns), BlockPath(None, True, "teams"))


@st.fragment
def pairs_of_teams(compared: ComparisonContext) -> None:
    """Return every pair, by score or by another metric with the test that belongs to it."""
    comparison = compared.comparison
    metrics = [
        metric
        for metric in comparison.spec.metrics
        if any(card.metrics.get(metric) is not None for card in comparison.cards.values())
    ]
    metric = st.selectbox(
        "Pairs by",
        [SCORE, *metrics],
        key="pairs_metric",
        bind="query-params",
        persist_state="page",
        width=240,
        format_func=named,
    )

    def figure() -> Figure:
        if metric == SCORE:
            return views.pairs(compared.displayed, comparison.pairs, compared.displayed.scale)
        pairs = pairs_of(comparison.spec, comparison.cards, metric)
        return views.pairs(compared.displayed, pairs, Scale(1, 3, 3, named(metric)))

    render.draw(compared.kept(f"pairs/{metric}", figure), compared.place(f"Pairs/{metric}"))
