"""The time of a submission: that of its arrival by this machine's clock, never before an earlier one."""

from datetime import datetime, timedelta

from sqlalchemy import func, select

from scoring.common.findings import InputRefused, error
from scoring.services.boards.phases import spoken
from scoring.services.store import tables
from scoring.services.store.database import Store

SKEW = timedelta(minutes=10)
"""How far clocks of several machines, or one that was set back, may be apart."""


def arrival(store: Store, board_id: str) -> str:
    """Return the time of a submission that arrives now.

    A clock that is behind the newest submission by little gives the time just after that one. Submissions
    whose time an organizer named do not count here: they may lie in the past, or in the future.

    Raises:
        InputRefused: `clock-behind` where the clock is behind by more than ten minutes.
    """
    sent = tables.Submission
    with store.read() as session:
        query = select(func.max(sent.created)).where(sent.board_id == board_id, sent.dated.is_(False))
        newest = session.scalar(query)
    now = tables.now()
    if newest is None or newest < now:
        return now
    last = datetime.fromisoformat(newest)
    if last - datetime.fromisoformat(now) > SKEW:
        words = (
            f"the clock of this machine is at {spoken(now)}, but the newest submission came on "
            f"{spoken(newest)}: set the clock right. Nothing was counted."
        )
        raise InputRefused([error("clock-behind", board_id, words)])
    return tables.written(last + timedelta(microseconds=1))
