"""Scheduler of a cluster: its settings, a connection to it, and the message if it cannot be used."""

import logging
import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from scoring.common.findings import Finding, InputRefused, error
from scoring.inference.cluster import versions

ADDRESS, FALLBACK = "BENCHSIDE_SCHEDULER", "BENCHSIDE_SCHEDULER_FALLBACK"
AUTHORITY, CERTIFICATE, KEY = (
    "BENCHSIDE_SCHEDULER_CA",
    "BENCHSIDE_SCHEDULER_CERT",
    "BENCHSIDE_SCHEDULER_KEY",
)
"""Environment variables with the paths of PEM files for `tls://`: certificate authority of the cluster, and
certificate and key of this machine."""
_ADDRESS = re.compile(r"(tcp|tls)://([^\s:/@?#]+|\[[0-9a-fA-F:]+\]):([0-9]{1,5})")

Result = TypeVar("Result")


class ClusterUnusable(Exception):
    """Raised if the cluster cannot do the work.

    Attributes:
        where: Address of the scheduler, or name of the wrong setting.
        message: What is wrong and how to fix it, in one sentence without the address.
    """

    def __init__(self, where: str, message: str):
        super().__init__(where, message)
        self.where, self.message = where, message

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"

    @property
    def finding(self) -> Finding:
        """Return the problem as a finding."""
        return error("cluster-unusable", self.where, self.message)

    def as_refusal(self) -> InputRefused:
        """Return the problem as the exception that refuses a command."""
        return InputRefused([self.finding])


@dataclass(frozen=True)
class Scheduler:
    """A scheduler to use.

    Attributes:
        address: `tcp://host:port` or `tls://host:port`.
        certificates: Paths of CA certificate, certificate and key for `tls://`.
    """

    address: str
    certificates: tuple[str, str, str] | None = None


def named() -> Scheduler | None:
    """Return the scheduler that environment variables name; None if they name none. Raises ClusterUnusable if
    a setting is wrong."""
    address = os.environ.get(ADDRESS, "").strip()
    if not address:
        return None
    fallback = os.environ.get(FALLBACK, "").strip()
    if fallback not in ("", "local"):
        raise ClusterUnusable(
            FALLBACK,
            f"The value is {fallback[:40]!r}, but only “local” is allowed: write local or leave it out.",
        )
    parts = _ADDRESS.fullmatch(address)
    if not parts or not 0 < int(parts[3]) < 65536:
        sentence = (
            f"{address[:80]!r} is not the address of a scheduler: write tcp://host:8786 or tls://host:8786."
        )
        raise ClusterUnusable(ADDRESS, sentence)
    certificates = _certificates() if parts[1] == "tls" else None
    return Scheduler(address, certificates)


def is_named() -> bool:
    """Return whether the environment names a scheduler, valid or not."""
    return bool(os.environ.get(ADDRESS, "").strip())


def falls_back() -> bool:
    """Return whether this machine does the work if the cluster cannot do it."""
    return os.environ.get(FALLBACK, "").strip() == "local"


def _certificates() -> tuple[str, str, str]:
    """Return the paths for `tls://`. Raises ClusterUnusable for one that is missing."""
    paths = [os.environ.get(name, "") for name in (AUTHORITY, CERTIFICATE, KEY)]
    for name, path in zip((AUTHORITY, CERTIFICATE, KEY), paths, strict=True):
        if not path or not Path(path).is_file():
            fault = "names no file" if path else "is not set"
            raise ClusterUnusable(
                name, f"The path {fault}: tls:// needs PEM files of an authority, a certificate and a key."
            )
    return paths[0], paths[1], paths[2]


def on_cluster_or_here(on_cluster: Callable[[Scheduler], Result], here: Callable[[], Result]) -> Result:
    """Do work on the cluster if one is named, otherwise on this machine.

    Raises:
        ClusterUnusable: If the cluster cannot do the work, and the settings do not allow this machine to do
            it instead.
    """
    try:
        scheduler = named()
        if scheduler is not None:
            return on_cluster(scheduler)
    except ClusterUnusable as unusable:
        if not falls_back():
            raise
        logging.getLogger(__name__).warning("%s The work was done on this machine instead.", unusable)
    return here()


if TYPE_CHECKING:
    from distributed import Client

CONNECT_SECONDS, VERSIONS_SECONDS, ANSWER_SECONDS, CLOSE_SECONDS = 4.0, 30.0, 6.0, 2.0
"""Time limits in seconds: until a scheduler answers, including the import of Dask; until all versions are
known (busy workers need time to import Benchside); for each later answer; until a connection is closed."""
_LOGGERS = ("distributed", "distributed.client", "distributed.comm", "distributed.core", "distributed.gc")


class TooLate(Exception):
    """Raised if work exceeds its time limit."""


