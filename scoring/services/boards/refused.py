"""Refused files: they count nothing, and are kept only where the organizer of the board said so."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, select

from scoring.common.findings import Finding, InputRefused, note
from scoring.inputs.sources import sha256
from scoring.services.boards.board import OpenBoard
from scoring.services.boards.phases import DAY
from scoring.services.boards.submission_request import SubmissionRequest
from scoring.services.store import tables
from scoring.services.store.secure_delete import pin_files

PER_DAY = 20
"""Refused files of a team that are kept on one day at most, so that nobody fills the disk with them."""


def refusal(
    board: OpenBoard, sent: SubmissionRequest, time: str, problems: Sequence[Finding]
) -> InputRefused:
    """Return the refusal of a submission, whose file is kept where the board keeps refused files."""
    if not board.row.keep_refused or not _keep(board, sent, time, problems):
        return InputRefused(problems)
    words = "the refused file is kept for the organizer; it counts nothing."
    return InputRefused(problems, [note("refused-kept", sent.name, words)])


def _keep(board: OpenBoard, sent: SubmissionRequest, time: str, problems: Sequence[Finding]) -> bool:
    """Keep a refused file, and return whether it is kept."""
    digest, row = sha256(sent.data), tables.RefusedFile
    of_team = (row.board_id == board.row.id, row.team == sent.team)
    with board.store.write() as session:
        session.get(tables.Board, board.row.id, with_for_update=True)
        if session.scalar(select(row.id).where(*of_team, row.sha256 == digest)) is not None:
            return True
        today = select(func.count()).where(*of_team, row.created.startswith(time[:DAY]))
        if (session.scalar(today) or 0) >= PER_DAY or session.get(row, sent.id) is not None:
            return False
        pin_files(board.store, session, {digest: sent.data})
        kept = {"team": sent.team, "name": sent.name[-tables.NAME :], "sha256": digest, "created": time}
        listed = [problem.as_dict() for problem in problems]
        session.add(row(id=sent.id, board_id=board.row.id, problems=listed, **kept))
    return True


def listed(board: OpenBoard) -> list[dict[str, Any]]:
    """Return the refused files of a board, oldest first, with their problems. Not for publication."""
    row = tables.RefusedFile
    with board.store.read() as session:
        query = select(row).where(row.board_id == board.row.id).order_by(row.created, row.id)
        return [
            {"submission": one.id, "team": one.team, "file": one.name, "time": one.created}
            | {"problems": list(one.problems)}
            for one in session.scalars(query)
        ]
