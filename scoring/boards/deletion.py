"""Deletion of submissions, refused files and boards from the database and the disk."""

from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import delete as delete_rows
from sqlalchemy import select
from sqlalchemy.orm import Session

from scoring.boards.board import opened
from scoring.boards.hidden_truth import guessing_budget, visible_results
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.common.findings import Finding, InputRefused, error, warning
from scoring.common.text import shortened
from scoring.store import schema
from scoring.store.database import Store
from scoring.store.mark import is_own
from scoring.store.schema import Attempt, Hidden, Member
from scoring.store.secure_delete import begin_deletion, finish_deletions

OF_BOARD: tuple[type[schema.Base], ...] = (
    schema.ShownPart,
    schema.ScoredVersion,
    schema.Submission,
    schema.RefusedFile,
    schema.Team,
    schema.PhaseRow,
    schema.Split,
    schema.DecisionRule,
    schema.FinalRanking,
    schema.ImportedBundle,
    Hidden,
    Member,
    Attempt,
    schema.TestSetVersion,
)
"""Tables with a board's data, in the order of deletion."""


@dataclass(frozen=True)
class Deleted:
    """What a deletion removed.

    Attributes:
        findings: Findings that name deleted data of which a copy remains in the database log.
    """

    submissions: int
    files: int
    findings: tuple[Finding, ...] = ()


def delete_board(store: Store, board_id: str) -> Deleted:
    """Delete a board with all its submissions and test sets. The store records how many bits of information
    about the truth the scores may have revealed, or an upper bound if the board cannot be read. These bits
    also count as revealed for every later board with one of these test sets. Raises InputRefused `no-board`
    if no board has this id; nothing is deleted then."""
    told, files = guessing_budget.most_told(store, board_id), guessing_budget.test_sets(store, board_id)
    with suppress(InputRefused):  # a board that cannot be read
        board = opened(store, board_id)
        told = visible_results.bits_told(board, board_ranking(board))
    with store.write() as session:
        begun = begin_deletion(session)
        _require_board(session, board_id)
        if told:
            guessing_budget.record_deleted(session, files, told)
        submission = schema.Submission
        count = len(session.scalars(select(submission.id).where(submission.board_id == board_id)).all())
        for table in OF_BOARD:
            session.execute(delete_rows(table).where(table.__table__.c.board_id == board_id))
        session.execute(delete_rows(schema.Board).where(schema.Board.id == board_id))
    return _finished(store, count, begun)


def delete_submission(store: Store, board_id: str, submission_id: str) -> Deleted:
    """Delete a submission with its results, or a refused file. A team without other submissions is deleted
    too. A deleted submission no longer counts toward limits. The bits of information about a hidden truth
    that its score revealed still count. Raises InputRefused `no-submission` if the board has no such
    submission; nothing is deleted then."""
    with visible_results.told_stays(store, board_id), store.write() as session:
        begun = begin_deletion(session)
        _require_board(session, board_id)
        row = session.get(schema.Submission, submission_id) or session.get(schema.RefusedFile, submission_id)
        if row is None or row.board_id != board_id:
            message = f"the board {board_id} has no submission with this id: `board show` lists the ids."
            raise InputRefused([error("no-submission", shortened(submission_id, 64), message)])
        for results in (schema.ShownPart, schema.ScoredVersion):
            session.execute(delete_rows(results).where(results.submission_id == submission_id))
        session.delete(row)
        session.flush()
        table = schema.Submission
        others = select(table.id).where(table.board_id == board_id, table.team == row.team)
        if session.scalars(others).first() is None:
            team = (schema.Team.board_id == board_id, schema.Team.name == row.team)
            session.execute(delete_rows(schema.Team).where(*team))
    return _finished(store, 1, begun)


def _require_board(session: Session, board_id: str) -> None:
    """Lock the row of a board, even if the row cannot be read. Raises InputRefused if there is no such
    board."""
    query = select(schema.Board.id).where(schema.Board.id == board_id).with_for_update()
    if session.scalar(query) is None:
        message = "there is no board with this id: `board list` lists all boards."
        raise InputRefused([error("no-board", shortened(board_id, 64), message)])


def _finished(store: Store, count: int, begun: str) -> Deleted:
    """Delete the files of deleted submissions, and the traces in the database's log. Warn if the log cannot
    be emptied, or if files must stay."""
    gone, is_removed = finish_deletions(store, [begun])
    with store.read() as session:
        files_stay = not is_own(session, store.files)
    if files_stay:
        message = (
            "the files of the deleted submission or board stay, because the folder also contains files of "
            "another store: `benchside doctor` lists them."
        )
        return Deleted(count, len(gone), (warning("files-stay", store.files.address, message),))
    if is_removed:
        return Deleted(count, len(gone))
    message = (
        "another program reads the database: deleted data stay in the database's log. When that program has "
        "finished, the next deletion or the next start of Benchside removes these data."
    )
    return Deleted(count, len(gone), (warning("store-busy", store.place, message),))
