"""Databases for tests of the store."""

from tests.support.databases import database, postgresql, postgresql_server  # noqa: F401
