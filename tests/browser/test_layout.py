"""What a visitor sees without scrolling."""

import re

import pytest
from playwright.sync_api import Page, expect

from scoring.challenges import REGISTRY, samples
from tests.browser import driver
from tests.browser.driver import DESKTOP, PHONE
from tests.support.thinned import crossed, some, some_rows

FIRST = "[role=tabpanel] :is(.js-plotly-plot, [data-testid=stDataFrame])"
TOP = """first => {
  const boxes = [...document.querySelectorAll(first)].map(e => e.getBoundingClientRect());
  return Math.min(...boxes.filter(box => box.height > 0).map(box => box.top));
}"""
STUCK = """() => {
  document.querySelector("[data-testid=stMain]").scrollTo({top: 100000, behavior: "instant"});
  const [bar, tabs] = [".st-key-bar", "[role=tablist]"].map(place => document.querySelector(place));
  return [bar.parentElement, tabs].map(e => e.getBoundingClientRect()).map(box => [box.top, box.bottom]);
}"""
LATE = re.compile(r"/static/js/(Metric|PlotlyChart)\.")
"""What browsers load to draw a metric and figures."""
SHOWN = 90
"""px of the first figure or table that are seen at least."""


@pytest.mark.parametrize("challenge", some(list(REGISTRY), 5))
def test_score_and_first_figure_are_seen_on_opening_and_the_bar_stays(visitor, server, challenge):
    page, held, sent = visitor().new_page(), [], []
    page.on("websocket", lambda channel: channel.on("framesent", lambda frame: sent.append(frame)))
    page.route(LATE, lambda route: held.append(route))
    page.goto(f"{server.address}/{challenge}")
    score, figure = map(page.locator, (".st-key-bar_early strong", ".st-key-early_figure img"))
    score.wait_for()
    figure.or_(page.locator(FIRST)).first.wait_for()
    for route in held:
        route.continue_()
    page.unroute(LATE)
    page.locator(FIRST).first.wait_for()
    assert driver.settled(page).evaluate(TOP, FIRST) <= DESKTOP["height"] - SHOWN
    expect(score.or_(figure).locator("visible=true")).to_have_count(0)
    assert len(sent) == 1  # the script ran once
    (bar, bar_end), (tabs, _) = page.evaluate(STUCK)
    assert 40 <= bar <= 70
    assert tabs == pytest.approx(bar_end, abs=2)
    page.set_viewport_size(PHONE)
    choices = page.locator(".st-key-choices")
    opens = page.get_by_role("button", name="Settings and comparison")
    expect(choices).to_be_hidden()
    opens.click()
    expect(choices).to_be_in_viewport(ratio=1)
    assert not page.evaluate(driver.WIDER)
    page.keyboard.press("Escape")
    expect(choices).to_be_hidden()
    page.get_by_role("button", name="Change", exact=True).click()
    page.wait_for_function("() => document.querySelector('[data-testid=stMain]').scrollTop === 0")
    box = page.get_by_test_id("stMetricValue").bounding_box()
    assert box["y"] + box["height"] <= PHONE["height"]


WATCH = """() => {
  window.shifts = [];
  const add = list => { for (const shift of list.getEntries()) window.shifts.push(shift.value); };
  new PerformanceObserver(add).observe({type: "layout-shift", buffered: true});
}"""
"""Also what moves just after an input counts."""
SHIFTED = "() => window.shifts.splice(0).reduce((sum, shift) => sum + shift, 0)"
MOST_SHIFT = 0.05
TABS_FROM = {DESKTOP["width"]: 250, PHONE["width"]: 400}
"""px at which the tabs begin at the latest, by the width of the window."""
OPENED = [
    ("single_image", PHONE),
    ("single_image", DESKTOP),
    ("compare_teams", DESKTOP),
    ("compare_teams", PHONE),
]


def opened(visitor, address: str, screen) -> Page:
    """A page whose shifts are watched from its first frame."""
    page = visitor(viewport=screen).new_page()
    page.add_init_script(f"({WATCH})()")
    page.goto(address)
    return driver.settled(page)


def tabs(page: Page) -> float:
    """px at which the tabs begin."""
    return page.get_by_role("tablist").bounding_box()["y"]


@pytest.mark.parametrize(("name", "screen"), some_rows(OPENED, 2))
def test_nothing_jumps_while_a_page_loads(visitor, server, name, screen):
    page = opened(visitor, f"{server.address}/{name}", screen)
    assert page.evaluate(SHIFTED) < MOST_SHIFT
    if (name, screen) == ("compare_teams", DESKTOP):
        assert tabs(page) <= TABS_FROM[screen["width"]]


@pytest.mark.parametrize(("challenge", "screen"), crossed(list(REGISTRY), [PHONE, DESKTOP], 3))
def test_tabs_begin_high_and_nothing_jumps_on_opening_and_when_a_file_is_dropped(
    visitor, server, challenge, screen
):
    page = opened(visitor, f"{server.address}/{challenge}", screen)
    assert page.evaluate(SHIFTED) < MOST_SHIFT
    assert tabs(page) <= TABS_FROM[screen["width"]]
    offered = next(iter(samples.test_sets(challenge).values())).submissions.values()
    other = [sample.path for sample in offered if not sample.is_model][1]
    page.locator(driver.zone("submission")).locator("input").set_input_files(other)
    expect(page.locator(".st-key-notes").get_by_text("was read as")).to_be_visible(timeout=driver.PATIENCE)
    assert driver.settled(page).evaluate(SHIFTED) < MOST_SHIFT
    assert tabs(page) <= TABS_FROM[screen["width"]]
    row = page.locator(".st-key-inputs")
    button = page.locator(driver.zone("submission")).get_by_role("button", name="Add files")
    end = [box["y"] + box["height"] for box in (button.bounding_box(), row.bounding_box())]
    assert end[0] <= end[1] + 1
