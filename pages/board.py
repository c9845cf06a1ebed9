"""Page of boards: submissions of teams collected over weeks, ranked with intervals and ties."""

import streamlit as st

from pages.boards import actions, board_list, board_page
from pages.display import finding_list, layout
from pages.server import access
from scoring.common.findings import InputRefused

access.guard(__file__)


def board() -> None:
    store, board_id = actions.store(), st.query_params.get("board")
    if store.refused:
        layout.plain_opening("Boards", board_list.WHAT)
        finding_list.refusal(store.refused, title="Boards cannot be shown now")
        return
    try:
        if board_id:
            board_page.show(store.value, board_id)
        else:
            board_list.show(store.value)
    except InputRefused as refused:  # the database went away meanwhile
        finding_list.refusal(refused, title="This page cannot be shown now")
    layout.closing("This server stores every submission to a board.")


board()