@dataclass(frozen=True)
class Cluster:
    """A scheduler that responds and whose workers have the same versions as this machine."""

    client: "Client"
    address: str
    versions: dict[str, str]

    def threads(self) -> int:
        """Return the number of worker threads. Raises ClusterUnusable if the scheduler is gone."""
        try:
            return sum(within(ANSWER_SECONDS, self.client.nthreads).values())
        except Exception as fault:  # whatever a connection that broke raises
            sentence = "The scheduler stopped during the work: start it and run again."
            raise ClusterUnusable(self.address, sentence) from fault


def within(seconds: float, work: Callable[[], Result]) -> Result:
    """Return the result of `work`. After the time limit, raise TooLate; the work then continues in the
    background."""
    done: list[tuple[Result | None, BaseException | None]] = []

    def run() -> None:
        try:
            done.append((work(), None))
        except BaseException as fault:
            done.append((None, fault))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if not done:
        raise TooLate
    result, fault = done[0]
    if fault is not None:
        raise fault
    return result  # type: ignore[return-value]


@contextmanager
def connected(scheduler: Scheduler) -> Iterator[Cluster]:
    """Connect to a scheduler and compare versions. The connection ends with the context.

    Raises:
        ClusterUnusable: If the scheduler does not answer, has no workers, or has a worker with other
            versions.
    """
    client = _connect(scheduler)
    try:
        yield Cluster(client, scheduler.address, _compared(client, scheduler.address))
    finally:
        with suppress(Exception):  # it may be broken already
            within(CLOSE_SECONDS, client.close)


@lru_cache(maxsize=1)
def size(scheduler: Scheduler, _since: int) -> tuple[int, int]:
    """Return the number of workers and threads of a cluster. The result is cached; another value of `_since`
    asks the cluster again. Raises ClusterUnusable as in `connected`."""
    with connected(scheduler) as cluster:
        threads = cluster.client.nthreads()
        return len(threads), sum(threads.values())


@cache
def own_versions() -> dict[str, str]:
    """Return the versions on this machine, by name."""
    return versions.versions()


def _connect(scheduler: Scheduler) -> "Client":
    address, begun = scheduler.address, monotonic()
    try:
        from distributed import Client, Security
    except ImportError as fault:
        sentence = 'Dask is not installed on this machine. Run: pip install "benchside[cluster]"'
        raise ClusterUnusable(address, sentence) from fault
    for name in _LOGGERS:  # one sentence instead of every retry and traceback
        logging.getLogger(name).setLevel(logging.CRITICAL)
    security = None
    if scheduler.certificates is not None:
        authority, certificate, key = scheduler.certificates
        security = Security(
            tls_ca_file=authority, tls_client_cert=certificate, tls_client_key=key, require_encryption=True
        )
    seconds = max(CONNECT_SECONDS / 2, CONNECT_SECONDS - (monotonic() - begun))
    options: dict[str, Any] = {"timeout": seconds, "set_as_default": False, "security": security}
    try:
        return within(seconds + 1, lambda: Client(address, **options))
    except Exception as fault:  # of many kinds, none of which says more to people
        sentence = (
            f"No scheduler of Dask answers within {CONNECT_SECONDS:g} s: check that the scheduler runs, that "
            "the address is right and that the connection is "
            f"open{', and that the certificates match' if security else ''}."
        )
        raise ClusterUnusable(address, sentence) from fault


def _compared(client: "Client", address: str) -> dict[str, str]:
    """Return the versions that workers and scheduler share with this machine. Raises ClusterUnusable."""
    import cloudpickle

    if versions.__name__ not in cloudpickle.list_registry_pickle_by_value():
        cloudpickle.register_pickle_by_value(versions)  # a worker without the project must be able to answer
    own = own_versions()
    try:
        of_scheduler = within(VERSIONS_SECONDS, lambda: client.run_on_scheduler(versions.of_scheduler))
        _same("The scheduler", of_scheduler, own, address)
        of_workers = within(VERSIONS_SECONDS, lambda: client.run(versions.of_worker))
    except ClusterUnusable:
        raise
    except Exception as fault:
        sentence = (
            "The scheduler or a worker does not report its state: start both with the same versions as on "
            "this machine."
        )
        raise ClusterUnusable(address, sentence) from fault
    if not of_workers:
        raise ClusterUnusable(address, "The scheduler has no worker: start a worker.")
    for worker, there in sorted(of_workers.items()):
        _same(f"The worker {worker}", there, own, address)
    return own


def _same(who: str, there: dict[str, str], here: dict[str, str], address: str) -> None:
    if different := versions.differences(there, here):
        sentence = f"{who} differs from this machine: {'; '.join(different)}. Install the same version there."
        raise ClusterUnusable(address, sentence)
