"""Participants of a board: their submissions, and the settings and information for the organizer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import uuid4

import streamlit as st

from pages.boards import actions
from pages.challenge.scoring_run import attempt
from pages.display import finding_list, layout
from pages.input_widgets import selectors
from pages.input_widgets.selectors import ChosenInput
from pages.server import access
from scoring.access.roles import Role
from scoring.boards.board import OpenBoard
from scoring.boards.board import opened as board_of
from scoring.boards.hidden_truth import disclosure_rules, probing_notices, visible_results
from scoring.boards.hidden_truth.disclosure_rules import DECIMALS, TELLS, HiddenRules
from scoring.boards.hidden_truth.guessing_budget import Budget
from scoring.boards.hidden_truth.test_set_split import split_board
from scoring.boards.publication import public_report
from scoring.boards.ranking.board_ranking import BoardRanking
from scoring.boards.row_validation import DETAILS
from scoring.boards.serialization import packed
from scoring.boards.submissions import participant
from scoring.boards.submissions.participant import RemainingQuota, SubmissionFeedback
from scoring.boards.submissions.phases_and_limits import spoken
from scoring.boards.teams import members, team_changes
from scoring.boards.views import RULES
from scoring.common.text import markdown
from scoring.comparison import score_units as scales
from scoring.store.database import Store

WORN = {
    "none": "",
    "score": "",
    "classes": "Scores for each class reveal the truth after fewer submissions than the total score.",
    "cases": "With feedback on each case, a team learns the whole truth from a few submissions.",
}


def submit(store: Store, board: OpenBoard) -> None:
    """Draw the actions of a participant on a board, and the feedback on each own submission."""
    board = board_of(store, board.row.id)
    own = members.teams_of(store, board.row.id, store.actor)
    if not own:
        st.info(
            "You are not in a team of this board. The organizer of the board assigns people to teams.",
            icon=":material/group:",
        )
        return
    team = st.selectbox("Team", own, key=f"own_team_{board.row.id}", width=360)
    key = ("hand_in", board.row.id)
    outcome = actions.outcome(key, "submissions")
    if outcome is not None:
        st.session_state[f"own_came_{board.row.id}"] = outcome
    quota = participant.remaining_quota(board, team)
    st.markdown(_quota_text(quota))
    if (problem := quota.problem) is not None:
        st.info(f"{problem.message[0].upper()}{problem.message[1:]}", icon=":material/event_busy:")
    else:
        _drop(board, team, key)
    _last_outcome(st.session_state.get(f"own_came_{board.row.id}"))
    _history(board, team)
    known = disclosure_rules.rules(store, board.row.id)
    if known is not None:
        st.caption(public_report.hidden_truth_words(known, board.split is not None))


def _drop(board: OpenBoard, team: str, key: tuple[str, str]) -> None:
    """Draw where a file is dropped and submitted."""
    key_of_file = f"own_file_{board.row.id}"
    file = selectors.one_file(f"Submission: {board.challenge.inputs.submission.words}", key_of_file)
    if file is None:
        return
    options = {
        option.name: st.text_input(option.label or option.name, key=f"own_{option.name}_{board.row.id}")
        for option in board.challenge.options
        if option.per_team
    }
    written = {name: text for name, text in options.items() if text.strip()}
    if st.button("Submit", type="primary", icon=":material/send:", key="own_submit"):
        submission = uuid4().hex
        actions.long(key, lambda _job: _hand_in(board, team, file, written, submission), Role.PARTICIPANT)
        st.session_state.pop(f"{key_of_file}_kept", None)
        st.rerun()


def _hand_in(
    board: OpenBoard, team: str, file: ChosenInput, options: dict[str, str], submission: str
) -> SubmissionFeedback:
    name, data = packed(file.source, file.name)
    return participant.submit(board, team, name, data, options, submission)


def _last_outcome(outcome: Any) -> None:
    """Show the result of the last submission."""
    if outcome is None:
        return
    if outcome.refused:
        finding_list.refusal(outcome.refused)
        return
    feedback: SubmissionFeedback = outcome.value
    if feedback is None:
        return
    if feedback.again:
        st.info("This file was submitted before, so it is scored only once.", icon=":material/content_copy:")
    elif feedback.score is None and feedback.best is not None:
        message = (
            "Scored. The new score is not shown: it does not beat your best score by the Ladder's "
            "minimum step."
        )
        st.success(message, icon=":material/task_alt:")
    else:
        st.success("Scored.", icon=":material/task_alt:")
    if feedback.findings:
        finding_list.findings(feedback.findings)


def _history(board: OpenBoard, team: str) -> None:
    """Draw the feedback on each submission of the team."""
    submissions = participant.own_submissions(board, team)[::-1]
    layout.heading("Which file does your team submit?")
    if not submissions:
        st.caption("No submission yet.")
        return
    scale = scales.of(board.challenge)
    known = disclosure_rules.rules(board.store, board.row.id)
    digits = public_report.digits(scale, known)
    st.table(
        {
            "submitted": [spoken(entry.time) for entry in submissions],
            f"score ({scale.unit})": [_score(entry, scale.factor, digits) for entry in submissions],
            "state": ["counts" if entry.counts else entry.status for entry in submissions],
        }
    )
    with_detail = {entry.submission: entry for entry in submissions if entry.score is not None}
    if board.split is not None and known is not None:
        _nomination(board, team, submissions)
    if not with_detail or (known is not None and known.detail in ("none", "score")):
        return
    chosen = st.selectbox(
        "Details of",
        list(with_detail),
        format_func=lambda key: spoken(with_detail[key].time) if key in with_detail else key,
        key=f"own_detail_{board.row.id}",
        width=360,
    )
    detail = participant.submission_detail(board, team, chosen)
    if detail.classes:
        st.table({markdown(name, 60): _written(row) for name, row in detail.classes.items()})
    if detail.cases:
        cases, values = zip(*detail.cases, strict=True)
        st.dataframe({"case": cases, "right": values}, hide_index=True, height=300)


def _nomination(board: OpenBoard, team: str, submissions: list[SubmissionFeedback]) -> None:
    """Draw which submission the team wants to count at the end."""
    nominated = members.nominated(board.store, board.row.id).get(team)
    known = {entry.submission: entry for entry in submissions if entry.status == "scored"}
    usual_rule = RULES[board.row.counts]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        chosen = st.selectbox(
            "Counts in the final ranking",
            [None, *known],
            index=[None, *known].index(nominated) if nominated in known else 0,
            format_func=lambda key: spoken(known[key].time) if key in known else usual_rule,
            key=f"own_nominated_{board.row.id}_{nominated}",
            width=360,
        )
        if st.button("Nominate", icon=":material/how_to_vote:", disabled=chosen == nominated):
            outcome = attempt(participant.nominate, board, team, chosen)
            if outcome.refused:
                finding_list.refusal(outcome.refused)
            else:
                st.rerun()


def _score(feedback: SubmissionFeedback, factor: float, digits: int) -> str:
    return "not shown" if feedback.score is None else f"{factor * feedback.score:.{digits}f}"


def _written(row: Any) -> dict[str, str]:
    return {name: f"{value:.3f}" for name, value in row.items()}


def _quota_text(quota: RemainingQuota) -> str:
    """Return the remaining quota of a team, in words (Markdown)."""
    if not quota.phase:
        return ""
    number = quota.submissions
    many = "any number of times" if number is None else f"**{number}** times today (UTC)"
    closes = f", which closes on {spoken(quota.closes)}" if quota.closes else ""
    name = markdown(quota.phase, 60)
    return (
        f"Phase {name}{closes}. Your team may still submit {many}. Today (UTC), at most "
        f"**{quota.refused}** more submissions may be refused."
    )


def show(store: Store, board: OpenBoard, ranking: BoardRanking) -> None:
    """Draw the organizer's settings for participants and a hidden truth, and the participants' attempts.

    Args:
        ranking: Ranking of all its phases.
    """
    board = board_of(store, board.row.id)
    _hiding(board, ranking)
    _teams(board, ranking)
    layout.heading("Has anybody tried something forbidden?")
    findings = probing_notices.board_notices(store, board.row.id)
    if findings:
        finding_list.findings(findings)
    else:
        st.caption(
            "No. Nobody tried to submit for another team or to open a forbidden page, and no submission "
            "looks like an attempt to guess the truth."
        )


def _hiding(board: OpenBoard, ranking: BoardRanking) -> None:
    """Draw whether the truth is hidden, and what the scores reveal."""
    row, known = board.row, disclosure_rules.rules(board.store, board.row.id)
    layout.heading("Is the truth hidden from participants?")
    if known is not None:
        rule = public_report.hidden_truth_words(known, board.split is not None)
        st.markdown(f"Participants see {TELLS[known.detail]}. {rule}")
        st.markdown(visible_results.use(board, ranking).words)
        _budget(visible_results.planned(board, ranking=ranking))
    else:
        st.markdown("No: participants see their full scorecard, and everybody sees intervals and ties.")
    _parts(board, ranking)
    with st.expander("**Change what participants see**", icon=":material/visibility_off:"):
        before = known or visible_results.planned(board, ranking=ranking).proposed or HiddenRules()
        detail = st.selectbox(
            "Participants see",
            DETAILS,
            DETAILS.index(before.detail),
            format_func=lambda detail: TELLS[detail],
            key=f"hide_detail_{row.id}",
        )
        if WORN[detail]:
            st.caption(f":material/warning: {WORN[detail]}")
        wanted = replace(before, detail=detail, step=None)
        if detail != disclosure_rules.NOTHING:
            wanted = _rounding(board, known, replace(before, detail=detail))
        _budget(visible_results.planned(board, wanted, ranking))
        with st.container(horizontal=True, gap="small"):
            if st.button("Hide the truth", type="primary", icon=":material/visibility_off:"):
                actions.do(visible_results.hide, board.store, row.id, wanted)
            if known is not None and st.button("Show full scorecards again", icon=":material/visibility:"):
                actions.do(visible_results.reveal, board.store, row.id)


def _rounding(board: OpenBoard, known: HiddenRules | None, wanted: HiddenRules) -> HiddenRules:
    """Draw the Ladder's step and the decimals of shown scores; return the rules with them."""
    step = st.number_input(
        "Ladder: show a score only if it beats the team's best by more than",
        min_value=0.0,
        max_value=0.999,
        value=(wanted.step or 0.0) if known else wanted.step or round(1 / max(1, board.n_told) ** 0.5, 3),
        step=0.001,
        format="%.3f",
        key=f"hide_step_{board.row.id}",
        help="0 shows every score. With the Ladder, the ranking uses the best shown score of each team.",
    )
    decimals = st.number_input(
        "Decimals of scores", 1, DECIMALS, wanted.decimals, key=f"hide_digits_{board.row.id}"
    )
    return replace(wanted, step=step or None, decimals=decimals)


