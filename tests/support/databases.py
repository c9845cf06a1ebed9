"""Databases for tests: SQLite in a folder, and PostgreSQL where a server can be started."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

POSTGRESQL = sorted(Path("/usr/lib/postgresql").glob("*/bin"))


def as_postgres(*command: object) -> None:
    """Run a command of PostgreSQL, which refuses root, as the user postgres."""
    before = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    subprocess.run([*before, *map(str, command)], cwd="/", check=True, capture_output=True, timeout=60)


@contextmanager
def running() -> Iterator[tuple[str, Callable[[], None]]]:
    """Start a PostgreSQL server; gives the URL of its database, and what stops it."""
    if not POSTGRESQL:
        pytest.skip("PostgreSQL is not installed (Debian's package postgresql)")
    pytest.importorskip("psycopg")
    programs = POSTGRESQL[-1]
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    data, log = folder / "data", folder / "log"
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        made = ("-D", data, "-U", "test", "-A", "trust", "--no-sync", "-E", "UTF8", "--no-locale")
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        as_postgres(programs / "initdb", *made)
        as_postgres(programs / "pg_ctl", "-D", data, "-o", options, "-l", log, "-w", "start")
    except (subprocess.SubprocessError, OSError, LookupError) as problem:
        shutil.rmtree(folder, ignore_errors=True)
        pytest.skip(f"PostgreSQL could not be started: {problem}")

    def stop() -> None:
        if (data / "postmaster.pid").exists():
            as_postgres(programs / "pg_ctl", "-D", data, "-m", "fast", "stop")

    try:
        yield f"postgresql+psycopg://test@/postgres?host={folder}", stop
    finally:
        stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """Start a server for this run, and give the URL of its database."""
    with running() as (url, _):
        yield url


@pytest.fixture
def postgresql(postgresql_server) -> str:
    """Empty the database, and give its URL."""
    import psycopg

    with psycopg.connect(
        postgresql_server.replace("postgresql+psycopg", "postgresql"), autocommit=True
    ) as connection:
        connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    return postgresql_server


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def database(request, tmp_path, monkeypatch) -> str:
    """Let stores be opened in a fresh place, on each database; gives its name."""
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    monkeypatch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
    if request.param == "postgresql":
        monkeypatch.setenv("BENCHSIDE_DATABASE_URL", request.getfixturevalue("postgresql"))
    return request.param
