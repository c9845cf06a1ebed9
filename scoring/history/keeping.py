"""Saves, annotates and deletes a person's own runs in the store. When a run is deleted, its test set is
passed to another run that uses it, or removed."""

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import delete as delete_rows
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from scoring.boards import serialization
from scoring.challenges import load_challenge
from scoring.common.file_opening import read_file
from scoring.common.findings import InputRefused, error
from scoring.common.text import shortened
from scoring.comparison.comparability import EQUAL, options_by_team
from scoring.core.scorecard import ScoreCard, plain
from scoring.core.submission import labels_digest
from scoring.history.saved_submissions import SavedSubmission, heir, of_row, saved_in
from scoring.inputs.sources import is_litter, sha256
from scoring.statistics.intervals import AUTO, ONCE_AUTO
from scoring.store import schema
from scoring.store.database import Store
from scoring.store.secure_delete import begin_deletion, exclusive, finish_deletions

LOCAL = ""
"""Name of the owner if only one person uses this machine."""
NOTE = 2000
"""Maximum number of characters of a note."""
NOT_CONTENT = ("truth_sha256", "version")
"""Entries of the provenance that may differ between runs that are scored in the same way."""
SAME_DECIMALS = 9
"""Scores with the same decimals up to this number count as equal, because processors round differently."""
SUBMISSION, TRUTH, METADATA = "submission", "truth", "metadata"
PLACES = (SUBMISSION, TRUTH, METADATA)
File = tuple[str, bytes]
"""Name and content of a file."""


