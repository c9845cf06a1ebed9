"""All cases of a scorecard in a table, and what the model received of the chosen one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa
import streamlit as st

from pages.challenge import scored_submission, scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from pages.display import layout
from pages.display.tables import shortened_column
from pages.server.streamlit_internals import ColumnConfig, arrow_table
from scoring.common.text import markdown
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Block


@dataclass(frozen=True)
class _Cases:
    """Cases as they are downloaded and as they are sent, and how the columns of both are shown."""

    numbers: pd.DataFrame
    cells: pa.Table
    columns: Mapping[str, Any]


@st.fragment
def table_and_case(
    scored: ScoredSubmission,
    rows: Callable[[ScoreCard], pd.DataFrame],
    columns: Mapping[str, ColumnConfig],
    draw: Callable[[ScoredSubmission, int], None],
) -> None:
    """Draw the cases, all or those that were right or wrong, and the one that a click on its row or its name
    chooses.

    rows: one per case, with "case" and "correct". columns: name in rows -> column_config; those that rows
    lack are left out. draw: draws the case at a place in the card.
    """
    only = st.segmented_control(
        "Cases", ["all", "mistakes", "right"], key="cases", bind="query-params", required=True, default="all"
    )
    cases = scoring_run.of_card(f"cases/{only}", scored, lambda card: _cases(rows(card), only, columns))
    _table(cases, scored.card.n_cases, only)
    _one(scored, draw)


def _cases(rows: pd.DataFrame, only: str, columns: Mapping[str, ColumnConfig]) -> _Cases:
    chosen = rows if only == "all" else rows[rows["correct"] == (only == "right")]
    there = {name: column for name, column in columns.items() if name in rows}
    numbers = chosen[list(there)]
    cells, config = shortened_column(numbers, there)
    return _Cases(numbers, arrow_table(cells), config)


def _table(cases: _Cases, n_cases: int, only: str) -> None:
    question = f"What became of each case? {len(cases.numbers)} of {n_cases}"
    table = layout.styled_table(
        question,
        cases.cells,
        cases.columns,
        "case_rows",
        on_select="rerun",
        selection_mode="single-row",
        height=320,
    )
    caption = "Choose a row to see what the model received."
    layout.footer(caption, cases.numbers, question, "case_rows", index=False)
    picked = table.selection.rows
    if picked and st.session_state.get("case_picked") != (only, picked[0]):
        st.session_state["case_picked"] = (only, picked[0])
        st.session_state["case"] = cases.numbers["case"].iloc[picked[0]]


@st.fragment
def _one(scored: ScoredSubmission, draw: Callable[[ScoredSubmission, int], None]) -> None:
    """Another case repaints this, not the table."""
    names = [case["case"] for case in scored.card.cases]
    chosen = st.selectbox("What a model receives of", names, key="case", bind="query-params", format_func=str)
    draw(scored, names.index(chosen))


def pixels_and_block(
    how: str, block: Callable[[ScoreCard, int], Block]
) -> Callable[[ScoredSubmission, int], None]:
    """Return what draws pixels and outputs of a case side by side. how: as of `pixels`. block: the outputs of
    a scorecard's case."""

    def draw(scored: ScoredSubmission, index: int) -> None:
        left_column, right_column = st.columns([1, 1], gap="large")
        with left_column:
            pixels(scored, index, how)
        with right_column:
            scored_submission.block(block(scored.card, index), scored, f"case/{index}")

    return draw


def pixels(scored: ScoredSubmission, index: int, how: str) -> None:
    """Draw the pixels that the model received of a case, step by step. how: in words, Markdown of our own."""
    layout.heading("Which pixels did it get?")
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
            alt=f"Pixels that the model receives of {case}, {stage.width} by {stage.height}",
        )
    st.caption(how)
