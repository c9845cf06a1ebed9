"""Keeping of own runs in the store: keep, note, delete."""

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import delete as delete_rows
from sqlalchemy import select
from sqlalchemy.orm import Session

from scoring.boards import serialization
from scoring.challenges import load_challenge
from scoring.common.file_opening import read_file
from scoring.common.findings import InputRefused, error
from scoring.common.text import shortened
from scoring.comparison.comparability import EQUAL, options_by_team
from scoring.core.scorecard import ScoreCard, plain
from scoring.core.submission import labels_digest
from scoring.history.saved_submissions import SavedSubmission, of_row
from scoring.inputs.sources import is_litter, sha256
from scoring.statistics.intervals import AUTO, ONCE_AUTO
from scoring.store import schema
from scoring.store.database import Store
from scoring.store.secure_delete import discard_unused, exclusive, vacuum

LOCAL = ""
"""The owner where one person uses this machine."""
NOTE = 2000
"""Characters of a note at most."""
NOT_CONTENT = ("truth_sha256", "version")
"""Of the provenance: what may differ between runs that score a submission the same."""
SAME_DECIMALS = 9
"""Decimals to which equal scores agree: processors round the last ones differently."""
SUBMISSION, TRUTH, METADATA = "submission", "truth", "metadata"
PLACES = (SUBMISSION, TRUTH, METADATA)
File = tuple[str, bytes]
"""A file by its name."""


@dataclass(frozen=True)
class Keeping:
    """What is to be kept.

    Attributes:
        truth: The test set as the challenge read it.
        test_set_name: Of the test set.
        submission: Files of the submission; none for a sample, whose key is on the page.
        test_set: Files of the test set, where they are to be kept as well.
        metadata: The table about the cases that was used, where it was brought.
    """

    card: ScoreCard
    truth: object
    name: str
    test_set_name: str
    submission: Sequence[File] = ()
    test_set: Sequence[File] = ()
    metadata: Sequence[File] = ()
    page: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    owner: str = LOCAL


def rules_of(card: ScoreCard) -> dict[str, Any]:
    """Return the values, besides the test set, that must be equal for two cards of a challenge to be
    compared."""
    source, may_differ = card.provenance, options_by_team(load_challenge(card.challenge))
    shared = {name: value for name, value in source["options"].items() if name not in may_differ}
    rules: dict[str, Any] = plain(shared | {key: source[key] for key in EQUAL})
    return rules


def test_set_of(card: ScoreCard, truth: object) -> str:
    """Return the SHA-256 by which submissions to one test set are found."""
    return labels_digest(truth) or str(card.provenance["truth_sha256"])


def content_of(card: ScoreCard, test_set: str) -> str:
    """Return the SHA-256 of a scored submission: of its files, how it was scored, and its score.

    The version of the program is not in it: what a later version scores the same is the same.

    Args:
        test_set: Of `test_set_of`.
    """
    return _content(card, test_set, card.provenance)


def _content(card: ScoreCard, test_set: str, provenance: Mapping[str, Any]) -> str:
    source = {key: value for key, value in provenance.items() if key not in NOT_CONTENT}
    score = None if card.score is None else round(card.score, SAME_DECIMALS)
    return _digest([card.challenge, test_set, plain(source), score])


def is_same(entry: SavedSubmission | schema.Kept, card: ScoreCard, test_set: str) -> bool:
    """Return whether a kept submission is this one, scored the same.

    Version 0.1.0 kept a hash that holds its own number and no score. Earlier versions made the intervals of
    `auto` otherwise, which is in both hashes.
    """
    kinds = {card.provenance.get("interval")}
    if card.provenance["options"].get("interval") == AUTO:
        kinds |= {*ONCE_AUTO}
    likely = [{**card.provenance, "interval": kind} for kind in kinds]
    if entry.content in [_content(card, test_set, provenance) for provenance in likely]:
        return True
    sources = [{key: value for key, value in of.items() if key != "truth_sha256"} for of in likely]
    before = [_digest([card.challenge, test_set, plain(of | {"version": entry.program})]) for of in sources]
    if entry.content not in before:
        return False
    if entry.score is None or card.score is None:
        return entry.score is card.score
    return abs(entry.score - card.score) < 10.0**-SAME_DECIMALS


def _digest(value: list[Any]) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode())


