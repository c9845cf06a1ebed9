"""Database schema: tables of boards, teams, submissions and history.

Times are texts in UTC (ISO 8601), so that both databases give back the same.
"""

from datetime import UTC, datetime
from typing import Any, ClassVar

from sqlalchemy import JSON, ForeignKey, ForeignKeyConstraint, String, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

SHA256 = 64
"""Characters of a hash."""
NAME = 200
"""Characters of a name at most."""
OF_FILE = {"of_file": True}
"""What columns carry that hold the SHA-256 of a file of the store: as long as one does, the file stays."""


class Base(DeclarativeBase):
    """Every table of the store."""

    type_annotation_map: ClassVar = {dict[str, Any]: JSON, list[Any]: JSON}


class Board(Base):
    """A collection of submissions to one challenge.

    Attributes:
        counts: Which submission of a team is ranked: "last" or "best".
        options: "score", "compare" and "statistics" options by name, the same for all submissions.
        version: Number of the test set whose numbers are shown.
        keep_refused: Whether refused files are kept; they count nothing.
        visibility: Who finds it besides organizers: "draft": nobody; "unlisted": anyone with the link;
            "public": everybody, in the list.
    """

    __tablename__ = "board"
    id: Mapped[str] = mapped_column(String(NAME), primary_key=True)
    challenge: Mapped[str] = mapped_column(String(NAME))
    title: Mapped[str] = mapped_column(String(NAME))
    counts: Mapped[str] = mapped_column(String(8))
    options: Mapped[dict[str, Any]]
    created: Mapped[str] = mapped_column(String(40))
    version: Mapped[int]
    keep_refused: Mapped[bool] = mapped_column(default=False)
    visibility: Mapped[str] = mapped_column(String(8), default="unlisted")


class PhaseRow(Base):
    """A time in which a board takes submissions.

    Attributes:
        opens: From when on; None: from the beginning.
        closes: Until before when; None: without end.
        per_day: Submissions of a team on one day (UTC) at most; None: any number.
        total: Submissions of a team in the phase at most; None: any number.
    """

    __tablename__ = "phase"
    board_id: Mapped[str] = mapped_column(ForeignKey("board.id"), primary_key=True)
    name: Mapped[str] = mapped_column(String(NAME), primary_key=True)
    opens: Mapped[str | None] = mapped_column(String(40))
    closes: Mapped[str | None] = mapped_column(String(40))
    per_day: Mapped[int | None]
    total: Mapped[int | None]


