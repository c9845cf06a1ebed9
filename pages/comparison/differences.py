"""Differences between teams by class and by subgroup."""

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from pages.comparison.cases import case_pictures
from pages.comparison.context import ComparisonContext
from pages.display import layout, render, tables
from pages.server import url_state
from scoring.common.text import named, shortened
from scoring.comparison import class_measures as by_class
from scoring.comparison import difference_views as views
from scoring.comparison.class_measures import ClassMatrix, Subgroup, members
from scoring.core.views import Text
from scoring.presentation.figures.intervals import KINDS

FEW = 10
"""Rows that a table shows without scrolling."""


@st.fragment
def classes(compared: ComparisonContext) -> None:
    """Draw classes by team, and the cases of the chosen cell."""
    matrix = compared.once("classes", lambda: by_class.matrix(compared.comparison))
    if not matrix.classes:
        render.draw_all(views.classes(compared.displayed), compared.path("Classes"))
        return
    matrix_column, right = st.columns([11, 9], gap="large")
    with right:
        with st.container(horizontal=True, gap="small"):
            name = url_state.select("Class", matrix.classes, "class", 170, shortened)
            team = url_state.select("Team", compared.names, "class_team", 200, shortened)
        if team != compared.names[0]:
            render.draw(_difference(compared, matrix, name, team), compared.path("Class"))
        _class_cases(compared, name, team)
    with matrix_column:
        _class_values(compared, matrix, name, team)


def _difference(compared: ComparisonContext, matrix: ClassMatrix, name: str, team: str) -> Text:
    leader = compared.names[0]
    differences = compared.once(
        f"class differences/{team}", lambda: by_class.differences(compared.comparison, team, leader)
    )
    return views.class_difference(differences[matrix.classes.index(name)], team, leader)


def _class_values(compared: ComparisonContext, matrix: ClassMatrix, name: str, team: str) -> None:
    against = None
    if len(compared.names) > 1:
        mode = url_state.segments("Cells show", ["values", "difference to the leader"], "cells")
        against = None if mode == "values" else compared.names[0]
    figure = views.class_values(compared.displayed, matrix, (name, team), against)
    caption = f"{figure.caption} Choose a cell to see its cases."
    render.draw_clickable(figure, compared.path(f"Classes/{name}/{team}/{against}"), caption, _choose_class)


def _choose_class(figure: str) -> Callable[[], None]:
    def choose() -> None:
        points = st.session_state[figure].selection.points
        if points:
            st.session_state["class"], st.session_state["class_team"] = points[0]["customdata"]

    return choose


def _class_cases(compared: ComparisonContext, name: str, team: str) -> None:
    """What a team made of the cases of a class, the worst first."""
    cards = compared.comparison.cards
    cases = compared.once(f"members/{name}/{team}", lambda: members(cards[team], name))
    title = (
        f"{shortened(name, 30)}, {shortened(team, 30)}: {len(cases)} case{'s' * (len(cases) != 1)}, worst "
        "first"
    )
    if compared.challenge.display.thumbnails and any(case.label for case in cases):
        layout.gallery(
            title,
            "The first line is the truth. The second line is the team's prediction.",
            len(cases),
            lambda start, stop: case_pictures(compared, [case.index for case in cases[start:stop]], [team]),
            "class_page",
            per_page=8,
        )
        return
    rows = pd.DataFrame(
        [{"case": case.case, "value": case.value, "called": case.label or ""} for case in cases],
        columns=["case", "value", "called"],
    )
    columns = {"case": tables.text_column("case"), "value": tables.number_column("value", better="higher")}
    if any(case.label for case in cases):
        columns["called"] = tables.text_column("predicted")
    layout.table(
        title,
        rows,
        columns,
        "The value of a case is 1 or 0 for a right or wrong class, its F1 in detection, and its Dice in "
        "segmentation.",
        key="class_cases",
        height="content" if len(rows) < FEW else 360,
    )


@st.fragment
def subgroups(compared: ComparisonContext) -> None:
    """Draw every team in every subgroup of patients."""
    groups: tuple[Subgroup, ...] = compared.once("subgroups", lambda: by_class.subgroups(compared.comparison))
    if not groups:
        render.draw_all(views.subgroups(compared.displayed), compared.path("Subgroups"))
        return
    column, measure, to_overall = _chosen_groups(groups)
    rows = [row for row in groups if row.column == column and row.measure == measure]
    path = compared.path(f"Subgroups/{column}/{measure}/{to_overall}")
    render.draw(views.group_panels(compared.displayed, rows, to_overall), path.inside("panels"))
    table = views.group_table(compared.displayed, rows, len(groups), "Which numbers does the figure show?")
    render.draw(table, path.inside("table"))


def _chosen_groups(groups: Sequence[Subgroup]) -> tuple[str, str, bool]:
    """Draw the choices; return column, measure, and whether the value of all cases is subtracted."""
    columns = list(dict.fromkeys(row.column for row in groups))
    measures = list(dict.fromkeys(row.measure for row in groups))
    with st.container(horizontal=True, gap="small"):
        column = url_state.segments("By", columns, "by", lambda name: KINDS.get(name, name))
        measure = url_state.select("Measure", measures, "measure", 240, named)
        mode = url_state.segments("Show", ["values", "difference to all cases"], "group_mode")
    return column, measure, mode != "values"
