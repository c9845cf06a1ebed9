"""Hypothesis profiles: the same examples at every run; BENCHSIDE_SOAK=N multiplies how many there are, `make
quick` takes an eighth."""

import importlib
import os
from collections.abc import Callable, Iterator

import pytest
import threadpoolctl
from hypothesis import HealthCheck, settings
from sqlalchemy import Connection, Engine, inspect
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.util import LRUCache

from tests.support.soak import FACTOR

settings.register_profile(
    "fast",
    derandomize=True,
    deadline=None,
    max_examples=25 * FACTOR,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("quick", settings.get_profile("fast"), max_examples=5)
settings.load_profile("fast")


@pytest.fixture(scope="session", autouse=True)
def store_of_tests(tmp_path_factory) -> None:
    """Let no test meet the boards of whoever runs it, nor a server that a test starts."""
    os.environ["BENCHSIDE_STORE"] = str(tmp_path_factory.mktemp("store"))
    os.environ.pop("BENCHSIDE_DATABASE_URL", None)
    os.environ["LANGUAGE"] = "C"  # otherwise argparse looks for translations of each of hundreds of words


@pytest.fixture(scope="session", autouse=True)
def statements_are_compiled_once() -> Iterator[None]:
    """Each opened store has an engine that compiles all statements anew, a third of a command: let those
    of one kind of database share what is compiled. What is written need not outlive the machine."""
    database, compiled = importlib.import_module("scoring.store.database"), LRUCache(1000)
    create = database.create_engine

    def created(*arguments: object, **options: object) -> Engine:
        engine = create(*arguments, **options)
        engine._compiled_cache = compiled
        return engine

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "create_engine", created)
        patch.setattr(DefaultDialect, "__eq__", lambda one, other: type(one) is type(other), raising=False)
        patch.setattr(DefaultDialect, "__hash__", lambda one: hash(type(one)), raising=False)
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def tables_are_made_once() -> Iterator[Callable[[Connection, str], bool]]:
    """Give new SQLite stores the tables that the migrations made of the first: the migrations take 70 ms.
    Yields what runs the migrations."""
    database = importlib.import_module("scoring.store.database")
    migrate, statements = database.migrate, []

    def copied(connection: Connection, store_name: str) -> bool:
        if connection.dialect.name != "sqlite" or inspect(connection).get_table_names():
            return migrate(connection, store_name)
        if statements:
            for statement in statements:
                connection.exec_driver_sql(statement)
            return True
        is_new = migrate(connection, store_name)
        statements[:] = list(connection.connection.driver_connection.iterdump())[1:-1]  # no BEGIN and COMMIT
        return is_new

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "migrate", copied)
        yield migrate


@pytest.fixture(scope="session", autouse=True)
def one_thread_for_matrices() -> None:
    """As in the server and the command line: where tests share the cores, several threads wait for each
    other."""
    for library in ("numpy", "scipy.linalg"):
        importlib.import_module(library)
    threadpoolctl.threadpool_limits(1, "blas")


@pytest.fixture(scope="session", autouse=True)
def one_worker_for_a_model() -> Iterator[Callable[[], int]]:
    """A worker takes half a second to start, and test sets of tests are small: a second one, for the second
    core, costs more than it saves. Yields what counts the cores, for tests/inference; servers do so."""
    pool = importlib.import_module("scoring.inference.model_pool")
    count = pool.cores
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "cores", lambda: 1)
        yield count


@pytest.fixture(scope="module", autouse=True)
def models_run_here() -> Iterator[None]:
    """A process for each model takes half a second of a processor. Folders that test processes take them."""
    with importlib.import_module("tests.support.worker_here").models_run_here():
        yield
