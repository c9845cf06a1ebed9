"""What a full rerun of every page and tab costs, in CPU time, beside a bare page with five kept figures.

Run with `make benchmark`. A rerun is what a click outside a fragment and every new choice cost the server.
"""

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
import pytest

from scoring.challenges import REGISTRY, load_challenge
from tests.benchmarks.test_isic import written
from tests.browser.driver import Server, served
from tests.support.boards import filled
from tests.support.risk_tables import score_table, truth_table
from tests.support.teams import lesion_outputs, lesion_truth, outputs_table
from tests.support.visitor import Visitor, cpu_seconds

ROUNDS, CLICKS, PATIENCE = 7, 25, 120.0
"""Reruns and clicks of which the median counts, and seconds in which a page has its tabs."""
MOST, CLICK, CASES = 3.0, 20.0, 10_000
"""Times the bare page that a rerun may cost, ms of a click in a fragment, and cases of a large test set."""
PAGES = {
    "overview": ("", {}),
    "about": ("about", {}),
    "boards": ("board", {}),
    "a board": ("board", {"board": "b"}),
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

WITH_TABS = (*REGISTRY, "single_image", "compare_teams")


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("store")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BENCHSIDE_STORE", str(folder / "store"))
        filled(folder)
        with served() as server:
            yield server


@pytest.fixture(scope="module")
def bare_app() -> Iterator[Server]:
    with served("tests/benchmarks/bare_page.py") as server:
        yield server


def measured(server: Server, page: str, **address: str) -> tuple[float, list[str]]:
    """Return ms of CPU time of a rerun of a new session, once everything is kept that can be (median), and
    the page's tabs."""
    with Visitor(server.address, page) as visit:
        visit.run(**address)
        deadline = time.monotonic() + PATIENCE
        while page in WITH_TABS and not _ready(visit) and time.monotonic() < deadline:
            visit.run(**address)
        return spent(server, lambda: visit.run(**address))[0], visit.tabs


def _ready(visit: Visitor) -> bool:
    """Return whether teams were scored and no job runs, which would be counted with the rerun."""
    return bool(visit.tabs) and not any("-cancel_" in one for one in visit.widgets.get("button", []))


def spent(server: Server, *works: Callable[[], object], rounds: int = ROUNDS) -> list[float]:
    """Return ms of the server's CPU time for each piece of work that was done before (median). They take
    turns, so that a machine that is slower for a while is so for all."""
    taken: list[list[float]] = [[] for _ in works]
    for _ in range(rounds + 2):
        for work, found in zip(works, taken, strict=True):
            begun = cpu_seconds(server.pid)
            work()
            found.append(1000 * (cpu_seconds(server.pid) - begun))
    return [median(found[2:]) for found in taken]


def clicks(server: Server, visit: Visitor) -> dict[str, float]:
    """Return ms of CPU time of a click in each fragment: sliders go to places where they were not yet, what
    has no slider runs again."""
    fragments, sliders = visit.fragments, visit.sliders
    moved = {fragments[one]: one for one in sliders if one in fragments}
    works: dict[str, Callable[[], object]] = {}
    for number, fragment in enumerate(sorted(set(fragments.values()))):
        if (slider := moved.get(fragment)) is None:
            works[f"fragment {number}"] = partial(visit.run, fragment=fragment)
            continue
        places = iter(np.linspace(*sliders[slider], CLICKS + 6)[2:].tolist())
        works[f"slider {number}"] = partial(_move, visit, slider, places, fragment)
    return dict(zip(works, spent(server, *works.values(), rounds=CLICKS), strict=True))


def _move(visit: Visitor, slider: str, places: Iterator[float], fragment: str) -> None:
    visit.move(slider, next(places), fragment)


@pytest.fixture(scope="module")
def bare(bare_app) -> float:
    """What a bare page costs, as Streamlit comes."""
    plain, _ = measured(bare_app, "")
    measured(bare_app, "", frozen="1")
    print(f"\nbare page: {plain:.0f} ms, {measured(bare_app, '')[0]:.0f} ms with frozen garbage")
    return plain


def told(name: str, found: dict[str, float], most: float) -> None:
    parts = ", ".join(f"{what} {ms:.0f}" for what, ms in found.items())
    print(f"\n{name} (load {os.getloadavg()[0]:.0f}): {parts}")
    assert {what: ms for what, ms in found.items() if ms > most} == {}


@pytest.mark.parametrize("name", PAGES)
def test_a_rerun_costs_little_more_than_a_bare_page(app, bare, name):
    page, address = PAGES[name]
    whole, tabs = measured(app, page, **address)
    told(
        name,
        {tab: measured(app, page, **address, tab=tab)[0] for tab in tabs} or {"": whole},
        MOST * bare,
    )


def drawn(name: str, folder: Path, n: int = CASES) -> tuple[bytes, bytes]:
    """Return truth and predictions of n cases."""
    random = np.random.default_rng(0)
    if name == "isic":
        written(folder, n)
        return (folder / "truth.csv").read_bytes(), (folder / "predictions.csv").read_bytes()
    if name == "melanoma":
        ill = random.random(n) < 0.2
        risks = np.clip(0.3 + 0.3 * ill + random.normal(0, 0.2, n), 0, 1)
        return truth_table(ill.tolist()), score_table(risks.tolist())
    labels = random.integers(0, 11, n)
    return lesion_truth(labels), outputs_table(lesion_outputs(random, labels, 1.5))


@pytest.mark.parametrize("name", ["tricorder3", "melanoma", "isic"])
def test_ten_thousand_cases(app, bare, name, tmp_path):
    """A full rerun of each tab, and a click in each of its fragments."""
    with Visitor(app.address, name) as visit:
        visit.run()
        for kind, data in zip(("set", "submission"), drawn(name, tmp_path), strict=True):
            while not (uploaders := [one for one in uploaders_of(visit) if f"{name}_{kind}_files" in one]):
                visit.run()
            assert visit.upload(f"{kind}.csv", data, uploaders[0])[0] == 204
        deadline = time.monotonic() + PATIENCE
        while not (visit.tabs and b"10,000" in visit.content) and time.monotonic() < deadline:
            visit.run()
        found, clicked = {}, {}
        for tab in visit.tabs:
            (found[tab],) = spent(app, partial(visit.run, tab=tab))
            clicked |= {f"{tab}, {what}": ms for what, ms in clicks(app, visit).items()}
    told(f"{CASES:,} cases of {name}", found, MOST * bare)
    told("clicks in fragments", clicked, CLICK)


def uploaders_of(visit: Visitor) -> list[str]:
    return visit.widgets.get("file_uploader", [])
