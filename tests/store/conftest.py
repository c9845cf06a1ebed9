"""Databases for tests of the store."""

import pytest

from tests.support.databases import database, postgresql, postgresql_server  # noqa: F401


@pytest.fixture(autouse=True)
def every_migration_runs(tables_are_made_once, monkeypatch) -> None:
    """As they do for users: other tests copy the tables of the first store."""
    monkeypatch.setattr("scoring.store.database.migrate", tables_are_made_once)