def _parts(board: OpenBoard, ranking: BoardRanking) -> None:
    """Draw which cases have shown scores and, before the first submission, the controls that split the test
    set."""
    if board.split is not None:
        withheld = len(board.truth) - board.n_told
        drawn = (
            f", drawn with the seed {board.split.seed}"
            if board.split.seed is not None
            else " from the organizer's list"
        )
        st.markdown(
            f"Shown scores use **{board.n_told}** cases{drawn}; the other **{withheld}** cases decide the "
            "final "
            "ranking."
        )
    if ranking.entries:
        return
    with st.expander("**Withhold a part of the cases until the end**", icon=":material/call_split:"):
        st.caption(
            "Each submitted file is scored on both parts. Participants see only scores of the shown part, as "
            "the settings of the hidden truth allow. The withheld part decides the final ranking. Both "
            "parts have similar shares of classes, events, stages and values. All cases of a patient are in "
            "the same part."
        )
        share = st.number_input("Share of the cases with shown scores", 0.01, 0.99, 0.3, 0.05, width=240)
        if st.button("Split the test set", icon=":material/call_split:"):
            actions.do(split_board, board.store, board.row.id, share)


def _budget(budget: Budget) -> None:
    """Say whether the scores can reveal the truth by the end of the phases; in red if they can."""
    if budget.proposed is None:
        st.success(budget.words, icon=":material/lock:")
    else:
        st.error(budget.words, icon=":material/lock_open:")


