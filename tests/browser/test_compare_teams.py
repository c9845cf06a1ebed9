"""The comparison of teams: many teams, clicks, sliders, links, downloads, names of strangers."""

import json
from functools import partial

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser import driver
from tests.support.archives import archive_of
from tests.support.teams import lesion_outputs, lesion_truth, outputs_table

TABS = ("Ranking", "Lead", "Stability", "Other rules", "Classes", "Cases", "Subgroups", "Teams")
OVERLAPPING = """() => {
  const found = [];
  for (const plot of document.querySelectorAll(".js-plotly-plot")) {
    const labels = [...plot.querySelectorAll(".yaxislayer-above text, .yaxislayer-below text")];
    const places = labels.map(e => e.getBoundingClientRect());
    for (let i = 1; i < places.length; i++)
      if (places[i].height && Math.abs(places[i].y - places[i - 1].y) < 8)
        found.push(plot.textContent.slice(0, 80));
  }
  return found;
}"""


@pytest.fixture
def compare(open_page):
    return partial(open_page, "compare_teams")


def give(page: Page, kind: str, name: str, content: bytes) -> Page:
    """Drop teams: "files", or a "zip" with an entry per team."""
    zone = driver.zone("teams" if kind == "files" else "teams_zip")
    with page.expect_response(lambda answer: "upload_file" in answer.url and answer.request.method == "PUT"):
        driver.drop(page, zone, name, content)
    driver.settled(page)
    page.keyboard.press("Escape")
    return driver.settled(page)


def with_teams(page: Page, count: int) -> Page:
    """An own test set of 55 cases, and so many teams of rising skill in a zip."""
    random, labels = np.random.default_rng(count), np.arange(55) % 11
    driver.give(page, "set", "truth.csv", lesion_truth(labels))
    page.keyboard.press("Escape")
    sent = {
        f"team-{k:02d}.csv": outputs_table(lesion_outputs(random, labels, 3 * k / count))
        for k in range(count)
    }
    give(page, "zip", "teams.zip", archive_of(sent))
    expect(page.get_by_test_id("stMetricValue")).to_contain_text("team-")
    return driver.settled(page)


@pytest.mark.parametrize("count", [pytest.param(count, marks=pytest.mark.soak) for count in (2, 5, 20, 60)])
def test_so_many_teams_read_well(compare, count):
    page = with_teams(compare(), count)
    for name in TABS:
        driver.tab(page, name)
        assert page.get_by_test_id("stException").count() == 0
        assert not page.evaluate(driver.WIDER)
        assert page.evaluate(OVERLAPPING) == []
        says_which = page.get_by_text(f"15 of {count} teams are drawn").count() > 0
        assert says_which is (count > 15 and name != "Teams"), "that one is a table of all"


@pytest.mark.soak
def test_a_click_on_a_class_opens_its_cases_and_the_address_says_which(compare):
    page = compare("?tab=Classes")
    page.locator(".js-plotly-plot").first.scroll_into_view_if_needed()
    x, y = page.evaluate(driver.CELL, [7, 3])
    page.mouse.move(x, y)
    expect(page.locator(".hoverlayer .hovertext")).to_be_visible()
    page.mouse.click(x, y)
    driver.settled(page)
    expect(page.get_by_role("heading", name="MEL, Delphi")).to_be_visible()
    assert "class=MEL" in page.url
    assert "class_team=Delphi" in page.url
    again = driver.visit(page.context, page.url)
    expect(again.get_by_role("heading", name="MEL, Delphi")).to_be_visible()


def write(page: Page, column: int, row: int, text: str) -> None:
    """Write into a cell of the table of teams. column: px from the left; row: from 0."""
    place = page.get_by_test_id("stDataFrame").last
    place.scroll_into_view_if_needed()
    box = place.bounding_box()
    page.mouse.dblclick(box["x"] + column, box["y"] + 35 * (row + 1.5))
    page.locator(".gdg-input").fill(text)
    page.keyboard.press("Enter")
    driver.settled(page)


@pytest.mark.soak
def test_facts_are_typed_counted_and_refused_at_their_row(compare):
    page = compare("?tab=Teams")
    write(page, 200, 0, "-3")
    refused = page.get_by_test_id("stAlert").filter(has_text="-3 is not a size")
    expect(refused).to_be_visible()
    expect(page.get_by_test_id("stMetric")).to_contain_text("82.87")
    write(page, 150, 0, "150")
    expect(page.get_by_test_id("stMetric")).not_to_contain_text("Aurora")
    expect(refused).to_have_count(0)
    with page.expect_download() as given:
        page.get_by_role("button", name="comparison.json").click()
    teams = json.loads(given.value.path().read_text(encoding="utf-8"))["teams"]
    assert {team["team"]: team["facts"]["size_mib"] for team in teams}["Aurora"] == 150
