"""Deleted truths: bits that the scores of deleted boards may have revealed, by the SHA-256 of the test
set."""

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.orm import Session

from scoring.boards.row_validation import LEFT_OUT, WITHHELD
from scoring.common.findings import Finding, warning
from scoring.store.database import Store
from scoring.store.schema import DeletedTruth, Hidden, TestSetVersion


def record_deleted(session: Session, files: Collection[str], bits: float) -> None:
    """Record the bits that a board to be deleted may have revealed of its test sets.

    Args:
        session: The transaction that deletes the board.
        files: SHA-256 of each version of the test set.
        bits: Number of bits that its scores may have revealed.
    """
    for digest in files:
        row = session.get(DeletedTruth, digest)
        session.merge(DeletedTruth(sha256=digest, spent=bits + (row.spent if row else 0.0)))


def bits_of_deleted_boards(store: Store, board_id: str) -> float:
    """Return how many bits deleted boards may have revealed of the test sets of a board."""
    files = test_sets(store, board_id)
    with store.read() as session:
        return sum(session.scalars(select(DeletedTruth.spent).where(DeletedTruth.sha256.in_(files))))


def notice_of_deleted(store: Store, board_id: str) -> list[Finding]:
    """Return `truth-shared` for a hidden truth of which deleted boards may have revealed something."""
    bits = bits_of_deleted_boards(store, board_id)
    with store.read() as session:
        is_told = bits and session.get(Hidden, board_id) is not None
    message = f"deleted boards had this test set; their scores may have revealed {bits:.1f} bits of it."
    return [warning("truth-shared", board_id, message)] if is_told else []


def test_sets(store: Store, board_id: str) -> set[str]:
    """Return the SHA-256 of each version of a board's test set."""
    of = TestSetVersion
    with store.read() as session:
        return {*session.scalars(select(of.sha256).where(of.board_id == board_id))} - {LEFT_OUT, WITHHELD}
