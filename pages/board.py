"""Boards: submissions of teams collected over weeks, ranked with intervals and ties."""

import streamlit as st

from pages.shared import access, finding_list, layout
from pages.shared.board import acts, listing, opened

access.guard(__file__)


def board() -> None:
    store, board_id = acts.store(), st.query_params.get("board")
    if store.refused:
        layout.plain_opening("Boards", listing.WHAT)
        finding_list.refusal(store.refused)
    elif board_id:
        opened.show(store.value, board_id)
    else:
        listing.show(store.value)
    layout.closing("What is submitted to a board is kept on this server.")


board()
