"""Own files, dropped on the page."""

import re

import onnx
import pytest
from onnx import TensorProto, helper
from playwright.sync_api import Page, expect

from scoring.challenges import samples
from tests.browser import driver
from tests.browser.driver import ROOT
from tests.inference import builders
from tests.support.archives import archive_of, archive_of_folder
from tests.support.command_line import run
from tests.support.thinned import some

SAMPLE = samples.test_sets("tricorder3")["sample"]
GOLDEN = ROOT / "tests" / "golden" / "tricorder3"
TEAM = SAMPLE.submissions["delphi"].path


def shows(page: Page, *arguments: object) -> None:
    """The page shows the score of the command line, to the last digit."""
    card = run("score", "tricorder3", *arguments, "--resamples", 0, "--json", "-").json
    expect(page.get_by_test_id("stMetricValue")).to_have_text(
        f"{100 * card['score']:.2f}", timeout=driver.PATIENCE
    )
    expect(page.get_by_text(repr(card["score"]))).to_be_visible(timeout=driver.PATIENCE)


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
def test_a_dropped_prediction_file_is_scored(tricorder3):
    page = driver.give(tricorder3(), "submission", TEAM.name, TEAM.read_bytes())
    shows(page, "--truth", SAMPLE.path, "--predictions", TEAM)


def test_a_dropped_test_set_with_a_dropped_model_is_scored(tricorder3):
    folder = GOLDEN / "10-onnx-160"
    page = driver.give(tricorder3(), "set", "test_set.zip", archive_of_folder(folder / "dataset"))
    page.get_by_text("8 cases were read").wait_for()
    driver.give(page, "submission", "model.onnx", (folder / "model.onnx").read_bytes())
    shows(page, "--truth", folder / "dataset", "--model", folder / "model.onnx")


BAD = {
    "garbage.csv": bytes(range(256)) * 9,
    "wrong rows.csv": (GOLDEN / "08-refused" / "predictions.csv").read_bytes(),
    "climbing.zip": archive_of({"../../predictions.csv": TEAM.read_bytes()}),
    "truncated.zip": archive_of_folder(GOLDEN / "01-public-a")[:-400],
    "pickle.onnx": b"\x80\x04\x95\x17\x00\x00cos\nsystem\n(S'true'\ntR.",
    "cut.onnx": (GOLDEN / "10-onnx-160" / "model.onnx").read_bytes()[:9000],
}


@pytest.mark.soak
def test_bad_files_are_answered_and_nothing_else_is_lost(tricorder3, tmp_path):
    """One visitor, one bad file after another: each is answered with every problem; the test set stays, and
    then a good file is scored."""
    folder = GOLDEN / "08-refused"
    page = driver.give(tricorder3(), "set", "own truth.csv", (folder / "truth.csv").read_bytes())
    for name, content in BAD.items():
        path = tmp_path / name
        path.write_bytes(content)
        what = "--model" if name.endswith(".onnx") else "--predictions"
        problems = run(
            "score", "tricorder3", "--truth", folder / "truth.csv", what, path, "--json", "-"
        ).json["problems"]
        driver.give(page, "submission", name, content)
        expect(page.get_by_text(f"This cannot be scored: {len(problems)} problem")).to_be_visible(
            timeout=driver.PATIENCE
        )
        for code in {problem["code"] for problem in problems}:
            expect(page.get_by_text(code, exact=True).first).to_be_visible()
        expect(page.get_by_text("own truth.csv").first).to_be_visible()
        assert page.get_by_test_id("stException").count() == 0
    page.keyboard.press("Escape")
    page.locator("[class*='_set_back'] button").click()
    driver.settled(page)
    driver.give(page, "submission", TEAM.name, TEAM.read_bytes())
    shows(page, "--truth", SAMPLE.path, "--predictions", TEAM)


