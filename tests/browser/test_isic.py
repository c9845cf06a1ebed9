"""The page of the ISIC Challenge: its inputs, the matrix that opens cases, its sliders, its links."""

from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import scoring
from pages.challenge.scored_submission import MANY_CASES
from scoring.challenges import samples
from tests.browser import driver

CHALLENGE = scoring.load_challenge("isic")
SAMPLE = samples.test_sets("isic")["isic2019"]
TEAM = SAMPLE.submissions["lyra"].path


@pytest.fixture
def isic(open_page):
    return partial(open_page, "isic")


def click_cell(page: Page, row: int, column: int) -> None:
    page.locator(".js-plotly-plot").first.scroll_into_view_if_needed()
    x, y = page.evaluate(driver.CELL, [row, column])
    page.mouse.move(x, y)
    expect(page.locator(".hoverlayer .hovertext")).to_be_visible()
    page.mouse.click(x, y)


def test_the_metric_that_ranks_is_read_in_full(isic):
    page = isic(f"?metric=macro+average+precision&{driver.PLAIN}")
    box = page.get_by_role("combobox", name="Ranked by")
    expect(box).to_have_value("macro average precision")
    for viewport in (driver.DESKTOP, driver.PHONE):
        page.set_viewport_size(viewport)
        if viewport == driver.PHONE:
            page.get_by_role("button", name="Settings and comparison").click()
        assert box.evaluate("box => 0 < box.scrollWidth && box.scrollWidth <= box.clientWidth")


@pytest.mark.soak
@pytest.mark.parametrize("viewport", driver.SCREENS)
def test_a_click_on_a_cell_opens_its_cases_and_the_address_says_which(isic, viewport):
    truth = CHALLENGE.read_truth(SAMPLE.path)
    matrix = CHALLENGE.score(truth, CHALLENGE.read_predictions(TEAM, truth), resamples=0).confusion_matrix
    page = isic("?submission=lyra&tab=Confusion", viewport=viewport)
    page.locator(".js-plotly-plot .nsewdrag").first.wait_for()
    for row, column in ((1, 4), (5, 1), (0, 0)):
        click_cell(page, row, column)
        count, names = matrix["counts"][row][column], (matrix["labels"][row], matrix["labels"][column])
        expect(page.get_by_role("heading", name=f"{names[0]} → {names[1]}: {count} case")).to_be_visible()
        driver.settled(page)
    link = driver.visit(page.context, page.url)
    expect(link.get_by_role("heading", name=f"{names[0]} → {names[1]}: {count} case")).to_be_visible()


@pytest.mark.soak
def test_a_name_in_the_legend_hides_its_curve(isic):
    page = isic("?tab=Curves&curve=all+in+one")
    shown = "() => document.querySelector('.js-plotly-plot')._fullData.filter(t => t.visible === true).length"
    page.locator(".js-plotly-plot .legendtoggle").first.wait_for()
    before = page.evaluate(shown)
    page.locator(".js-plotly-plot .legendtoggle").first.click()
    page.wait_for_function(f"before => ({shown})() === before - 2", arg=before)


@pytest.mark.soak
def test_long_and_foreign_category_names_fit_a_phone(isic):
    names = (
        "<img src=x onerror=alert(1)>",
        "a very long name of a diagnosis that somebody wrote out in full",
        "NV",
    )
    rows = [(f"c{i}", *(float(k == i % 3) for k in range(3))) for i in range(30)]
    truth = "\n".join(",".join(map(str, row)) for row in [("image", *names), *rows]).encode() + b"\n"
    page = driver.give(isic(viewport=driver.PHONE), "set", "truth.csv", truth)
    driver.give(page, "submission", "told.csv", truth)
    page.get_by_test_id("stMetricValue").wait_for()
    page.keyboard.press("Escape")
    wide = []
    for name in [tab.inner_text() for tab in page.get_by_role("tab").all()]:
        driver.tab(page, name)
        assert page.get_by_test_id("stException").count() == 0
        wide += [name] * page.evaluate(driver.WIDER)
    assert wide == []


ONE_SCORE = """name => {
  const bar = document.querySelector(".st-key-bar");
  return bar?.innerText.includes(name) && bar.innerText.includes("Computing its interval")
    && [...document.querySelectorAll("[data-testid=stMetricValue], [role=tablist]")]
      .every(other => getComputedStyle(other).visibility === "hidden");
}"""
"""Whether a submission's score is in the bar alone."""


@pytest.mark.soak
def test_no_other_score_is_shown_while_the_interval_of_many_cases_is_computed(isic, tmp_path):
    header = f"image,{','.join(CHALLENGE.read_truth(SAMPLE.path).categories)}"

    def written(name: str, moved: int) -> Path:
        """Write a table in which every case has its category, or one that is moved from it."""
        path = tmp_path / name
        cases = range(MANY_CASES)
        cells = {k: ",".join("1.0" if k == column else "0.0" for column in range(9)) for k in range(9)}
        rows = [f"ISIC_{case:07d},{cells[(case + moved * (case % 5 == 0)) % 9]}" for case in cases]
        path.write_text("\n".join([header, *rows]), encoding="utf-8")
        return path

    page = isic(f"?{driver.PLAIN}")
    page.locator(driver.zone("set")).locator("input").set_input_files(written("truth.csv", 0))
    expect(page.get_by_text("Now choose a submission")).to_be_visible()
    for moved, name in enumerate(("first.csv", "second.csv"), 1):
        chosen = page.locator(driver.zone("submission")).locator("input")
        chosen.set_input_files(written(name, moved))
        page.wait_for_function(ONE_SCORE, arg=name)
        expect(page.get_by_role("tablist")).to_be_visible()
        driver.settled(page)
