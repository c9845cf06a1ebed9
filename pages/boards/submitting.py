"""Submission to a board on its page: dropping files of teams, and the result of each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

import streamlit as st

from pages.boards import actions
from pages.boards.actions import BoardPage
from pages.challenge.scoring_run import Outcome
from pages.display import finding_list, layout, render
from pages.display.render import BlockPath
from pages.input_widgets import fix_buttons, selectors
from pages.input_widgets.option_widgets import option_widget
from pages.input_widgets.selectors import ChosenInput
from pages.server import background_jobs
from scoring.boards import deletion, views
from scoring.boards.board import OpenBoard
from scoring.boards.hidden_truth import probing_notices
from scoring.boards.ranking.ranked_submissions import RankedSubmission
from scoring.boards.submissions import submission_folders, submitting
from scoring.boards.submissions.submitting import Receipt, SubmissionRequest, exclude, submit
from scoring.common.findings import Finding, InputRefused, error, note
from scoring.common.fixes import SuggestedFix
from scoring.common.text import markdown
from scoring.inputs.sources import FixedSource
from scoring.inputs.team_entries import clean_name

NAMED = 12
"""Maximum dropped files whose teams can be named one by one."""


@dataclass(frozen=True)
class TeamFile:
    """A dropped file of a team. options: options of this submission alone. source: source of the file with
    its fixes."""

    team: str
    file: ChosenInput
    options: Mapping[str, Any]
    source: Any


@dataclass
class SubmissionOutcome:
    """The result of submissions. problems: by team, each with the fixes of its file; "" for problems without
    a team. files: files by team."""

    receipts: list[Receipt] = field(default_factory=list)
    notes: list[Finding] = field(default_factory=list)
    problems: defaultdict[str, list[Finding]] = field(default_factory=lambda: defaultdict(list))
    files: dict[str, TeamFile] = field(default_factory=dict)

    def refuse(self, team: str, refused: InputRefused) -> None:
        """Store the problems of a team's file, with fixes if one file was dropped for the team."""
        for problem in refused.problems:
            fixes = problem.of_team(team).fixes if team in self.files else ()
            where = f"{team}: {problem.where}" if team else problem.where
            told = error(problem.code, where, problem.message)
            self.problems[team].append(
                told.with_fixes(*(f for f in fixes if f.changes == f.changes.of_files))
            )


def show(page: BoardPage) -> None:
    """Draw the input for submissions, their results, and all submissions of the board."""
    board, prefix = page.board, f"board_{page.board.row.id}"
    outcome = actions.outcome(_key(board), "submissions")
    if outcome is not None:
        st.session_state[f"{prefix}_submitted"] = outcome.value or outcome.refused
    layout.heading("What do the teams submit?")
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            single, packs, in_use = selectors.teams(prefix, elsewhere=False)
        st.caption(
            "A zip or folder has a file or folder per team. A team's folder may have a folder or file per "
            "date (2026-10-01, 2026-10-01.csv). Without a date, the current time is used as time of "
            "submission."
        )
        chosen = _to_send(board, single, packs)
        if chosen:
            with st.container(horizontal=True, gap="small"):
                label = f"Submit {len(chosen)} file{'s' * (len(chosen) > 1)}" if not packs else "Submit"
                if st.button(label, type="primary", icon=":material/send:", key="board_submit"):
                    actions.long(_key(board), lambda job: _submit(board, chosen, job))
                    in_use.forget()
                    st.rerun()
                st.button("Submit nothing", type="tertiary", icon=":material/undo:", on_click=in_use.forget)
    _receipts(board, st.session_state.get(f"{prefix}_submitted"))
    if noticed := probing_notices.team_notices(page.ranking):
        finding_list.findings(noticed)
    now = [*views.remaining_quotas(page.ranking), *views.refused(submitting.refused_files(board))]
    render.draw_all(now, BlockPath(None, True, "board"))
    render.draw(views.submissions(page.ranking), page.path("Submissions"))
    _exclusion(page)


def _to_send(board: OpenBoard, single: list[ChosenInput], packs: list[ChosenInput]) -> list[Any]:
    """Return the files with the names of their teams, and folders of many submissions; a file that was
    dropped twice once."""
    own = [option for option in board.challenge.options if option.per_team]
    submissions: list[Any] = list(packs)
    for number, (own_key, file) in enumerate({f"{file.key}_{file.name}": file for file in single}.items()):
        usual = clean_name(file.name.rsplit(".", 1)[0] or file.name)
        team, options = usual, {}
        if number < NAMED:
            with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
                team = st.text_input(
                    f"Team of {markdown(file.name, 60)}", usual, key=f"board_team_{own_key}", width=260
                )
                for option in own:
                    key = f"board_{option.name}_{own_key}"
                    options[option.name] = option_widget(option, key, bind=None, width=260)
        written = {name: value for name, value in options.items() if value is not None}
        fix_buttons.lines(file)
        source = fix_buttons.fixed_input(file).source
        submissions.append(TeamFile(team.strip(), file, written, source))
    return submissions


def _key(board: OpenBoard) -> tuple[str, str]:
    """Return the key of the work that submits to a board."""
    return "submit", board.row.id


