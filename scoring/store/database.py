"""Connection to the database: SQLite in a folder, or PostgreSQL if `BENCHSIDE_DATABASE_URL` is set. It
handles locks and writes; `migrate` upgrades older tables.

SQLite uses WAL mode, so that readers and one writer do not wait for each other. A writer takes the lock at
its start, because SQLite would refuse a transaction that first reads and then writes. Writers queue for a
file lock, because the database's own waiting is unfair and took up to 14 s with eight writers.
"""

import errno
import os
import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from json import JSONDecodeError
from pathlib import Path
from typing import Any

from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError,
    DisconnectionError,
    InterfaceError,
    NoSuchModuleError,
    SQLAlchemyError,
)
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool

from scoring.access.roles import Actor, Role, default_actor
from scoring.common.findings import InputRefused, error
from scoring.store.kept_files import SETTING, Bucket, FileStore, Folder, folder_of, is_bucket
from scoring.store.mark import mark_files

if sys.platform != "win32":
    import fcntl

FOLDER, DATABASE = "BENCHSIDE_STORE", "BENCHSIDE_DATABASE_URL"
NAME = "benchside.db"
SECONDS = 30
"""Maximum time in seconds for which a writer waits for other writers."""


@dataclass(frozen=True)
class Store:
    """An open store.

    Attributes:
        folder: Folder of the database, and of the files unless `address` is set.
        address: Address of the files if they are stored elsewhere.
        is_read_only: Whether the store can only be read.
    """

    engine: Engine
    folder: Path
    place: str
    actor: Actor = field(default_factory=default_actor)
    address: str = ""
    is_read_only: bool = False

    @cached_property
    def files(self) -> FileStore:
        """Return the storage of the files, which are named by their SHA-256."""
        if is_bucket(self.address):
            return Bucket(self.address)
        return Folder(Path(folder_of(self.address)) if self.address else self.folder / "files")

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Open a short read-only transaction. Raises InputRefused, with a code of `refusing`, if the database
        cannot be used."""
        with refusing(self.place), Session(self.engine, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Open a short transaction that writes. Either all of its changes are stored or none. Raises
        InputRefused `forbidden` unless the actor is an organizer. The program itself writes for participants,
        after its own checks (`boards/submissions/participant.py`)."""
        self.actor.require(Role.ORGANIZER)
        engine = self.engine.execution_options(writes=True)
        with (
            refusing(self.place),
            _turn(self),
            Session(engine, expire_on_commit=False) as session,
            session.begin(),
        ):
            yield session

    def check(self) -> None:
        """Read every page of a SQLite database to find damage. PostgreSQL checks its pages itself. Raises
        InputRefused `store-damaged` if a page is damaged."""
        if self.engine.dialect.name == "sqlite":
            with self.read() as session:
                if session.execute(text("PRAGMA quick_check(1)")).scalar_one() != "ok":
                    raise InputRefused([error("store-damaged", self.place, DAMAGED)])

    def keep(self, data: bytes) -> str:
        """Store a file under the SHA-256 of its content and return the SHA-256. Raises InputRefused, with a
        code of `refusing`, if the file cannot be written."""
        with refusing(self.place):
            return self.files.keep(data)


def open_store(folder: str | os.PathLike[str] | None = None, url: str | None = None) -> Store:
    """Open the store and upgrade its tables.

    Args:
        folder: Folder of files, and of the database without a URL; None: `BENCHSIDE_STORE`, or else the
            user's data folder.
        url: URL of a PostgreSQL database; None: `BENCHSIDE_DATABASE_URL`, if set.

    Raises:
        InputRefused: If the store cannot be used, with the code `store-newer`, `store-foreign`,
            `store-read-only`, `store-full`, `store-locked`, `store-damaged` or `store-unusable`.
    """
    path = Path(folder) if folder else store_folder()
    address = url or os.environ.get(DATABASE)
    if not address and _is_read_only(path):
        return _opened_to_read(path)
    with refusing(str(path)):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)  # truths are in it
    if address:
        engine, store_name = _postgresql(address)
    else:
        engine, store_name = _sqlite(path / NAME), str(path)
    files = os.environ.get(SETTING, "")
    if files and not is_bucket(files):
        with refusing(folder_of(files)):
            Path(folder_of(files)).mkdir(mode=0o700, parents=True, exist_ok=True)
    store = Store(engine, path, store_name, address=files)
    try:
        with refusing(store_name), _turn(store), engine.execution_options(writes=True).begin() as connection:
            is_new = migrate(connection, store_name)
            mark_files(connection, store.files, is_new)
    except InputRefused:
        engine.dispose()
        raise
    return store


