"""A board of a few drawn cases in a store of its own."""

from pathlib import Path

import pytest

from tests.support.boards import filled
from tests.support.databases import database, postgresql, postgresql_server  # noqa: F401

ON_POSTGRESQL = 3
"""One in so many tests of decisions and of deletion runs on PostgreSQL, too; in the long run all do."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for module in ("test_decision.py", "test_deletion.py"):
        on_postgresql = [one for one in items if one.path.name == module and "[postgresql" in one.name]
        for place, one in enumerate(on_postgresql):
            if place % ON_POSTGRESQL:
                one.add_marker(pytest.mark.soak)


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
