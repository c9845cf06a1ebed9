"""What a full rerun of every page and tab costs, in CPU time, beside a bare page with five kept figures.

Run with `make benchmark`. A rerun is what a click outside a fragment and every new choice cost the server.
"""

from collections.abc import Iterator
from statistics import median

import pytest

from scoring.challenges import REGISTRY, load_challenge
from tests.browser.driver import Server, served
from tests.support.rerunner import Visit, cpu_seconds, visited

ROUNDS = 7
MOST = 3.0
"""Times the bare page that a rerun may cost."""
PAGES = {
    "overview": ("", {}),
    **{name: (name, {}) for name in REGISTRY},
    **{
        f"single image of {name}": ("single_image", {"challenge": name})
        for name in REGISTRY
        if load_challenge(name).single_image
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
def bare() -> float:
    with served("tests/benchmarks/bare_page.py") as server, visited(server, "") as visit:
        return milliseconds(server, visit)


def milliseconds(server: Server, visit: Visit, **address: str) -> float:
    """CPU time of a rerun, median, once everything is kept that can be."""
    spent = []
    for _ in range(ROUNDS + 2):
        begun = cpu_seconds(server)
        visit.rerun(**address)
        spent.append(1000 * (cpu_seconds(server) - begun))
    return median(spent[2:])


@pytest.mark.parametrize("name", PAGES)
def test_a_rerun_costs_little_more_than_a_bare_page(app, bare, name):
    page, address = PAGES[name]
    with visited(app, page) as visit:
        spent = {"": milliseconds(app, visit, **address)}
        tabs = list(visit.tabs)
        spent |= {tab: milliseconds(app, visit, **address, tab=tab) for tab in tabs}
    print(f"\n{name} ({bare:.0f} ms bare): " + ", ".join(f"{tab} {ms:.0f}" for tab, ms in spent.items()))
    assert {tab: ms for tab, ms in spent.items() if ms > MOST * bare} == {}
