"""The page of HECKTOR 2026: its inputs, the ways into the viewer, the panel of readings, its links."""

from functools import partial

import pytest
from playwright.sync_api import Page, expect

import scoring
from scoring.challenges import samples
from tests.browser import driver

CHALLENGE = scoring.load_challenge("hecktor2026")
SAMPLE = samples.test_sets("hecktor2026")["sample"]
POINT = """trace => {
  const drawn = plot => plot._fullData?.find(one => one.name === trace && one.customdata);
  const plot = [...document.querySelectorAll(".js-plotly-plot")].find(drawn);
  const data = drawn(plot), { xaxis, yaxis } = plot._fullLayout;
  plot.scrollIntoView({ block: "center" });
  const area = plot.querySelector(".nsewdrag").getBoundingClientRect();
  return [area.x + xaxis.l2p(data.x[0]), area.y + yaxis.l2p(data.y[0]), data.customdata[0][0]];
}"""
"""Where the first patient of a trace is drawn, and who it is."""


@pytest.fixture
def hecktor(open_page):
    return partial(open_page, "hecktor2026")


def shows_patient(page: Page, patient: str) -> None:
    """The viewer is open, ready and shows that patient, and the address says so."""
    stage = page.locator(".viewer[data-ready] .stage")
    expect(stage).to_be_visible()
    expect(
        page.locator(f".stage[aria-label*='{patient}'], .stage [aria-label*='{patient}']").first
    ).to_be_attached()
    driver.settled(page)
    assert f"patient={patient}" in page.url
    assert "tab=Viewer" in page.url


def card(team: str, **options) -> scoring.ScoreCard:
    truth = CHALLENGE.read_truth(SAMPLE.path)
    return CHALLENGE.score(
        truth, CHALLENGE.read_predictions(SAMPLE.submissions[team].path, truth), **{"resamples": 0, **options}
    )


@pytest.mark.soak
def test_a_point_of_a_chart_opens_its_patient(hecktor):
    page = hecktor("?submission=mira")
    expect(page.get_by_test_id("stPlotlyChart").locator(".nsewdrag")).to_have_count(6)
    x, y, patient = page.evaluate(POINT, "GTVp")
    page.mouse.click(x, y)
    shows_patient(page, patient)


@pytest.mark.soak
def test_a_place_that_was_clicked_is_in_the_link_and_comes_back(hecktor):
    page = hecktor("?tab=Viewer&patient=ALD-003")
    shows_patient(page, "ALD-003")
    page.locator(".stage").click(position={"x": 200, "y": 220})
    driver.settled(page)
    assert "place=axial-" in page.url
    told = page.locator(".tags .tl").inner_text()
    link = driver.visit(page.context, page.url)
    shows_patient(link, "ALD-003")
    expect(link.locator(".tags .tl")).to_have_text(told)
    link.get_by_role("button", name="Next patient").click()
    shows_patient(link, "ALD-004")
    assert "place=" not in link.url
