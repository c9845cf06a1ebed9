"""Boards of a store of its own."""

from tests.boards.conftest import place  # noqa: F401
