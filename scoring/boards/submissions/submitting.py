"""Submitting to a board: each submission is scored on arrival, if `phases_and_limits` allows it.

If a team submits the same file again, it gets the earlier receipt, and the file counts once. A refused file
does not count toward limits. It is stored only if the board's organizer chose this.
"""

import re
import uuid
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from scoring.boards.board import OpenBoard, opened
from scoring.boards.hidden_truth.visible_results import told_stays
from scoring.boards.submissions import phases_and_limits
from scoring.boards.submissions.phases_and_limits import DAY
from scoring.boards.teams.members import names_in, team_names, teams_excluded
from scoring.common.findings import Finding, InputRefused, error, note
from scoring.common.text import shortened
from scoring.core.applied_fixes import FIXED
from scoring.core.options import Values
from scoring.inputs.archives import has_hidden
from scoring.inputs.sources import FixedSource, sha256
from scoring.inputs.team_entries import MODEL, name_problems
from scoring.store import schema
from scoring.store.database import Store
from scoring.store.secure_delete import discard_left, pin_files

_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T_ ](\d{2})[:-]?(\d{2})(?:[:-]?(\d{2}))?Z?)?")


@dataclass(frozen=True)
class SubmissionRequest:
    """A submission that a team sends.

    Attributes:
        created: Time of the submission, set by an importer; None: now, by the clock of this machine.
        id: Id that the sender chooses. If the same id is sent twice, it is one submission.
        phase: Name of the phase to which the sender wants to submit; None: the open phase.
    """

    team: str
    name: str
    data: bytes
    options: Mapping[str, Any] = field(default_factory=dict)
    created: str | None = None
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    phase: str | None = None


