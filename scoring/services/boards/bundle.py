"""A board as one file that outlives the server: a zip with a manifest and files by their hash.

Exporting an imported board gives the same bytes.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from scoring.challenges import REGISTRY
from scoring.common.findings import InputRefused, error
from scoring.core.file_contents import BOARD_FORMAT, BOARD_MANIFEST
from scoring.inputs.archives import has_hidden
from scoring.inputs.sources import Source, open_source
from scoring.services.access.roles import Role
from scoring.services.boards import members, packing
from scoring.services.boards.board import OpenBoard
from scoring.services.boards.packing import zipped
from scoring.services.boards.ranking import counting, results
from scoring.services.store import tables
from scoring.services.store.database import Store
from scoring.services.store.secure_delete import pin_files
from scoring.services.store.tables import Hidden

FILES = "files/"
ROWS: Mapping[str, type[tables.Base]] = {
    "test_sets": tables.TestSetVersion,
    "teams": tables.Team,
    "submissions": tables.Submission,
    "scorings": tables.ScoredVersion,
    "phases": tables.PhaseRow,
    "refused": tables.RefusedFile,
    "hidden": Hidden,
}
"""Lists of the manifest, in the order in which rows need each other."""
LATER_LISTS = ("phases", "refused", "hidden")
LATER_COLUMNS = ("keep_refused", "phase", "dated", "metadata_sha256", "facts")
"""Lists and columns that bundles from before boards had phases lack; lists are empty then."""


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
                _plain(scalar)
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
    manifest = {"format": BOARD_FORMAT, "board": _plain(row), **rows, "files": sizes}
    text = json.dumps(manifest, ensure_ascii=False, allow_nan=False, indent=1, sort_keys=True)
    members = [(BOARD_MANIFEST, text.encode()), *((FILES + digest, data) for digest, data in files.items())]
    return zipped(members)


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
    row, rows, files = _read(source)
    test_sets, _, submissions, scorings, *_ = rows
    scored = {scoring.submission_id: scoring for scoring in scorings if scoring.number == row.version}
    sent = {submission.id: submission for submission in submissions}
    ranked = counting(
        results((submission, scored[submission.id]) for submission in submissions if submission.id in scored),
        row.counts,
    )
    teams = {
        team: (sent[one.id].name, files[sent[one.id].sha256], sent[one.id].options)
        for team, one in ranked.items()
    }
    (truth,) = (one for one in test_sets if one.number == row.version)
    known = (truth.name, files[truth.sha256]) if truth.sha256 in files else None
    return Counting(row.challenge, row.title, teams, known)


def import_board(store: Store, source: Source) -> str:
    """Put the board of a bundle into a store, and return its id.

    Raises:
        InputRefused: `bad-bundle` where the file is none or was changed, `board-exists` where a board of that
            id is here already. Nothing is kept then.
    """
    return _kept(store, *_read(source))


def _read(source: Source) -> tuple[Any, list[list[Any]], dict[str, bytes]]:
    """Return board, rows and files of a bundle, when all of them fit together."""
    bundle = open_source(source)
    if BOARD_MANIFEST not in bundle.members:
        raise InputRefused(
            [error("bad-bundle", bundle.name, "it is no exported board: manifest.json is missing.")]
        )
    try:
        manifest = json.loads(bundle.read(BOARD_MANIFEST))
        if manifest["format"] != BOARD_FORMAT:
            words = "another version of Benchside wrote this bundle: install that version."
            raise InputRefused([error("bad-bundle", bundle.name, words)])
        row = _row(tables.Board, manifest["board"])
        lists = {key: [] for key in LATER_LISTS} | manifest
        rows = [[_row(table, entry) for entry in lists[name]] for name, table in ROWS.items()]
        digests = set(manifest["files"])
        problems = _faults(row, rows)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        words = f"its manifest cannot be read ({type(problem).__name__}): export the board again."
        raise InputRefused([error("bad-bundle", bundle.name, words)]) from problem
    _, _, submissions, scorings, _, refused, _ = rows
    needed = {one.sha256 for one in (*submissions, *refused)} | {
        scoring.card for scoring in scorings if scoring.card
    }
    missing = sorted((needed | digests) - {name.removeprefix(FILES) for name in bundle.members})
    problems += [f"the file {digest[:12]} is missing" for digest in missing]
    files = {} if problems else {digest: bundle.read(FILES + digest) for digest in sorted(digests | needed)}
    problems += [
        f"the file {digest[:12]} was changed"
        for digest, data in files.items()
        if hashlib.sha256(data).hexdigest() != digest
    ]
    if not problems:
        problems += [
            "a score is not that of its scorecard"
            for scoring in scorings
            if scoring.card and packing.card_from_bytes(files[scoring.card]).score != scoring.score
        ]
    if problems:
        raise InputRefused(
            [error("bad-bundle", bundle.name, f"{words}: export again.") for words in problems]
        )
    return row, rows, files


def _kept(store: Store, row: Any, rows: list[list[Any]], files: Mapping[str, bytes]) -> str:
    board_id = str(row.id)
    with store.read() as session:
        _refuse_known(session.get(tables.Board, board_id), board_id)
    for data in files.values():
        store.keep(data)
    with store.write() as session:
        _refuse_known(session.get(tables.Board, board_id), board_id)
        pin_files(store, session, files)
        for some in ([row], *rows):
            session.add_all(some)
            session.flush()
    return board_id


def _refuse_known(row: tables.Board | None, board_id: str) -> None:
    if row is not None:
        words = "there is a board of this id here already: import it into another store (BENCHSIDE_STORE)."
        raise InputRefused([error("board-exists", board_id, words)])


def _faults(row: Any, rows: list[list[Any]]) -> list[str]:
    """Return what does not fit together in a manifest."""
    test_sets, teams, submissions, scorings, phases, refused, _ = rows
    problems = []
    if row.challenge not in REGISTRY:
        problems.append("its challenge is not known here")
    if any(one.board_id != row.id for some in rows for one in some):
        problems.append("it holds parts of another board")
    if {one.number for one in test_sets} != set(range(1, row.version + 1)):
        problems.append("versions of the test set are missing")
    if {submission.team for submission in submissions} - {team.name for team in teams}:
        problems.append("teams are missing")
    pairs = {(scoring.submission_id, scoring.number) for scoring in scorings}
    if {submission.id for submission in submissions} != {sent for sent, _ in pairs}:
        problems.append("results are missing, or have no submission")
    if {submission.phase for submission in submissions} - {None, *(phase.name for phase in phases)}:
        problems.append("phases are missing")
    if {number for _, number in pairs} - {one.number for one in test_sets}:
        problems.append("results of unknown versions are in it")
    for one in teams:
        if one.facts:
            members.facts_of_row(one.facts)
    texts = (
        value for one in [row, *teams, *submissions, *phases, *refused] for value in _plain(one).values()
    )
    if any(isinstance(text, str) and has_hidden(text) for text in texts):
        problems.append("a name in it has control or hidden characters")
    return problems


def _plain(row: tables.Base) -> dict[str, Any]:
    return {column.name: getattr(row, column.name) for column in row.__table__.columns}


def _row(table: type[tables.Base], entry: Mapping[str, Any]) -> Any:
    """Return a row of a manifest, each value of the type of its column."""
    values: dict[str, Any] = {}
    for column in table.__table__.columns:
        if column.name in LATER_COLUMNS and column.name not in entry:
            values[column.name] = None if column.nullable else False
            continue
        value, kind = entry[column.name], column.type.python_type
        kinds = (dict, list) if kind is dict else (int, float) if kind is float else (kind,)
        if not (isinstance(value, kinds) or (value is None and column.nullable)):
            raise TypeError(column.name)
        if isinstance(value, str) and len(value) > (getattr(column.type, "length", None) or len(value)):
            raise ValueError(column.name)
        values[column.name] = value
    return table(**values)
