"""The page of PUMA: its inputs, the viewer with its table and links, its sliders and charts that open
images."""

import re
from functools import partial

import pytest
from playwright.sync_api import Page, expect

import scoring
from scoring.challenges import samples
from scoring.challenges.puma.image_views import worst_first
from scoring.challenges.puma.nuclei_listing import overlay
from tests.browser import driver
from tests.browser.test_names import assert_nothing_took_effect
from tests.browser.test_viewer import click, stage
from tests.challenges.puma.drawn import realistic
from tests.support import nuclei_lists
from tests.support.archives import archive_of
from tests.support.payloads import PAYLOADS

CHALLENGE = scoring.load_challenge("puma")
SAMPLE = samples.test_sets("puma")["sample"]
TEAM = SAMPLE.submissions["sirius"].path
TABS = ("Classes", "Images", "Viewer", "Radius", "Tissue")
CELL = """([row, column]) => {
  const plots = [...document.querySelectorAll(".js-plotly-plot")];
  const plot = plots.find(p => p.layout.meta.question.startsWith("Which classes fail"));
  const area = plot.querySelector(".nsewdrag").getBoundingClientRect();
  return [area.x + plot._fullLayout.xaxis.l2p(column), area.y + plot._fullLayout.yaxis.l2p(row)];
}"""
ROW_HEIGHT = 35


@pytest.fixture
def puma(open_page):
    return partial(open_page, "puma")


@pytest.fixture(scope="module")
def sample():
    """Truth, predictions and card of the shifted team."""
    truth = CHALLENGE.read_truth(SAMPLE.path)
    predictions = CHALLENGE.read_predictions(TEAM, truth)
    return truth, predictions, CHALLENGE.score(truth, predictions, resamples=0)


def ready(page: Page) -> Page:
    """With the viewer in sight, nothing gliding in it."""
    page.locator(".viewer[data-ready]").wait_for()
    page.locator(".stage").scroll_into_view_if_needed()
    in_viewer(page, "!s.gliding")
    return page


def in_viewer(page: Page, condition: str, value=None) -> None:
    """Wait until something holds of the stage, `s`; `value` is at its hand."""
    page.wait_for_function(
        f"([node, value]) => (s => {condition})(node.stage)",
        arg=[page.locator(".stage").element_handle(), value],
    )


def chosen(page: Page) -> dict:
    """The nucleus that the viewer has selected."""
    return stage(
        page,
        (
            "(l => l.selected < 0 ? null : {side: ['truth', 'prediction'][l.kind[l.selected]], index: "
            "l.number[l.selected]})(s.layer)"
        ),
    )


def choose_row(page: Page, row: int) -> None:
    grid = page.get_by_test_id("stDataFrame").first
    grid.scroll_into_view_if_needed()
    box = grid.bounding_box()
    page.mouse.click(box["x"] + 15, box["y"] + ROW_HEIGHT * (row + 1) + 17)


def says(page: Page, words: str) -> None:
    expect(page.get_by_text(words).first).to_be_visible()


@pytest.mark.soak
def test_a_clicked_nucleus_is_in_the_table_and_in_the_address_and_a_link_restores_it(puma, sample):
    truth, predictions, card = sample
    drawn = overlay(truth, predictions, card, 3)
    page = ready(puma(f"?submission=sirius&tab=Viewer&case={truth.ids[3]}&list=all&table=true"))
    alone = next(
        i
        for i in range(len(drawn["kind"]))
        if drawn["kind"][i] == 0 and drawn["reason"][i] == 4 and drawn["centroids"][i].min() > 200
    )
    click(page, drawn["centroids"][alone].tolist())
    driver.settled(page)
    says(page, "no prediction within 15 px")
    assert f"nucleus=truth-{drawn['number'][alone]}" in page.url
    expect(page.get_by_role("button", name="Clear selection")).to_be_attached()
    link = ready(driver.visit(page.context, page.url))
    says(link, "no prediction within 15 px")
    in_viewer(link, "s.layer.selected >= 0")
    assert chosen(link) == {"side": "truth", "index": int(drawn["number"][alone])}
    ready(link)
    x, y = drawn["centroids"][alone]
    view = stage(link, "[s.view.x, s.view.y, s.view.s, s.width, s.height, s.fitted]")
    assert 0 <= view[0] + x * view[2] <= view[3]
    assert 0 <= view[1] + y * view[2] <= view[4]
    assert view[2] > view[5] * 1.2


@pytest.mark.soak
@pytest.mark.parametrize("viewport", driver.SCREENS)
def test_a_cell_and_a_row_open_their_image(puma, sample, viewport):
    card = sample[2]
    worst = [card.cases[i]["case"] for i in worst_first(card)]
    page = puma("?submission=sirius&tab=Images", viewport=viewport)
    page.locator(".js-plotly-plot .nsewdrag").first.scroll_into_view_if_needed()
    x, y = page.evaluate(CELL, [2, 3])
    page.mouse.move(x, y)
    expect(page.locator(".hoverlayer .hovertext")).to_be_visible()
    page.mouse.click(x, y)
    ready(driver.settled(page))
    assert f"case={worst[2]}" in page.url
    driver.tab(page, "Images")
    choose_row(page, 4)
    ready(driver.settled(page))
    assert f"case={worst[4]}" in page.url


@pytest.mark.soak
def test_names_of_cases_do_nothing_on_any_tab_and_fit_a_phone(puma):
    names = [
        re.sub("[\u202e\u200b\\\\]", "", " ".join(payload.split())).replace("/", "∕") for payload in PAYLOADS
    ]
    images = realistic(3, images=len(names), nuclei=12)
    true, found = (archive_of(nuclei_lists.files(dict(zip(names, side, strict=True)))) for side in images)
    page = driver.give(puma(viewport=driver.PHONE), "set", "truth.zip", true)
    driver.give(page, "submission", "found.zip", found)
    page.get_by_test_id("stMetricValue").wait_for()
    page.keyboard.press("Escape")
    for name in TABS:
        assert_nothing_took_effect(driver.tab(page, name))
        assert not page.evaluate(driver.WIDER), name
