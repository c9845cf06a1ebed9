"""Own files, dropped on the page."""

import pytest
from onnx import TensorProto, helper
from playwright.sync_api import Page, expect

from scoring.challenges import samples
from tests.browser import driver
from tests.inference import builders
from tests.support.command_line import run

SAMPLE = samples.test_sets("tricorder3")["sample"]
TEAM = SAMPLE.submissions["delphi"].path


def shows(page: Page, *arguments: object) -> None:
    """The page shows the score of the command line, to the last digit."""
    card = run("score", "tricorder3", *arguments, "--resamples", 0, "--json", "-").json
    expect(page.get_by_test_id("stMetricValue").first).to_have_text(f"{100 * card['score']:.2f}")
    expect(page.get_by_text(repr(card["score"]))).to_be_visible()


def slow(turns: int = 400_000) -> bytes:
    """A model that takes its time for each image."""
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Sin", ["before"], ["after"])],
        "body",
        [
            helper.make_tensor_value_info("turn", TensorProto.INT64, []),
            helper.make_tensor_value_info("go", TensorProto.BOOL, []),
            helper.make_tensor_value_info("before", TensorProto.FLOAT, None),
        ],
        [
            helper.make_tensor_value_info("on", TensorProto.BOOL, []),
            helper.make_tensor_value_info("after", TensorProto.FLOAT, None),
        ],
    )
    nodes = [
        helper.make_node("ReduceMin", ["image"], ["low"], keepdims=0),
        helper.make_node("Loop", ["turns", "", "low"], ["x"], body=body),
    ]
    return builders.scores_from(nodes, [builders.initializer("turns", turns)])


@pytest.mark.soak
def test_an_own_file_outlives_a_change_of_page(tricorder3):
    page = driver.give(tricorder3(), "submission", "mine.csv", TEAM.read_bytes())
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Benchside").first.click()
    page.get_by_text("Open on sample data").first.wait_for()
    driver.settled(page)
    page.get_by_role("link", name="TRICORDER-3").first.click()
    expect(page.get_by_text("mine.csv").first).to_be_visible()
    shows(driver.settled(page), "--truth", SAMPLE.path, "--predictions", TEAM)


def test_an_own_file_outlives_reloads_and_what_is_gone_is_said(tricorder3):
    page = driver.give(tricorder3(f"?{driver.PLAIN}"), "submission", TEAM.name, TEAM.read_bytes())
    own = page.get_by_test_id("stMetricValue").first.inner_text()
    for _ in range(2):
        page.reload()
        expect(page.get_by_text(TEAM.name).first).to_be_visible()
        expect(page.get_by_test_id("stMetricValue").first).to_have_text(own)
    driver.settled(page)
    gone = '{"token": "of another server", "names": ["lost.csv"]}'
    page.evaluate("value => sessionStorage.setItem('benchside-files', value)", gone)
    page.reload()
    said = page.get_by_text("the server no longer has your files: lost.csv")
    expect(said).to_be_visible()
    expect(page.get_by_text("The page now shows a sample")).to_be_visible()
    page.get_by_role("button", name="Close", exact=True).click()
    expect(said).to_have_count(0)
