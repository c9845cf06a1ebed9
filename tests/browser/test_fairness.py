"""Several visitors at once: a slow model of one holds up nobody, and who finds no place for a model sees the
line."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser import driver
from tests.browser.driver import Server
from tests.browser.test_inputs import slow
from tests.inference import builders

LONG = 60_000


@pytest.fixture
def small_server(monkeypatch) -> Iterator[Server]:
    """A server with a place for one model of a visitor's own."""
    monkeypatch.setenv("BENCHSIDE_OPEN_MODELS", "1")
    with driver.served() as started:
        yield started


def quick(seed: int = 0) -> bytes:
    return builders.classifier(vector=True, seed=seed)


@pytest.mark.soak
def test_a_slow_model_of_one_visitor_holds_up_nobody_else(visitor, server):
    hog, other = (driver.visit(visitor(), f"{server.address}/tricorder3") for _ in range(2))
    with hog.expect_response(lambda answer: "upload_file" in answer.url):
        driver.drop(hog, driver.zone("submission"), "slow.onnx", slow())
    running = re.compile(r"^[1-9]\d* of 220 images")
    expect(hog.get_by_text(running)).to_be_visible(timeout=driver.PATIENCE)
    with other.expect_response(lambda answer: "upload_file" in answer.url):
        driver.drop(other, driver.zone("submission"), "quick.onnx", quick())
    expect(other.get_by_text("quick.onnx").first).to_be_visible(timeout=driver.PATIENCE)
    expect(other.get_by_text(re.compile(r"^\d+ of 220 images"))).to_be_visible(timeout=driver.PATIENCE)
    expect(other.get_by_test_id("stMetricValue").first).to_be_visible(timeout=LONG)
    assert hog.get_by_text(running).count() == 1, "the slow one goes on"
    hog.keyboard.press("Escape")
    hog.get_by_role("button", name="Cancel").click()
    expect(hog.get_by_text("The run was cancelled")).to_be_visible(timeout=driver.PATIENCE)


@pytest.mark.soak
def test_beyond_the_cap_a_visitor_sees_the_line_and_the_page_goes_on_by_itself(visitor, small_server):
    address = f"{small_server.address}/single_image?challenge=tricorder3"
    first, second = (driver.visit(visitor(), address) for _ in range(2))
    for seed, page in enumerate((first, second)):
        page.get_by_text("Model and test set").click()
        page.locator(driver.zone("model")).wait_for()
        with page.expect_response(lambda answer: "upload_file" in answer.url):
            driver.drop(page, driver.zone("model"), "mine.onnx", quick(seed))
        expect(page.get_by_text("mine.onnx").first).to_be_visible(timeout=driver.PATIENCE)
        if page is first:
            driver.settled(page)
    expect(second.get_by_text("You are next")).to_be_visible(timeout=driver.PATIENCE)
    assert first.get_by_text("You are next").count() == 0
    expect(second.get_by_text("You are next")).to_have_count(0, timeout=LONG)
    expect(second.get_by_test_id("stException")).to_have_count(0)
