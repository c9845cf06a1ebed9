"""Cases of a scorecard: filters (also cases that became right or wrong since the last run), pictures and
table, and the model's input for the chosen case."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

import scoring
from pages.challenge import scored_submission, scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from pages.display import case_grid, layout, render
from pages.display.case_grid import GridCells
from pages.display.tables import shortened_column, shortener
from pages.history import recent_runs
from pages.server import url_state
from pages.server.streamlit_internals import ColumnConfig, arrow_table
from scoring.common.arrays import Ints
from scoring.common.text import markdown
from scoring.comparison import case_list
from scoring.comparison.case_list import CaseFilter, CaseList
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Block

UPRIGHT = "Photographs are turned upright for display; the model receives them unchanged."
OPENED = "_case_opened"


@st.fragment
def table_and_case(
    scored: ScoredSubmission,
    rows: Callable[[ScoreCard], pd.DataFrame],
    columns: Mapping[str, ColumnConfig],
    draw: Callable[[ScoredSubmission, int], None],
) -> None:
    """Draw the filtered cases, as pictures if there are any and as a table, and the case chosen by a click on
    its picture, row or name.

    rows: one per case, with "case". columns: name in rows -> column_config; missing names are skipped. draw:
    function that draws the case at a position in the card.
    """
    places = grid(scored, "shows what the model received", choose)
    _one(scored, draw, int(places[0]) if len(places) else 0)
    kept = scoring_run.of_card("case_rows", scored, rows)
    _table(scored, kept.iloc[places], columns)


def choose(case: str) -> None:
    """Choose the case to show."""
    st.session_state["case"] = case


def lead(kind: str, count: int, **wanted: str | list[str]) -> None:
    """Draw the button that opens the cases of a kind. count: their number. wanted: as in
    `render.open_cases`."""
    label, key = f"{kind[0].upper()}{kind[1:]}: {count}", f"lead_{kind}"
    st.button(
        label,
        key=key,
        icon=":material/grid_view:",
        on_click=render.open_cases,
        kwargs=wanted,
        disabled=not count,
    )


def grid(scored: ScoredSubmission, opens: str, on_open: Callable[[str], None]) -> Ints:
    """Draw the filters of cases, and their pictures if there are any; call it in a fragment.

    Args:
        opens: What a click on a picture opens.
        on_open: Function that receives the name of the clicked case.

    Returns:
        The positions of the chosen cases in the card, in the chosen order.
    """
    challenge = scoring.load_challenge(scored.card.challenge)
    earlier = recent_runs.previous_run(scored)
    if earlier is None:
        cases = scoring_run.of_card("cases", scored, partial(case_list.case_list, challenge))
    else:  # of one person: not kept for all
        cases = case_list.case_list(challenge, scored.card, earlier)
    wanted = _wanted(cases)
    places = case_list.chosen(cases, wanted)
    layout.heading(f"Which cases? {len(places)} of {len(cases.names)}")
    if challenge.display.thumbnails is not None and any(scored.truth.images) and len(places):
        _pictures(scored, cases, places, (opens, on_open))
    return places


def _pictures(
    scored: ScoredSubmission, cases: CaseList, places: Ints, click: tuple[str, Callable[[str], None]]
) -> None:
    names = [cases.names[place] for place in places]
    short = shortener(cases.names)
    captions = case_list.captions(cases, places)
    cells = GridCells(scored.truth_key, places.tolist(), names, [*map(short, names)], captions)

    def drawn(wanted: tuple[int, ...]) -> Sequence[bytes | None]:
        return scoring_run.thumbnails(scored.card.challenge, scored.truth_key, wanted, scored.truth)

    def opened(case: str) -> None:
        click[1](case)
        st.session_state[OPENED] = True

    case_grid.show(cells, drawn, "case_grid", click[0], opened)
    if st.session_state.pop(OPENED, False):
        st.rerun()
    unit = scored.card.provenance["unit"]
    costs = f", then the points that the {unit} adds to the score or takes away" if cases.unit else ""
    said = f"True class → predicted class. Below: the score of the true class{costs}. {UPRIGHT}"
    st.caption(said if cases.truth else f"The number below each case is its score. A click {click[0]}.")


def _wanted(cases: CaseList) -> CaseFilter:
    """Draw the choices, and return them."""
    results = [
        *case_list.RESULTS[: 3 if cases.truth else 1],
        *case_list.CHANGES * (cases.changed is not None),
    ]
    orders = case_list.ORDERS if cases.unit else ("worst first", *case_list.ORDERS[1:])
    with st.container(key="case_choices", horizontal=True, vertical_alignment="bottom", gap="small"):
        result = url_state.segments("Cases", results, "cases") if len(results) > 1 else results[0]
        truth = _class("Truth", cases.truth, "of_truth")
        called = _class("Predicted", cases.called, "of_called")
        there = [group for group in st.session_state.get("of_groups", ()) if group in cases.groups]
        st.session_state["of_groups"] = there  # without those of another submission
        groups = st.multiselect("Groups", [*cases.groups], key="of_groups", width=200) if cases.groups else []
        order = url_state.select("Sorted by", orders, "cases_by", 140)
        scores = _scores(cases)
    order = case_list.ORDERS[orders.index(order)]
    return CaseFilter(result, truth, called, groups, scores, order)


def _class(label: str, column: Sequence[str], key: str) -> str:
    """Draw the choice of a class among those that occur; any where cases have none."""
    options = [case_list.ANY, *sorted(set(column))]
    if st.session_state.get(key, case_list.ANY) not in options:
        del st.session_state[key]  # of another submission
    return (
        url_state.select(label, options, key, 140, lambda name: name or "none") if column else case_list.ANY
    )


def _scores(cases: CaseList) -> tuple[float, float] | None:
    """Draw the choice of a range of scores; None for all."""
    there = cases.score[np.isfinite(cases.score)]
    if not len(there) or there.min() == there.max():
        return None
    ends = (float(np.floor(there.min() * 1000) / 1000), float(np.ceil(there.max() * 1000) / 1000))
    chosen = st.slider("Score", *ends, ends, key="of_scores", width=190)
    return None if chosen == ends else chosen


def _table(scored: ScoredSubmission, rows: pd.DataFrame, columns: Mapping[str, ColumnConfig]) -> None:
    there = {name: column for name, column in columns.items() if name in rows}
    numbers = rows[list(there)]
    cells, config = shortened_column(numbers, there)
    question = f"What was predicted for each case? {len(rows)} of {scored.card.n_cases}"
    table = layout.styled_table(
        question,
        arrow_table(cells),
        config,
        "case_rows",
        on_select="rerun",
        selection_mode="single-row",
        height=320,
    )
    caption = "Choose a row to see what the model received."
    layout.footer(caption, numbers, question, "case_rows", index=False)
    picked = [numbers["case"].iloc[row] for row in table.selection.rows if row < len(numbers)]
    if picked and st.session_state.get("case_picked") != picked:
        st.session_state["case_picked"] = picked
        st.session_state["case"] = picked[0]


@st.fragment
def _one(scored: ScoredSubmission, draw: Callable[[ScoredSubmission, int], None], first: int) -> None:
    """Another case repaints this, not the table. first: the place of the case that is shown at first."""
    names = [case["case"] for case in scored.card.cases]
    chosen = st.selectbox("Chosen case", names, first, key="case", bind="query-params", format_func=str)
    draw(scored, names.index(chosen))


def pixels_and_block(
    how: str, block: Callable[[ScoreCard, int], Block]
) -> Callable[[ScoredSubmission, int], None]:
    """Return the function that draws pixels and outputs of a case side by side. how: as in `pixels`. block:
    function from a scorecard's case to its outputs."""

    def draw(scored: ScoredSubmission, index: int) -> None:
        left_column, right_column = st.columns([1, 1], gap="large")
        with left_column:
            pixels(scored, index, how)
        with right_column:
            scored_submission.block(block(scored.card, index), scored, f"case/{index}")

    return draw


def pixels(scored: ScoredSubmission, index: int, how: str) -> None:
    """Draw the pixels of a case that the model received, step by step. how: explanation in Markdown."""
    layout.heading("Which pixels did the model receive?")
    stages = scoring_run.received(
        scored.card.challenge, scored.truth_key, index, scored.card.more.get("model"), scored.truth
    )
    if stages.refused:
        reason = stages.refused
        st.info(markdown(reason[:1].upper() + reason[1:]), icon=":material/image_not_supported:")
        return
    case = scored.card.cases[index]["case"]
    for column, stage in zip(st.columns(max(2, len(stages.value))), stages.value, strict=False):
        column.image(
            stage.png,
            width="stretch",
            caption=f"{stage.width} × {stage.height}",
            alt=f"Pixels of {case} that the model receives, {stage.width} by {stage.height}",
        )
    st.caption(how)
