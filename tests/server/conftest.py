"""One server for what is asked without a login: it writes down which names it looks up, and one visitor may
hold 3 MB of uploads, all together 20 MB."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import driver

SLOW_RESOLVER = """
import os, socket, time
resolve = socket.getaddrinfo
def resolve_slowly(host, *arguments, **named):
    if host not in (None, "", "localhost", "127.0.0.1", "::1", "0.0.0.0", "::"):
        with open(os.environ["BENCHSIDE_TEST_LOOKUPS"], "a") as lookups:
            print(host, file=lookups)
        time.sleep(20)
    return resolve(host, *arguments, **named)
socket.getaddrinfo = resolve_slowly
"""
"""Runs first in the server: writes down each name that is looked up, and lets whoever asked wait."""


@pytest.fixture(scope="session")
def lookups(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("resolver") / "lookups"
    file.touch()
    file.with_name("sitecustomize.py").write_text(SLOW_RESOLVER)
    return file


@pytest.fixture(scope="session")
def server(lookups) -> Iterator[driver.Server]:
    front = "--server.corsAllowedOrigins=https://front.example"
    quota = {"BENCHSIDE_SESSION_UPLOAD_MB": "3", "BENCHSIDE_SERVER_UPLOAD_MB": "20"}
    environment = {"PYTHONPATH": str(lookups.parent), "BENCHSIDE_TEST_LOOKUPS": str(lookups)}
    with driver.served("app.py", front, **quota, **environment) as started:
        yield started