def _is_read_only(folder: Path) -> bool:
    """Return whether there is a database that this user cannot write, as on a disk that is mounted so."""
    path = folder / NAME
    return path.exists() and not (os.access(folder, os.W_OK) and os.access(path, os.W_OK))


def _opened_to_read(folder: Path) -> Store:
    """Return a store that cannot be written; its tables have to be those of today.

    Raises:
        InputRefused: As `open_store`.
    """
    engine, store_name = _sqlite_to_read(folder / NAME), str(folder)
    store = Store(engine, folder, store_name, address=os.environ.get(SETTING, ""), is_read_only=True)
    with refusing(store_name), store.engine.connect() as connection:
        if MigrationContext.configure(connection).get_current_revision() != _scripts()[1].get_current_head():
            message = (
                "another version of Benchside created this folder: let the user who runs this "
                "version write there."
            )
            raise InputRefused([error("store-read-only", store_name, message)])
    return store


def is_there() -> bool:
    """Return whether a store exists, without creating one."""
    return bool(os.environ.get(DATABASE)) or (store_folder() / NAME).exists()


def store_folder() -> Path:
    """Return the folder of the store, whether it exists or not."""
    return Path(os.environ.get(FOLDER) or _default_folder())


def _default_folder() -> Path:
    from platformdirs import user_data_path  # only where no folder is named

    return user_data_path("benchside", appauthor=False)


def _postgresql(address: str) -> tuple[Engine, str]:
    """Return the engine of a database by its URL, and its name without a password."""
    advice = 'write postgresql+psycopg://user@host/database, and run: pip install "benchside[postgresql]"'
    try:
        url = make_url(address)
        if url.get_backend_name() != "postgresql":
            raise InputRefused(
                [error("store-unusable", DATABASE, f"the address names no PostgreSQL database: {advice}")]
            )
        if url.drivername == "postgresql":
            url = url.set(drivername="postgresql+psycopg")
        store_name = f"{url.host or 'localhost'}/{url.database or ''}"
        return create_engine(url, pool_pre_ping=True, connect_args={"connect_timeout": SECONDS}), store_name
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as problem:
        raise InputRefused([error("store-unusable", DATABASE, f"it cannot be used: {advice}")]) from problem


def _sqlite_to_read(path: Path) -> Engine:
    """Return the engine of a database that cannot be written. Where it has no log nobody writes it, and
    SQLite has to be told so, because it would make the log. Nothing of the file is remembered after a
    transaction."""

    def connect() -> sqlite3.Connection:
        is_written = path.with_name(f"{NAME}-wal").exists()
        address = f"{path.absolute().as_uri()}?mode=ro{'' if is_written else '&immutable=1'}"
        return sqlite3.connect(address, SECONDS, uri=True, check_same_thread=False)

    return create_engine("sqlite://", creator=connect, poolclass=NullPool)


def _sqlite(path: Path) -> Engine:
    engine = create_engine(URL.create("sqlite", database=str(path)), connect_args={"timeout": SECONDS})

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # transactions begin below, not late by the driver
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
            connection.execute(f"PRAGMA {pragma}")

    was_opened = threading.Event()

    @event.listens_for(engine, "do_connect")
    def require_file(*_: object) -> None:
        """Prevent SQLite from creating an empty database in place of a deleted one."""
        if was_opened.is_set() and not path.exists():
            raise InputRefused([error("store-gone", str(path.parent), GONE)])

    @event.listens_for(engine, "checkout")
    def require_same_file(_connection: Any, record: Any, _proxy: object) -> None:
        """Refuse a connection to a database file that was deleted, because its data would be lost at the next
        start."""
        file = path.stat().st_ino if path.exists() else None
        was_opened.set()
        if record.info.setdefault("file", file) != file:  # it is gone, or another one was put there
            raise DisconnectionError

    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


