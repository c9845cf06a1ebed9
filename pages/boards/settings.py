"""Settings of a board: phases, facts about teams, the ranked submission, and deletion.

The keys of fields contain the stored values. So changes from another tab are shown, and an older form cannot
undo them.
"""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from pages.boards import actions, board_list
from pages.boards.actions import BoardPage
from pages.display import finding_list, layout, render
from pages.input_widgets import selectors
from pages.server import url_state
from scoring.boards import deletion, views
from scoring.boards.board import OpenBoard, change_settings
from scoring.boards.ranking import decision_rule, final_ranking
from scoring.boards.row_validation import COUNTS, VISIBILITIES
from scoring.boards.submissions import phases_and_limits
from scoring.boards.submissions.phases_and_limits import Phase
from scoring.boards.teams import members
from scoring.common.text import markdown
from scoring.comparison.team_facts import LABELS, UNKNOWN, fact_text
from scoring.store import schema
from scoring.store.database import Store

NEW = ""
"""The choice that adds a phase."""
LIMIT = 2**31 - 1
SEEN = {"draft": "nobody", "unlisted": "anyone with the link", "public": "everybody"}
"""Visibility -> who can find a board besides organizers."""
WIDTH = 240
"""Width of a field in px: four fields fit in a row; on a phone the fields are stacked."""


def show(page: BoardPage) -> None:
    """Draw the organizer's settings of the whole board."""
    _phases(page)
    _facts(page)
    _rules(page.board)
    _decision(page)
    row = page.board.row
    delete(page.board.store, row.id, row.title, len(page.ranking.entries))


def _phases(page: BoardPage) -> None:
    """Draw the phases, and a form that adds, changes or removes one."""
    board, known = page.board, {phase.name: phase for phase in page.ranking.phases}
    if known:
        render.draw_all(views.phase_table(page.ranking), page.path("Settings/phases"))
        states = ", ".join(f"**{markdown(name, 60)}** is {phase.state()}" for name, phase in known.items())
        st.markdown(f"Now {states}.")
    else:
        layout.heading("When may teams submit?")
        st.markdown("The board has no phases: teams can submit at any time and any number of times.")
    with st.expander("**Add or change a phase**", icon=":material/event:"):
        name = st.selectbox(
            "Phase",
            [NEW, *known],
            format_func=lambda name: name or "A new phase",
            key=f"phase_{board.row.id}",
            width=WIDTH,
        )
        _phase_form(board, known.get(name))


def _phase_form(board: OpenBoard, before: Phase | None) -> None:
    key = f"{board.row.id}_{before.name if before else NEW}"
    with st.form(f"phase_form_{key}", border=False):
        name = before.name if before else _named(key)
        with st.container(horizontal=True, gap="small"):
            opens = _time("Opens (UTC)", before.opens if before else None, f"phase_opens_{key}")
            closes = _time("Closes (UTC)", before.closes if before else None, f"phase_closes_{key}")
            per_day = _number(
                "Submissions per team and day", before.per_day if before else None, f"phase_day_{key}"
            )
            total = _number(
                "Submissions per team in total", before.total if before else None, f"phase_all_{key}"
            )
        st.caption(
            "If a field is empty, the phase has no beginning, no end or no limit. Days start at 00:00 UTC. "
            "Outside the phases the board accepts no submissions."
        )
        with st.container(horizontal=True, gap="small"):
            if st.form_submit_button("Save the phase", icon=":material/event_available:"):
                phase = Phase((name or "").strip(), opens, closes, per_day, total)
                actions.do(phases_and_limits.define, board.store, board.row.id, phase)
            if before and st.form_submit_button(
                "Remove phase", icon=":material/event_busy:", type="tertiary"
            ):
                actions.do(phases_and_limits.remove, board.store, board.row.id, before.name)


def _named(key: str) -> str:
    return st.text_input("Name", key=f"phase_name_{key}", placeholder="final", width=WIDTH)


def _time(label: str, value: str | None, key: str) -> str | None:
    """Draw when a phase opens or closes, and return it as the tables hold times."""
    known = datetime.fromisoformat(value).replace(tzinfo=None) if value else None
    chosen = st.datetime_input(label, known, key=f"{key}_{value}", format="YYYY-MM-DD", width=WIDTH)
    return schema.written(chosen.replace(tzinfo=UTC)) if chosen else None


def _number(label: str, value: int | None, key: str) -> int | None:
    return st.number_input(
        label, 1, LIMIT, value, placeholder="any number", key=f"{key}_{value}", width=WIDTH
    )


