"""A board as one file that outlives the server: a zip with a manifest and files by their hash.

Exporting an imported board gives the same bytes.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from sqlalchemy import select

from scoring.common.findings import InputRefused, error
from scoring.core.file_contents import BOARD_FORMAT, BOARD_MANIFEST
from scoring.inputs.sources import Source, SourceFiles, open_source, sha256
from scoring.services.access.roles import Role
from scoring.services.boards import packing, publishing
from scoring.services.boards.board import OpenBoard, opened
from scoring.services.boards.deleting import delete_board
from scoring.services.boards.manifest import ROWS, check_manifest, rows_of
from scoring.services.boards.packing import zipped
from scoring.services.boards.ranking import board_ranking, counting, results
from scoring.services.boards.row_rules import plain
from scoring.services.store import tables
from scoring.services.store.database import Store
from scoring.services.store.secure_delete import pin_files

FILES = "files/"
MANIFEST_BYTES = 20_000_000
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
    bundle = open_source(source)
    if BOARD_MANIFEST not in bundle.members:
        raise _refused(bundle, ["it is no exported board: manifest.json is missing."])
    if bundle.sizes[BOARD_MANIFEST] > MANIFEST_BYTES:
        raise _refused(bundle, [f"its manifest has more than {MANIFEST_BYTES / 1e6:.0f} MB."])
    budget = _within(bundle, sum(bundle.sizes.values()), most_bytes)
    try:
        manifest = json.loads(bundle.read(BOARD_MANIFEST), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as problem:
        words = f"its manifest cannot be read ({type(problem).__name__}): export the board again."
        raise _refused(bundle, [words]) from problem
    if problems := check_manifest(manifest):
        raise InputRefused([replace(one, where=f"{bundle.name} › {one.where}") for one in problems])
    board, lists = rows_of(manifest)
    rows = dict(zip(ROWS, lists, strict=True))
    cards = {scoring.card for scoring in rows["scorings"]} - {None}
    needed = cards | {sent.sha256 for name in ("submissions", "refused") for sent in rows[name]}
    needed |= manifest["files"].keys()
    sizes = {name.removeprefix(FILES): size for name, size in bundle.sizes.items()}
    if missing := sorted(needed - sizes.keys()):
        raise _refused(bundle, [f"the file {digest[:12]} is missing: export again." for digest in missing])
    files = {digest: bundle.read(FILES + digest) for digest in sorted(needed)}
    changed = [digest for digest, data in files.items() if sha256(data) != digest]
    if changed:
        raise _refused(bundle, [f"the file {digest[:12]} was changed: export again." for digest in changed])
    unpacked = sum(packing.unpacked_bytes(files[digest]) for digest in cards)
    _within(bundle, budget + unpacked, most_bytes)
    if untrue := list(dict.fromkeys(_untrue(board, rows["scorings"], files))):
        raise _refused(bundle, [f"{problem}: export again." for problem in untrue])
    return BundleContents(board, rows, files)


def _refused(bundle: SourceFiles, messages: Iterable[str]) -> InputRefused:
    return InputRefused([error("bad-bundle", bundle.name, message) for message in messages])


def _within(bundle: SourceFiles, size: int, most_bytes: int) -> int:
    """Return a size that is allowed. Raises InputRefused."""
    if size > most_bytes:
        raise _refused(
            bundle, [f"it unpacks to {size / 1e6:,.0f} MB; at most {most_bytes / 1e6:,.0f} MB are read."]
        )
    return size


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _untrue(board: tables.Board, scorings: Iterable[Any], files: Mapping[str, bytes]) -> Iterator[str]:
    """Yield where a result is not what its scorecard says; each scorecard is read once."""
    for digest, of_card in groupby(sorted(filter(_card, scorings), key=_card), key=_card):
        card = packing.card_from_bytes(files[digest])
        if card.challenge != board.challenge:
            yield "a scorecard is of another challenge"
        ends: object = card.intervals.get("score") or [None, None]
        for scoring in of_card:
            if card.score != scoring.score:
                yield "a score is not that of its scorecard"
            if [scoring.low, scoring.high] != ends:
                yield "an interval is not that of its scorecard"


def _card(scoring: Any) -> str:
    return scoring.card or ""


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
