"""List of the boards of this server, and the form of a new one."""

from dataclasses import replace
from typing import Any

import streamlit as st

from pages.boards import actions
from pages.boards.truth_correction import ABOUT_CASES
from pages.display import finding_list, layout
from pages.input_widgets import selectors
from pages.input_widgets.option_widgets import option_widget
from pages.server import url_state
from scoring.boards.board import USUAL, BoardSettings, create, listed
from scoring.boards.bundles import bundle
from scoring.boards.row_validation import COUNTS, DRAFT, PUBLIC
from scoring.boards.sample_board import ID, create_sample
from scoring.boards.submissions import phases_and_limits
from scoring.boards.teams import members
from scoring.boards.views import RULES
from scoring.challenges import load_challenge
from scoring.challenges.declared import draft
from scoring.common.text import markdown
from scoring.core.challenge import Challenge
from scoring.core.options import Option
from scoring.store.database import Store

WHAT = (
    "A board is a leaderboard. It collects submissions over weeks, scores each file when it arrives, and "
    "ranks the "
    "teams with intervals and ties."
)

NOT_CREATED = "The board was not created"
DELETED = "_board_deleted"
"""The deleted board; it stays in the session until the message is shown."""


def show(store: Store) -> None:
    """Draw the boards and, for people who may create boards, the forms."""
    layout.plain_opening("Boards", WHAT)
    if not actions.may_organize():
        own = [board for board in listed(store) if _is_found(store, board)]
        for board in own:
            _card(store, board)
        which = "Other boards can be opened" if own else "Boards can be opened"
        message = f"{which} at the address that the organizer published."
        st.info(message, icon=":material/leaderboard:")
        return
    messages = st.container()  # there with and without words, so that what is open below stays open
    if gone := st.session_state.pop(DELETED, ""):
        messages.success(gone, icon=":material/delete:")
    _follow(actions.outcome(("sample",), "submissions"))
    boards = listed(store)
    if boards:
        for board in boards:
            _card(store, board)
    else:
        st.info("No boards yet.", icon=":material/leaderboard:")
    if all(board["id"] != ID for board in boards):
        st.button(
            "Make a board from sample data",
            icon=":material/auto_awesome:",
            type="secondary" if boards else "primary",
            on_click=_begin_sample,
            args=(store,),
        )
    with st.expander("**New board**", icon=":material/add:", expanded=not boards):
        _new(store)
    with st.expander("**Import a board**", icon=":material/unarchive:"):
        _import(store)


def _is_found(store: Store, board: dict) -> bool:
    """Return whether the list names a board to somebody who organizes none."""
    if board["visibility"] in (PUBLIC, DRAFT):
        return board["visibility"] == PUBLIC
    return bool(store.actor.key) and bool(members.teams_of(store, board["id"], store.actor))


def _card(store: Store, board: dict) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            f"**{markdown(str(board['title']), 80)}**",
            key=f"board_open_{board['id']}",
            icon=":material/leaderboard:",
            on_click=url_state.replace,
            kwargs={"board": board["id"]},
        )
        if "broken" in board:
            st.markdown(f":red[{markdown(board['broken'], 300)}]")
            return
        teams, submissions = board["teams"], board["submissions"]
        name = markdown(selectors.challenge_title(board["challenge"]))
        counts = f"{teams} team{'s' * (teams != 1)} · {submissions} submission{'s' * (submissions != 1)}"
        st.caption(f"{name} · {counts} · open since {board['created'][:10]}")
        times = phases_and_limits.phases(store, board["id"])
        if times:
            st.caption(markdown(phases_and_limits.state_now(times)[1], 120))


def _begin_sample(store: Store) -> None:
    actions.long(("sample",), lambda job: create_sample(store, job.progress).row.id)


