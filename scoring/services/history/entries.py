"""What is kept, as it is listed, and its files."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from scoring.common.findings import InputRefused, error
from scoring.common.text import shortened
from scoring.core.scorecard import ScoreCard
from scoring.services.boards import cards
from scoring.services.store import tables
from scoring.services.store.database import Store


@dataclass(frozen=True)
class SavedSubmission:
    """A submission that is kept; attributes as of `scoring.services.store.tables.Kept`.

    has_truth: whether the files of its test set are kept too.
    """

    id: str
    content: str
    challenge: str
    test_set: str
    rules: Mapping[str, Any]
    name: str
    test_set_name: str
    score: float | None
    interval: tuple[float, float] | None
    card: str
    page: Mapping[str, Any]
    note: str
    created: str
    program: str
    has_truth: bool

    @property
    def series(self) -> tuple[str, str, str]:
        """Return what entries have in common whose scores can be compared."""
        return series_of(self.challenge, self.test_set, self.rules)

    def as_dict(self) -> dict[str, Any]:
        """Return the entry of JSON."""
        return {
            "id": self.id,
            "challenge": self.challenge,
            "test_set": self.test_set_name,
            "test_set_sha256": self.test_set,
            "name": self.name,
            "time": self.created,
            "score": self.score,
            "interval": list(self.interval) if self.interval else None,
            "rules": dict(self.rules),
            "note": self.note,
            "version": self.program,
            "truth_kept": self.has_truth,
        }


def series_of(challenge_id: str, test_set: str, rules: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return what scores that can be compared have in common."""
    return challenge_id, test_set, json.dumps(rules, sort_keys=True)


def of_row(row: tables.Kept, has_truth: bool) -> SavedSubmission:
    """Return a row as an entry."""
    return SavedSubmission(
        id=row.id,
        content=row.content,
        challenge=row.challenge,
        test_set=row.test_set,
        rules=row.rules,
        name=row.name,
        test_set_name=row.test_set_name,
        score=row.score,
        interval=None if row.low is None or row.high is None else (row.low, row.high),
        card=row.card,
        page=row.page,
        note=row.note,
        created=row.created,
        program=row.program,
        has_truth=has_truth,
    )


def kept(store: Store, challenge_id: str | None = None, owner: str = "") -> list[SavedSubmission]:
    """Return what somebody kept, oldest first.

    Args:
        store: Where.
        challenge_id: Of one challenge; None: of all.
        owner: Who kept it.
    """
    query = select(tables.Kept).where(tables.Kept.owner == owner)
    if challenge_id is not None:
        query = query.where(tables.Kept.challenge == challenge_id)
    with store.read() as session:
        rows = session.scalars(query.order_by(tables.Kept.created, tables.Kept.id)).all()
        of_truths = select(tables.KeptFile.kept_id).where(tables.KeptFile.place == "truth")
        with_truth = set(session.scalars(of_truths))
    return [of_row(row, row.id in with_truth) for row in rows]


def one(store: Store, kept_id: str, owner: str = "") -> SavedSubmission:
    """Return what is kept under an id, or the beginning of one.

    Raises:
        InputRefused: `nothing-kept` where there is none, or several begin so.
    """
    found = [entry for entry in kept(store, owner=owner) if kept_id and entry.id.startswith(kept_id)]
    if len(found) != 1:
        words = "several ids begin so: write more of it." if found else "nothing of that id is kept."
        raise InputRefused([error("nothing-kept", shortened(kept_id, 64) or "id", words)])
    return found[0]


def card_of(store: Store, entry: SavedSubmission) -> ScoreCard:
    """Return the scorecard of what is kept. Raises InputRefused where the store does not have it whole."""
    return cards.from_bytes(store.files.read(entry.card))


def files(store: Store, entry: SavedSubmission, place: str) -> Sequence[tuple[str, bytes]]:
    """Return the files that are kept with an entry, by name, in the order in which they were dropped.

    Args:
        store: Where.
        entry: What is kept.
        place: "submission" or "truth".

    Raises:
        InputRefused: `store-damaged` where one is missing or was changed.
    """
    query = select(tables.KeptFile).where(tables.KeptFile.kept_id == entry.id, tables.KeptFile.place == place)
    with store.read() as session:
        rows = session.scalars(query.order_by(tables.KeptFile.number)).all()
    return [(row.name, store.files.read(row.sha256)) for row in rows]
