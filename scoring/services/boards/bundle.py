"""A board as one file that outlives the server, exported, checked and imported: a zip with a manifest.

Exporting an imported board gives the same bytes.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import select

from scoring.common.findings import InputRefused, error
from scoring.core.file_contents import BOARD_FORMAT, BOARD_MANIFEST
from scoring.inputs.sources import Source
from scoring.services.access.roles import Role
from scoring.services.boards import packing, publishing
from scoring.services.boards.board import OpenBoard, opened
from scoring.services.boards.deleting import delete_board
from scoring.services.boards.manifest import ROWS, check_manifest, rows_of
from scoring.services.boards.packing import zipped
from scoring.services.boards.ranking import board_ranking, counting, results
from scoring.services.boards.row_rules import plain
from scoring.services.boards.unpacking import FILES, CardFacts, refused, unpack_bundle
from scoring.services.store import tables
from scoring.services.store.database import Store
from scoring.services.store.secure_delete import pin_files

RANKED_VERSIONS = 5
BUNDLE_BYTES = 200_000_000
"""Of all that a bundle of a visitor unpacks to, with its scorecards."""
COMMAND_LINE_BYTES = 10 * BUNDLE_BYTES
"""For whoever uses the command line."""


def export(board: OpenBoard, with_truth: bool) -> bytes:
    """Return a board as a bundle. A run of scoring again that was stopped is left out.

    Args:
        board: The board.
        with_truth: Whether the test sets are in it; without them it is ranked elsewhere, but takes no
            submissions.
    """
    store, row = board.store, board.row
    store.actor.require(Role.ORGANIZER)
    with store.read() as session:
        rows = {
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
    digests = {one["sha256"] for one in (*rows["submissions"], *rows["refused"])}
    digests |= {one["card"] for one in rows["scorings"] if one["card"]}
    if with_truth:
        digests |= {one[key] for one in rows["test_sets"] for key in ("sha256", "metadata_sha256")} - {None}
    files = {digest: store.files.read(digest) for digest in sorted(digests)}
    sizes = {digest: len(data) for digest, data in files.items()}
    manifest = {"format": BOARD_FORMAT, "board": plain(row), **rows, "files": sizes}
    text = json.dumps(manifest, ensure_ascii=False, allow_nan=False, indent=1, sort_keys=True)
    members = [(BOARD_MANIFEST, text.encode()), *((FILES + digest, data) for digest, data in files.items())]
    return zipped(members)


@dataclass(frozen=True)
class BundleContents:
    """A bundle whose parts fit together: the board, its rows by list, and files by their SHA-256."""

    board: tables.Board
    rows: Mapping[str, list[Any]]
    files: Mapping[str, bytes]


def read_bundle(source: Source, most_bytes: int = BUNDLE_BYTES) -> BundleContents:
    """Read a bundle, and check all that can be checked without the test set.

    Args:
        source: The file.
        most_bytes: That it may unpack to, with its scorecards. More is refused before it is unpacked.

    Raises:
        InputRefused: `bad-bundle` with every problem, or what the zip is refused for.
    """
    name, data = ("the file", source) if isinstance(source, bytes) else packing.packed(source)
    manifest, files, cards = unpack_bundle(data, name, most_bytes)
    if problems := check_manifest(manifest):
        raise InputRefused([replace(problem, where=f"{name} › {problem.where}") for problem in problems])
    board, lists = rows_of(manifest)
    rows = dict(zip(ROWS, lists, strict=True))
    needed = {row.sha256 for list_name in ("submissions", "refused") for row in rows[list_name]}
    needed |= {scoring.card for scoring in rows["scorings"]} - {None}
    if missing := sorted(needed - files.keys()):
        raise refused(name, [f"the file {digest[:12]} is missing: export again." for digest in missing])
    if untrue := list(dict.fromkeys(_untrue(board, rows["scorings"], cards))):
        raise refused(name, [f"{problem}: export again." for problem in untrue])
    return BundleContents(board, rows, files)


def _untrue(board: tables.Board, scorings: Iterable[Any], cards: Mapping[str, CardFacts]) -> Iterator[str]:
    """Yield where a result is not what its scorecard says."""
    for scoring in scorings:
        if scoring.card is None:
            continue
        challenge, score, ends = cards[scoring.card]
        if challenge != board.challenge:
            yield "a scorecard is of another challenge"
        if score != scoring.score:
            yield "a score is not that of its scorecard"
        if (ends or [None, None]) != [scoring.low, scoring.high]:
            yield "an interval is not that of its scorecard"


@dataclass(frozen=True)
class Counting:
    """What is ranked of a bundle, to be compared elsewhere.

    Attributes:
        challenge: Id of the challenge.
        title: Of the board.
        teams: The submission of each team that counts: name and bytes of its file, and its own options.
        truth: Name and bytes of the test set; None where the bundle goes without.
    """

    challenge: str
    title: str
    teams: Mapping[str, tuple[str, bytes, Mapping[str, Any]]]
    truth: tuple[str, bytes] | None


def counted(source: Source) -> Counting:
    """Return what is ranked of the board in a bundle.

    Raises:
        InputRefused: `bad-bundle` where the file is none or was changed.
    """
    bundle = read_bundle(source)
    row, files, submissions = bundle.board, bundle.files, bundle.rows["submissions"]
    scored = {
        scoring.submission_id: scoring for scoring in bundle.rows["scorings"] if scoring.number == row.version
    }
    sent = {submission.id: submission for submission in submissions}
    ranked = counting(
        results((submission, scored[submission.id]) for submission in submissions if submission.id in scored),
        row.counts,
    )
    teams = {
        team: (sent[one.id].name, files[sent[one.id].sha256], sent[one.id].options)
        for team, one in ranked.items()
    }
    (truth,) = (one for one in bundle.rows["test_sets"] if one.number == row.version)
    known = (truth.name, files[truth.sha256]) if truth.sha256 in files else None
    return Counting(row.challenge, row.title, teams, known)


def import_board(store: Store, source: Source, most_bytes: int = BUNDLE_BYTES) -> str:
    """Put the board of a bundle into a store, and return its id. most_bytes: as of `read_bundle`.

    Raises:
        InputRefused: `bad-bundle` where the file is none or was changed, `board-exists` where a board of that
            id is here already. Nothing is kept then.
    """
    bundle = read_bundle(source, most_bytes)
    board_id = _kept(store, bundle)
    try:
        _rank(store, bundle)
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as problem:
        delete_board(store, board_id)
        message = f"its scorecards cannot be ranked ({type(problem).__name__}): export the board again."
        raise InputRefused([error("bad-bundle", board_id, message)]) from problem
    return board_id


def _rank(store: Store, bundle: BundleContents) -> None:
    """Rank the newest versions of a board that was imported, as its page does: only that says whether all is
    there that scorecards hold beyond their scores."""
    for number in sorted({scoring.number for scoring in bundle.rows["scorings"]})[-RANKED_VERSIONS:]:
        with suppress(InputRefused):  # which the page says
            publishing.sections(board_ranking(opened(store, str(bundle.board.id), number)))


def _kept(store: Store, bundle: BundleContents) -> str:
    board_id = str(bundle.board.id)
    with store.read() as session:
        _refuse_known(session.get(tables.Board, board_id), board_id)
    for data in bundle.files.values():
        store.keep(data)
    with store.write() as session:
        _refuse_known(session.get(tables.Board, board_id), board_id)
        pin_files(store, session, bundle.files)
        arrival = tables.ImportedBundle(board_id=board_id, created=tables.now())
        for rows in ([bundle.board], *bundle.rows.values(), [arrival]):
            session.add_all(rows)
            session.flush()
    return board_id


def _refuse_known(row: tables.Board | None, board_id: str) -> None:
    if row is not None:
        words = "there is a board of this id here already: import it into another store (BENCHSIDE_STORE)."
        raise InputRefused([error("board-exists", board_id, words)])