@contextmanager
def _turn(store: Store) -> Iterator[None]:
    """Queue the writers of a SQLite database; the system frees the lock of a killed program."""
    if store.engine.dialect.name != "sqlite" or sys.platform == "win32":
        yield
        return
    with (store.folder / "writer.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


SCRIPTS = Path(__file__).parent / "migrations"
MIGRATION_LOCK = 7_266_142
"""Number of the lock in PostgreSQL that a program holds while it creates or upgrades tables."""


def migrate(connection: Connection, store_name: str) -> bool:
    """Create the tables, or upgrade those of an older version. Return whether the tables were created. Raises
    InputRefused `store-newer` if a newer version of Benchside made the tables."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": MIGRATION_LOCK})
    config, scripts = _scripts()
    current, newest = (
        MigrationContext.configure(connection).get_current_revision(),
        scripts.get_current_head(),
    )
    if current == newest:
        return False
    if current is not None and current not in {script.revision for script in scripts.walk_revisions()}:
        advice = "a newer version of Benchside made this store: install that version, or name another store."
        raise InputRefused([error("store-newer", store_name, advice)])

    def steps(revision: Any, _context: object) -> Any:
        return scripts._upgrade_revs(newest or "head", revision)

    with EnvironmentContext(config, scripts, fn=steps) as environment:
        environment.configure(connection=connection)
        environment.run_migrations()
    return current is None


@cache
def _scripts() -> tuple[Config, ScriptDirectory]:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config, ScriptDirectory.from_config(config)


UNREADABLE_DISK = "the disk cannot be read or written (disk I/O error): free some space, and check the disk."
FULL = "the disk is full: free some space and try again. Nothing was saved."
READ_ONLY = (
    "it cannot be written: let the user who runs Benchside write there, or name another folder in "
    "BENCHSIDE_STORE."
)
LOCKED = "another program uses the database: wait until it has finished and try again. Nothing was saved."
GONE = (
    "its database is missing: restore the last backup, or start again with an empty database. Nothing was "
    "saved."
)
DAMAGED = "the database is damaged or is not a database: stop all servers and restore the last backup."
SILENT = "the database does not answer: start the database, or correct its address. Nothing was saved."
_BY_ERRNO = {
    errno.ENOSPC: ("store-full", FULL),
    errno.EDQUOT: ("store-full", FULL),
    errno.EROFS: ("store-read-only", READ_ONLY),
    errno.EACCES: ("store-read-only", READ_ONLY),
    errno.EPERM: ("store-read-only", READ_ONLY),
}
_BY_WORDS = {
    "disk is full": ("store-full", FULL),
    "no space left": ("store-full", FULL),
    "disk i/o error": ("store-unusable", UNREADABLE_DISK),
    "readonly database": ("store-read-only", READ_ONLY),
    "read-only transaction": ("store-read-only", READ_ONLY),
    "permission denied": ("store-read-only", READ_ONLY),
    "database is locked": ("store-locked", LOCKED),
    "lock timeout": ("store-locked", LOCKED),
    "unable to open database file": ("store-read-only", READ_ONLY),
    "connection refused": ("store-unusable", SILENT),
    "no such file or directory": ("store-unusable", SILENT),
    "timeout expired": ("store-unusable", SILENT),
    "closed the connection": ("store-unusable", SILENT),
    "terminating connection": ("store-unusable", SILENT),
    "disk image is malformed": ("store-damaged", DAMAGED),
    "not a database": ("store-damaged", DAMAGED),
}


@contextmanager
def refusing(store_name: str) -> Iterator[None]:
    """Context manager that turns errors of the database or disk into InputRefused. Raises InputRefused with
    `store-full`, `store-read-only`, `store-locked`, `store-damaged`, `store-gone` or `store-unusable`."""
    try:
        yield
    except OSError as problem:
        reason = f"it cannot be used ({problem.strerror or problem})."
        code, message = _BY_ERRNO.get(problem.errno or 0, ("store-unusable", reason))
        raise InputRefused([error(code, store_name, message)]) from problem
    except (DatabaseError, InterfaceError) as problem:
        raise InputRefused([error(*_of_database(problem, store_name))]) from problem
    except JSONDecodeError as problem:
        raise InputRefused([error("store-damaged", store_name, DAMAGED)]) from problem
    except SQLAlchemyError as problem:
        reason = f"the database cannot be used ({type(problem).__name__})."
        raise InputRefused([error("store-unusable", store_name, reason)]) from problem


def _of_database(problem: DatabaseError | InterfaceError, store_name: str) -> tuple[str, str, str]:
    """Return code, place and message for what a database said."""
    said = " ".join(str(problem.orig).split())
    for words, (code, message) in _BY_WORDS.items():
        if words in said.lower():
            return code, store_name, message
    return "store-unusable", store_name, f"the database cannot be used ({said[:200]})."
