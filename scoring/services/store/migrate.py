"""Bring the tables of a store up to date."""

from pathlib import Path
from typing import Any

from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from scoring.common.findings import InputRefused, error

SCRIPTS = Path(__file__).parent / "migrations"
LOCK = 7_266_142
"""Number of the lock that PostgreSQL's programs take in turn while they change tables."""


def migrate(connection: Connection, place: str) -> None:
    """Make the tables, or change those of an older version.

    Args:
        connection: In a transaction that writes.
        place: What messages call the store.

    Raises:
        InputRefused: `store-newer` where a newer version of Benchside made the tables.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": LOCK})
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    scripts = ScriptDirectory.from_config(config)
    current, newest = (
        MigrationContext.configure(connection).get_current_revision(),
        scripts.get_current_head(),
    )
    if current == newest:
        return
    if current is not None and current not in {script.revision for script in scripts.walk_revisions()}:
        words = "a newer version of Benchside made this store: install that version, or name another store."
        raise InputRefused([error("store-newer", place, words)])

    def steps(revision: Any, _context: object) -> Any:
        return scripts._upgrade_revs(newest or "head", revision)

    with EnvironmentContext(config, scripts, fn=steps) as environment:
        environment.configure(connection=connection)
        environment.run_migrations()
