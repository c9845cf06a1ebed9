"""Bundle of a board: a zip with a manifest. This module exports, checks and imports bundles.

An imported board is exported with the same bytes.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from scoring.access.roles import Role
from scoring.boards import serialization
from scoring.boards.board import OpenBoard
from scoring.boards.bundles.manifest import ROWS, rows_of
from scoring.boards.bundles.unpacking import FILES, OF_RESULTS, unpack_bundle
from scoring.boards.bundles.without_truth import Rows, reduced
from scoring.boards.ranking.ranked_submissions import counting, results
from scoring.boards.row_validation import plain
from scoring.challenges import load_challenge
from scoring.common.file_opening import zipped
from scoring.common.findings import InputRefused, error
from scoring.common.text import shortened
from scoring.core.file_contents import BOARD_FORMAT, BOARD_MANIFEST
from scoring.inputs.sources import Source
from scoring.store import schema
from scoring.store.database import Store
from scoring.store.secure_delete import discard_left, pin_files

BUNDLE_BYTES = 200_000_000
"""Maximum unpacked bytes of a visitor's bundle, including its scorecards."""
COMMAND_LINE_BYTES = 10 * BUNDLE_BYTES
"""Maximum unpacked bytes of a bundle on the command line."""


def export(board: OpenBoard, with_truth: bool) -> bytes:
    """Return a board as a bundle. An unfinished rescoring is left out. Raises InputRefused `forbidden` unless
    the actor is an organizer.

    Args:
        with_truth: Whether the bundle contains the test sets. Without them, the bundle does not reveal the
            truth. The board can then be imported, but it is ranked by the stored scores alone and accepts no
            submissions.
    """
    store, row = board.store, board.row
    store.actor.require(Role.ORGANIZER)
    with store.read() as session:
        rows: Rows = {
            name: [
                plain(scalar)
                for scalar in session.scalars(select(table).where(table.__table__.c.board_id == row.id))
                if getattr(scalar, "number", 0) <= row.version
            ]
            for name, table in ROWS.items()
        }
    for name, entries in rows.items():
        keys = [column.name for column in ROWS[name].__table__.primary_key]
        entries.sort(key=lambda entry, keys=keys: [entry[key] for key in keys])  # type: ignore[misc]
    digests = {entry["sha256"] for entry in (*rows["submissions"], *rows["refused"])}
    of_board, cards = plain(row), dict[str, bytes]()
    if with_truth:
        digests |= {entry["card"] for name in OF_RESULTS for entry in rows[name] if entry["card"]}
        file_keys = ("sha256", "metadata_sha256")
        digests |= {entry[key] for entry in rows["test_sets"] for key in file_keys} - {None}
    else:
        of_board, rows, cards = reduced(board, of_board, rows)
    contents = {**cards, **{digest: store.files.read(digest) for digest in digests}}
    files = {digest: contents[digest] for digest in sorted(contents)}
    sizes = {digest: len(data) for digest, data in files.items()}
    manifest = {"format": BOARD_FORMAT, "board": of_board, **rows, "files": sizes}
    text = json.dumps(manifest, ensure_ascii=False, allow_nan=False, indent=1, sort_keys=True)
    members = [(BOARD_MANIFEST, text.encode()), *((FILES + digest, data) for digest, data in files.items())]
    return zipped(members)


@dataclass(frozen=True)
class BundleContents:
    """Validated content of a bundle: the board, the rows in each list of the manifest, and the files by
    SHA-256."""

    board: schema.Board
    rows: Mapping[str, list[Any]]
    files: Mapping[str, bytes]


def read_bundle(source: Source, most_bytes: int = BUNDLE_BYTES) -> BundleContents:
    """Read a bundle, and check everything that can be checked without the test set.

    Args:
        most_bytes: Maximum unpacked bytes, including scorecards. A larger bundle is refused before unpacking.

    Raises:
        InputRefused: With `bad-bundle` for every problem, or with the code of a refused zip.
    """
    name, data = ("the file", source) if isinstance(source, bytes) else serialization.packed(source)
    manifest, files = unpack_bundle(data, name, most_bytes)
    board, lists = rows_of(manifest)
    return BundleContents(board, dict(zip(ROWS, lists, strict=True)), files)


