"""What a full rerun of every page and tab costs, in CPU time, beside a bare page with five kept figures.

Run with `make benchmark`. A rerun is what a click outside a fragment and every new choice cost the server.
"""

import time
from collections.abc import Iterator
from statistics import median

import pytest

from scoring.challenges import REGISTRY, load_challenge
from tests.browser.driver import Server, served
from tests.support.visitor import Visitor, cpu_seconds

ROUNDS, PATIENCE = 7, 120.0
"""Reruns of which the median counts, and seconds in which a page has its tabs."""
MOST = 3.0
"""Times the bare page that a rerun may cost."""
PAGES = {
    "overview": ("", {}),
    **{name: (name, {}) for name in REGISTRY},
    **{
        f"single image of {name}": ("single_image", {"challenge": name})
        for name in REGISTRY
        if load_challenge(name).display.single_image
    },
    **{
        f"comparison of {name}": ("compare_teams", {"challenge": entry.short_name})
        for name, entry in REGISTRY.items()
    },
}


@pytest.fixture(scope="module")
def app() -> Iterator[Server]:
    with served() as server:
        yield server


@pytest.fixture(scope="module")
def bare_app() -> Iterator[Server]:
    with served("tests/benchmarks/bare_page.py") as server:
        yield server


def measured(server: Server, page: str, **address: str) -> tuple[float, list[str]]:
    """Return ms of CPU time of a rerun of a new session, once everything is kept that can be (median), and
    the page's tabs."""
    spent = []
    with Visitor(server.address, page) as visit:
        visit.run(**address)
        deadline = time.monotonic() + PATIENCE
        while page and not visit.tabs and time.monotonic() < deadline:  # the teams are still being scored
            visit.run(**address)
        for _ in range(ROUNDS + 2):
            begun = cpu_seconds(server.pid)
            visit.run(**address)
            spent.append(1000 * (cpu_seconds(server.pid) - begun))
    return median(spent[2:]), visit.tabs


@pytest.mark.parametrize("name", PAGES)
def test_a_rerun_costs_little_more_than_a_bare_page(app, bare_app, name):
    page, address = PAGES[name]
    bare, _ = measured(bare_app, "")
    whole, tabs = measured(app, page, **address)
    spent = {tab: measured(app, page, **address, tab=tab)[0] for tab in tabs} or {"": whole}
    print(f"\n{name} ({bare:.0f} ms bare): " + ", ".join(f"{tab} {ms:.0f}" for tab, ms in spent.items()))
    assert {tab: ms for tab, ms in spent.items() if ms > MOST * bare} == {}