def _submit(
    board: OpenBoard,
    submissions: list[Any],
    job: background_jobs.Job,
    before: SubmissionOutcome | None = None,
) -> SubmissionOutcome:
    """Submit one after the other; what is refused is listed, the others count. before: what was refused
    before, which stays listed."""
    done, every = before or SubmissionOutcome(), list[SubmissionRequest]()
    of_team = Counter(item.team for item in submissions if isinstance(item, TeamFile))
    for item in submissions:
        try:
            if isinstance(item, TeamFile):
                done.files |= {item.team: item} if of_team[item.team] == 1 else {}
                every.append(_request(board, item, done))
                continue
            entries = list(submission_folders.of_source(item.source, item.name))
            every += [entry for entry in entries if isinstance(entry, SubmissionRequest)]
            done.problems[""] += [entry for entry in entries if isinstance(entry, Finding)]
        except InputRefused as why:
            done.refuse(item.team if isinstance(item, TeamFile) else "", why)
    for number, entry in enumerate(every):
        job.progress(number, len(every))
        if job.cancelled():
            rest = len(every) - number
            message = f"{rest} were not submitted: drop these files again."
            done.problems[""].append(error("cancelled", "submit", message))
            break
        try:
            done.receipts.append(submit(board, entry))
        except InputRefused as why:
            done.refuse(entry.team, why)
    return done


def _request(board: OpenBoard, sent: TeamFile, done: SubmissionOutcome) -> SubmissionRequest:
    """Return what a team sends, with the fixes of its file."""
    name, data = sent.file.name, sent.source
    if isinstance(data, FixedSource):
        name, data, notes = submitting.changed_file(board, data, name, sent.options)
        done.notes += [replace(finding, where=f"{sent.team}: {finding.where}") for finding in notes]
    return SubmissionRequest(sent.team, name, data, sent.options)


def _fix(board: OpenBoard, done: SubmissionOutcome, fix: SuggestedFix) -> None:
    """Apply a fix to the file of a team, and submit that again."""
    sent = done.files[fix.team]
    fix_buttons.take(board.challenge.id, sent.file, fix)
    again = [replace(sent, source=fix_buttons.fixed_input(sent.file).source)]
    others = SubmissionOutcome(problems=done.problems, files=done.files)
    others.problems.pop(fix.team, None)
    actions.long(_key(board), lambda job: _submit(board, again, job, others))


def _receipts(board: OpenBoard, outcome: SubmissionOutcome | InputRefused | None) -> None:
    """Show the result of the last submissions."""
    if outcome is None:
        return
    if isinstance(outcome, InputRefused):
        finding_list.refusal(outcome, title="No file was accepted", message="The reasons are listed below.")
        return
    receipts = outcome.receipts
    new = [receipt for receipt in receipts if not receipt.again]
    if new:
        st.success(
            f"{len(new)} submission{'s' * (len(new) > 1)} scored: "
            + ", ".join(dict.fromkeys(markdown(receipt.team, 40) for receipt in new))
            + ".",
            icon=":material/task_alt:",
        )
    known = [
        note("submitted-before", receipt.team, f"this file was submitted already, on {receipt.created[:10]}.")
        for receipt in receipts
        if receipt.again
    ]
    noticed = [*outcome.notes, *(finding for receipt in receipts for finding in receipt.findings)]
    if problems := list(chain.from_iterable(outcome.problems.values())):
        rest = " The other files were scored." if receipts else ""
        way = " A button fixes a file and submits it again." if any(p.fixes for p in problems) else ""
        finding_list.refusal(
            InputRefused(problems, [*known, *noticed]),
            partial(_fix, board, outcome),
            title="Some files were not accepted" if receipts else "No file was accepted",
            message=f"The files listed here were not scored.{rest}{way}",
        )
    elif known or noticed:
        finding_list.findings([*known, *noticed])


def _exclusion(page: BoardPage) -> None:
    """Draw the controls that exclude a submission with a reason, include it again, or delete it."""
    entries = {entry.id: entry for entry in page.ranking.entries[::-1]}
    if not entries:
        return
    with st.expander("**Exclude or delete a submission**", icon=":material/block:"):
        chosen = st.selectbox(
            "Submission",
            list(entries),
            format_func=lambda key: _label(entries[key]) if key in entries else key,
            key="board_excluded",
        )
        entry, board = entries[chosen], page.board
        _excluding(board, entry)
        with st.popover("Delete the submission", icon=":material/delete_forever:", type="tertiary"):
            st.markdown(
                f"{_label(entry)}: the file and its scores are deleted, from the disk as well. This cannot "
                "be undone. To take the submission only out of the ranking, exclude it instead."
            )
            if st.button("Delete for good", icon=":material/delete_forever:", key="board_delete_one"):
                _done(actions.attempt(deletion.delete_submission, board.store, board.row.id, chosen))


def _excluding(board: OpenBoard, entry: RankedSubmission) -> None:
    if entry.excluded is not None:
        st.markdown(f"Excluded: {markdown(entry.excluded)}")
        if st.button("Rank the submission again", icon=":material/undo:"):
            _done(actions.attempt(exclude, board.store, board.row.id, entry.id, None))
        return
    reason = st.text_input("Reason, which is published", key="board_reason")
    if st.button("Exclude", icon=":material/block:"):
        if not reason.strip():
            st.error("Give the reason why you exclude it.", icon=":material/edit:")
            return
        _done(actions.attempt(exclude, board.store, board.row.id, entry.id, reason.strip()))


def _label(entry: RankedSubmission) -> str:
    state = ", excluded" if entry.excluded is not None else ""
    return f"{markdown(entry.team, 40)}, {entry.minute}{state}"


def _done(outcome: Outcome) -> None:
    if not outcome.refused:
        st.session_state.pop("board_reason", None)
    actions.done(outcome)