@pytest.mark.soak
def test_a_long_run_shows_how_far_it_is_can_be_cancelled_and_gives_way_to_another_file(tricorder3):
    onnx.checker.check_model(onnx.load_from_string(slow()))
    page = tricorder3("?submission=delphi")
    zone = page.locator(driver.zone("submission"))
    expect(zone).to_have_attribute("aria-label", re.compile("up to 512 MB"))
    assert not re.search(r"\d ?GB", zone.inner_text())
    with page.expect_response(lambda answer: "upload_file" in answer.url):
        driver.drop(page, driver.zone("submission"), "slow.onnx", slow())
    runs = page.get_by_text(re.compile(r"^[1-9]\d* of 220 images"))
    expect(runs).to_be_visible(timeout=driver.PATIENCE)
    expect(page.get_by_test_id("stMetricValue")).to_have_count(0)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("The run was cancelled")).to_be_visible(timeout=driver.PATIENCE)
    expect(driver.settled(page).get_by_test_id("stMetricValue")).to_have_count(0)
    page.get_by_role("button", name="Run again").click()
    expect(runs).to_be_visible(timeout=driver.PATIENCE)
    driver.give(page, "submission", TEAM.name, TEAM.read_bytes())
    expect(page.get_by_text("slow.onnx was still running. It was stopped")).to_be_visible()
    shows(page, "--truth", SAMPLE.path, "--predictions", TEAM)


@pytest.mark.soak
def test_an_own_file_outlives_a_change_of_page(tricorder3):
    page = driver.give(tricorder3(), "submission", "mine.csv", TEAM.read_bytes())
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Benchside").first.click()
    page.get_by_text("Open on sample data").first.wait_for()
    driver.settled(page)
    page.get_by_role("link", name="TRICORDER-3").first.click()
    expect(page.get_by_text("mine.csv").first).to_be_visible(timeout=driver.PATIENCE)
    shows(driver.settled(page), "--truth", SAMPLE.path, "--predictions", TEAM)


@pytest.mark.soak
def test_one_own_file_after_another(tricorder3):
    page = tricorder3()
    for turn in range(8):
        driver.give(page, "submission", f"{turn}.csv", b"id" * turn)
        expect(page.get_by_text(f"{turn}.csv").first).to_be_visible()
        expect(page.get_by_text("This cannot be scored")).to_be_visible()


@pytest.mark.soak
@pytest.mark.parametrize("key", some(["set", "submission"], 2))
def test_the_way_back_to_the_sample(tricorder3, key):
    page = tricorder3()
    before = page.get_by_test_id("stMetricValue").inner_text()
    driver.give(page, key, "x.csv", b"nothing")
    expect(page.get_by_test_id("stMetricValue")).to_have_count(0)
    page.keyboard.press("Escape")
    page.locator(f"[class*='_{key}_back'] button").click()
    expect(page.get_by_test_id("stMetricValue")).to_have_text(before)


def test_an_own_file_outlives_reloads_and_what_is_gone_is_said(tricorder3):
    page = driver.give(tricorder3(), "submission", TEAM.name, TEAM.read_bytes())
    own = page.get_by_test_id("stMetricValue").inner_text()
    for _ in range(2):
        page.reload()
        expect(page.get_by_text(TEAM.name).first).to_be_visible(timeout=driver.PATIENCE)
        expect(page.get_by_test_id("stMetricValue")).to_have_text(own, timeout=driver.PATIENCE)
    driver.settled(page)
    gone = '{"token": "of another server", "names": ["lost.csv"]}'
    page.evaluate("value => sessionStorage.setItem('benchside-files', value)", gone)
    page.reload()
    said = page.get_by_text("the server no longer has your files: lost.csv")
    expect(said).to_be_visible(timeout=driver.PATIENCE)
    expect(page.get_by_text("What is shown now is a sample")).to_be_visible()
    page.get_by_role("button", name="Close", exact=True).click()
    expect(said).to_have_count(0, timeout=driver.PATIENCE)