@dataclass(frozen=True)
class Counting:
    """The ranked submissions of a bundle.

    Attributes:
        teams: The ranked submission of each team: name and bytes of its file, and its options.
        truth: Name and bytes of the test set; None if the bundle lacks it.
    """

    challenge: str
    title: str
    teams: Mapping[str, tuple[str, bytes, Mapping[str, Any]]]
    truth: tuple[str, bytes] | None


def counted(source: Source) -> Counting:
    """Return the ranked submissions of a bundle. Raises InputRefused `bad-bundle` if the file is not a bundle
    or was changed."""
    bundle = read_bundle(source)
    row, files, submissions = bundle.board, bundle.files, bundle.rows["submissions"]
    scored = {
        scoring.submission_id: scoring for scoring in bundle.rows["scorings"] if scoring.number == row.version
    }
    sent = {submission.id: submission for submission in submissions}
    unranked = {team.name for team in bundle.rows["teams"] if team.baseline}
    ranked = counting(
        results(
            (sent_file, scored[sent_file.id])
            for sent_file in submissions
            if sent_file.id in scored and sent_file.team not in unranked
        ),
        row.counts,
        load_challenge(row.challenge).scoring.quantity(),
        nominated={team.nominated for team in bundle.rows["teams"]},
    )
    teams = {
        team: (sent[submission.id].name, files[sent[submission.id].sha256], sent[submission.id].options)
        for team, submission in ranked.items()
    }
    (truth,) = (test_set for test_set in bundle.rows["test_sets"] if test_set.number == row.version)
    known = (truth.name, files[truth.sha256]) if truth.sha256 in files else None
    return Counting(row.challenge, row.title, teams, known)


def import_board(store: Store, source: Source, most_bytes: int = BUNDLE_BYTES) -> str:
    """Import the board of a bundle into a store, and return the id of the board.

    Args:
        most_bytes: Maximum unpacked bytes, as in `read_bundle`.

    Raises:
        InputRefused: With `bad-bundle` if the file is not a bundle or was changed; with `board-exists` if the
            store has a board with this id. In both cases nothing is stored.
    """
    bundle = read_bundle(source, most_bytes)
    board_id = str(bundle.board.id)
    with store.read() as session:
        _refuse_known(session, bundle)
    try:
        for content in bundle.files.values():
            store.keep(content)
        with store.write() as session:
            _refuse_known(session, bundle)
            pin_files(store, session, bundle.files)
            arrival = schema.ImportedBundle(board_id=board_id, created=schema.now())
            for rows in ([bundle.board], *bundle.rows.values(), [arrival]):
                session.add_all(rows)
                session.flush()
    except BaseException:
        with suppress(InputRefused):  # the refusal that began it says more
            discard_left(store, bundle.files)
        raise
    return board_id


def _refuse_known(session: Session, bundle: BundleContents) -> None:
    """Raise InputRefused if the board or one of its submissions is already in the store."""
    board_id = str(bundle.board.id)
    if session.get(schema.Board, board_id) is not None:
        problem = (
            "this store already has a board of this id: import the bundle into another store "
            "(BENCHSIDE_STORE)."
        )
        raise InputRefused([error("board-exists", board_id, problem)])
    for table, name in ((schema.Submission, "submissions"), (schema.RefusedFile, "refused")):
        ids = {row.id for row in bundle.rows[name]}
        query = select(table.id, table.board_id)
        for known, other in session.execute(query):
            if known in ids:
                problem = f"the board {other} has a submission of this id: import the bundle elsewhere."
                raise InputRefused([error("board-exists", shortened(known, 64), problem)])
