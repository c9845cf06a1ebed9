"""The page of melanoma: its slider, its inputs, its links."""

from functools import partial

import pytest
from playwright.sync_api import expect

import scoring
from scoring.challenges import samples
from scoring.challenges.melanoma.threshold import counts_at
from tests.browser import driver

CHALLENGE = scoring.load_challenge("melanoma")
SAMPLE = samples.test_sets("melanoma")["sample"]
TEAM = next(s.path for s in SAMPLE.submissions.values() if not s.is_model)


@pytest.fixture
def melanoma(open_page):
    return partial(open_page, "melanoma")


def flagged(team, threshold: float) -> str:
    """The line below the slider."""
    truth = CHALLENGE.read_truth(SAMPLE.path)
    card = CHALLENGE.score(truth, CHALLENGE.read_predictions(team, truth), resamples=0)
    (quiet, alarms), (missed, found) = counts_at(card, threshold)
    return (
        f"▲ {found} of {found + missed} melanomas flagged, {missed} missed; {alarms} of "
        f"{alarms + quiet} others flagged."
    )


@pytest.mark.parametrize("viewport", driver.SCREENS)
@pytest.mark.soak
def test_the_slider_moves_the_numbers_and_the_address_but_not_the_score(melanoma, viewport):
    page = melanoma(viewport=viewport)
    score = page.get_by_test_id("stMetricValue").inner_text()
    page.get_by_role("slider").first.focus()
    page.keyboard.press("Home")
    expect(page.get_by_text(flagged(TEAM, 0.0))).to_be_visible()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_text(f"Above 0.003: {flagged(TEAM, 0.003)}")).to_be_visible()
    driver.settled(page)
    assert "threshold=0.003" in page.url
    assert page.get_by_test_id("stMetricValue").inner_text() == score
    page.get_by_role("button", name="Official 0.5").click()
    expect(page.get_by_text(f"Above 0.500: {flagged(TEAM, 0.5)}")).to_be_visible()
