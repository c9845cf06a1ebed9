"""Corrections of a board's truth on its page: scoring again, and what a correction changed (`rescoring`)."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.boards import actions
from pages.boards.board_context import BoardPage
from pages.display import finding_list, layout, render
from pages.inputs import selectors
from pages.server import jobs
from scoring.core.views import Block
from scoring.services.boards import rescoring, views
from scoring.services.boards.board import OpenBoard, opened
from scoring.services.boards.ranking import board_ranking

ABOUT_CASES = "a table of age, sex, site, patient by case id"


def show(page: BoardPage) -> None:
    """Draw where a corrected truth is dropped, how far the scoring is, and what each correction changed."""
    board, prefix = page.board, f"board_{page.board.row.id}"
    key = ("rescore", board.row.id)
    outcome = actions.outcome(key, "submissions")
    if outcome is not None and outcome.refused:
        finding_list.refusal(outcome.refused)
    layout.heading("Is a label of the test set wrong?")
    begun = rescoring.stopped(board)
    if begun is not None:
        _go_on(board, key, begun)
    label = board.challenge.inputs.truth.words
    left, right = st.columns(2)
    with left:
        truth = selectors.one_file(f"Corrected test set: {label}", f"{prefix}_truth")
    with right:
        table = selectors.one_file(f"Metadata, if it changed: {ABOUT_CASES}", f"{prefix}_metadata")
    st.caption(
        "It becomes the next version: all submissions are scored again, and the board shows the new numbers "
        "once all are there. The old ones stay."
    )
    if (truth or table) and st.button(
        "Score all again", type="primary", icon=":material/replay:", key="board_rescore"
    ):
        actions.long(key, lambda job: _rescored(board, truth, table, job))
        for name in ("truth", "metadata"):
            st.session_state.pop(f"{prefix}_{name}_kept", None)
        st.rerun()
    _changes(page)


def _go_on(board: OpenBoard, key: tuple, begun: tuple[int, int]) -> None:
    done, total = begun
    with st.container(border=True, horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            f"A corrected test set is not done: **{done} of {total}** submissions are scored on it. The "
            "board shows the old numbers."
        )
        if st.button("Go on", icon=":material/play_arrow:", key="board_go_on"):
            actions.long(key, lambda job: _rescored(board, None, None, job))
            st.rerun()


def _rescored(
    board: OpenBoard, truth: selectors.ChosenInput | None, table: selectors.ChosenInput | None, job: jobs.Job
) -> int:
    source, name = (truth.source, truth.name) if truth else (None, None)
    joined = table.source if table else None
    done = rescoring.rescore(board.store, board.row.id, source, actions.progress(job), name, joined)
    return done.row.version


def _changes(page: BoardPage) -> None:
    row = page.board.row
    if row.version == 1:
        return
    version = row.version
    if version > 2:
        versions = list(range(row.version, 1, -1))
        version = st.selectbox("Version of the test set", versions, key="board_version", width=220)
    changes = _changed(page.key, version, page.board)
    render.draw_all(changes, page.path(f"Corrections/{version}"))
    st.caption("These tables name cases: they are not for publication.")
    if st.toggle(f"Show the ranking with version {version - 1}", key="board_old_ranking"):
        before = _ranked(page.key, version - 1, page.board)
        render.draw_all(before, page.path(f"Corrections/ranked {version - 1}"))


@st.cache_resource(max_entries=8, show_spinner="Comparing versions ...")
def _changed(key: tuple[str, ...], version: int, _board: OpenBoard) -> list:
    board = opened(_board.store, _board.row.id, version)
    return views.corrections(board_ranking(board), rescoring.changes(board))


@st.cache_resource(max_entries=8, show_spinner="Ranking ...")
def _ranked(key: tuple[str, ...], version: int, _board: OpenBoard) -> Sequence[Block]:
    return views.sections(board_ranking(opened(_board.store, _board.row.id, version)))[0].blocks
