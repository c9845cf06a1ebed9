"""Corrections of a board's truth on its page: preview, rescoring, and changes."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.boards import actions
from pages.boards.actions import BoardPage
from pages.display import finding_list, layout, render
from pages.display.render import BlockPath
from pages.input_widgets import selectors
from pages.server import background_jobs
from scoring.boards import views
from scoring.boards.board import OpenBoard, opened
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.boards.truth_correction import rescoring
from scoring.boards.truth_correction.correction_preview import correction, corrections
from scoring.core.views import Block

ABOUT_CASES = "a table with age, sex, site and patient of each case id"


def show(page: BoardPage) -> None:
    """Draw the input for a corrected truth, its preview, and the changes of each version."""
    board, prefix = page.board, f"board_{page.board.row.id}"
    key = ("rescore", board.row.id)
    outcome = actions.outcome(key, "submissions")
    if outcome is not None and outcome.refused:
        finding_list.refusal(outcome.refused)
    layout.heading("Is a label of the test set wrong?")
    begun = rescoring.stopped(board)
    if begun is not None:
        _begun(page, key, begun)
    label = board.challenge.inputs.truth.words
    truth_column, right = st.columns(2)
    with truth_column:
        truth = selectors.one_file(f"Corrected test set: {label}", f"{prefix}_truth")
    with right:
        table = selectors.one_file(f"Metadata, if it changed: {ABOUT_CASES}", f"{prefix}_metadata")
    st.caption(
        "All submissions are scored again, and you see the changes. Everybody else sees the old scores "
        "until you show the new ones. Old versions are not deleted."
    )
    if (truth or table) and st.button(
        "Score all again", type="primary", icon=":material/replay:", key="board_rescore"
    ):
        actions.long(key, lambda job: _rescored(board, truth, table, job))
        for name in ("truth", "metadata"):
            st.session_state.pop(f"{prefix}_{name}_kept", None)
        st.rerun()
    _changes(page, key)


def _begun(page: BoardPage, key: tuple, begun: tuple[int, int]) -> None:
    """Draw a version that is not shown yet: its progress, or the changes that it would make."""
    board, (done, total) = page.board, begun
    with st.container(border=True, gap="small"):
        if done < total:
            st.markdown(f"A correction is not finished: **{done} of {total}** submissions are scored.")
        else:
            changes = correction(rescoring.begun(board), board)
            st.markdown("The correction would change the following. **Nobody else sees these changes yet.**")
            blocks = corrections(board, changes)
            render.draw_all(blocks, BlockPath(None, True, "board/preview"))
        with st.container(horizontal=True, gap="small"):
            if done < total and st.button(
                "Continue scoring", icon=":material/play_arrow:", key="board_go_on"
            ):
                actions.long(key, lambda job: _rescored(board, None, None, job))
                st.rerun()
            if done == total and st.button(
                "Show the correction to everybody", icon=":material/publish:", type="primary"
            ):
                actions.do(rescoring.rescore, board.store, board.row.id, None)
            if st.button("Discard the correction", icon=":material/undo:", type="tertiary"):
                actions.do(rescoring.discard, board.store, board.row.id)


def _rescored(
    board: OpenBoard,
    truth: selectors.ChosenInput | None,
    table: selectors.ChosenInput | None,
    job: background_jobs.Job,
    version: int | None = None,
) -> int:
    source, name = (truth.source, truth.name) if truth else (None, None)
    joined, progress = table.source if table else None, actions.progress(job)
    wanted = source if version is None else version
    done = rescoring.rescore(board.store, board.row.id, wanted, progress, name, joined, shows=False)
    return done.row.version


def _changes(page: BoardPage, key: tuple) -> None:
    """Draw the changes of one version against another, and the control that returns to that version."""
    row = page.board.row
    if row.version == 1:
        return
    newest = f"{row.id}_{row.version}"  # a widget of its own: the newest version is chosen when it comes
    with st.container(horizontal=True, gap="small"):
        versions = list(range(row.version, 0, -1))
        version = st.selectbox("Version of the test set", versions, key=f"board_version_{newest}", width=220)
        others = [number for number in versions if number != version]
        usual = others.index(version - 1) if version - 1 in others else 0
        before = st.selectbox(
            "Compared with", others, usual, key=f"board_against_{newest}_{version}", width=220
        )
    render.draw_all(
        _changed(page.key, version, before, page.board), page.path(f"Corrections/{version} {before}")
    )
    st.caption("These tables contain case ids: do not publish them.")
    if st.toggle(f"Show the ranking with version {before}", key="board_old_ranking"):
        ranked = _ranked(page.key, before, page.board)
        render.draw_all(ranked, page.path(f"Corrections/ranked {before}"))
    if st.button(f"Return to version {before}", icon=":material/history:", key=f"board_return_{newest}"):
        board = page.board
        actions.long(key, lambda job: _rescored(board, None, None, job, before))
        st.rerun()


@st.cache_resource(max_entries=8, show_spinner="Comparing versions ...")
def _changed(key: tuple[str, ...], version: int, before: int, _board: OpenBoard) -> list[Block]:
    newer, other = (opened(_board.store, _board.row.id, number) for number in (version, before))
    return corrections(newer, correction(newer, other))


@st.cache_resource(max_entries=8, show_spinner="Ranking ...")
def _ranked(key: tuple[str, ...], version: int, _board: OpenBoard) -> Sequence[Block]:
    return views.sections(board_ranking(opened(_board.store, _board.row.id, version)))[0].blocks
