"""Where teams differ: by class and by subgroup."""

import pandas as pd
import streamlit as st

from pages.shared import layout, teams
from pages.shared.comparison.pictures import pictures
from pages.shared.comparison.shown import Compared
from scoring.comparison import classes as by_class
from scoring.comparison import subgroups as by_group
from scoring.comparison import views
from scoring.comparison.members import members
from scoring.figures.numerals import decimal, span
from scoring.text import markdown, shortened

CLASS_FIGURE = "figure_Where-do-the-teams-differ"
FEW = 10
"""Rows that a table shows without scrolling."""


def classes(compared: Compared) -> None:
    """Class by team, and the cases of the chosen cell."""
    comparison, names = compared.comparison, compared.names
    found = by_class.matrix(comparison)
    if not found.classes:
        st.info("There is no class that all teams were scored on.", icon=":material/category:")
        return
    places = [found.teams.index(name) for name in names]
    risks = compared.challenge.class_risks
    left, right = st.columns([11, 9], gap="large")
    with right, st.container(horizontal=True, gap="small"):
        name = st.selectbox(
            "Class",
            found.classes,
            key="class",
            bind="query-params",
            persist_state="page",
            width=170,
            format_func=shortened,
        )
        team = st.selectbox(
            "Team",
            names,
            key="class_team",
            bind="query-params",
            persist_state="page",
            width=200,
            format_func=shortened,
        )
    with left:
        mode = "values"
        if len(names) > 1:
            mode = st.segmented_control(
                "Cells show",
                ["values", "difference to the leader"],
                key="cells",
                bind="query-params",
                required=True,
                default="values",
            )
        against = names[0] if mode != "values" else None
        figure = views.classes(found, names, risks, layout.theme(), (name, team), against)
        measures = views.measures(found)
        layout.chart(
            figure,
            f"{measures}{f' less that of {markdown(against)}' if against else ', .66 is 0.66'}. "
            "Number: cases of the class, * under 15. Choose a cell to see "
            f"its cases. {compared.method}",
            pd.DataFrame(found.values[:, places], index=found.classes, columns=names),
            on_select=_choose_class,
            selection_mode="points",
        )
    with right:
        if team != names[0]:
            st.markdown(
                _difference_words(
                    by_class.differences(comparison, team, names[0])[found.classes.index(name)],
                    team,
                    names[0],
                )
            )
        _class_cases(compared, name, team)


def _choose_class() -> None:
    points = st.session_state[CLASS_FIGURE].selection.points
    if points:
        st.session_state["class"], st.session_state["class_team"] = points[0]["customdata"]


def _difference_words(one: by_class.ClassDifference, team: str, leader: str) -> str:
    if one.difference is None:
        return f"{views.named(one.measure)} of {markdown(one.name)} is undefined for one of the two."
    words = (
        f"{views.named(one.measure)} of {markdown(one.name)}: **{markdown(team, 40)}** less "
        f"**{markdown(leader, 40)}** is **{decimal(one.difference, 3, True)}**"
    )
    return (
        f"{words}, 95% interval {span(one.interval, 3, sign=True)}; not adjusted for looking at many classes."
        if one.interval
        else f"{words}."
    )


def _class_cases(compared: Compared, name: str, team: str) -> None:
    """What a team made of the cases of a class, the worst first."""
    cards = compared.comparison.cards
    found = members(cards[team], name)
    title = (
        f"{shortened(name, 30)}, {shortened(team, 30)}: {len(found)} case{'s' * (len(found) != 1)}, "
        "worst first"
    )
    if compared.challenge.thumbnails and any(one.called for one in found):
        layout.gallery(
            title,
            "First line: the truth; then what the team called it.",
            len(found),
            lambda start, stop: pictures(compared, [one.index for one in found[start:stop]], [team]),
            "class_page",
            per_page=8,
        )
        return
    rows = pd.DataFrame(
        [{"case": one.case, "value": one.value, "called": one.called or ""} for one in found],
        columns=["case", "value", "called"],
    )
    columns = {"case": layout.words("case"), "value": layout.number("value ↑")}
    if any(one.called for one in found):
        columns["called"] = layout.words("called")
    layout.table(
        title,
        rows,
        columns,
        "1 is right; for what is found or outlined, F1 or Dice in this case.",
        key="class_cases",
        height="content" if len(rows) < FEW else 360,
    )


def subgroups(compared: Compared) -> None:
    """Every team in every group of patients."""
    names = compared.names
    found = teams.of_comparison("subgroups", compared.key, lambda: by_group.subgroups(compared.comparison))
    if not found:
        st.info(
            "The test set tells nothing about its cases that could make subgroups.", icon=":material/group:"
        )
        return
    columns, measures = (
        list(dict.fromkeys(getattr(row, what) for row in found)) for what in ("column", "measure")
    )
    with st.container(horizontal=True, gap="small"):
        column = st.segmented_control(
            "By",
            columns,
            key="by",
            bind="query-params",
            required=True,
            default=columns[0],
            persist_state="page",
        )
        measure = st.selectbox(
            "Measure",
            measures,
            key="measure",
            bind="query-params",
            persist_state="page",
            width=240,
            format_func=views.named,
        )
        mode = st.segmented_control(
            "Show",
            ["values", "difference to all cases"],
            key="group_mode",
            bind="query-params",
            required=True,
            default="values",
            persist_state="page",
        )
    layout.heading("Which subgroup fails?")
    rows = [row for row in found if row.column == column and row.measure == measure]
    is_difference = mode != "values"
    ends = [
        end
        for row in rows
        for one in row.teams
        if one.team in names
        for end in views.estimate(one, is_difference)[1] or ()
    ]
    with st.grid(min_column_width=330, gap="small"):
        for place, row in enumerate(rows):
            with st.container(border=True, gap="xsmall"):
                st.markdown(
                    f"**{markdown(row.group)}** :gray[n = "
                    f"{row.n}{'* under 15: read nothing into it' * row.small}]"
                )
                chosen = [one for one in row.teams if one.team in names]
                figure = views.subgroup(row, names, ends, layout.theme(), is_difference)
                words = ", ".join(
                    f"{one.team} {decimal(views.estimate(one, is_difference)[0], 2)}" for one in chosen
                )
                st.plotly_chart(
                    figure,
                    theme=None,
                    key=f"group_{place}",
                    config=layout.CONFIG,
                    alt=f"{row.group}, n = {row.n}: {words}",
                )
    numbers = pd.DataFrame(
        [
            {
                "group": row.group,
                "n": row.n,
                "team": one.team,
                "value": one.value,
                "interval": span(one.interval, 3),
                "to all": one.to_overall,
                "to all interval": span(one.to_overall_interval, 3),
            }
            for row in rows
            for one in row.teams
        ]
    )
    layout.table(
        "What are the numbers?",
        numbers,
        {
            "group": layout.words("group"),
            "n": layout.number("n", 0),
            "team": layout.words("team"),
            "value": layout.number(f"{views.named(measure)} ↑"),
            "interval": layout.words("95% interval", right=True),
            "to all": layout.number("less all cases"),
            "to all interval": layout.words("95% interval", right=True),
        },
        (
            f"{len(found)} slices looked at: one may stand apart by chance. Grey and hollow: under 15 "
            f"cases. {compared.method}"
        ),
        lighter=["interval", "to all interval"],
        key="groups",
        height=320,
    )
