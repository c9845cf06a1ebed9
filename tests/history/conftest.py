"""Databases for tests of kept submissions."""

from tests.support.databases import database, postgresql  # noqa: F401
