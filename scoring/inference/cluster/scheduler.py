"""Which scheduler does heavy work, if any, and what happens where it cannot."""

import logging
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from scoring.common.findings import Finding, InputRefused, error

ADDRESS, FALLBACK = "BENCHSIDE_SCHEDULER", "BENCHSIDE_SCHEDULER_FALLBACK"
AUTHORITY, CERTIFICATE, KEY = (
    "BENCHSIDE_SCHEDULER_CA",
    "BENCHSIDE_SCHEDULER_CERT",
    "BENCHSIDE_SCHEDULER_KEY",
)
"""PEM files of `tls://`: who signed the cluster's certificates, this machine's certificate, and its key."""
_ADDRESS = re.compile(r"(tcp|tls)://([^\s:/@?#]+|\[[0-9a-fA-F:]+\]):([0-9]{1,5})")

Result = TypeVar("Result")


class ClusterUnusable(Exception):
    """The cluster cannot do the work.

    Attributes:
        where: Address of the scheduler, or the setting that is wrong.
        message: What is wrong and how to mend it, in one sentence, without the address.
    """

    def __init__(self, where: str, message: str):
        super().__init__(where, message)
        self.where, self.message = where, message

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"

    @property
    def finding(self) -> Finding:
        """The same as a finding."""
        return error("cluster-unusable", self.where, self.message)

    def as_refusal(self) -> InputRefused:
        """Return the refusal that a command ends with."""
        return InputRefused([self.finding])


@dataclass(frozen=True)
class Scheduler:
    """A scheduler that is to be used.

    Attributes:
        address: `tcp://host:port` or `tls://host:port`.
        certificates: Paths of authority, certificate and key for `tls://`.
    """

    address: str
    certificates: tuple[str, str, str] | None = None


def named() -> Scheduler | None:
    """Return the scheduler that the environment names, None where it names none.

    Raises:
        ClusterUnusable: A setting is wrong.
    """
    address = os.environ.get(ADDRESS, "").strip()
    if not address:
        return None
    fallback = os.environ.get(FALLBACK, "").strip()
    if fallback not in ("", "local"):
        raise ClusterUnusable(FALLBACK, f"It is {fallback[:40]!r}: the one value is local; leave it out.")
    found = _ADDRESS.fullmatch(address)
    if not found or not 0 < int(found[3]) < 65536:
        words = f"{address[:80]!r} is no scheduler's address: write tcp://host:8786 or tls://host:8786."
        raise ClusterUnusable(ADDRESS, words)
    certificates = _certificates() if found[1] == "tls" else None
    return Scheduler(address, certificates)


def is_named() -> bool:
    """Return whether the environment names a scheduler, right or wrong."""
    return bool(os.environ.get(ADDRESS, "").strip())


def falls_back() -> bool:
    """Return whether the work is done on this machine where the cluster cannot do it."""
    return os.environ.get(FALLBACK, "").strip() == "local"


def _certificates() -> tuple[str, str, str]:
    """Return the paths for `tls://`. Raises ClusterUnusable for one that is missing."""
    paths = [os.environ.get(name, "") for name in (AUTHORITY, CERTIFICATE, KEY)]
    for name, path in zip((AUTHORITY, CERTIFICATE, KEY), paths, strict=True):
        if not path or not Path(path).is_file():
            what = "is no file" if path else "is not set"
            raise ClusterUnusable(
                name, f"It {what}: tls:// needs an authority, a certificate and a key as PEM."
            )
    return paths[0], paths[1], paths[2]


def on_cluster_or_here(on_cluster: Callable[[Scheduler], Result], here: Callable[[], Result]) -> Result:
    """Do work on the cluster where one is named, else on this machine.

    Args:
        on_cluster: Does it on the cluster.
        here: Does it on this machine.

    Raises:
        ClusterUnusable: The cluster cannot do it, and nobody said to do it here then.
    """
    try:
        scheduler = named()
        if scheduler is not None:
            return on_cluster(scheduler)
    except ClusterUnusable as unusable:
        if not falls_back():
            raise
        logging.getLogger(__name__).warning("%s Done on this machine instead.", unusable)
    return here()