def keep(store: Store, keeping: Keeping) -> tuple[SavedSubmission, bool]:
    """Keep a scored submission.

    Args:
        store: Where.

    Returns:
        What is kept, and whether it was kept before. Then files of the test set are added where they were
        missing, and the note is replaced where a new one is not empty.

    Raises:
        InputRefused: Where the note is too long, or the store cannot be written; nothing is kept then.
    """
    check_note(keeping.note)
    card, test_set = keeping.card, test_set_of(keeping.card, keeping.truth)
    with store.write() as session:
        exclusive(session)
        own = (schema.Kept.owner == keeping.owner, schema.Kept.test_set == test_set)
        rows = session.scalars(select(schema.Kept).where(*own))
        row = next((row for row in rows if is_same(row, card, test_set)), None)
        before = row is not None
        if row is None:
            row = _row(store, keeping, test_set)
            session.add(row)
            session.flush()
            _add_files(store, session, row.id, SUBMISSION, keeping.submission)
            _add_files(store, session, row.id, METADATA, keeping.metadata)
        row.note = keeping.note.strip() or row.note
        if keeping.test_set and not _has(session, row.id, TRUTH):
            _add_files(store, session, row.id, TRUTH, keeping.test_set)
        session.flush()
        return of_row(row, _has(session, row.id, TRUTH)), before


def _row(store: Store, keeping: Keeping, test_set: str) -> schema.Kept:
    card = keeping.card
    low, high = card.intervals.get("score") or (None, None)
    return schema.Kept(
        id=secrets.token_hex(6),
        owner=keeping.owner,
        content=content_of(card, test_set),
        challenge=card.challenge,
        test_set=test_set,
        rules=rules_of(card),
        name=keeping.name[-schema.NAME :],
        test_set_name=keeping.test_set_name[-schema.NAME :],
        score=card.score,
        low=low,
        high=high,
        card=store.keep(serialization.card_to_bytes(card)),
        page=dict(keeping.page),
        note="",
        created=schema.now(),
        program=str(card.provenance["version"]),
    )


def _add_files(store: Store, session: Session, kept_id: str, role: str, files: Sequence[File]) -> None:
    for number, (name, data) in enumerate(files):
        digest = store.keep(data)
        session.add(schema.KeptFile(kept_id=kept_id, place=role, number=number, name=name, sha256=digest))


def _has(session: Session, kept_id: str, role: str) -> bool:
    return session.get(schema.KeptFile, (kept_id, role, 0)) is not None


def files_at(path: str) -> list[File]:
    """Return a file, or a folder's files with its name before theirs, as they would be dropped on a page.

    Raises:
        InputRefused: `unreadable-file` where one cannot be read.
    """
    folder = Path(path)
    try:
        if not folder.is_dir():
            return [(folder.name, read_file(folder))]
        inside = sorted(file for file in folder.rglob("*") if file.is_file())
        named = [(f"{folder.name}/{file.relative_to(folder).as_posix()}", file) for file in inside]
        return [(name, file.read_bytes()) for name, file in named if not is_litter(name)]
    except OSError as problem:
        message = f"it cannot be kept ({problem.strerror or problem})."
        raise InputRefused([error("unreadable-file", folder.name, message)]) from problem


def write_note(store: Store, kept_id: str, note: str, owner: str = LOCAL) -> SavedSubmission:
    """Replace the note of what is kept; "" for none.

    Raises:
        InputRefused: `nothing-kept` where the owner kept nothing of that id; `bad-note` where it is too long.
    """
    check_note(note)
    with store.write() as session:
        row = _mine(session, kept_id, owner)
        row.note = note.strip()
        return of_row(row, _has(session, row.id, TRUTH))


def check_note(note: str) -> None:
    """Raise InputRefused (`bad-note`) for a note that is too long."""
    if len(note) > NOTE:
        message = f"it has {len(note)} characters; at most {NOTE} are allowed."
        raise InputRefused([error("bad-note", "note", message)])


def delete(store: Store, ids: Iterable[str], owner: str = LOCAL) -> int:
    """Delete what is kept, with its files where nothing else in the store refers to them, from the disk.

    Args:
        store: Where it is kept.

    Returns:
        How many files were deleted.

    Raises:
        InputRefused: `nothing-kept` where the owner kept nothing of one of the ids; nothing is deleted then.
    """
    with store.write() as session:
        exclusive(session)
        rows = [_mine(session, kept_id, owner) for kept_id in dict.fromkeys(ids)]
        mine = schema.KeptFile.kept_id.in_([row.id for row in rows])
        digests = {*session.scalars(select(schema.KeptFile.sha256).where(mine)), *(row.card for row in rows)}
        session.execute(delete_rows(schema.KeptFile).where(mine))
        for row in rows:
            session.delete(row)
        gone = discard_unused(store, session, digests)
    vacuum(store)
    return len(gone)


def _mine(session: Session, kept_id: str, owner: str) -> schema.Kept:
    row = session.get(schema.Kept, kept_id)
    if row is None or row.owner != owner:
        message = "no kept entry has this id: it may have been deleted meanwhile."
        raise InputRefused([error("nothing-kept", shortened(kept_id, 64), message)])
    return row
