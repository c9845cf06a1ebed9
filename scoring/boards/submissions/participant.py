"""Submissions by participants: their remaining submissions, refusals, and the feedback that participants may
see if the truth is hidden."""

import logging
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from scoring.access.roles import LOCAL, Actor, Role
from scoring.boards.board import OpenBoard, own_options
from scoring.boards.hidden_truth import disclosure_rules, probing_notices, visible_results
from scoring.boards.hidden_truth.disclosure_rules import HiddenRules
from scoring.boards.hidden_truth.probing_notices import FAILED, SCORED
from scoring.boards.hidden_truth.redaction import redact
from scoring.boards.ranking.board_ranking import BoardRanking, board_ranking
from scoring.boards.ranking.ranked_submissions import RankedSubmission
from scoring.boards.row_validation import DETAILS
from scoring.boards.submissions import phases_and_limits, submitting
from scoring.boards.submissions.phases_and_limits import DAY
from scoring.boards.submissions.submitting import SubmissionRequest
from scoring.boards.teams import members, team_changes
from scoring.common.findings import Finding, InputRefused, error
from scoring.common.text import shortened
from scoring.inputs.sources import sha256
from scoring.store import schema
from scoring.store.database import Store
from scoring.store.schema import Attempt

LOG = logging.getLogger(__name__)
RUNNING, AGAIN = "running", "again"
FREE = frozenset(
    {
        *(SCORED, AGAIN, "limit-reached", "phase-closed", "phase-not-open", "no-phase", "clock-behind"),
        "board-final",
        "team-excluded",
    }
)
"""Outcomes of attempts that do not count as refused."""
UNCHANGED_PER_DAY = 20
"""Maximum number of repeated submissions of the same file per team and day, because each costs a look-up and
a record."""