def _follow(outcome) -> None:
    """Go to a board that was made, or say why it was not."""
    if outcome is None:
        return
    if outcome.refused:
        finding_list.refusal(outcome.refused, title=NOT_CREATED)
    elif outcome.value:
        url_state.replace(board=outcome.value)
        st.rerun()


def _new(store: Store) -> None:
    names = selectors.challenges_by_name()
    names_column, right = st.columns(2)
    with names_column:
        chosen = st.selectbox(
            "Challenge",
            list(names),
            key="board_new_challenge",
            format_func=lambda name: selectors.challenge_title(names[name]),
        )
        challenge = load_challenge(names[chosen])
        title = st.text_input("Title", key="board_new_title", placeholder="Lesions 2026")
        suggested = draft.titled(title)["id"] if title.strip() else "lesions-2026"
        board_id = st.text_input(
            "Address",
            key="board_new_id",
            placeholder=suggested,
            help="Small letters, digits and hyphens, for the page's address. If the field is empty, the "
            "board gets the address that is shown in grey.",
        ).strip()
        counts = st.radio("Ranked submission", COUNTS, format_func=RULES.get, key="board_new_counts")
    with right:
        truth = selectors.one_file(f"Test set: {challenge.inputs.truth.words}", "board_new_truth")
        table = selectors.one_file(f"Metadata, if any: {ABOUT_CASES}", "board_new_metadata")
        with st.popover("Options", icon=":material/tune:"):
            settings = _settings(challenge, title, counts)
    if st.button("Create the board", type="primary", icon=":material/add:", key="board_create"):
        if truth is None:
            st.error("Drop the test set first.", icon=":material/block:")
            return
        settings = replace(settings, metadata=table.source if table else None)
        outcome = actions.attempt(_create, store, board_id or suggested, challenge, truth, settings)
        if not outcome.refused:
            for name in ("truth", "metadata"):
                st.session_state.pop(f"board_new_{name}_kept", None)
        _follow(outcome)


def _create(store: Store, board_id: str, challenge: Challenge, truth, settings: BoardSettings) -> str:
    return create(store, board_id, challenge.id, truth.source, settings, truth.name).row.id


def _settings(challenge: Challenge, title: str, counts: str) -> BoardSettings:
    """Draw the settings that are the same for all submissions of a board."""
    shared = [option for option in challenge.options_of("score") if not option.per_team]
    score = {option.name: _value(option) for option in shared}
    compare = {option.name: _value(option) for option in challenge.options_of("compare")}
    resamples = st.number_input(
        "Replicates", min_value=0, value=USUAL["resamples"], step=100, key="board_new_resamples"
    )
    seed = st.number_input("Seed", min_value=0, value=USUAL["seed"], key="board_new_seed")
    group = st.text_input(
        "Unit",
        key="board_new_group",
        placeholder="the challenge's own",
        help="Column of the test set, such as patient_id: cases with the same value are resampled together.",
    )
    statistics = {**USUAL, "resamples": resamples, "seed": seed, "group": group or None}
    keep_refused = st.toggle(
        "Save refused files",
        key="board_new_keep_refused",
        help="Organizers can see refused files. Refused files never enter the ranking.",
    )
    return BoardSettings(title, counts, score, compare, statistics, keep_refused)


def _value(option: Option) -> Any:
    """Draw the widget of an option that has one on pages; the others have their usual value."""
    if not option.label or not (option.values or option.type in (bool, int, float)):
        return option.default
    return option_widget(option, f"board_new_{option.name}", bind=None)


def _import(store: Store) -> None:
    zip_file = selectors.one_file("Board: a zip that was exported from another server", "board_bundle")
    if zip_file is not None and st.button("Import the board", icon=":material/unarchive:"):
        outcome = actions.attempt(_imported, store, zip_file)
        if not outcome.refused:
            st.session_state.pop("board_bundle_kept", None)
        _follow(outcome)


def _imported(store: Store, zip_file) -> str:
    return bundle.import_board(store, zip_file.source)
