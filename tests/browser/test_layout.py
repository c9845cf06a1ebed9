"""What a visitor sees without scrolling."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Page, expect

from scoring.challenges import REGISTRY, samples
from tests.browser import driver
from tests.browser.driver import DESKTOP, PHONE, SCREENS
from tests.support.thinned import some, some_rows

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
  const counted = list => list.getEntries().filter(shift => !shift.hadRecentInput);
  const add = list => { for (const shift of counted(list)) window.shifts.push(shift.value); };
  new PerformanceObserver(add).observe({type: "layout-shift", buffered: true});
}"""
"""What moves counts as in Cumulative Layout Shift: not within 500 ms of a click. The sum of all is never less
than that measure, which is the worst few seconds."""
SHIFTED = "() => window.shifts.splice(0).reduce((sum, shift) => sum + shift, 0)"
MOST_SHIFT = 0.05
TABS_FROM = {DESKTOP["width"]: 250, PHONE["width"]: 400}
"""px at which the tabs begin at the latest, by the width of the window."""
OPENED = [
    ("tricorder3?tab=Classes", PHONE),
    ("melanoma?tab=Missed", DESKTOP),
    ("tricorder3?tab=Preflight", PHONE),
    ("isic?tab=Confusion", DESKTOP),
    ("puma?tab=Radius", DESKTOP),
    ("hecktor2026?tab=Centers", DESKTOP),
    ("single_image", PHONE),
    ("single_image", DESKTOP),
    ("compare_teams", DESKTOP),
    ("compare_teams", PHONE),
    ("hecktor2026?tab=Viewer", PHONE),
    ("isic?tab=Cases", PHONE),
    ("puma?tab=Viewer", PHONE),
    ("puma?tab=Viewer", DESKTOP),
]


def opened(visitor, address: str, screen) -> Page:
    """A page whose shifts are watched from its first frame."""
    page = visitor(viewport=screen).new_page()
    page.add_init_script(f"({WATCH})()")
    page.goto(address)
    return driver.settled(page)


WITHOUT_INPUTS = """() => {
  const title = document.querySelector("h1"), top = () => title.getBoundingClientRect().top, before = top();
  document.querySelector(".st-key-inputs").remove();
  return top() - before;
}"""


def tabs(page: Page) -> float:
    """px at which the tabs begin."""
    return page.get_by_role("tablist").bounding_box()["y"]


# `make test` opens one page here, and one in the test of a refused file.
@pytest.mark.parametrize(("name", "screen"), some_rows(OPENED, len(OPENED), first=8))
def test_nothing_jumps_while_a_page_loads(visitor, server, name, screen):
    page = opened(visitor, f"{server.address}/{name}", screen)
    assert page.evaluate(SHIFTED) < MOST_SHIFT
    if (name, screen) == ("compare_teams", DESKTOP):
        assert tabs(page) <= TABS_FROM[screen["width"]]
        assert page.evaluate(WITHOUT_INPUTS) == 0, "the title moves when the inputs are drawn"


@pytest.mark.parametrize("challenge", REGISTRY)
@pytest.mark.parametrize("screen", [PHONE, DESKTOP])
@pytest.mark.soak
def test_tabs_begin_high_and_nothing_jumps_on_opening_and_when_a_file_is_dropped(
    visitor, server, challenge, screen
):
    page = opened(visitor, f"{server.address}/{challenge}", screen)
    assert page.evaluate(SHIFTED) < MOST_SHIFT
    assert tabs(page) <= TABS_FROM[screen["width"]]
    offered = next(iter(samples.test_sets(challenge).values())).submissions.values()
    other = [sample.path for sample in offered if not sample.is_model][1]
    page.locator(driver.zone("submission")).locator("input").set_input_files(other)
    expect(page.locator(".st-key-notes").get_by_text("was read as")).to_be_visible()
    assert driver.settled(page).evaluate(SHIFTED) < MOST_SHIFT
    assert tabs(page) <= TABS_FROM[screen["width"]]
    row = page.locator(".st-key-inputs")
    button = page.locator(driver.zone("submission")).get_by_role("button", name="Add files")
    end = [box["y"] + box["height"] for box in (button.bounding_box(), row.bounding_box())]
    assert end[0] <= end[1] + 1


def gives(page: Page, panel: str, *files: Path | FilePayload) -> Page:
    """Give files to an input, and wait for what the page makes of them."""
    with page.expect_response(lambda answer: "upload_file" in answer.url):
        page.locator(driver.zone(panel)).locator("input").set_input_files(files)
    return driver.settled(page)


@pytest.mark.parametrize("screen", SCREENS)
def test_nothing_jumps_when_a_file_is_refused_and_fixed_and_that_is_undone(visitor, server, screen):
    page = opened(visitor, f"{server.address}/tricorder3", screen)
    assert page.evaluate(SHIFTED) < MOST_SHIFT
    assert tabs(page) <= TABS_FROM[screen["width"]]
    team = samples.test_sets("tricorder3")["sample"].submissions["delphi"].path
    header, _, rows = team.read_bytes().partition(b"\n")
    theirs = header.replace(b",", b",prob_") + b"\n" + rows
    gives(page, "submission", {"name": "theirs.csv", "mimeType": "text/csv", "buffer": theirs})
    fix = page.get_by_role("button", name="Read columns without “prob_”")
    expect(fix).to_be_visible()
    assert driver.settled(page).evaluate(SHIFTED) < MOST_SHIFT
    fix.click()
    expect(page.get_by_test_id("stMetricValue").first).to_be_visible()
    assert driver.settled(page).evaluate(SHIFTED) < MOST_SHIFT
    expect(page.get_by_text("is fixed: Read columns without “prob_”")).to_be_in_viewport()
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_in_viewport(ratio=1)
    undo.click()
    expect(page.get_by_text("This cannot be scored: 11 problems")).to_be_visible()


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.soak
def test_nothing_jumps_when_a_submission_follows_an_own_truth(visitor, server, screen):
    page = opened(visitor, f"{server.address}/isic", screen)
    sample = samples.test_sets("isic")["isic2019"]
    gives(page, "set", *sample.path.glob("*GroundTruth.csv"))
    expect(page.get_by_text("Now choose a submission")).to_be_visible()
    assert driver.settled(page).evaluate(SHIFTED) < MOST_SHIFT
    gives(page, "submission", sample.submissions["juno"].path)
    expect(page.get_by_test_id("stMetricValue").first).to_be_visible()
    assert driver.settled(page).evaluate(SHIFTED) < MOST_SHIFT


def test_what_follows_a_short_tab_stands_close_below_it(open_page):
    page = open_page("tricorder3", "?tab=History")
    end = page.get_by_role("tabpanel").locator("visible=true").bounding_box()
    findings = page.get_by_test_id("stExpander").filter(has_text="Findings").bounding_box()
    assert 0 <= findings["y"] - (end["y"] + end["height"]) < 40