def _facts(page: BoardPage) -> None:
    """Draw the known facts about the teams, and the inputs for them."""
    board, known = page.board, page.ranking.facts
    layout.heading("What is known about the teams?")
    teams = sorted({entry.team for entry in page.ranking.entries})
    if not teams:
        st.caption("Nobody has submitted yet: facts can be added for teams that have submitted.")
        return
    rows = {team: known.get(team, UNKNOWN).as_dict() for team in teams}
    if any(facts != UNKNOWN for facts in known.values()):
        columns = {label: [fact_text(row[fact]) for row in rows.values()] for fact, label in LABELS.items()}
        st.dataframe({"team": teams, **columns}, hide_index=True, alt="Facts about the teams")
    else:
        st.markdown("No facts yet. The ranking, the report and the JSON show the facts that you write here.")
    with st.expander("**Type the facts**", icon=":material/edit_note:"):
        team = st.selectbox("Team", teams, key=f"facts_team_{board.row.id}", width=WIDTH)
        with st.form(f"facts_{board.row.id}_{team}", border=False):
            with st.container(horizontal=True, gap="small"):
                cells = {
                    fact: st.text_input(
                        label[0].upper() + label[1:],
                        fact_text(rows[team][fact]),
                        key=f"fact_{fact}_{board.row.id}_{team}_{rows[team][fact]}",
                        width=WIDTH,
                    )
                    for fact, label in LABELS.items()
                }
            if st.form_submit_button("Save facts", icon=":material/save:"):
                actions.do(members.keep_typed, board.store, board.row.id, team, cells)
        names = ", ".join(LABELS)
        table = selectors.one_file(
            f"All teams: a table with a column team and any of {names}", f"facts_{board.row.id}"
        )
        if table is not None and st.button("Save the table", icon=":material/save:"):
            outcome = actions.attempt(members.keep_facts, board.store, board.row.id, table.source, table.name)
            if not outcome.refused:
                st.session_state.pop(f"facts_{board.row.id}_kept", None)
            actions.done(outcome)


def _rules(board: OpenBoard) -> None:
    """Draw the settings that may be changed after the board's creation."""
    row = board.row
    layout.heading("How does the board rank?")
    with st.form(f"settings_{row.id}", border=False):
        title = st.text_input(
            "Title",
            row.title,
            key=f"settings_title_{row.id}_{row.title}",
            max_chars=schema.NAME,
            width=2 * WIDTH,
        )
        counts = st.radio(
            "Ranked submission",
            COUNTS,
            COUNTS.index(row.counts),
            format_func=views.RULES.get,
            key=f"settings_counts_{row.id}_{row.counts}",
        )
        visibility = st.radio(
            "Who can find the board besides organizers?",
            VISIBILITIES,
            VISIBILITIES.index(row.visibility),
            format_func=SEEN.get,
            key=f"settings_visibility_{row.id}_{row.visibility}",
        )
        keeps = st.toggle(
            "Save files that are refused from now on",
            row.keep_refused,
            key=f"settings_keep_{row.id}_{row.keep_refused}",
            help="Only organizers see saved refused files. If you turn this off, saved files stay.",
        )
        if st.form_submit_button("Save", icon=":material/save:"):
            changed = (title.strip(), counts, keeps, visibility)
            actions.do(change_settings, board.store, row.id, *changed)


def _decision(page: BoardPage) -> None:
    """Draw the controls that fix the rule before the first submission and freeze the ranking at the end."""
    store, board_id = page.board.store, page.board.row.id
    layout.heading("What decides the ranking, and when is it final?")
    rule, final = decision_rule.fixed_rule(store, board_id), final_ranking.frozen(store, board_id)
    if rule is not None:
        changed = len(decision_rule.rule_changes(rule))
        st.markdown(
            f"The rule was fixed on {phases_and_limits.spoken(rule.created)}; changes since: **{changed}**."
        )
    elif page.ranking.entries:
        st.caption("No rule was fixed before the first submission.")
    if not page.ranking.entries:
        with st.form(f"decision_{board_id}", border=False):
            prizes = st.number_input(
                "Number of places that win a prize", 0, decision_rule.MOST_PRIZES, 0, width=WIDTH
            )
            ties = st.text_input("In a tie", "teams with the same rank share the place", width=2 * WIDTH)
            if st.form_submit_button("Fix the rule", icon=":material/gavel:"):
                actions.do(decision_rule.fix_rule, store, board_id, prizes, ties)
        st.caption(
            "The rule records the current metric, options and phases, and whether a team's last or best "
            "submission counts."
        )
    if final is not None:
        st.markdown(f"The final ranking was frozen on {phases_and_limits.spoken(final.created)}.")
    elif st.button("Freeze the final ranking", icon=":material/lock:", key=f"freeze_{board_id}"):
        actions.done(actions.attempt(final_ranking.freeze, store, board_id), "The ranking was not frozen")
    if final is None:
        st.caption(
            "This saves the ranking with the time, the version of Benchside, and hashes of the truth and the "
            "submissions. Then the board accepts no submissions, and it lists every later change."
        )


def delete(store: Store, board_id: str, title: str, submissions: int | None) -> None:
    """Draw the control that deletes a board after its address was typed. submissions: None if they are
    unknown."""
    layout.heading("Has the challenge ended?")
    number = "all" if submissions is None else submissions
    counted = f"{number} submission{'s' * (submissions != 1)}"
    with st.expander("**Delete the board**", icon=":material/delete_forever:"):
        st.markdown(
            f"This deletes {counted}, all scores and the test set, "
            f"from the disk as well. This cannot be undone. Write **{board_id}** to delete it."
        )
        name = st.text_input("Address of the board", key=f"delete_{board_id}", width=WIDTH)
        if not st.button("Delete for good", icon=":material/delete_forever:", key="board_delete"):
            return
        if name.strip() != board_id:
            message = f"This is not the board's address: type {board_id}. Nothing was deleted."
            st.error(message, icon=":material/edit:")
            return
        outcome = actions.attempt(deletion.delete_board, store, board_id)
        if outcome.refused:
            finding_list.refusal(outcome.refused, title="The board was not deleted")
            return
        notes = [f"{finding.message[0].upper()}{finding.message[1:]}" for finding in outcome.value.findings]
        message = f"{title} is deleted. Deleted submissions: {outcome.value.submissions}."
        st.session_state[board_list.DELETED] = markdown(" ".join([message, *notes]), 600)
        url_state.replace()
        st.rerun()