@dataclass(frozen=True)
class Receipt:
    """The result of a submission.

    Attributes:
        again: Whether the team had submitted the same file before.
        findings: Findings about the submission, except those about the test set.
    """

    id: str
    team: str
    created: str
    score: float | None
    interval: tuple[float, float] | None
    again: bool = False
    findings: tuple[Finding, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON value that `board submit` writes for the submission."""
        return {
            "submission": self.id,
            "team": self.team,
            "time": self.created,
            "score": self.score,
            "interval": list(self.interval) if self.interval else None,
            "submitted_before": self.again,
            "findings": [finding.as_dict() for finding in self.findings],
        }


def submit(board: OpenBoard, request: SubmissionRequest) -> Receipt:
    """Score a submission and store it, unless the team submitted the same file before. Its time is the time
    of its arrival, however long scoring takes. If the truth is corrected during scoring, the submission is
    scored on both versions. Raises InputRefused with every problem. The submission then does not count toward
    limits. Its file is stored only if the board keeps refused files; a finding `refused-kept` says so."""
    if problems := _misnamed(board, request):
        raise InputRefused(problems)
    if (reason := teams_excluded(board.store, board.row.id).get(request.team)) is not None:
        message = f"the organizer excluded this team ({reason}): no submission was counted."
        raise InputRefused([error("team-excluded", request.team, message)])
    store, digest = board.store, sha256(request.data)
    time = request.created or phases_and_limits.arrival(store, board.row.id)
    with store.read() as session:
        before = _before(session, board.row.id, request, digest)
        allowed = phases_and_limits.allowed(session, board.row.id, request.team, time, request.phase)
    if before is not None:
        return before
    if allowed.problem is not None:
        raise refusal(board, request, time, (allowed.problem,))
    files, receipt = dict[str, bytes](), None
    try:
        with told_stays(store, board.row.id) if request.created else nullcontext():
            receipt = _scored_and_kept(board, request, time, files)
    finally:
        if files and (receipt is None or receipt.again):
            discard_left(store, files)
    return receipt


def changed_file(
    board: OpenBoard, source: FixedSource, name: str, options: Values, **reading: Any
) -> tuple[str, bytes, list[Finding]]:
    """Apply the chosen fixes to a file, and return the changed file's name and bytes, with notes about the
    changes.

    Args:
        reading: Further arguments of the challenge's `read_predictions`.

    Raises:
        InputRefused: If problems remain after the changes; it lists all of them.
    """
    challenge = board.challenge
    if name.lower().endswith(MODEL):
        read = challenge.inspect(source, board.truth)
    else:
        needed = challenge.needed("predictions", options)
        read = challenge.read_predictions(source, board.truth, name, **reading, **needed)
    notes = [finding for finding in read.findings if finding.code == FIXED]
    return *challenge.changed_file(board.truth, read, source, name), notes


def _scored_and_kept(
    board: OpenBoard, request: SubmissionRequest, time: str, files: dict[str, bytes]
) -> Receipt:
    """Score a submission and store it. New files are added to `files`, by SHA-256."""
    scorings: dict[int, list[schema.Base]] = {}
    while True:
        number = board.test_set.number
        result = board.result(request.data, request.name, request.options)
        if result.card is None:
            board = opened(board.store, board.row.id)
            if board.test_set.number == number:
                raise refusal(board, request, time, result.problems)
            continue
        files |= {sha256(request.data): request.data, **result.files}
        for data in files.values():
            board.store.keep(data)
        scorings[number] = result.rows(request.id, board.test_set)
        receipt = _store(board, request, time, files, scorings)
        if isinstance(receipt, Finding):
            raise refusal(board, request, time, (receipt,))
        if receipt is not None:
            known = frozenset(board.truth.findings)
            noticed = () if receipt.again else (f for f in result.card.findings if f not in known)
            return replace(receipt, findings=tuple(noticed))
        board = opened(board.store, board.row.id)


def _misnamed(board: OpenBoard, request: SubmissionRequest) -> list[Finding]:
    """Return findings about invalid names of a submission."""
    problems = list(name_problems(request.team, "--team", team_names(board.store, board.row.id)))
    if len(request.team) > schema.NAME:
        problems.append(error("bad-option", "--team", f"a name has at most {schema.NAME} characters."))
    if not 0 < len(request.id) <= schema.NAME or has_hidden(request.id):
        problems.append(
            error("bad-option", "--submission", f"an id has 1 to {schema.NAME} visible characters.")
        )
    return problems


def _store(
    board: OpenBoard,
    request: SubmissionRequest,
    time: str,
    files: Mapping[str, bytes],
    scorings: Mapping[int, list[schema.Base]],
) -> Receipt | Finding | None:
    """Store a scored submission, or return why its phase does not accept it. Return None if the truth was
    corrected meanwhile. `files`: the submission, then its scorecards; `scorings`: results by version."""
    store, digest = board.store, next(iter(files))
    scoring: Any = scorings[board.test_set.number][0]
    with store.write() as session:
        row = session.get(schema.Board, board.row.id, with_for_update=True)
        if row is not None and row.created != board.row.created:
            message = "the board was deleted, and made anew, while this file was scored: submit it again."
            return error("no-board", row.id, message)
        if row is None or row.version != board.test_set.number:
            return None
        before = _before(session, board.row.id, request, digest)
        if before is not None:
            return before
        for problem in name_problems(request.team, "--team", names_in(session, row.id)):
            return problem  # another submission brought this name while this one was scored
        if request.created is None:
            time = phases_and_limits.after_own(session, row.id, request.team, time)
        allowed = phases_and_limits.allowed(session, row.id, request.team, time, request.phase)
        if allowed.problem is not None:
            return allowed.problem
        pin_files(store, session, files)
        if session.get(schema.Team, (row.id, request.team)) is None:
            session.add(schema.Team(board_id=row.id, name=request.team, created=time))
            session.flush()
        session.add(
            schema.Submission(
                id=request.id,
                board_id=row.id,
                team=request.team,
                name=request.name[-schema.NAME :],
                sha256=digest,
                options=dict(request.options),
                created=time,
                excluded=None,
                phase=allowed.phase.name if allowed.phase else None,
                dated=request.created is not None,
            )
        )
        session.flush()
        session.add_all(chain.from_iterable(scorings.values()))
    return Receipt(request.id, request.team, time, scoring.score, _interval(scoring))


def _before(session: Session, board_id: str, request: SubmissionRequest, digest: str) -> Receipt | None:
    """Return the receipt of an earlier submission with the same id, or of the same file by the same team;
    None if there is none."""
    row = session.get(schema.Submission, request.id)
    if row is not None and (row.board_id, row.team, row.sha256) != (board_id, request.team, digest):
        message = "another submission has this id: use a different id."
        raise InputRefused([error("submission-exists", request.id, message)])
    if row is None:
        same = (schema.Submission.team == request.team, schema.Submission.sha256 == digest)
        query = select(schema.Submission).where(schema.Submission.board_id == board_id, *same)
        row = session.scalars(query).first()
    if row is None:
        return None
    newest = select(schema.Board.version).where(schema.Board.id == board_id).scalar_subquery()
    of_row = (schema.ScoredVersion.submission_id == row.id, schema.ScoredVersion.number <= newest)
    query_scored = select(schema.ScoredVersion).where(*of_row)
    last = session.scalars(query_scored.order_by(schema.ScoredVersion.number.desc())).first()
    return Receipt(
        row.id,
        row.team,
        row.created,
        last.score if last else None,
        _interval(last) if last else None,
        again=True,
    )


def _interval(row: schema.ScoredVersion) -> tuple[float, float] | None:
    return None if row.low is None or row.high is None else (row.low, row.high)


def exclude(store: Store, board_id: str, submission_id: str, reason: str | None) -> None:
    """Exclude a submission from the ranking, or include it again.

    Args:
        reason: Why it is excluded; None: include it again.

    Raises:
        InputRefused: `no-submission` if the board has no such submission.
    """
    with store.write() as session:
        row = session.get(schema.Submission, submission_id)
        if row is None or row.board_id != board_id:
            message = f"the board {board_id} has no submission with this id: `board show` lists the ids."
            raise InputRefused([error("no-submission", shortened(submission_id, 64), message)])
        row.excluded = shortened(reason) if reason is not None else None


def time_of(text: str) -> str | None:
    """Parse a UTC time such as 2026-01-31 or 2026-01-31T18:00; None for any other text, and for years before
    1900 or after 2198."""
    match = _DATE.fullmatch(text.strip())
    if not match:
        return None
    day, *clock = match.groups()
    try:
        hour, minute, second = (int(part or 0) for part in clock)
        start = datetime.fromisoformat(day).replace(hour=hour, minute=minute, second=second, tzinfo=UTC)
    except ValueError:
        return None
    return schema.written(start) if 1900 <= start.year < 2199 else None


REFUSED_PER_DAY = 20
"""Maximum number of refused files stored per team and day, so that nobody can fill the disk with them."""


def refusal(
    board: OpenBoard, request: SubmissionRequest, time: str, problems: Sequence[Finding]
) -> InputRefused:
    """Return the exception that refuses a submission. The file is stored if the board keeps refused files."""
    if not board.row.keep_refused or not _keep_refused(board, request, time, problems):
        return InputRefused(problems)
    message = "the refused file is saved for the organizer; it does not count as a submission."
    return InputRefused(problems, [note("refused-kept", request.name, message)])


def _keep_refused(
    board: OpenBoard, request: SubmissionRequest, time: str, problems: Sequence[Finding]
) -> bool:
    """Store a refused file, and return whether it is stored."""
    digest, row = sha256(request.data), schema.RefusedFile
    of_team = (row.board_id == board.row.id, row.team == request.team)
    with board.store.write() as session:
        kept = session.get(schema.Board, board.row.id, with_for_update=True)
        if kept is None or kept.created != board.row.created:
            return False  # the board was deleted meanwhile
        if session.scalar(select(row.id).where(*of_team, row.sha256 == digest)) is not None:
            return True
        today = select(func.count()).where(*of_team, row.created.startswith(time[:DAY]))
        if (session.scalar(today) or 0) >= REFUSED_PER_DAY or session.get(row, request.id) is not None:
            return False
        pin_files(board.store, session, {digest: request.data})
        columns = {"team": request.team, "name": request.name[-schema.NAME :], "created": time}
        findings = [problem.as_dict() for problem in problems]
        session.add(row(id=request.id, board_id=board.row.id, sha256=digest, problems=findings, **columns))
    return True


def refused_files(board: OpenBoard) -> list[dict[str, Any]]:
    """Return the refused files of a board with their problems, oldest first. Refused files must not be
    published."""
    row = schema.RefusedFile
    with board.store.read() as session:
        query = select(row).where(row.board_id == board.row.id).order_by(row.created, row.id)
        return [
            {"submission": scalar.id, "team": scalar.team, "file": scalar.name, "time": scalar.created}
            | {"problems": list(scalar.problems)}
            for scalar in session.scalars(query)
        ]
