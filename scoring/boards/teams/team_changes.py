"""Changes of teams by the organizer: exclude, rename, merge, mark as baseline."""

from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from scoring.access.roles import Role
from scoring.boards.hidden_truth.visible_results import told_stays
from scoring.boards.row_validation import OPENED, plain
from scoring.boards.teams.members import names_in
from scoring.common.findings import InputRefused, error
from scoring.common.text import shortened
from scoring.inputs.team_entries import name_problems
from scoring.store import schema
from scoring.store.database import Store
from scoring.store.schema import Attempt, Member, RefusedFile, Submission


def exclude_team(store: Store, board_id: str, team: str, reason: str | None) -> None:
    """Exclude a team with all its submissions, or include it again. An excluded team cannot submit.

    Args:
        reason: Why the team is excluded; None: include it again.

    Raises:
        InputRefused: With `forbidden` unless the actor is an organizer, `unknown-team` if the team has no
            submissions, `bad-option` if the reason is empty.
    """
    if reason is not None and not reason.strip():
        raise InputRefused([error("bad-option", "--exclude", "give the reason why the team is excluded.")])
    _change(store, board_id, team, excluded=None if reason is None else shortened(reason.strip()))


def set_baseline(store: Store, board_id: str, team: str, is_baseline: bool) -> None:
    """Make a team a baseline, or make it a ranked team again. A baseline is drawn as a line and listed
    without a rank or tests. Raises InputRefused `forbidden` unless the actor is an organizer, `unknown-team`
    if it has no submissions."""
    _change(store, board_id, team, baseline=is_baseline)


def _change(store: Store, board_id: str, team: str, **values: Any) -> None:
    store.actor.require(Role.ORGANIZER)
    with store.write() as session:
        row = session.get(schema.Team, (board_id, team))
        if row is None:
            raise _unknown(team)
        for name, value in values.items():
            setattr(row, name, value)


def nominate(store: Store, board_id: str, submission_id: str | None, team: str | None = None) -> None:
    """Nominate a submission for the final ranking, regardless of the board's rule. The board must have a
    withheld part.

    Args:
        submission_id: Id of the submission; None: the board's rule decides again.
        team: Name of the team; None: the submission's team.

    Raises:
        InputRefused: With `no-submission` if the team has no such submission, with `bad-split` if no part is
            withheld.
    """
    with store.write() as session:
        session.get(schema.Board, board_id, with_for_update=True)
        hidden = session.get(schema.Hidden, board_id)
        if session.get(schema.Split, board_id) is None:
            message = (
                "the test set of this board has no withheld part, so teams cannot nominate a submission: the "
                "board's rule says which one counts."
            )
            raise InputRefused([error("bad-split", board_id, message)])
        if hidden is None or hidden.detail == OPENED:
            message = "the withheld part was opened, so nominations cannot change any more."
            raise InputRefused([error("bad-split", board_id, message)])
        if team is not None and session.get(schema.Team, (board_id, team)) is None:
            raise _unknown(team)
        row = None if submission_id is None else session.get(Submission, submission_id)
        of_team = row is not None and row.board_id == board_id and team in (None, row.team)
        if submission_id is not None and not of_team:
            message = (
                "the team has no submission with this id."
                if team
                else "the board has no submission with this id."
            )
            raise InputRefused([error("no-submission", shortened(submission_id, 64), message)])
        of = session.get_one(schema.Team, (board_id, row.team if row else team))
        of.nominated = submission_id


def rename_team(store: Store, board_id: str, team: str, name: str) -> bool:
    """Rename a team, also in its list of members, its submissions and attempts. If another team has that name
    already, both are merged; the facts of this other team stay.

    Returns:
        Whether two teams were merged.

    Raises:
        InputRefused: With `forbidden` unless the actor is an organizer, `unknown-team` if the team has no
            submissions, `bad-option` for an invalid name, `equal-files` if both teams submitted the same
            file.
    """
    store.actor.require(Role.ORGANIZER)
    if len(name) > schema.NAME or name == team:
        message = f"write another name of at most {schema.NAME} characters."
        raise InputRefused([error("bad-option", "--rename", message)])
    with told_stays(store, board_id), store.write() as session:
        session.get(schema.Board, board_id, with_for_update=True)
        known = names_in(session, board_id) - {team}
        if name not in known and (problems := list(name_problems(name, "--rename", known))):
            raise InputRefused(problems)
        row = session.get(schema.Team, (board_id, team))
        if row is None:
            raise _unknown(team)
        of_board = Submission.board_id == board_id
        theirs = select(Submission.sha256).where(of_board, Submission.team == name)
        same = select(Submission.id).where(of_board, Submission.team == team, Submission.sha256.in_(theirs))
        if (twin := session.scalars(same).first()) is not None:
            message = f"both teams submitted the same file: first delete {twin} or the other team's file."
            raise InputRefused([error("equal-files", shortened(name, 60), message)])
        target = session.get(schema.Team, (board_id, name))
        if target is None:
            session.add(schema.Team(**plain(row) | {"name": name}))
            session.flush()
        _move_people(session, board_id, team, name)
        for table in (Submission, Attempt):
            own = (table.board_id == board_id, table.team == team)
            session.execute(update(table).where(*own).values(team=name))
        session.delete(row)
    return target is not None


def _move_people(session: Session, board_id: str, team: str, name: str) -> None:
    """Move the members and the refused files of a team to another team, without duplicates."""

    def of(table: type[Member] | type[RefusedFile], whose: str) -> list[Any]:
        return list(session.scalars(select(table).where(table.board_id == board_id, table.team == whose)))

    known = {member.who for member in of(Member, name)}
    for member in of(Member, team):
        if member.who not in known:
            session.add(Member(board_id=board_id, team=name, who=member.who))
        session.delete(member)
    files = {refused.sha256 for refused in of(RefusedFile, name)}
    for refused in of(RefusedFile, team):
        if refused.sha256 not in files:
            refused.team = name


def _unknown(team: str) -> InputRefused:
    message = "no team of this name has submitted: `board show` lists the teams."
    return InputRefused([error("unknown-team", shortened(team, 60), message)])