@dataclass(frozen=True)
class Keeping:
    """A run to be saved.

    Attributes:
        truth: The test set, as read by the challenge.
        submission: Files of the submission; empty for a sample, whose key is in `page`.
        test_set: Files of the test set, if these should be saved too.
        metadata: The table about the cases, if there was one.
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
    """Return the settings, besides the test set, that must be equal before two scorecards may be compared."""
    source, may_differ = card.provenance, options_by_team(load_challenge(card.challenge))
    shared = {name: value for name, value in source["options"].items() if name not in may_differ}
    rules: dict[str, Any] = plain(shared | {key: source[key] for key in EQUAL})
    return rules


def test_set_of(card: ScoreCard, truth: object) -> str:
    """Return the SHA-256 that identifies a test set."""
    return labels_digest(truth) or str(card.provenance["truth_sha256"])


def content_of(card: ScoreCard, test_set: str) -> str:
    """Return a SHA-256 over the files of a scored submission, the scoring settings, and the score.

    The version of Benchside is not included, so that a later version with the same result gives the same
    hash.

    Args:
        test_set: Result of `test_set_of`.
    """
    return _content(card, test_set, card.provenance)


def _content(card: ScoreCard, test_set: str, provenance: Mapping[str, Any]) -> str:
    source = {key: value for key, value in provenance.items() if key not in NOT_CONTENT}
    score = None if card.score is None else round(card.score, SAME_DECIMALS)
    return _digest([card.challenge, test_set, plain(source), score])


def is_same(entry: SavedSubmission | schema.Kept, card: ScoreCard, test_set: str) -> bool:
    """Return whether a saved submission has the same content, settings and score as a new one.

    Hashes that older versions stored are accepted too. Version 0.1.0 hashed its own version number and no
    score, and intervals of `auto` were computed differently.
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
    """Save a scored submission.

    Returns:
        The saved submission, and whether it was saved before. If it was, missing files of the test set are
        added, and a new note replaces the old one.

    Raises:
        InputRefused: If the note is too long or the store cannot be written; nothing is saved then.
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
    """Return a file, or all files of a folder (with the folder's name in their names), in the form of
    uploads. Raises InputRefused `unreadable-file` if one cannot be read."""
    folder = Path(path)
    try:
        if not folder.is_dir():
            return [(folder.name, read_file(folder))]
        inside = sorted(file for file in folder.rglob("*") if file.is_file())
        named = [(f"{folder.name}/{file.relative_to(folder).as_posix()}", file) for file in inside]
        return [(name, file.read_bytes()) for name, file in named if not is_litter(name)]
    except OSError as problem:
        message = f"it cannot be saved ({problem.strerror or problem})."
        raise InputRefused([error("unreadable-file", folder.name, message)]) from problem


def write_note(store: Store, kept_id: str, note: str, owner: str = LOCAL) -> SavedSubmission:
    """Replace the note of a saved submission; "" removes it. Raises InputRefused `nothing-kept` if the owner
    has no such submission; `bad-note` if the note is too long."""
    check_note(note)
    with store.write() as session:
        row = _mine(session, kept_id, owner)
        row.note = note.strip()
        return of_row(row, _has(session, row.id, TRUTH))


def rename(store: Store, kept_id: str, name: str, owner: str = LOCAL) -> SavedSubmission:
    """Change the name of a saved submission. The names of its files do not change. Raises InputRefused
    `nothing-kept` if the owner has no such submission; `bad-option` if the name is empty or too long."""
    name = name.strip()
    if not 0 < len(name) <= schema.NAME:
        message = f"the name has {len(name)} characters: write 1 to {schema.NAME}."
        raise InputRefused([error("bad-option", "name", message)])
    with store.write() as session:
        row = _mine(session, kept_id, owner)
        row.name = name
        return of_row(row, _has(session, row.id, TRUTH))


def check_note(note: str) -> None:
    """Check the length of a note. Raises InputRefused (`bad-note`) if the note is too long."""
    if len(note) > NOTE:
        message = f"the note has {len(note)} characters; at most {NOTE} are allowed."
        raise InputRefused([error("bad-note", "note", message)])


def delete(store: Store, ids: Iterable[str], owner: str = LOCAL) -> tuple[int, list[SavedSubmission]]:
    """Delete saved submissions, and their files if nothing else in the store uses them.

    Returns:
        Number of deleted files, and the remaining submissions to which the test set of a deleted one was
        passed.

    Raises:
        InputRefused: With `nothing-kept` if the owner has no submission with one of the ids. Nothing is
            deleted then.
    """
    with store.write() as session:
        begun = begin_deletion(session)
        rows = [_mine(session, kept_id, owner) for kept_id in dict.fromkeys(ids)]
        mine = schema.KeptFile.kept_id.in_([row.id for row in rows])
        digests = {*session.scalars(select(schema.KeptFile.sha256).where(mine)), *(row.card for row in rows)}
        heirs = _hand_over(session, [row.id for row in rows], owner)
        session.execute(delete_rows(schema.KeptFile).where(mine))
        for row in rows:
            session.delete(row)
    gone, _ = finish_deletions(store, [begun], digests)
    return len(gone), heirs


def _hand_over(session: Session, leaving: Sequence[str], owner: str) -> list[SavedSubmission]:
    """Give the test sets of submissions that are deleted to others that need them, and return those."""
    kept, heirs = saved_in(session, owner), {}
    for entry in kept:
        to = heir(kept, entry, leaving) if entry.id in leaving else None
        if to is None or to.id in heirs:
            continue
        _move(session, entry.id, to.id, TRUTH)
        if not _has(session, to.id, METADATA):
            _move(session, entry.id, to.id, METADATA)
        row = _mine(session, to.id, owner)
        of_test_set = dict([*entry.page.get("mends", {}).items()][1:])  # the submission's come first
        row.page = {**row.page, "mends": {**of_test_set, **row.page.get("mends", {})}}
        heirs[to.id] = of_row(row, has_truth=True)
    return [*heirs.values()]


def _move(session: Session, kept_id: str, to: str, role: str) -> None:
    """Give the files that a saved submission has of a role to another one."""
    moved = (schema.KeptFile.kept_id == kept_id, schema.KeptFile.place == role)
    session.execute(update(schema.KeptFile).where(*moved).values(kept_id=to))


def _mine(session: Session, kept_id: str, owner: str) -> schema.Kept:
    row = session.get(schema.Kept, kept_id)
    if row is None or row.owner != owner:
        message = "no saved submission has this id: it may have been deleted meanwhile."
        raise InputRefused([error("nothing-kept", shortened(kept_id, 64), message)])
    return row
