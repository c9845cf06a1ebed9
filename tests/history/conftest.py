"""Databases for tests of kept submissions."""

from tests.support.databases import database, postgresql, postgresql_server  # noqa: F401
