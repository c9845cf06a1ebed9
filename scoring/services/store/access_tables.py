"""The tables about hidden truths and people: what a board tells, who is in which team, what they tried."""

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from scoring.services.store.tables import NAME, Base


class Hidden(Base):
    """What a board with a hidden truth tells its participants; a board without such a row is open.

    Attributes:
        board_id: Of the board.
        detail: "score", "classes" or "cases".
        step: By how much a score must beat the team's best to be shown (the Ladder); None: each is shown.
        refused_per_day: Refused submissions of a team on one day (UTC) at most.
    """

    __tablename__ = "hidden"
    board_id: Mapped[str] = mapped_column(ForeignKey("board.id"), primary_key=True)
    detail: Mapped[str] = mapped_column(String(8))
    step: Mapped[float | None]
    refused_per_day: Mapped[int]


class Member(Base):
    """Who belongs to a team of a board. who: an e-mail address in small letters, or "group:" and a group."""

    __tablename__ = "member"
    board_id: Mapped[str] = mapped_column(ForeignKey("board.id"), primary_key=True)
    team: Mapped[str] = mapped_column(String(NAME), primary_key=True)
    who: Mapped[str] = mapped_column(String(NAME), primary_key=True)


class Attempt(Base):
    """What a participant tried on a board, for its organizer.

    Attributes:
        id: Of the attempt.
        board_id: Of the board.
        team: Name of the team for which it was, as the participant sent it.
        person: Key of the participant: issuer and subject.
        created: When.
        outcome: "running", "scored", "again", or the code of the refusal.
        sha256: Of the file.
        near: Id of the team's submission from which this one differs in hardly a case; None: of none.
    """

    __tablename__ = "attempt"
    id: Mapped[str] = mapped_column(String(NAME), primary_key=True)
    board_id: Mapped[str] = mapped_column(ForeignKey("board.id"), index=True)
    team: Mapped[str] = mapped_column(String(NAME))
    person: Mapped[str] = mapped_column(String(2 * NAME))
    created: Mapped[str] = mapped_column(String(40))
    outcome: Mapped[str] = mapped_column(String(64))
    sha256: Mapped[str] = mapped_column(String(64))
    near: Mapped[str | None] = mapped_column(String(NAME))


class Revocation(Base):
    """Tokens of a person that are not accepted any more. person: issuer and subject; not_before: those issued
    until then, in seconds since 1970."""

    __tablename__ = "revocation"
    person: Mapped[str] = mapped_column(String(2 * NAME), primary_key=True)
    not_before: Mapped[float]


class RefusedAddress(Base):
    """A page or tab that was refused to somebody on a day.

    Attributes:
        person: Issuer and subject; empty where the login named nobody who can be believed.
        address: Of the page, as this server names it.
        day: In UTC, as "2026-12-31".
        reason: "role", "ended" or "forged".
    """

    __tablename__ = "refused_address"
    person: Mapped[str] = mapped_column(String(2 * NAME), primary_key=True)
    address: Mapped[str] = mapped_column(String(NAME), primary_key=True)
    day: Mapped[str] = mapped_column(String(10), primary_key=True)
    reason: Mapped[str] = mapped_column(String(8), primary_key=True)
