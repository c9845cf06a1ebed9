"""Secure delete: files that nothing refers to any more, and remains of rows in the database's files.

A file that nothing refers to yet may be deleted at any time. A caller that refers to files calls `pin_files`
in the same `Store.write`, or keeps them there after `exclusive`.
"""

from collections.abc import Iterable, Mapping

from sqlalchemy import text
from sqlalchemy.orm import Session

from scoring.store.database import Store, refusing
from scoring.store.mark import is_own, known_files
from scoring.store.schema import Base

LOCK = 7_266_143
"""Number of the lock by which PostgreSQL's writers of files take turns; SQLite's writers always do."""


def exclusive(session: Session) -> None:
    """Wait until no other transaction keeps or deletes files, and let none begin before this one ends."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": LOCK})


def pin_files(store: Store, session: Session, files: Mapping[str, bytes]) -> None:
    """Let files be in the store from now on: nobody deletes them before the transaction ends.

    Args:
        session: In a transaction that writes, and that refers to them before it ends.
        files: Content by SHA-256; what is kept already is not written again.

    Raises:
        OSError: Where a file cannot be written.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock_shared(:number)"), {"number": LOCK})
    for digest, data in files.items():
        if not store.files.holds(digest):
            store.files.keep(data)


def discard_left(store: Store, digests: Iterable[str]) -> None:
    """Delete those of some files that were kept for a row that was not added after all.

    Raises:
        InputRefused: Where the database or a file cannot be written.
    """
    with store.write() as session:
        exclusive(session)
        discard_unused(store, session, digests)


def sweep(store: Store, session: Session) -> tuple[str, ...]:
    """Delete every file that no row refers to, and what killed programs left half-written; as
    `discard_unused`."""
    if is_own(session, store.files):
        store.files.discard_unfinished()
    return discard_unused(store, session, store.files.digests())


def discard_unused(store: Store, session: Session, digests: Iterable[str]) -> tuple[str, ...]:
    """Delete those of some files that no row of any table refers to; none where the files lack the mark of
    this store (scoring/store/mark.py).

    Args:
        session: In a transaction that writes, after `exclusive` and after the rows are deleted.
        digests: SHA-256 of the files.

    Returns:
        Those that were deleted. Call `vacuum` when the transaction has ended.

    Raises:
        OSError: Where a file cannot be deleted; nothing of the transaction counts then.
    """
    session.flush()
    if not is_own(session, store.files):
        return ()
    unused = sorted({*digests} - known_files(session))
    store.files.discard(unused)
    return tuple(unused)


def vacuum(store: Store) -> bool:
    """Remove what deleted rows leave behind: SQLite overwrites them when they are deleted, and its log is
    emptied here; PostgreSQL writes its tables again.

    Returns:
        Whether nothing is left. A program that reads for long keeps SQLite's log from being emptied.

    Raises:
        InputRefused: Where the database cannot be used.
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
