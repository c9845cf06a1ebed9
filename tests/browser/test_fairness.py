"""Several visitors at once: a slow model of one holds up nobody, and who finds no place for a model sees the
line."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser import driver
from tests.browser.test_inputs import slow
from tests.inference import builders

LONG = 60_000


def quick(seed: int = 0) -> bytes:
    return builders.classifier(vector=True, seed=seed)


@pytest.mark.soak
def test_a_slow_model_of_one_visitor_holds_up_nobody_else(visitor, server):
    hog, other = (driver.visit(visitor(), f"{server.address}/tricorder3") for _ in range(2))
    with hog.expect_response(lambda answer: "upload_file" in answer.url):
        driver.drop(hog, driver.zone("submission"), "slow.onnx", slow())
    running = re.compile(r"^[1-9]\d* of 220 model runs")
    expect(hog.get_by_text(running)).to_be_visible()
    with other.expect_response(lambda answer: "upload_file" in answer.url):
        driver.drop(other, driver.zone("submission"), "quick.onnx", quick())
    expect(other.get_by_text("quick.onnx").first).to_be_visible()
    expect(other.get_by_text(re.compile(r"^\d+ of 220 model runs"))).to_be_visible()
    expect(other.get_by_test_id("stMetricValue").first).to_be_visible(timeout=LONG)
    assert hog.get_by_text(running).count() == 1, "the slow one goes on"
    hog.keyboard.press("Escape")
    hog.get_by_role("button", name="Cancel").click()
    expect(hog.get_by_text("The run was cancelled")).to_be_visible()