def _teams(board: OpenBoard, ranking: BoardRanking) -> None:
    """Draw who is in which team."""
    layout.heading("Who is in which team?")
    known = members.members(board.store, board.row.id)
    if known:
        written = [markdown(", ".join(people), 400) for people in known.values()]
        st.table({"team": [markdown(team, 60) for team in known], "members": written})
    if not access.is_configured():
        st.caption(
            "This server has no logins. docs/challenge.md explains how teams can submit by themselves."
        )
    _team_changes(board, ranking)
    with st.form(f"members_{board.row.id}", border=False):
        team = st.text_input("Team", key="members_team")
        example = "paul@example.org, group:lab"
        who = st.text_input(
            "Members", key="members_who", placeholder=example, help="An empty field removes all members."
        )
        if st.form_submit_button("Set members", icon=":material/group_add:"):
            people = [person.strip() for person in who.split(",") if person.strip()]
            actions.do(members.set_members, board.store, board.row.id, team.strip(), people)


def _team_changes(board: OpenBoard, ranking: BoardRanking) -> None:
    """Draw the controls that exclude, rename or merge a team that has submitted."""
    store, row = board.store, board.row
    out = members.teams_excluded(store, row.id)
    names = sorted(ranking.by_team)
    if not names:
        return
    with st.expander("**Exclude, rename or merge a team, or make it a baseline**", icon=":material/group:"):
        team = st.selectbox("Team that submitted", names, key=f"team_changed_{row.id}", width=360)
        if team in out:
            st.markdown(f"Excluded: {markdown(out[team])}")
            if st.button("Rank the team again", icon=":material/undo:"):
                actions.do(team_changes.exclude_team, store, row.id, team, None)
        else:
            reason = st.text_input("Reason, which is published", key=f"team_reason_{row.id}_{team}")
            if st.button("Exclude the team", icon=":material/block:"):
                actions.do(team_changes.exclude_team, store, row.id, team, reason)
        is_baseline = team in members.baselines(store, row.id)
        label = "Rank the team again" if is_baseline else "Make it a baseline"
        if st.button(
            label,
            icon=":material/horizontal_rule:",
            help="A baseline is drawn as a line and listed, but not ranked.",
        ):
            actions.do(team_changes.set_baseline, store, row.id, team, not is_baseline)
        name = st.text_input(
            "New name",
            key=f"team_renamed_{row.id}_{team}",
            help="If another team has this name, both teams are merged.",
        )
        if st.button("Rename or merge", icon=":material/merge:"):
            actions.do(team_changes.rename_team, store, row.id, team, name.strip())
