from collections.abc import Iterator
from functools import cache

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest, local_script_runner
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from pages.server import deferred_widgets
from scoring.core import model_readings
from tests.support.command_line import ROOT

NAVIGATION = str(ROOT / "pages" / "server" / "navigation.py")
PATIENCE = 900
"""Seconds that a busy machine is given for one run of a page. No test measures time."""


@pytest.fixture(scope="session", autouse=True)
def packages_are_looked_through_once() -> Iterator[None]:
    """AppTest looks through all installed packages for components at each page that it opens: 0.2 s."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests)
        )
        yield


@pytest.fixture(scope="session", autouse=True)
def a_busy_machine_has_time() -> Iterator[None]:
    """AppTest takes a page that runs for three seconds for one that hangs, and asks a thousand times a second
    whether it has ended."""

    def wait(runner: LocalScriptRunner, timeout: float) -> None:
        runner._script_thread.join(PATIENCE)
        assert runner.script_stopped()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_script_runner, "require_widgets_deltas", wait)
        yield


@pytest.fixture(autouse=True)
def no_pause(monkeypatch) -> None:
    """There is no browser for whose sake to wait."""
    monkeypatch.setattr(deferred_widgets, "PAUSE", 0)


@pytest.fixture(autouse=True)
def no_other_pixels(monkeypatch) -> None:
    """Models of these tests know nothing; those of tests/core/test_model_readings.py are tried."""
    monkeypatch.setattr(model_readings, "PIXELS", ())


@pytest.fixture(scope="session")
def warm() -> None:
    """The samples are read and scored, as after the first visit to a server."""
    AppTest.from_file(NAVIGATION).run()


@pytest.fixture
def opened(warm):
    """Opens a page by its file name, which is its address, with parameters of the address: the first page of
    a visitor."""

    def open_page(name: str, **address: str) -> AppTest:
        app = AppTest.from_file(NAVIGATION)
        for key, value in address.items():
            app.query_params[key] = value
        return app.switch_page(f"../{name}.py").run()

    return open_page
