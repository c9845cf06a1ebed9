"""Mark of a store: an id in its database and beside its files. Files are deleted only if both are equal.

If two databases share a folder or bucket, or if a database was emptied, the folder contains files that the
database does not know. They may belong to another store and are kept.
"""

import uuid
from contextlib import suppress

from sqlalchemy import Connection, insert, select
from sqlalchemy.orm import Session

from scoring.common.findings import InputRefused, error
from scoring.store.kept_files import FileStore
from scoring.store.schema import OF_FILE, Base, StoreMark

FOREIGN = (
    "these files do not belong to this database: the database was emptied, or another database uses the "
    "same folder or bucket. Restore the last backup of the database, or name another folder in "
    "BENCHSIDE_STORE, or another folder or bucket in BENCHSIDE_FILES. Nothing was deleted."
)


def known_files(connection: Connection | Session) -> set[str]:
    """Return the SHA-256 of every file that a table row refers to."""
    columns = (c for table in Base.metadata.sorted_tables for c in table.columns if c.info == OF_FILE)
    return {digest for column in columns for (digest,) in connection.execute(select(column)) if digest}


def mark_files(connection: Connection, files: FileStore, is_new: bool) -> None:
    """Record a store as the owner of its files, unless they belong to another store.

    Files without an owner belong to this store if its database refers to all of them. If the place of the
    files does not answer, nothing is recorded.

    Args:
        connection: A transaction that may write, after the tables were upgraded.
        is_new: Whether the tables were created just now.

    Raises:
        InputRefused: With `store-foreign`, if another store has marked the files, or if the database is new
            although there are files already.
    """
    own = connection.scalar(select(StoreMark.id))
    try:
        mark, known = files.mark(), known_files(connection)
        present = set() if mark == own is not None else {*files.digests()}
    except (InputRefused, OSError):
        if own is None:
            connection.execute(insert(StoreMark).values(id=uuid.uuid4().hex))
        return
    if own is None:  # a backup of before belongs to files that got their mark since
        own = mark if mark and known and known <= present else uuid.uuid4().hex
        connection.execute(insert(StoreMark).values(id=own))
    if mark not in (None, own) or (is_new and present - known):
        raise InputRefused([error("store-foreign", files.address, FOREIGN)])
    if mark is None and present <= known:
        with suppress(InputRefused, OSError):
            files.set_mark(own)


def is_own(session: Session, files: FileStore) -> bool:
    """Return whether this database is recorded as the owner of the files. Files may be deleted only if it
    is."""
    return files.mark() == session.scalar(select(StoreMark.id))


def foreign_files(session: Session, files: FileStore) -> list[str]:
    """Return the files that do not belong to this database, sorted; empty if it is recorded as their
    owner."""
    return [] if is_own(session, files) else sorted({*files.digests()} - known_files(session))
