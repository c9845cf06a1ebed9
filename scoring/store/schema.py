"""Database schema: tables of boards, teams, submissions and history.

Times are texts in UTC (ISO 8601), so that SQLite and PostgreSQL return the same.
"""

from datetime import UTC, datetime
from typing import Any, ClassVar

from sqlalchemy import JSON, ForeignKey, ForeignKeyConstraint, String, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

SHA256, NAME = 64, 200
"""Number of characters of a SHA-256, and maximum number of characters of a name."""
OF_FILE = {"of_file": True}
"""Marker of columns with the SHA-256 of a stored file: a file is kept as long as a row refers to it."""


class Base(DeclarativeBase):
    """Base class of every table of the store."""

    type_annotation_map: ClassVar = {dict[str, Any]: JSON, list[Any]: JSON}


class Board(Base):
    """A collection of submissions to one challenge.

    Attributes:
        counts: Which submission of a team is ranked: "last" or "best".
        options: Options of "score", "compare" and "statistics" by name, equal for all submissions.
        version: Number of the test set version whose scores are shown.
        keep_refused: Whether refused files are stored; they are never ranked.
        visibility: Who can find the board besides organizers. "draft": nobody; "unlisted": people who have
            the link; "public": everybody, because it is in the list.
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
    """A period in which a board accepts submissions.

    Attributes:
        opens: Start of the phase; None: no start.
        closes: End of the phase, exclusive; None: no end.
        per_day: Maximum submissions of a team per day (UTC); None: no limit.
        total: Maximum submissions of a team in the phase; None: no limit.
    """

    __tablename__ = "phase"
    board_id: Mapped[str] = mapped_column(ForeignKey("board.id"), primary_key=True)
    name: Mapped[str] = mapped_column(String(NAME), primary_key=True)
    opens: Mapped[str | None] = mapped_column(String(40))
    closes: Mapped[str | None] = mapped_column(String(40))
    per_day: Mapped[int | None]
    total: Mapped[int | None]


class TestSetVersion(Base):
    """A version of a board's test set.

    Attributes:
        metadata_sha256: SHA-256 of the table that is joined by case id; None if there is none.
    """

    __tablename__ = "test_set"
    board_id: Mapped[str] = mapped_column(ForeignKey("board.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(NAME))
    sha256: Mapped[str] = mapped_column(String(SHA256), info=OF_FILE)
    created: Mapped[str] = mapped_column(String(40))
    metadata_sha256: Mapped[str | None] = mapped_column(String(SHA256), info=OF_FILE)


class Team(Base):
    """A team of a board.

    Attributes:
        facts: `TeamFacts` by name; None if unknown.
        excluded: Why the team's submissions are not ranked; None if they are ranked.
        baseline: Whether the team is a baseline, which is shown without a rank.
        nominated: Id of the submission that the team chose for the final ranking; None if it chose none.
    """

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
        id: Id that the sender chooses, so that sending a submission twice is harmless.
        options: Options of this submission alone, such as the size of its model.
        excluded: Reason why the submission is excluded from the ranking; None if it is not.
        phase: Name of the phase to which the file was submitted; None if the board had no phases.
        dated: Whether an importer set the time of the submission. Otherwise it comes from the server's clock.
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
    """A refused file, stored because the organizer chose to keep refused files. `problems` are the reasons,
    as in JSON."""

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
        score: The score; None if undefined or refused.
        card: SHA-256 of the scorecard's file; None if the submission cannot be scored on this test set.
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
    """Split of a board's test set: until the end, scores are those on the shown part; then those on the
    withheld part.

    Attributes:
        cases: Ids of the shown part; empty if a bundle left them out.
        share: Share of cases in the shown part; None if the organizer listed the cases.
        seed: Seed of the draw; None if the organizer listed the cases.
    """

    __tablename__ = "split"
    board_id: Mapped[str] = mapped_column(ForeignKey("board.id"), primary_key=True)
    cases: Mapped[list[Any]]
    share: Mapped[float | None]
    seed: Mapped[int | None]
    created: Mapped[str] = mapped_column(String(40))


class ShownPart(Base):
    """A submission scored on the shown part of one version. The columns are those of `ScoredVersion`, which
    contains the result on the withheld part."""

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
    """Decision rule of a board, fixed before the first submission.

    Attributes:
        rule: Text of each part of the rule.
        program: Version of Benchside that fixed the rule.
        later: The rule after each later change, with the time of the change.
    """

    __tablename__ = "decision_rule"
    board_id: Mapped[str] = mapped_column(ForeignKey("board.id"), primary_key=True)
    created: Mapped[str] = mapped_column(String(40))
    program: Mapped[str] = mapped_column(String(40))
    sha256: Mapped[str] = mapped_column(String(SHA256))
    rule: Mapped[dict[str, Any]]
    later: Mapped[list[Any]]


class FinalRanking(Base):
    """Frozen final ranking of a board.

    Attributes:
        truth: SHA-256 of the test set.
        submissions: SHA-256 of the ranked submissions.
        sha256: SHA-256 of the ranking: team, rank, score, interval and submission.
        program: Version of Benchside that froze the ranking.
    """

    __tablename__ = "final_ranking"
    board_id: Mapped[str] = mapped_column(ForeignKey("board.id"), primary_key=True)
    created: Mapped[str] = mapped_column(String(40))
    program: Mapped[str] = mapped_column(String(40))
    truth: Mapped[str] = mapped_column(String(SHA256))
    submissions: Mapped[str] = mapped_column(String(SHA256))
    sha256: Mapped[str] = mapped_column(String(SHA256))
    ranking: Mapped[list[Any]]


class Kept(Base):
    """A scored submission that a person saved.

    Attributes:
        owner: The person who saved it; "" for the only user of this machine.
        content: SHA-256 of the saved content, so that nothing is saved twice.
        test_set: SHA-256 of the labels, to find submissions to the same test set.
        rules: Settings of scoring that must be equal for submissions to be compared.
        card: SHA-256 of the scorecard's file.
        page: What the page needs to show it again: keys of samples, fixes (key `mends`), settings.
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
    """A file saved with a scored submission.

    Attributes:
        place: "submission" or "truth".
        number: Position of the file among those with the same `place`.
    """

    __tablename__ = "kept_file"
    kept_id: Mapped[str] = mapped_column(ForeignKey("kept.id"), primary_key=True)
    place: Mapped[str] = mapped_column(String(16), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    name: Mapped[str]
    sha256: Mapped[str] = mapped_column(String(SHA256), info=OF_FILE)


def now() -> str:
    """Return the present time in UTC, as text in the format of the tables."""
    return written(datetime.now(UTC))


def written(time: datetime) -> str:
    """Return a time with time zone as text in the format of the tables. The texts sort like the times."""
    return time.astimezone(UTC).isoformat(timespec="microseconds")


class Hidden(Base):
    """What a board reveals of its hidden truth. A board without such a row has an open truth.

    Attributes:
        detail: "none", "score", "classes" or "cases"; "opened" if the truth is now open.
        step: A score is shown if it beats the team's best by this step (Ladder); None: all are shown.
        refused_per_day: Maximum refused submissions of a team per day (UTC).
        decimals: Number of decimals of shown scores.
        spent: Bits of information about the truth that scores may have revealed under earlier rules.
    """

    __tablename__ = "hidden"
    board_id: Mapped[str] = mapped_column(ForeignKey("board.id"), primary_key=True)
    detail: Mapped[str] = mapped_column(String(8))
    step: Mapped[float | None]
    refused_per_day: Mapped[int]
    decimals: Mapped[int] = mapped_column(default=3)
    spent: Mapped[float] = mapped_column(default=0.0)


class DeletedTruth(Base):
    """Number of bits (`spent`) that the scores of deleted boards may have revealed of a test set."""

    __tablename__ = "deleted_truth"
    sha256: Mapped[str] = mapped_column(String(SHA256), primary_key=True)
    spent: Mapped[float]


class Member(Base):
    """A member of a team. `who` is an e-mail address in lower case, or a group with the prefix "group:"."""

    __tablename__ = "member"
    board_id: Mapped[str] = mapped_column(ForeignKey("board.id"), primary_key=True)
    team: Mapped[str] = mapped_column(String(NAME), primary_key=True)
    who: Mapped[str] = mapped_column(String(NAME), primary_key=True)


class Attempt(Base):
    """An attempt to submit by a participant, recorded for the organizer.

    Attributes:
        team: Name of the team, as the participant sent it.
        outcome: "running", "scored", "again", or the code of the refusal.
        near: Id of the team's earlier submission that differs in hardly any case; None if there is none.
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
    """Revoked tokens of a person (issuer and subject): those issued before `not_before`, in seconds since
    1970."""

    __tablename__ = "revocation"
    person: Mapped[str] = mapped_column(String(2 * NAME), primary_key=True)
    not_before: Mapped[float]


class StoreMark(Base):
    """Id of this store, in a single row. The same id is written beside its files."""

    __tablename__ = "store"
    id: Mapped[str] = mapped_column(String(32), primary_key=True)


class BegunDeletion(Base):
    """A deletion whose rows are deleted. It is finished when files and log no longer contain the data."""

    __tablename__ = "begun_deletion"
    id: Mapped[str] = mapped_column(String(32), primary_key=True)


class ImportedBundle(Base):
    """A board that was imported as a bundle at the time `created`. Its scores and times come from the bundle
    and were not made on this server."""

    __tablename__ = "imported"
    board_id: Mapped[str] = mapped_column(ForeignKey("board.id"), primary_key=True)
    created: Mapped[str] = mapped_column(String(40))


class RefusedAddress(Base):
    """A page or tab to which a person was refused access on a day.

    Attributes:
        person: Issuer and subject; empty if the login identified nobody.
        address: Address of the page on this server.
        day: UTC day, such as "2026-12-31".
        reason: "role", "ended" or "forged".
    """

    __tablename__ = "refused_address"
    person: Mapped[str] = mapped_column(String(2 * NAME), primary_key=True)
    address: Mapped[str] = mapped_column(String(NAME), primary_key=True)
    day: Mapped[str] = mapped_column(String(10), primary_key=True)
    reason: Mapped[str] = mapped_column(String(8), primary_key=True)
