"""Rescoring of a board on a corrected truth.

The corrected truth is a new version of the test set. Submissions are scored one by one, and each result is
stored at once, so that an interrupted rescoring can continue. The board shows the new scores as soon as all
submissions are scored. Scores of older versions are kept.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from scoring.boards.board import OpenBoard, opened
from scoring.boards.ranking.decision_rule import note_change
from scoring.boards.row_validation import plain
from scoring.boards.serialization import packed
from scoring.common.findings import InputRefused, error
from scoring.inputs.case_tables import joined_columns
from scoring.inputs.sources import Source, sha256
from scoring.store import schema
from scoring.store.database import Store
from scoring.store.secure_delete import pin_files
from scoring.version import __version__


def rescore(
    store: Store,
    board_id: str,
    truth: Source | int | None,
    progress: Callable[[int, int], object] | None = None,
    name: str | None = None,
    metadata: Source | None = None,
    *,
    shows: bool = True,
) -> OpenBoard:
    """Score all submissions on a corrected truth or metadata table, or continue an unfinished rescoring.

    Args:
        truth: The corrected test set, or the number of an earlier version to return to. None: with
            `metadata`, the present test set; without it, an unfinished rescoring is continued.
        progress: Function progress(done, total) that receives numbers of submissions. If it raises an
            exception, rescoring stops.
        name: Name of the test set in messages; None: the name of its file.
        metadata: New table that is joined to the truth by case id; None: no change.
        shows: Whether the board shows the new version once all are scored. Otherwise everybody sees the old
            version until a second call without a truth. `discard` deletes the new version.

    Returns:
        The board with its new version.

    Raises:
        InputRefused: If truth or table is refused, or both are unchanged; with `nothing-to-rescore` if there
            is no unfinished rescoring. The board does not change then.
    """
    board = opened(store, board_id)
    if isinstance(truth, int):
        target = _begin(board, _of_version(opened(store, board_id, truth), board))
    elif truth is None and metadata is None:
        target = begun(board)
    else:
        target = _begin(board, _corrected(board, truth, name, metadata))
    while True:
        remaining, total = _unscored(target)
        for position, submission in enumerate(remaining):
            if progress:
                progress(total - len(remaining) + position, total)
            _score(target, submission)
        if progress:
            progress(total, total)
        if not shows and not _unscored(target)[0]:
            return target
        if shows and _finished(target):
            return opened(store, board_id)


def _score(target: OpenBoard, submission: schema.Submission) -> None:
    """Score a submission on a version of the test set. If the same test set was scored before, return that
    result."""
    store, files = target.store, dict[str, bytes]()
    rows = _known_results(target, submission)
    if not rows:
        data = _read(store, submission)
        if data is None:
            return
        result = target.result(data, submission.name, submission.options)
        rows, files = result.rows(submission.id, target.test_set), result.files
    with store.write() as session:
        if session.get(schema.Submission, submission.id, with_for_update=True) is not None:  # not deleted
            pin_files(store, session, files)
            for row in rows:
                session.merge(row)


def _known_results(target: OpenBoard, submission: schema.Submission) -> list[schema.Base]:
    """Return the results of a submission on an earlier version with the same files, computed by this version
    of Benchside."""
    of, scored, here = schema.TestSetVersion, schema.ScoredVersion, target.test_set
    with target.store.read() as session:
        versions = session.scalars(select(of).where(of.board_id == here.board_id, of.number < here.number))
        same = [
            one.number
            for one in versions
            if (one.sha256, one.metadata_sha256) == (here.sha256, here.metadata_sha256)
        ]
        found = (
            scored.submission_id == submission.id,
            scored.number.in_(same),
            scored.program == __version__,
        )
        row = session.scalars(select(scored).where(*found)).first()
        shown = session.get(schema.ShownPart, (submission.id, row.number)) if row else None
    return [type(one)(**plain(one) | {"number": here.number}) for one in (row, shown) if one is not None]


def discard(store: Store, board_id: str) -> None:
    """Delete the version of a test set that is not shown yet. Raises InputRefused `nothing-to-rescore` if
    there is no such version."""
    target = begun(opened(store, board_id))
    with store.write() as session:
        _drop(session, target.test_set)


def _drop(session: Session, test_set: schema.TestSetVersion) -> None:
    for table in (schema.ScoredVersion, schema.ShownPart):
        same = (table.board_id == test_set.board_id, table.number == test_set.number)
        session.execute(delete(table).where(*same))
    session.delete(test_set)
    session.flush()


def stopped(board: OpenBoard) -> tuple[int, int] | None:
    """Return how many submissions an unfinished rescoring has scored, and how many there are; None if no
    rescoring is unfinished."""
    with board.store.read() as session:
        begun = session.get(schema.TestSetVersion, (board.row.id, board.row.version + 1))
    if begun is None:
        return None
    remaining, total = _unscored(OpenBoard(board.store, board.row, begun))
    return total - len(remaining), total


def _read(store: Store, submission: schema.Submission) -> bytes | None:
    """Return the file of a submission; None if it was deleted meanwhile."""
    try:
        return store.files.read(submission.sha256)
    except InputRefused:
        with store.read() as session:
            if session.get(schema.Submission, submission.id) is None:
                return None
        raise


def begun(board: OpenBoard) -> OpenBoard:
    """Return a board with the version that an unfinished rescoring scores. Raises InputRefused if no
    rescoring is unfinished."""
    with board.store.read() as session:
        version = session.get(schema.TestSetVersion, (board.row.id, board.row.version + 1))
    if version is None:
        message = "no run was interrupted. To start a run, name the corrected test set with --truth."
        raise InputRefused([error("nothing-to-rescore", board.row.id, message)])
    return OpenBoard(board.store, board.row, version)


def _of_version(earlier: OpenBoard, board: OpenBoard) -> "_Corrected":
    """Return the files of an earlier version. Raises InputRefused if the board already uses these files."""
    of = earlier.test_set
    if (of.sha256, of.metadata_sha256) == (board.test_set.sha256, board.test_set.metadata_sha256):
        message = f"the board already shows the test set of version {of.number}."
        raise InputRefused([error("nothing-to-rescore", board.row.id, message)])
    return _Corrected(of.name, of.sha256, of.metadata_sha256, {})


@dataclass(frozen=True)
class _Corrected:
    """The next version of a test set: name and SHA-256 of the truth, and the SHA-256 of the table that is
    joined to it. `files` contains the files that the store does not have yet."""

    name: str
    sha256: str
    metadata_sha256: str | None
    files: Mapping[str, bytes]

    def is_of(self, test_set: schema.TestSetVersion) -> bool:
        """Return whether a version of the test set consists of these files."""
        return (self.sha256, self.metadata_sha256) == (test_set.sha256, test_set.metadata_sha256)


def _corrected(
    board: OpenBoard, truth: Source | None, name: str | None, metadata: Source | None
) -> _Corrected:
    """Return the files of the next version, after checking that they can be read. None: the board's file
    stays."""
    files: dict[str, bytes] = {}
    filename, digest, read = board.test_set.name, board.test_set.sha256, None
    if truth is not None:
        filename, data = packed(truth, name)
        needed = board.challenge.needed("truth", board.row.options["score"])
        read = board.challenge.read_truth(data, name=filename, **needed)
        digest = sha256(data)
        files[digest] = data
        if board.split is not None and len({str(case) in board.split.cases for case in read.ids}) < 2:
            message = (
                "this test set has no case of the shown part of this board, or none of the withheld part."
            )
            raise InputRefused([error("correction-empties-part", filename, message)])
    of_table = board.test_set.metadata_sha256
    if metadata is not None:
        joined_columns(board.truth if read is None else read, metadata, repeated=True)
        table = packed(metadata)[1]
        of_table = sha256(table)
        files[of_table] = table
    corrected = _Corrected(filename, digest, of_table, files)
    if corrected.is_of(board.test_set):
        message = f"this is already the test set of version {board.row.version}: nothing to score again."
        raise InputRefused([error("nothing-to-rescore", filename, message)])
    return corrected


def _begin(board: OpenBoard, corrected: _Corrected) -> OpenBoard:
    """Return the board with the corrected files as its next version. An interrupted run with the same files
    continues; a run with other files is discarded."""
    number = board.row.version + 1
    with board.store.write() as session:
        begun = session.get(schema.TestSetVersion, (board.row.id, number))
        if begun is not None and not corrected.is_of(begun):
            _drop(session, begun)
            begun = None
        pin_files(board.store, session, corrected.files)
        if begun is None:
            begun = schema.TestSetVersion(
                board_id=board.row.id,
                number=number,
                name=corrected.name,
                sha256=corrected.sha256,
                created=schema.now(),
                metadata_sha256=corrected.metadata_sha256,
            )
            session.add(begun)
    return OpenBoard(board.store, board.row, begun)


def _unscored(target: OpenBoard) -> tuple[list[schema.Submission], int]:
    """Return the submissions that are not scored on the version yet, oldest first, and the number of all
    submissions."""
    with target.store.read() as session:
        submissions = session.scalars(
            select(schema.Submission)
            .where(schema.Submission.board_id == target.row.id)
            .order_by(schema.Submission.created, schema.Submission.id)
        ).all()
        number = schema.ScoredVersion.number == target.test_set.number
        done = set(
            session.scalars(
                select(schema.ScoredVersion.submission_id).where(
                    schema.ScoredVersion.board_id == target.row.id, number
                )
            )
        )
    return [submission for submission in submissions if submission.id not in done], len(submissions)


def _finished(target: OpenBoard) -> bool:
    """Publish the new version, unless something was submitted meanwhile."""
    with target.store.write() as session:
        row = session.get(schema.Board, target.row.id, with_for_update=True)
        if row is None:
            return True  # it was deleted meanwhile
        submission, scored = schema.Submission, schema.ScoredVersion
        done = select(scored.submission_id).where(
            scored.board_id == row.id, scored.number == target.test_set.number
        )
        missing = select(submission.id).where(submission.board_id == row.id, submission.id.not_in(done))
        if session.scalars(missing).first() is not None:
            return False
        row.version = target.test_set.number
        note_change(session, row.id)
    return True
