"""Where teams differ: by class, by case, by subgroup."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from pages.shared import frame, scored, teams
from pages.shared.compared.shown import Compared
from pages.shared.frame import Picture
from pages.shared.text import markdown, shortened
from scoring.contrasts import cases as correctness
from scoring.contrasts import classes as by_class
from scoring.contrasts import drawings
from scoring.contrasts import subgroups as by_group
from scoring.contrasts.members import members
from scoring.figures import comparison as figures
from scoring.figures.numerals import decimal, span

CLASS_FIGURE = "figure_Where-do-the-teams-differ"
CASES = 40
"""Cases that the matrix shows at once."""


def classes(compared: Compared) -> None:
    """Class by team, and the cases of the chosen cell."""
    comparison, names = compared.comparison, compared.names
    found = by_class.matrix(comparison)
    if not found.classes:
        st.info("There is no class that all teams were scored on.", icon=":material/category:")
        return
    places = [found.teams.index(name) for name in names]
    risks = getattr(compared.challenge, "RISK", {})
    left, right = st.columns([11, 9], gap="large")
    with right, st.container(horizontal=True, gap="small"):
        name = st.selectbox(
            "Class", found.classes, key="class", bind="query-params", persist_state="page", width=170, format_func=shortened
        )
        team = st.selectbox("Team", names, key="class_team", bind="query-params", persist_state="page", width=200, format_func=shortened)
    with left:
        mode = "values"
        if len(names) > 1:
            mode = st.segmented_control(
                "Cells show", ["values", "difference to the leader"], key="cells", bind="query-params", required=True, default="values"
            )
        against = names[0] if mode != "values" else None
        figure = drawings.classes(found, names, risks, frame.look(), (name, team), against)
        measures = drawings.measures(found)
        frame.chart(
            figure,
            f"{measures}{f' less that of {markdown(against)}' if against else ', .66 is 0.66'}. Number: cases of the class, * under 15. Choose a cell to see "
            f"its cases. {compared.method}",
            pd.DataFrame(found.values[:, places], index=found.classes, columns=names),
            on_select=_choose_class,
            selection_mode="points",
        )
    with right:
        if team != names[0]:
            st.markdown(_difference_words(by_class.differences(comparison, team, names[0])[found.classes.index(name)], team, names[0]))
        _class_cases(compared, name, team)


def _choose_class() -> None:
    points = st.session_state[CLASS_FIGURE].selection.points
    if points:
        st.session_state["class"], st.session_state["class_team"] = points[0]["customdata"]


def _difference_words(one: by_class.ClassDifference, team: str, leader: str) -> str:
    if one.difference is None:
        return f"{drawings.named(one.measure)} of {markdown(one.name)} is undefined for one of the two."
    words = f"{drawings.named(one.measure)} of {markdown(one.name)}: **{markdown(team, 40)}** less **{markdown(leader, 40)}** is **{decimal(one.difference, 3, True)}**"
    return (
        f"{words}, 95% interval {span(one.interval, 3, sign=True)}; not adjusted for looking at many classes."
        if one.interval
        else f"{words}."
    )


def _class_cases(compared: Compared, name: str, team: str) -> None:
    """What a team made of the cases of a class, the worst first."""
    cards = compared.comparison.cards
    found = members(cards[team], name)
    title = f"{shortened(name, 30)}, {shortened(team, 30)}: {len(found)} case{'s' * (len(found) != 1)}, worst first"
    if hasattr(compared.challenge, "thumbnails") and any(one.called for one in found):
        frame.gallery(
            title,
            "First line: the truth; then what the team called it.",
            len(found),
            lambda start, stop: _pictures(compared, [one.index for one in found[start:stop]], [team]),
            "class_page",
            per_page=8,
        )
        return
    rows = pd.DataFrame(
        [{"case": one.case, "value": one.value, "called": one.called or ""} for one in found], columns=["case", "value", "called"]
    )
    columns = {"case": frame.words("case"), "value": frame.number("value ↑")}
    if any(one.called for one in found):
        columns["called"] = frame.words("called")
    frame.table(title, rows, columns, "1 is right; for what is found or outlined, F1 or Dice in this case.", key="class_cases", height=360)


def _pictures(compared: Compared, places: Sequence[int], named_teams: Sequence[str]) -> list[Picture]:
    """Cards of cases: truth, and what each named team made of it."""
    images = [None] * len(places)
    if hasattr(compared.challenge, "thumbnails"):
        images = scored.thumbnails(compared.challenge.ID, compared.truth_key, tuple(places), compared.truth)
    risks, cards = getattr(compared.challenge, "RISK", {}), compared.comparison.cards
    found = []
    for image, place in zip(images, places, strict=True):
        row = cards[named_teams[0]].cases[place]
        truth = row.get("truth")
        lines = [f"**{frame.class_name(truth, risks.get(truth))}**"] if truth else []
        for name in named_teams:
            lines.append(f":gray[{markdown(name, 20)}] {_made(compared, cards[name], place, risks)}")
        found.append(Picture(image, f"Case {row['case']}, truth {truth}", lines, str(row["case"]).rsplit("/", 1)[-1]))
    return found


def _made(compared: Compared, card, place: int, risks) -> str:
    """What a team made of one case, as Markdown."""
    row = card.cases[place]
    if "truth" in row:
        called = row.get("predicted")
        return frame.class_name(called, risks.get(called)) if called else "no prediction"
    value = float(compared.comparison.comparable.right(card)[place])
    return decimal(value, 3)


def cases(compared: Compared) -> None:
    """Which cases are hard for all, and which are told apart by one team only."""
    comparison, names = compared.comparison, compared.names
    found = teams.of_comparison("correctness", compared.key, lambda: correctness.correctness(comparison))
    kinds = {"hard for all": lambda: found.order}
    sure = correctness.wrong_and_confident(found, comparison.cards)
    if len(sure):
        kinds["all wrong, one sure"] = lambda: sure
    if len(names) > 1:
        kinds |= {
            "only one team right": lambda: correctness.only_right(found, one),
            "one right, another wrong": lambda: correctness.right_and_wrong(found, one, other),
        }
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        kind = st.segmented_control(
            "Cases", list(kinds), key="case_kind", bind="query-params", required=True, default="hard for all", persist_state="page"
        )
        one = other = names[0]
        if kind in ("only one team right", "one right, another wrong"):
            one = st.selectbox(
                "Right", names, key="case_right", bind="query-params", persist_state="page", width=200, format_func=shortened
            )
        if kind == "one right, another wrong":
            rest = [name for name in names if name != one]
            other = st.selectbox("Wrong", rest, key="case_wrong", persist_state="page", width=200, format_func=shortened)
    order = kinds[kind]()
    columns = [found.teams.index(name) for name in names]
    left, right = st.columns([11, 9], gap="large")
    with left:
        if len(order):
            shown = order[:CASES]
            values = found.values[np.ix_(shown, columns)]
            frame.chart(
                figures.case_heat(names, [found.cases[k] for k in shown], values, frame.look()),
                f"Strong: wrong, × where entirely. {len(shown)} of {len(order)} cases, those first that the fewest teams got right, then those that teams dispute. "
                f"{len(found.order)} cases count. ",
                pd.DataFrame(found.values[order][:, columns], index=[found.cases[k] for k in order], columns=names),
            )
        else:
            frame.heading("Which cases are hard for all?")
            st.caption(f"No case is of this kind: {kind}.")
    with right:
        counts = correctness.counted_right(found)
        frame.chart(
            figures.teams_right(counts, frame.look()),
            f"First bar: cases that no team got entirely right. n = {len(found.order)}.",
            pd.DataFrame({"teams right": range(len(counts)), "cases": counts}),
        )
        listed = names[:4] + [name for name in (one, other) if name not in names[:4]]
        frame.gallery(
            f"{kind.capitalize()}: {len(order)} case{'s' * (len(order) != 1)}",
            "Bold: the truth. Then what the teams made of it."
            if kind != "all wrong, one sure"
            else "All wrong although one was sure: is the truth right?",
            len(order),
            lambda start, stop: _pictures(compared, [int(k) for k in order[start:stop]], listed),
            "case_page",
            per_page=6,
        )


def subgroups(compared: Compared) -> None:
    """Every team in every group of patients."""
    names = compared.names
    found = teams.of_comparison("subgroups", compared.key, lambda: by_group.subgroups(compared.comparison))
    if not found:
        st.info("The test set tells nothing about its cases that could make subgroups.", icon=":material/group:")
        return
    columns, measures = (list(dict.fromkeys(getattr(row, what) for row in found)) for what in ("column", "measure"))
    with st.container(horizontal=True, gap="small"):
        column = st.segmented_control("By", columns, key="by", bind="query-params", required=True, default=columns[0], persist_state="page")
        measure = st.selectbox(
            "Measure", measures, key="measure", bind="query-params", persist_state="page", width=240, format_func=drawings.named
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
    frame.heading("Which subgroup fails?")
    rows = [row for row in found if row.column == column and row.measure == measure]
    is_difference = mode != "values"
    ends = [end for row in rows for one in row.teams if one.team in names for end in drawings.estimate(one, is_difference)[1] or ()]
    with st.grid(min_column_width=330, gap="small"):
        for place, row in enumerate(rows):
            with st.container(border=True, gap="xsmall"):
                st.markdown(f"**{markdown(row.group)}** :gray[n = {row.n}{'* under 15: read nothing into it' * row.small}]")
                chosen = [one for one in row.teams if one.team in names]
                figure = drawings.subgroup(row, names, ends, frame.look(), is_difference)
                words = ", ".join(f"{one.team} {decimal(drawings.estimate(one, is_difference)[0], 2)}" for one in chosen)
                st.plotly_chart(figure, theme=None, key=f"group_{place}", config=frame.CONFIG, alt=f"{row.group}, n = {row.n}: {words}")
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
    frame.table(
        "What are the numbers?",
        numbers,
        {
            "group": frame.words("group"),
            "n": frame.number("n", 0),
            "team": frame.words("team"),
            "value": frame.number(f"{drawings.named(measure)} ↑"),
            "interval": frame.words("95% interval", right=True),
            "to all": frame.number("less all cases"),
            "to all interval": frame.words("95% interval", right=True),
        },
        f"{len(found)} slices looked at: one may stand apart by chance. Grey and hollow: under 15 cases. {compared.method}",
        lighter=["interval", "to all interval"],
        key="groups",
        height=320,
    )
