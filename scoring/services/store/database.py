"""Open a store: SQLite in a folder without any set-up, or PostgreSQL by `BENCHSIDE_DATABASE_URL`.

SQLite is in WAL mode, so that readers and one writer do not wait for each other. A writer takes the lock when
it begins: one that reads first and writes later would be refused at once, however long it may wait. Writers
queue for a file lock, because the database's own waiting is unfair and took up to 14 s with eight of them.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlalchemy.orm import Session

from scoring.common.findings import InputRefused, error
from scoring.services.access.roles import Actor, Role, default_actor
from scoring.services.store.bucket import SETTING, Bucket, folder_of, is_bucket
from scoring.services.store.files import FileStore, Folder
from scoring.services.store.migrate import migrate
from scoring.services.store.problems import DAMAGED, refusing

if sys.platform != "win32":
    import fcntl

FOLDER, DATABASE = "BENCHSIDE_STORE", "BENCHSIDE_DATABASE_URL"
NAME = "benchside.db"
SECONDS = 30
"""How long a writer waits for another."""


@dataclass(frozen=True)
class Store:
    """An open store. folder: of the database, and of the files without an address; place: what messages call
    it; actor: on whose behalf it is used; address: where the files are, if anywhere else."""

    engine: Engine
    folder: Path
    place: str
    actor: Actor = field(default_factory=default_actor)
    address: str = ""

    @cached_property
    def files(self) -> FileStore:
        """Return the files by content."""
        if is_bucket(self.address):
            return Bucket(self.address)
        return Folder(Path(folder_of(self.address)) if self.address else self.folder / "files")

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Open a short transaction that only reads. Raises InputRefused."""
        with refusing(self.place), Session(self.engine, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Open a short transaction that writes; all of it is kept, or nothing.

        Raises:
            InputRefused: `forbidden` where the actor is no organizer: what participants may write, the
                program writes for them after its own checks (scoring/services/boards/participant.py).
        """
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
        """Read every page of a SQLite database; PostgreSQL watches over its own. Raises InputRefused."""
        if self.engine.dialect.name == "sqlite":
            with self.read() as session:
                if session.execute(text("PRAGMA quick_check(1)")).scalar_one() != "ok":
                    raise InputRefused([error("store-damaged", self.place, DAMAGED)])

    def keep(self, data: bytes) -> str:
        """Keep a file by its content and return its SHA-256. Raises InputRefused."""
        with refusing(self.place):
            return self.files.keep(data)


def open_store(folder: str | os.PathLike[str] | None = None, url: str | None = None) -> Store:
    """Open the store, and bring its tables up to date.

    Args:
        folder: Where files are, and the database without a URL; None: what `BENCHSIDE_STORE` says, else the
            user's folder for data.
        url: Of a PostgreSQL database; None: what `BENCHSIDE_DATABASE_URL` says, if anything.

    Raises:
        InputRefused: With `store-newer`, `store-read-only`, `store-full`, `store-locked`, `store-damaged` or
            `store-unusable`.
    """
    path = Path(folder) if folder else store_folder()
    address = url or os.environ.get(DATABASE)
    with refusing(str(path)):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)  # truths are in it
    if address:
        engine, place = _postgresql(address)
    else:
        engine, place = _sqlite(path / NAME), str(path)
    files = os.environ.get(SETTING, "")
    if files and not is_bucket(files):
        with refusing(folder_of(files)):
            Path(folder_of(files)).mkdir(mode=0o700, parents=True, exist_ok=True)
    store = Store(engine, path, place, address=files)
    with refusing(place), _turn(store), engine.execution_options(writes=True).begin() as connection:
        migrate(connection, place)
    return store


def is_there() -> bool:
    """Return whether a store was opened before: looking for one must not make one."""
    return bool(os.environ.get(DATABASE)) or (store_folder() / NAME).exists()


def store_folder() -> Path:
    """Return the folder that a store is in, or would be."""
    return Path(os.environ.get(FOLDER) or _default_folder())


def _default_folder() -> Path:
    from platformdirs import user_data_path  # only where no folder is named

    return user_data_path("benchside", appauthor=False)


def _postgresql(address: str) -> tuple[Engine, str]:
    """Return the engine of a database by its URL, and its name without a password."""
    words = "write postgresql+psycopg://user@host/database, and install the extra `postgresql`."
    try:
        url = make_url(address)
        if url.get_backend_name() != "postgresql":
            raise InputRefused(
                [error("store-unusable", DATABASE, f"it names no PostgreSQL database: {words}")]
            )
        if url.drivername == "postgresql":
            url = url.set(drivername="postgresql+psycopg")
        place = f"{url.host or 'localhost'}/{url.database or ''}"
        return create_engine(url, pool_pre_ping=True, connect_args={"connect_timeout": SECONDS}), place
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as problem:
        raise InputRefused([error("store-unusable", DATABASE, f"it cannot be used: {words}")]) from problem


def _sqlite(path: Path) -> Engine:
    engine = create_engine(URL.create("sqlite", database=str(path)), connect_args={"timeout": SECONDS})

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # transactions begin below, not late by the driver
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
            connection.execute(f"PRAGMA {pragma}")

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
