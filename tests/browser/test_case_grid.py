"""The grid of cases as a visitor scrolls it: few cells at a time, each with its own picture."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser import driver
from tests.browser.grid_app import COUNT, HOSTILE
from tests.browser.test_pages import RULES

APP = "tests/browser/grid_app.py"
MOST = 90
"""Cells that exist at once."""
SHOWN = """() => [...document.querySelector("[data-testid=stMain]").querySelectorAll("*")]
  .flatMap(node => [...(node.shadowRoot ?? node).querySelectorAll(".case")])
  .filter((cell, i, all) => all.indexOf(cell) === i)
  .map(cell => [+cell.dataset.number, cell.querySelector("img").naturalHeight])"""


@pytest.fixture
def grid(visitor, viewer_address):
    page = driver.visit(visitor(viewport=driver.DESKTOP), viewer_address)
    page.locator(".case img[src]").first.wait_for()
    return page


def pictured(page) -> list[int]:
    """Wait until each case in the grid has its picture, and return their numbers."""
    lacking = page.locator(".case:not([data-number='1']) img:not([src])")
    expect(lacking).to_have_count(0)
    driver.settled(page)
    shown = page.evaluate(SHOWN)
    assert all(height == (0 if number == 1 else 1 + number % 40) for number, height in shown)
    return [number for number, _ in shown]


def test_only_what_is_in_sight_exists_and_a_click_opens_the_case_under_it(grid):
    first = pictured(grid)
    assert min(first) == 0
    assert len(first) <= MOST
    view = grid.locator(".cases").first
    view.evaluate("view => { view.scrollTop = view.scrollHeight / 2; }")
    grid.locator(f".case[data-number='{COUNT // 2}']").wait_for()
    middle = pictured(grid)
    assert not set(middle) & set(first)
    view.evaluate("view => { view.scrollTop = view.scrollHeight; }")
    grid.locator(f".case[data-number='{COUNT - 1}']").wait_for()
    assert max(pictured(grid)) == COUNT - 1
    made = int(grid.get_by_text("made").inner_text().split()[1].strip(";"))
    assert made <= 4 * MOST  # on the way down none was made
    view.evaluate("view => { view.scrollTop = 0; }")
    pictured(grid)
    expect(grid.get_by_text(HOSTILE).first).to_be_visible()
    for number, name in ((3, "case 3"), (0, HOSTILE)):
        grid.locator(f".case[data-number='{number}']").click()
        expect(grid.get_by_text(f"opened {name}", exact=False)).to_be_visible()
    found = Axe().run(grid, options={"runOnly": {"type": "tag", "values": RULES}}).response["violations"]
    assert [entry["id"] for entry in found] == []
