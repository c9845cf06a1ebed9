"""Phases of a board: open and closing dates, and submission limits per team, day and phase.

A board without phases accepts any number of submissions at any time. Phases do not overlap, so the time of a
submission determines its phase. Days start at 00:00 UTC. Refused submissions do not count toward limits.
Submissions that an organizer excluded still count.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from scoring.boards.ranking.decision_rule import note_change, require_open
from scoring.boards.row_validation import MOST_SUBMISSIONS, is_time, require_readable
from scoring.common.findings import Finding, InputRefused, error
from scoring.common.text import shortened
from scoring.inputs.archives import has_hidden
from scoring.store import schema
from scoring.store.database import Store

DAY = 10
"""Number of characters of a timestamp up to and including its day."""
UPCOMING, OPEN, CLOSED = "upcoming", "open", "closed"
_LATEST = "9999"


@dataclass(frozen=True)
class Phase:
    """A period in which a board accepts submissions.

    Attributes:
        opens: Start of the phase (UTC, in the time format of the database); None: no start.
        closes: End of the phase, exclusive; None: no end.
        per_day: Maximum submissions of a team per day (UTC); None: no limit.
        total: Maximum submissions of a team in the phase; None: no limit.
    """

    name: str
    opens: str | None = None
    closes: str | None = None
    per_day: int | None = None
    total: int | None = None

    def state(self, time: str | None = None) -> str:
        """Return "upcoming", "open" or "closed" at a time; None: now."""
        time = time or schema.now()
        if self.opens is not None and time < self.opens:
            return UPCOMING
        return CLOSED if self.closes is not None and time >= self.closes else OPEN

    @property
    def words(self) -> str:
        """Return the times and limits of the phase as text."""
        times = [
            f"{word} {spoken(time)}" for word, time in (("from", self.opens), ("until", self.closes)) if time
        ]
        limits = [
            f"{number} {word}"
            for number, word in ((self.per_day, "a day (UTC)"), (self.total, "in all"))
            if number is not None
        ]
        each = f"each team at most {' and '.join(limits)}" if limits else "without limits"
        return f"{' '.join(times) or 'at any time'}, {each}"

    def as_dict(self) -> dict[str, Any]:
        """Return the value for the JSON output."""
        return asdict(self)


@dataclass(frozen=True)
class Allowance:
    """Whether a team may submit at a given time, and how many more submissions it may make on that day.

    Attributes:
        phase: The open phase; None if there is none or the board has no phases.
        today: Number of the team's submissions in the phase on that day.
        remaining: Number of remaining submissions on that day; None: no limit.
        problem: Reason why the team cannot submit; None if it can.
    """

    phase: Phase | None
    today: int = 0
    total: int = 0
    remaining: int | None = None
    problem: Finding | None = None


def phases(store: Store, board_id: str) -> tuple[Phase, ...]:
    """Return the phases of a board in chronological order."""
    with store.read() as session:
        return _phases(session, board_id)


def state_now(phases: Sequence[Phase], time: str | None = None) -> tuple[str, str]:
    """Return whether a board accepts submissions at a time: "open", "upcoming" or "closed", and a phrase that
    names the phase and its time.

    Args:
        time: The time; None: now.
    """
    time = time or schema.now()
    if not phases:
        return OPEN, "accepts submissions at any time"
    for phase in phases:
        if phase.state(time) == OPEN:
            until = f" until {spoken(phase.closes)}" if phase.closes else ""
            return OPEN, f"{phase.name} is open{until}"
    problem = _not_open(phases, time)
    state = UPCOMING if problem.code == "phase-not-open" else CLOSED
    at = next(phase for phase in phases if phase.name == problem.where)
    moment = spoken(str(at.opens if state == UPCOMING else at.closes))
    return state, f"{at.name} {'opens on' if state == UPCOMING else 'closed on'} {moment}"


def allowance(store: Store, board_id: str, team: str, time: str | None = None) -> Allowance:
    """Return whether a team may submit at a time (None: now), and how many more submissions it may make on
    that day."""
    with store.read() as session:
        return allowed(session, board_id, team, time or schema.now())


def define(store: Store, board_id: str, phase: Phase) -> None:
    """Add a phase to a board, or change the phase with the same name. Existing submissions do not change.
    Raises InputRefused `bad-option` with all problems of the phase."""
    with store.write() as session:
        session.get(schema.Board, board_id, with_for_update=True)
        others = [other for other in _phases(session, board_id) if other.name != phase.name]
        if problems := _faults(phase, others):
            raise InputRefused(problems)
        session.merge(schema.PhaseRow(board_id=board_id, **asdict(phase)))
        note_change(session, board_id)


def remove(store: Store, board_id: str, name: str) -> None:
    """Remove a phase from a board. Raises InputRefused `no-phase` if there is no such phase, `phase-used` if
    it has submissions."""
    with store.write() as session:
        session.get(schema.Board, board_id, with_for_update=True)
        row = session.get(schema.PhaseRow, (board_id, name))
        if row is None:
            raise InputRefused([unknown(name, _phases(session, board_id))])
        table = schema.Submission
        used = select(func.count()).where(table.board_id == board_id, table.phase == name)
        if session.scalar(used):
            message = (
                "a team has submitted in this phase, so the phase cannot be removed: set a closing time "
                "instead."
            )
            raise InputRefused([error("phase-used", shortened(name, 64), message)])
        session.delete(row)
        note_change(session, board_id)


def allowed(session: Session, board_id: str, team: str, time: str, wanted: str | None = None) -> Allowance:
    """Return whether a team may submit at a given time, and how many more submissions it may make on that
    day.

    Args:
        session: The transaction that adds the submission, with the board's row locked, so that two
            submissions cannot use the same quota.
        wanted: Name of the phase to which the sender wants to submit; None: the open phase.
    """
    if (problem := require_open(session, board_id)) is not None:
        return Allowance(None, remaining=0, problem=problem)
    phases = _phases(session, board_id)
    if wanted is not None and wanted not in {phase.name for phase in phases}:
        return Allowance(None, remaining=0, problem=unknown(wanted, phases))
    if not phases:
        return Allowance(None)
    meant = [phase for phase in phases if wanted in (None, phase.name)]
    now_open = [phase for phase in meant if phase.state(time) == OPEN]
    if not now_open:
        return Allowance(None, remaining=0, problem=_not_open(meant, time))
    (phase,) = now_open
    table = schema.Submission
    of_team = (table.board_id == board_id, table.team == team, table.phase == phase.name)
    count = select(func.count()).select_from(table).where(*of_team)
    total = session.scalar(count) or 0
    today = session.scalar(count.where(table.created.startswith(time[:DAY]))) or 0
    rest = [
        limit - used for limit, used in ((phase.per_day, today), (phase.total, total)) if limit is not None
    ]
    remaining = max(0, min(rest)) if rest else None
    problem = _used_up(phase, total, time) if remaining == 0 else None
    return Allowance(phase, today, total, remaining, problem)


def spoken(time: str) -> str:
    """Return a time from the database in readable form, such as "2026-10-31 18:00 UTC"."""
    seconds = time[16:19] if time[17:19] != "00" else ""
    return f"{time[:DAY]} {time[11:16]}{seconds} UTC"


def _phases(session: Session, board_id: str) -> tuple[Phase, ...]:
    rows = session.scalars(select(schema.PhaseRow).where(schema.PhaseRow.board_id == board_id)).all()
    require_readable(board_id, rows)
    phases = [Phase(row.name, row.opens, row.closes, row.per_day, row.total) for row in rows]
    return tuple(sorted(phases, key=lambda phase: (phase.opens or "", phase.closes or _LATEST, phase.name)))


def _not_open(phases: Sequence[Phase], time: str) -> Finding:
    """Return why no phase is open: when the next phase opens, or else when the last one closed."""
    upcoming = [phase for phase in phases if phase.state(time) == UPCOMING]
    if upcoming:
        phase = upcoming[0]
        message = f"the phase opens on {spoken(str(phase.opens))}: submit then. No submission was counted."
        return error("phase-not-open", phase.name, message)
    phase = phases[-1]
    message = f"the phase closed on {spoken(str(phase.closes))}: no submission was counted."
    return error("phase-closed", phase.name, message)


def _used_up(phase: Phase, total: int, time: str) -> Finding:
    """Return `limit-reached`, with the limit that the team has reached and when it may submit again."""
    if phase.total is not None and total >= phase.total:
        message = (
            f"the team has submitted {phase.total} of {phase.total} times in this phase: the submission was "
            "not counted."
        )
    else:
        message = (
            f"the team has submitted {phase.per_day} of {phase.per_day} times on {time[:DAY]} (UTC): submit "
            "this file on another day. No submission was counted."
        )
    return error("limit-reached", phase.name, message)


def unknown(name: str, phases: Sequence[Phase]) -> Finding:
    """Return the finding for an unknown phase name."""
    known = ", ".join(phase.name for phase in phases) or "none"
    return error(
        "no-phase", shortened(name, 64), f"the board has no phase with this name. Its phases: {known}."
    )


def _faults(phase: Phase, others: Sequence[Phase]) -> list[Finding]:
    """Return the problems of a phase, also with respect to the other phases."""
    problems = []
    if not phase.name.strip() or len(phase.name) > schema.NAME or has_hidden(phase.name):
        problems.append(error("bad-option", "--name", f"write 1 to {schema.NAME} visible characters."))
    for flag, value in (("--per-day", phase.per_day), ("--total", phase.total)):
        if value is not None and not 0 < value <= MOST_SUBMISSIONS:
            problems.append(
                error("bad-option", flag, f"{value} is not a number from 1 to {MOST_SUBMISSIONS}.")
            )
    for flag, time in (("--opens", phase.opens), ("--closes", phase.closes)):
        if time is not None and not is_time(time):
            problems.append(error("bad-option", flag, f"{spoken(time)} is not a time from 1900 to 2199."))
    if (phase.opens or "") >= (phase.closes or _LATEST):
        message = f"the phase closes on {spoken(str(phase.closes))}, before it opens: give a later time."
        return [*problems, error("bad-option", "--closes", message)]
    for other in others:
        if (phase.opens or "") < (other.closes or _LATEST) and (other.opens or "") < (
            phase.closes or _LATEST
        ):
            message = (
                f"this phase overlaps the phase {other.name}: let one phase close before the other opens."
            )
            problems.append(error("bad-option", "--opens", message))
    return problems


SKEW = timedelta(minutes=10)
"""Tolerated difference between the clocks of several machines, or by which a clock was set back."""


def clock_problem(store: Store, board_id: str) -> str:
    """Return sentences about submissions of the board whose time is more than ten minutes in the future; ""
    if there are none. The board accepts no submissions until the clock or these times are corrected."""
    newest = _newest(store, board_id)
    if newest is None or datetime.fromisoformat(newest) - datetime.now(UTC) <= SKEW:
        return ""
    return (
        f"The newest submission has the time {spoken(newest)}, but the clock of this machine is at "
        f"{spoken(schema.now())}. The board accepts no submissions until the clock has passed the newest "
        "submission. Correct the clock or, if the clock was wrong before, the times of submissions."
    )


def set_times_right(store: Store, board_id: str) -> int:
    """Change future times of submissions to the present and keep their order. Return the number of changed
    times. Times that an organizer set do not change."""
    sent, now = schema.Submission, datetime.now(UTC)
    with store.write() as session:
        session.get(schema.Board, board_id, with_for_update=True)
        of_clock = (sent.board_id == board_id, sent.dated.is_(False), sent.created > schema.written(now))
        rows = session.scalars(select(sent).where(*of_clock).order_by(sent.created, sent.id)).all()
        for number, row in enumerate(rows):
            row.created = schema.written(now + timedelta(microseconds=number))
    return len(rows)


def _newest(store: Store, board_id: str) -> str | None:
    """Return the time of the newest submission that was dated by this machine's clock."""
    sent = schema.Submission
    with store.read() as session:
        query = select(func.max(sent.created)).where(sent.board_id == board_id, sent.dated.is_(False))
        return session.scalar(query)


