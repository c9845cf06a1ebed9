"""Databases for tests of the store."""

from tests.support.databases import database, postgresql  # noqa: F401
