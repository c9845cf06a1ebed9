"""All cases of a scorecard in a table, and what the model received of the chosen one."""

from collections.abc import Callable, Mapping

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from pages.shared import layout, render, submissions
from pages.shared.challenge_page import ScoredSubmission
from scoring.scorecard import ScoreCard
from scoring.text import markdown
from scoring.views import Block


def table_and_case(
    shown: ScoredSubmission,
    rows: pd.DataFrame,
    columns: Mapping[str, ColumnConfig],
    how: str,
    block: Callable[[ScoreCard, int], Block],
) -> None:
    """Draw the cases, and pixels and outputs of the chosen one side by side.

    rows, columns: as of `chosen`; columns that rows lack are left out. how: as of `pixels`. block: the
    outputs of a scorecard's case.
    """
    index = chosen(shown.card, rows, {name: column for name, column in columns.items() if name in rows})
    left, right = st.columns([1, 1], gap="large")
    with left:
        pixels(shown, index, how)
    with right:
        render.block(block(shown.card, index), shown, f"case/{index}")


def chosen(card: ScoreCard, rows: pd.DataFrame, columns: Mapping[str, ColumnConfig]) -> int:
    """Draw the cases, all or those that were right or wrong, and give the place of the one chosen, by a click
    on its row or by name.

    rows: one per case, with "case" and "correct". columns: name in rows -> column_config.
    """
    only = st.segmented_control(
        "Cases", ["all", "mistakes", "right"], key="cases", bind="query-params", required=True, default="all"
    )
    rows = rows[rows["correct"] == (only == "right")] if only != "all" else rows
    options = [c["case"] for c in card.cases]
    table = layout.table(
        f"What became of each case? {len(rows)} of {card.n_cases}",
        rows,
        columns,
        "Choose a row to see what the model received.",
        key="case_rows",
        on_select="rerun",
        selection_mode="single-row",
        height=320,
    )
    picked = table.selection.rows
    if picked and st.session_state.get("case_picked") != (only, picked[0]):
        st.session_state["case_picked"] = (only, picked[0])
        st.session_state["case"] = rows.iloc[picked[0]]["case"]
    return options.index(
        st.selectbox("What a model receives of", options, key="case", bind="query-params", format_func=str)
    )


def pixels(shown: ScoredSubmission, index: int, how: str) -> None:
    """Draw the pixels that the model received of a case, step by step. how: in words, Markdown of our own."""
    layout.heading("Which pixels did it get?")
    stages = submissions.received(
        shown.card.challenge, shown.truth_key, index, shown.card.more.get("model"), shown.truth
    )
    if stages.refused:
        words = stages.refused
        st.info(markdown(words[:1].upper() + words[1:]), icon=":material/image_not_supported:")
        return
    case = shown.card.cases[index]["case"]
    for place, stage in zip(st.columns(max(2, len(stages.value))), stages.value, strict=False):
        place.image(
            stage.png,
            width="stretch",
            caption=f"{stage.width} × {stage.height}",
            alt=f"Pixels that the model receives of {case}, {stage.width} by {stage.height}",
        )
    st.caption(how)