@dataclass(frozen=True)
class SubmissionFeedback:
    """Feedback to a participant about a submission.

    Attributes:
        score: The score that is shown; None if no score is shown.
        interval: Interval of the score; None unless the board's truth is open.
        counts: Whether the submission is ranked.
        status: "scored" or "excluded"; on a board with an open truth also "refused", if it cannot be scored
            on this version of the test set.
        again: Whether the same file was submitted before.
        classes: Rates of each class, if the board shows them.
        cases: Pairs of a case id and a number from 0 (the prediction is wrong) to 1 (right); empty unless the
            board shows them.
        findings: Findings about the submission; empty unless the board's truth is open.
    """

    submission: str
    team: str
    time: str
    score: float | None
    interval: tuple[float, float] | None
    best: float | None
    counts: bool
    status: str
    again: bool = False
    classes: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    cases: tuple[tuple[str, float], ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class RemainingQuota:
    """How many more submissions a team may make today (UTC).

    Attributes:
        phase: Name of the open phase; empty if there is none.
        closes: Closing time of the phase; None: no end.
        submissions: Number of remaining submissions today; None: no limit.
        refused: Number of refused submissions that the team may still make today.
        problem: Reason why the team cannot submit now; None if it can.
    """

    phase: str
    closes: str | None
    submissions: int | None
    refused: int
    problem: Finding | None = None


def submit(
    board: OpenBoard, team: str, name: str, data: bytes, options: Mapping[str, str], submission: str
) -> SubmissionFeedback:
    """Submit a file for one of the actor's own teams.

    Args:
        submission: Id of this submission. A second call with the same id changes nothing.

    Returns:
        The feedback for the participant.

    Raises:
        InputRefused: If the submission has problems. It lists all problems, or only the sentences of
            `redaction` if the truth is hidden.
    """
    actor = board.store.actor
    members.require_current(board.store, actor, Role.PARTICIPANT)
    inner = _as_program(board)
    known = disclosure_rules.rules(inner.store, board.row.id)
    digest = sha256(data)
    if actor.role < Role.ORGANIZER and team not in members.teams_of(inner.store, board.row.id, actor):
        _begin(inner, actor, team, digest, "foreign-team", _most_refused(known))
        message = (
            "you are not a member of this team. The organizer, who assigns people to teams, will see this "
            "attempt."
        )
        raise InputRefused([error("foreign-team", "team", message)])
    if (problem := remaining_quota(board, team).problem) is not None:
        raise InputRefused([problem])
    attempt = _begin(inner, actor, team, digest, RUNNING, _most_refused(known))
    try:
        own = own_options(board.challenge, options)
        receipt = submitting.submit(inner, SubmissionRequest(team, name, data, own, id=submission))
    except InputRefused as refused:
        _end(inner, attempt, refused.problems[0].code)
        raise InputRefused(redact(refused.problems) if known else refused.problems) from None
    except Exception as problem:
        LOG.warning("a submission to %s could not be scored: %s", board.row.id, type(problem).__name__)
        _end(inner, attempt, FAILED)
        raise InputRefused(redact([error(FAILED, "submission", "")])) from None
    ranking = board_ranking(inner)
    entry = next((entry for entry in ranking.entries if entry.id == receipt.id), None)
    near = None if receipt.again or entry is None else probing_notices.near(ranking, entry)
    _end(inner, attempt, AGAIN if receipt.again else SCORED, near)
    if entry is None:
        message = "the organizer deleted this submission before its feedback was ready."
        raise InputRefused([error("no-submission", "submission", message)])
    reply = _answered(ranking, known, team, entry)
    return replace(reply, again=receipt.again, findings=() if known else receipt.findings)


def own_submissions(board: OpenBoard, team: str) -> list[SubmissionFeedback]:
    """Return the feedback on the submissions of a team, oldest first. Raises InputRefused if the actor is not
    a member of the team."""
    _require_member(board, team)
    inner = _as_program(board)
    ranking, known = board_ranking(inner), disclosure_rules.rules(inner.store, board.row.id)
    return _history(ranking, known, team)


def submission_detail(board: OpenBoard, team: str, submission: str) -> SubmissionFeedback:
    """Return the feedback on a submission, including classes and cases if the board shows them. Raises
    InputRefused `no-submission`, with the same message for another team's submission and for an unknown
    one."""
    _require_member(board, team)
    inner = _as_program(board)
    ranking, known = board_ranking(inner), disclosure_rules.rules(inner.store, board.row.id)
    entry = next((entry for entry in ranking.entries if (entry.id, entry.team) == (submission, team)), None)
    if entry is None:
        raise InputRefused(
            [error("no-submission", "submission", "your team has no submission with this id.")]
        )
    return _answered(ranking, known, team, entry)


def nominate(board: OpenBoard, team: str, submission: str | None) -> None:
    """Nominate a submission of one of the actor's own teams for the final ranking, regardless of the board's
    rule.

    Args:
        submission: Id of the submission; None: the board's rule decides again.

    Raises:
        InputRefused: With `no-submission` or `bad-split`, as in `teams.team_changes.nominate`; with
            `foreign-team` if the actor is not in the team.
    """
    _require_member(board, team)
    team_changes.nominate(_as_program(board).store, board.row.id, submission, team)


def remaining_quota(board: OpenBoard, team: str) -> RemainingQuota:
    """Return how many more submissions a team may make today: none if the board has a hidden truth but no
    phases."""
    inner = _as_program(board)
    known = disclosure_rules.rules(inner.store, board.row.id)
    allowed = phases_and_limits.allowance(inner.store, board.row.id, team)
    refused = max(0, _most_refused(known) - _refused_today(inner.store, board.row.id, team))
    problem = allowed.problem
    if problem is None and known is not None and allowed.phase is None:
        message = "this board accepts no submissions yet, because the organizer has not opened a phase."
        problem = error("phase-not-open", "board", message)
    if problem is None and not refused:
        problem = _refused_limit()
    phase = allowed.phase
    return RemainingQuota(
        phase.name if phase else "", phase.closes if phase else None, allowed.remaining, refused, problem
    )


def _as_program(board: OpenBoard) -> OpenBoard:
    """Return the board with the program's own rights, for internal steps."""
    return replace(board, store=replace(board.store, actor=LOCAL))


def _require_member(board: OpenBoard, team: str) -> None:
    actor, inner = board.store.actor, _as_program(board)
    members.require_current(board.store, actor, Role.PARTICIPANT)
    if actor.role < Role.ORGANIZER and team not in members.teams_of(inner.store, board.row.id, actor):
        raise InputRefused([error("foreign-team", "team", "you are not a member of this team.")])


def _history(ranking: BoardRanking, known: HiddenRules | None, team: str) -> list[SubmissionFeedback]:
    if known is None:
        counts = ranking.counting.get(team)
        return [
            SubmissionFeedback(e.id, team, e.created, e.score, e.interval, None, e is counts, _status(e))
            for e in ranking.by_team.get(team, ())
        ]
    chosen, told = visible_results.counted(ranking).get(team), visible_results.visible_scores(ranking, team)
    counted = chosen.id if chosen else None
    return [
        SubmissionFeedback(
            e.id, team, e.created, one.score, None, one.best, e.id == counted, _status(e, True)
        )
        for one in told
        for e in (one.entry,)
    ]


def _answered(
    ranking: BoardRanking, known: HiddenRules | None, team: str, entry: RankedSubmission
) -> SubmissionFeedback:
    """Return the answer with its details. If the Ladder shows no score, details are left out too."""
    reply = next(reply for reply in _history(ranking, known, team) if reply.submission == entry.id)
    entry = entry if known is None else visible_results.at_first(ranking, entry)
    detail = known.detail if known else DETAILS[-1]
    if reply.score is None or detail in ("none", "score") or not entry.is_eligible:
        return reply
    reply = replace(reply, classes=visible_results.classes_of(ranking, entry))
    return (
        replace(reply, cases=tuple(visible_results.cases_of(ranking, entry))) if detail == "cases" else reply
    )


def _status(entry: RankedSubmission, is_hidden: bool = False) -> str:
    """Return the result of a submission. With a hidden truth (`is_hidden`), a scored submission is never
    refused."""
    if entry.excluded is not None:
        return "excluded"
    return "scored" if is_hidden or entry.card is not None else "refused"


def _most_refused(known: HiddenRules | None) -> int:
    return (known or HiddenRules()).refused_per_day


def _refused_limit() -> Finding:
    message = "too many of your team's submissions were refused today (UTC): submit this file on another day."
    return error("refused-limit", "team", message)


def _require_other(session: Session, board_id: str, team: str, digest: str) -> None:
    """Raise InputRefused `unchanged-limit` if the team has submitted this file before. To be called once the
    team has reached the limit."""
    row = schema.Submission
    known = select(row.id).where(row.board_id == board_id, row.team == team, row.sha256 == digest)
    if session.scalar(known) is not None:
        message = (
            f"today (UTC), your team submitted {UNCHANGED_PER_DAY} times a file that it had submitted "
            "before: "
            "the scores of these files are on the board. Submit another file, or submit this file on "
            "another day."
        )
        raise InputRefused([error("unchanged-limit", "team", message)])


def _refused_today(store: Store, board_id: str, team: str) -> int:
    with store.read() as session:
        count = select(func.count()).select_from(Attempt).where(Attempt.board_id == board_id)
        mine = (Attempt.team == team, Attempt.outcome.not_in([*FREE, "foreign-team"]))
        return session.scalar(count.where(*mine, Attempt.created.startswith(schema.now()[:DAY]))) or 0


def _begin(board: OpenBoard, actor: Actor, team: str, digest: str, outcome: str, most: int) -> str:
    """Record an attempt before its file is read, so that it counts even if the program is killed.

    Raises:
        InputRefused: `refused-limit` if too many files of the team were refused today, or if the person tried
            too often to submit for other people's teams; `unchanged-limit` if the team submitted too many
            unchanged files; `no-board` if the board was deleted.
    """
    attempt, created = uuid.uuid4().hex, schema.now()
    person = actor.key[: 2 * schema.NAME]
    foreign = outcome == "foreign-team"
    whose = (Attempt.person == person, Attempt.outcome == outcome) if foreign else (Attempt.team == team,)
    with board.store.write() as session:
        if session.get(schema.Board, board.row.id) is None:  # deleted since it was opened
            raise InputRefused([error("no-board", board.row.id, "there is no such board.")])
        today = (Attempt.board_id == board.row.id, *whose, Attempt.created.startswith(created[:DAY]))
        count = select(func.count()).select_from(Attempt).where(*today)
        refused = count if foreign else count.where(Attempt.outcome.not_in([*FREE, "foreign-team"]))
        if (session.scalar(refused) or 0) >= most:
            raise InputRefused([_refused_limit()])
        unchanged = count.where(Attempt.outcome == AGAIN)
        if not foreign and (session.scalar(unchanged) or 0) >= UNCHANGED_PER_DAY:
            _require_other(session, board.row.id, team, digest)
        session.add(
            Attempt(
                id=attempt,
                board_id=board.row.id,
                team=shortened(team, schema.NAME),
                person=person,
                created=created,
                outcome=outcome,
                sha256=digest,
                near=None,
            )
        )
    return attempt


def _end(board: OpenBoard, attempt: str, outcome: str, near: str | None = None) -> None:
    with board.store.write() as session:
        row = session.get(Attempt, attempt)
        if row is not None:
            row.outcome, row.near = outcome[:64], near
