"""Secure delete: removal of unused files, and of traces of rows in the database's files. Rows are deleted
first; a deletion that was begun is recorded until it is finished, even if the program is killed between.

A file to which no row refers may be deleted at any time. Code that adds references to files must therefore
call `pin_files` in the same `Store.write`, or store the files after `exclusive`.
"""

import uuid
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress

from sqlalchemy import delete, select, text
from sqlalchemy.orm import Session

from scoring.common.findings import InputRefused
from scoring.store.database import Store, refusing
from scoring.store.mark import is_own, known_files
from scoring.store.schema import Base, BegunDeletion

LOCK = 7_266_143
"""Number of the lock in PostgreSQL for programs that write files. With SQLite, programs always take turns."""


def exclusive(session: Session) -> None:
    """Wait until no other transaction stores or deletes files, then block new ones until this transaction
    ends."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": LOCK})


def pin_files(store: Store, session: Session, files: Mapping[str, bytes]) -> None:
    """Write files that are not in the store yet, and protect all given files from deletion until the
    transaction ends.

    Args:
        session: A transaction that writes and adds references to the files.
        files: SHA-256 -> content; files that exist are not written again.

    Raises:
        OSError: If a file cannot be written.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock_shared(:number)"), {"number": LOCK})
    for digest, data in files.items():
        if not store.files.holds(digest):
            store.files.keep(data)


def discard_left(store: Store, digests: Iterable[str]) -> None:
    """Delete files that were stored for a row, if the row was not added after all. Raises InputRefused if the
    database or a file cannot be written."""
    with store.write() as session:
        exclusive(session)
        discard_unused(store, session, digests)


def begin_deletion(session: Session) -> str:
    """Record a deletion in the transaction that deletes its rows, and return its id for `finish_deletions`.
    Delete the files only after this transaction: it may be undone, for example if the disk is full, and a
    deleted file cannot be restored."""
    exclusive(session)
    begun = BegunDeletion(id=uuid.uuid4().hex)
    session.add(begun)
    return begun.id


def finish_deletions(
    store: Store, ids: Collection[str], digests: Iterable[str] | None = None
) -> tuple[tuple[str, ...], bool]:
    """Delete the files of deleted rows, and the traces of the rows.

    Args:
        ids: The deletions, from `begin_deletion`.
        digests: SHA-256 of the files; None: every file that no row refers to, and partial files.

    Returns:
        The deleted files, and whether all traces are removed (`vacuum`). If not, the deletions stay recorded.

    Raises:
        InputRefused: If the database or a file cannot be written.
    """
    with store.write() as session:
        exclusive(session)
        gone = sweep(store, session) if digests is None else discard_unused(store, session, digests)
    is_removed = vacuum(store)
    if is_removed:
        with store.write() as session:
            session.execute(delete(BegunDeletion).where(BegunDeletion.id.in_(ids)))
    return gone, is_removed


def finish_left(store: Store) -> None:
    """Finish the deletions of programs that were killed. If that is impossible now, a later start tries
    again."""
    with suppress(InputRefused):
        with store.read() as session:
            ids = session.scalars(select(BegunDeletion.id)).all()
        if ids:
            finish_deletions(store, ids)


def sweep(store: Store, session: Session) -> tuple[str, ...]:
    """Delete every file that no row refers to, and partial files of killed programs. Arguments and errors are
    those of `discard_unused`."""
    if is_own(session, store.files):
        store.files.discard_unfinished()
    return discard_unused(store, session, store.files.digests())


def discard_unused(store: Store, session: Session, digests: Iterable[str]) -> tuple[str, ...]:
    """Delete those of the given files that no row refers to. Delete nothing unless the store is recorded as
    the owner of the files.

    Args:
        session: A transaction that may write, after `exclusive` was called and the rows were deleted.
        digests: SHA-256 of the files.

    Returns:
        The deleted files. Call `vacuum` after the transaction.

    Raises:
        OSError: If a file cannot be deleted; the transaction is then undone.
    """
    session.flush()
    if not is_own(session, store.files):
        return ()
    unused = sorted({*digests} - known_files(session))
    store.files.discard(unused)
    return tuple(unused)


def vacuum(store: Store) -> bool:
    """Remove the traces of deleted rows: SQLite has overwritten the rows, and its log is emptied now;
    PostgreSQL rewrites its tables.

    Returns:
        Whether all traces are removed. SQLite's log cannot be emptied while another program reads for a long
        time.

    Raises:
        InputRefused: If the database cannot be used.
    """
    is_busy = False
    is_sqlite = store.engine.dialect.name == "sqlite"
    statement = "PRAGMA wal_checkpoint(TRUNCATE)" if is_sqlite else "VACUUM (FULL)"
    tables = [""] if is_sqlite else [f" {table.name}" for table in Base.metadata.sorted_tables]
    with refusing(store.place):
        connection = store.engine.raw_connection()
        try:
            if not is_sqlite:
                connection.dbapi_connection.autocommit = True  # type: ignore[union-attr]
            cursor = connection.cursor()
            for table in tables:
                cursor.execute(statement + table)
                is_busy |= is_sqlite and bool((cursor.fetchone() or (1,))[0])
            cursor.close()
        finally:
            connection.invalidate()
    return not is_busy