def arrival(store: Store, board_id: str) -> str:
    """Return the time for a submission that arrives now. If the clock is slightly behind the newest
    submission, the time is just after that submission. Submissions whose time an organizer set are ignored
    here. Raises InputRefused `clock-behind` if the clock is behind by more than ten minutes."""
    newest, now = _newest(store, board_id), schema.now()
    if newest is None or newest < now:
        return now
    last = datetime.fromisoformat(newest)
    if last - datetime.fromisoformat(now) > SKEW:
        message = (
            f"the clock of this machine is at {spoken(now)}, but the newest submission came on "
            f"{spoken(newest)}: correct the clock. No submission was counted. If the clock was wrong then, "
            "the organizer corrects that time on the board's page."
        )
        raise InputRefused([error("clock-behind", board_id, message)])
    return _just_after(newest)


def after_own(session: Session, board_id: str, team: str, time: str) -> str:
    """Return the time of a scored submission: its arrival, or just after a submission of the same team that
    was scored in the meantime.

    The order of times guarantees that scores shown by the Ladder mechanism never change.
    """
    sent = schema.Submission
    of_team = (sent.board_id == board_id, sent.team == team, sent.dated.is_(False))
    newest = session.scalar(select(func.max(sent.created)).where(*of_team))
    return time if newest is None or newest < time else _just_after(newest)


def _just_after(time: str) -> str:
    return schema.written(datetime.fromisoformat(time) + timedelta(microseconds=1))
