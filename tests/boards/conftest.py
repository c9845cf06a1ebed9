"""A board of a few drawn cases in a store of its own."""

from pathlib import Path

import pytest

from tests.support.boards import filled
from tests.support.databases import database, postgresql, postgresql_server  # noqa: F401


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    """Where stores are opened."""
    monkeypatch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    return tmp_path / "store"


@pytest.fixture
def sent(place, tmp_path) -> Path:
    """A board "b" with two teams of two weeks; gives the folder of their submissions."""
    return filled(tmp_path)
