"""Delete for good: files that nothing in the store refers to any more, and what a deleted row leaves behind
in the database's own files.

Who keeps a file and refers to it does both in one `Store.write` that begins with `alone`: a file that nothing
refers to yet may be deleted at any other time.
"""

from collections.abc import Iterable

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from scoring.store.database import Store
from scoring.store.problems import refusing
from scoring.store.tables import OF_FILE, Base

LOCK = 7_266_143
"""Number of the lock by which PostgreSQL's writers of files take turns; SQLite's writers always do."""


def alone(session: Session) -> None:
    """Wait until no other transaction keeps or deletes files, and let none begin before this one ends.

    Args:
        session: In a transaction that writes.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": LOCK})


def discard_unused(store: Store, session: Session, digests: Iterable[str]) -> tuple[str, ...]:
    """Delete those of some files that no row of any table refers to.

    Args:
        store: The store.
        session: In a transaction that writes, after `alone` and after the rows are deleted.
        digests: SHA-256 of the files.

    Returns:
        Those that were deleted. Call `overwrite` when the transaction has ended.

    Raises:
        OSError: Where a file cannot be deleted; nothing of the transaction counts then.
    """
    session.flush()
    unused = set(digests)
    for column in (c for table in Base.metadata.sorted_tables for c in table.columns if c.info == OF_FILE):
        unused -= set(session.scalars(select(column).where(column.in_(unused))))
    store.files.discard(sorted(unused))
    return tuple(sorted(unused))


def overwrite(store: Store) -> None:
    """Remove what deleted rows leave behind: SQLite overwrites them when they are deleted, and its log is
    emptied here; PostgreSQL writes its tables anew.

    Raises:
        InputRefused: Where the database cannot be used.
    """
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
            cursor.close()
        finally:
            connection.invalidate()