class TestSetVersion(Base):
    """A version of a board's truth. name: of the file that came; sha256: of the file in the store;
    metadata_sha256: of a table that is joined to it by case id, None where there is none."""

    __tablename__ = "test_set"
    board_id: Mapped[str] = mapped_column(ForeignKey("board.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(NAME))
    sha256: Mapped[str] = mapped_column(String(SHA256), info=OF_FILE)
    created: Mapped[str] = mapped_column(String(40))
    metadata_sha256: Mapped[str | None] = mapped_column(String(SHA256), info=OF_FILE)


class Team(Base):
    """A team of a board. facts: of `TeamFacts` by name, None where nothing is known; excluded: why none of
    its submissions counts, None where they do; baseline: whether it is shown without a rank; nominated: id
    of the submission that it wants to count at the end, None for that of the board's rule."""

    __tablename__ = "team"
    board_id: Mapped[str] = mapped_column(ForeignKey("board.id"), primary_key=True)
    name: Mapped[str] = mapped_column(String(NAME), primary_key=True)
    created: Mapped[str] = mapped_column(String(40))
    facts: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    excluded: Mapped[str | None]
    baseline: Mapped[bool] = mapped_column(default=False)
    nominated: Mapped[str | None] = mapped_column(String(NAME))


class Submission(Base):
    """A file that a team submitted.

    Attributes:
        id: Made by the sender, so that sending again is harmless.
        options: Options of this submission alone, such as the size of its model.
        excluded: Why it does not count; None where it does.
        phase: Name of the phase in which it was submitted; None where the board had none.
        dated: Whether whoever imported it said when it was submitted; else the server's clock did.
    """

    __tablename__ = "submission"
    __table_args__ = (
        UniqueConstraint("board_id", "team", "sha256"),
        ForeignKeyConstraint(["board_id", "team"], ["team.board_id", "team.name"]),
    )
    id: Mapped[str] = mapped_column(String(NAME), primary_key=True)
    board_id: Mapped[str] = mapped_column(ForeignKey("board.id"), index=True)
    team: Mapped[str] = mapped_column(String(NAME))
    name: Mapped[str] = mapped_column(String(NAME))
    sha256: Mapped[str] = mapped_column(String(SHA256), info=OF_FILE)
    options: Mapped[dict[str, Any]]
    created: Mapped[str] = mapped_column(String(40))
    excluded: Mapped[str | None]
    phase: Mapped[str | None] = mapped_column(String(NAME))
    dated: Mapped[bool] = mapped_column(default=False)


class RefusedFile(Base):
    """A refused file that is kept because the organizer said so; it counts nothing. problems: why, as in
    JSON."""

    __tablename__ = "refused"
    __table_args__ = (UniqueConstraint("board_id", "team", "sha256"),)
    id: Mapped[str] = mapped_column(String(NAME), primary_key=True)
    board_id: Mapped[str] = mapped_column(ForeignKey("board.id"), index=True)
    team: Mapped[str] = mapped_column(String(NAME))
    name: Mapped[str] = mapped_column(String(NAME))
    sha256: Mapped[str] = mapped_column(String(SHA256), info=OF_FILE)
    created: Mapped[str] = mapped_column(String(40))
    problems: Mapped[list[Any]]


class ScoredVersion(Base):
    """A submission scored on one version of the test set.

    Attributes:
        number: Version of the test set.
        score: The score; None where it is undefined or refused.
        card: SHA-256 of the scorecard's file; None where this test set refuses the submission.
    """

    __tablename__ = "scoring"
    __table_args__ = (ForeignKeyConstraint(["board_id", "number"], ["test_set.board_id", "test_set.number"]),)
    submission_id: Mapped[str] = mapped_column(ForeignKey("submission.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    board_id: Mapped[str] = mapped_column(String(NAME), index=True)
    score: Mapped[float | None]
    low: Mapped[float | None]
    high: Mapped[float | None]
    card: Mapped[str | None] = mapped_column(String(SHA256), info=OF_FILE)
    problems: Mapped[list[Any]]
    program: Mapped[str] = mapped_column(String(40))


class Split(Base):
    """Parts of a board's test set: until its end scores are those of the shown part, then of the others.
    cases: ids of the shown part, none where they were left out of a bundle; share: of the cases, and seed of
    the draw, None where the organizer listed them."""

    __tablename__ = "split"
    board_id: Mapped[str] = mapped_column(ForeignKey("board.id"), primary_key=True)
    cases: Mapped[list[Any]]
    share: Mapped[float | None]
    seed: Mapped[int | None]
    created: Mapped[str] = mapped_column(String(40))


class ShownPart(Base):
    """A submission scored on the shown part of one version; columns as of `ScoredVersion`, which holds the
    result on the withheld part."""

    __tablename__ = "shown_part"
    __table_args__ = (ForeignKeyConstraint(["board_id", "number"], ["test_set.board_id", "test_set.number"]),)
    submission_id: Mapped[str] = mapped_column(ForeignKey("submission.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    board_id: Mapped[str] = mapped_column(String(NAME), index=True)
    score: Mapped[float | None]
    low: Mapped[float | None]
    high: Mapped[float | None]
    card: Mapped[str] = mapped_column(String(SHA256), info=OF_FILE)


class DecisionRule(Base):
    """Rule by which a board decides, fixed before the first submission by a version of Benchside (program).
    rule: what each part says, by part; sha256: of it; later: rules after later changes, with their times."""

    __tablename__ = "decision_rule"
    board_id: Mapped[str] = mapped_column(ForeignKey("board.id"), primary_key=True)
    created: Mapped[str] = mapped_column(String(40))
    program: Mapped[str] = mapped_column(String(40))
    sha256: Mapped[str] = mapped_column(String(SHA256))
    rule: Mapped[dict[str, Any]]
    later: Mapped[list[Any]]


class FinalRanking(Base):
    """Final ranking of a board, as a version of Benchside (program) froze it. truth, submissions, sha256:
    hashes of the test set, of what was submitted, of the ranking: team, rank, score, interval, submission."""

    __tablename__ = "final_ranking"
    board_id: Mapped[str] = mapped_column(ForeignKey("board.id"), primary_key=True)
    created: Mapped[str] = mapped_column(String(40))
    program: Mapped[str] = mapped_column(String(40))
    truth: Mapped[str] = mapped_column(String(SHA256))
    submissions: Mapped[str] = mapped_column(String(SHA256))
    sha256: Mapped[str] = mapped_column(String(SHA256))
    ranking: Mapped[list[Any]]


class Kept(Base):
    """A scored submission that somebody kept for themselves.

    Attributes:
        owner: Who kept it; "" for the one person who uses this machine.
        content: SHA-256 of what was kept, so that nothing is kept twice.
        test_set: SHA-256 of the labels, by which submissions to one test set are found.
        rules: How it was scored, but for what may differ between submissions: scores under other rules are
            not compared.
        test_set_name: What the test set was called.
        score: The score; None where it is undefined.
        card: SHA-256 of the scorecard's file.
        page: What brings it back on its page: samples by key, fixes (key `mends`), choices.
    """

    __tablename__ = "kept"
    __table_args__ = (UniqueConstraint("owner", "content"),)
    id: Mapped[str] = mapped_column(String(NAME), primary_key=True)
    owner: Mapped[str] = mapped_column(String(NAME))
    content: Mapped[str] = mapped_column(String(SHA256))
    challenge: Mapped[str] = mapped_column(String(NAME))
    test_set: Mapped[str] = mapped_column(String(SHA256))
    rules: Mapped[dict[str, Any]]
    name: Mapped[str] = mapped_column(String(NAME))
    test_set_name: Mapped[str] = mapped_column(String(NAME))
    score: Mapped[float | None]
    low: Mapped[float | None]
    high: Mapped[float | None]
    card: Mapped[str] = mapped_column(String(SHA256), info=OF_FILE)
    page: Mapped[dict[str, Any]]
    note: Mapped[str]
    created: Mapped[str] = mapped_column(String(40))
    program: Mapped[str] = mapped_column(String(40))


class KeptFile(Base):
    """A file that was kept with a scored submission. place: "submission" or "truth"; number: its place among
    those; name: as it was dropped."""

    __tablename__ = "kept_file"
    kept_id: Mapped[str] = mapped_column(ForeignKey("kept.id"), primary_key=True)
    place: Mapped[str] = mapped_column(String(16), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    name: Mapped[str]
    sha256: Mapped[str] = mapped_column(String(SHA256), info=OF_FILE)


def now() -> str:
    """Return the time in UTC as the tables hold it."""
    return written(datetime.now(UTC))


def written(time: datetime) -> str:
    """Return a time with a zone as the tables hold it, to the microsecond, so that texts sort as times do."""
    return time.astimezone(UTC).isoformat(timespec="microseconds")


class Hidden(Base):
    """What a board with a hidden truth tells its participants; a board without such a row is open.

    Attributes:
        detail: "none", "score", "classes" or "cases"; "opened" where the truth is open by now.
        step: By how much a score must beat the team's best to be shown (the Ladder); None: each is shown.
        refused_per_day: Refused submissions of a team on one day (UTC) at most.
        decimals: To which scores are rounded.
        spent: Bits that scores may have told under rules that held before.
    """

    __tablename__ = "hidden"
    board_id: Mapped[str] = mapped_column(ForeignKey("board.id"), primary_key=True)
    detail: Mapped[str] = mapped_column(String(8))
    step: Mapped[float | None]
    refused_per_day: Mapped[int]
    decimals: Mapped[int] = mapped_column(default=3)
    spent: Mapped[float] = mapped_column(default=0.0)


class DeletedTruth(Base):
    """What the scores of deleted boards may have told of a test set. spent: in bits."""

    __tablename__ = "deleted_truth"
    sha256: Mapped[str] = mapped_column(String(SHA256), primary_key=True)
    spent: Mapped[float]


class Member(Base):
    """Who belongs to a team of a board. who: an e-mail address in small letters, or "group:" and a group."""

    __tablename__ = "member"
    board_id: Mapped[str] = mapped_column(ForeignKey("board.id"), primary_key=True)
    team: Mapped[str] = mapped_column(String(NAME), primary_key=True)
    who: Mapped[str] = mapped_column(String(NAME), primary_key=True)


class Attempt(Base):
    """What a participant tried on a board, for its organizer.

    Attributes:
        team: Name of the team for which it was, as the participant sent it.
        outcome: "running", "scored", "again", or the code of the refusal.
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


class StoreMark(Base):
    """Id of this store, one row; the place of its files holds the same."""

    __tablename__ = "store"
    id: Mapped[str] = mapped_column(String(32), primary_key=True)


class ImportedBundle(Base):
    """A board that came as a bundle: its scores and times are those of the file. created: when it came."""

    __tablename__ = "imported"
    board_id: Mapped[str] = mapped_column(ForeignKey("board.id"), primary_key=True)
    created: Mapped[str] = mapped_column(String(40))


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
