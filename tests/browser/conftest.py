"""One server and one browser for all tests of a process; every test that opens a page also watches that
nothing leaves the machine."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from scoring.boards.sample_board import create_sample
from scoring.store.database import open_store
from tests.browser import driver
from tests.browser.driver import Server
from tests.browser.profiles import Profile, Profiles


def pytest_collection_modifyitems(items) -> None:
    for item in items:
        if item.path.is_relative_to(driver.ROOT / "tests" / "browser"):
            item.add_marker(pytest.mark.browser)
            # A busy machine can lose a click between two drawings of a page: once more, and "R" says so.
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    program = driver.chromium()
    if program is None:
        pytest.skip("no Chromium on this machine: install the package chromium")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=list(driver.ARGUMENTS))
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def sample_board() -> None:
    """The board "sample", in the store of all servers that tests start."""
    create_sample(open_store())


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with driver.served() as started:
        yield started


@pytest.fixture
def fresh_server() -> Iterator[Server]:
    """A server that nobody has visited."""
    with driver.served() as started:
        yield started


@pytest.fixture(scope="session")
def profiles(browser) -> Iterator[Profiles]:
    """The browser profiles that visitors use one after another."""
    kept = Profiles(browser)
    yield kept
    kept.close()


@pytest.fixture
def visitor(profiles) -> Iterator[Callable[..., BrowserContext]]:
    """Makes visitors, each with a profile of its own. Afterwards: no request of any of them left the machine,
    no dialog opened."""
    visitors: list[Profile] = []

    def make(theme: str = "light", viewport=driver.DESKTOP) -> BrowserContext:
        visitors.append(profiles.take(theme, viewport))
        return visitors[-1].context

    yield make
    left = [url for profile in visitors for url in profile.left]
    dialogs = [message for profile in visitors for message in profile.dialogs]
    for profile in visitors:
        profiles.give_back(profile)
    assert left == []
    assert dialogs == []


@pytest.fixture
def open_page(visitor, server) -> Callable[..., Page]:
    """Opens a page by its name for a new visitor, with what an address says behind its question mark."""

    def opened(name: str, question: str = "", theme: str = "light", viewport=driver.DESKTOP) -> Page:
        return driver.visit(visitor(theme, viewport), f"{server.address}/{name}{question}")

    return opened


@pytest.fixture
def tricorder3(open_page) -> Callable[..., Page]:
    return partial(open_page, "tricorder3")


@pytest.fixture(scope="module")
def viewer_address(request) -> Iterator[str]:
    """A server of the page that a module of tests names in `APP`: a viewer and nothing else."""
    with driver.served(request.module.APP) as started:
        yield started.address


@pytest.fixture
def viewer(visitor, viewer_address) -> Callable[..., Page]:
    """Opens the viewer for a new visitor."""

    def opened(question: str = "", theme: str = "light", viewport=driver.DESKTOP) -> Page:
        page = visitor(theme, viewport).new_page()
        page.emulate_media(reduced_motion="reduce", color_scheme=theme)
        page.goto(f"{viewer_address}/{question}")
        page.locator(".viewer[data-ready]").wait_for()
        return driver.settled(page)

    return opened
