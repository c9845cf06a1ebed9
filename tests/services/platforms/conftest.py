"""Boards of a store of its own."""

from tests.services.boards.conftest import place  # noqa: F401
