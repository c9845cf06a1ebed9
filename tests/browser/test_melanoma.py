"""The page of melanoma: its slider, its inputs, its links."""

import json

import pytest
from playwright.sync_api import Page, expect

import scoring
from scoring.challenges import samples
from scoring.challenges.melanoma.threshold import counts_at
from scoring.presentation.figures.numerals import points
from tests.browser import driver
from tests.browser.driver import ROOT
from tests.support.command_line import run

CHALLENGE = scoring.load_challenge("melanoma")
SAMPLE = samples.test_sets("melanoma")["sample"]
GOLDEN = ROOT / "tests" / "golden" / "melanoma"
TEAM = next(s.path for s in SAMPLE.submissions.values() if not s.is_model)


@pytest.fixture
def melanoma(visitor, server):
    """Opens the page for a new visitor, with what an address says behind its question mark."""

    def open_page(question: str = "", theme: str = "light", viewport=driver.DESKTOP) -> Page:
        return driver.visit(visitor(theme, viewport), f"{server.address}/melanoma{question}")

    return open_page


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
    expect(page.get_by_text(flagged(TEAM, 0.0))).to_be_visible(timeout=driver.PATIENCE)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_text(f"Above 0.003: {flagged(TEAM, 0.003)}")).to_be_visible(timeout=driver.PATIENCE)
    driver.settled(page)
    assert "threshold=0.003" in page.url
    assert page.get_by_test_id("stMetricValue").inner_text() == score
    page.get_by_role("button", name="Official 0.5").click()
    expect(page.get_by_text(f"Above 0.500: {flagged(TEAM, 0.5)}")).to_be_visible(timeout=driver.PATIENCE)


@pytest.mark.soak
def test_the_best_threshold_is_named_with_its_warning(melanoma):
    page = melanoma()
    page.get_by_role("button", name="Best on these cases").click()
    expect(page.get_by_text("chosen on these cases").first).to_be_visible()
    expect(page.get_by_text("on new cases expect less")).to_be_visible()
    driver.settled(page)
    assert "threshold=" in page.url
    assert page.get_by_test_id("stException").count() == 0


@pytest.mark.soak
@pytest.mark.parametrize(
    "question",
    [
        pytest.param("?submission=gemini&threshold=0.031", marks=pytest.mark.soak),
        "?submission=helios&tab=Missed&prevalence=2%25",
        pytest.param("?tab=Net+benefit&prevalence=10%25", marks=pytest.mark.soak),
    ],
)
def test_an_address_shows_the_same_to_another_visitor(melanoma, question):
    first = melanoma(question)
    other = melanoma("?" + first.url.partition("?")[2])
    assert other.get_by_test_id("stMain").inner_text() == first.get_by_test_id("stMain").inner_text()
    assert set(question[1:].split("&")) <= set(first.url.partition("?")[2].split("&"))


@pytest.mark.soak
def test_the_threshold_outlives_a_change_of_tab(melanoma):
    page = melanoma("?threshold=0.2")
    driver.tab(page, "Missed")
    driver.tab(page, "Threshold")
    expect(page.get_by_text(f"Above 0.200: {flagged(TEAM, 0.2)}")).to_be_visible(timeout=driver.PATIENCE)


@pytest.mark.soak
def test_dropped_tables_are_scored(melanoma):
    folder = GOLDEN / "01-plain-300"
    page = driver.give(melanoma(), "set", "truth.csv", (folder / "truth.csv").read_bytes())
    page.get_by_text("300 cases were read").wait_for()
    driver.give(page, "submission", "predictions.csv", (folder / "predictions.csv").read_bytes())
    driver.shows(
        page, json.loads((folder / "case.json").read_text(encoding="utf-8"))["expect"]["score"], points
    )


@pytest.mark.soak
def test_a_dropped_zip_with_a_dropped_model_is_scored(melanoma):
    folder = GOLDEN / "09-onnx-zip"
    page = driver.give(melanoma(), "set", "dataset.zip", (folder / "dataset.zip").read_bytes())
    page.get_by_text("8 cases were read").wait_for()
    driver.give(page, "submission", "model.onnx", (folder / "model.onnx").read_bytes())
    card = run(
        "score",
        "melanoma",
        "--truth",
        folder / "dataset.zip",
        "--model",
        folder / "model.onnx",
        "--resamples",
        0,
        "--json",
        "-",
    ).json
    driver.shows(page, card["score"], points)
    driver.tab(page, "Cases")
    expect(page.get_by_text("224 × 224").first).to_be_visible(timeout=driver.PATIENCE)


BAD = {
    "garbage.csv": bytes(range(256)) * 9,
    "wrong rows.csv": (GOLDEN / "07-refused" / "predictions.csv").read_bytes(),
    "truncated.zip": (GOLDEN / "09-onnx-zip" / "dataset.zip").read_bytes()[:-900],
    "pickle.onnx": b"\x80\x04\x95\x17\x00\x00cos\nsystem\n(S'true'\ntR.",
    "cut.onnx": (GOLDEN / "09-onnx-zip" / "model.onnx").read_bytes()[:9000],
}


@pytest.mark.soak
def test_bad_files_are_answered_with_every_problem(melanoma, tmp_path):
    folder = GOLDEN / "07-refused"
    page = driver.give(melanoma(), "set", "own truth.csv", (folder / "truth.csv").read_bytes())
    for name, content in BAD.items():
        path = tmp_path / name
        path.write_bytes(content)
        what = "--model" if name.endswith(".onnx") else "--predictions"
        problems = run("score", "melanoma", "--truth", folder / "truth.csv", what, path, "--json", "-").json[
            "problems"
        ]
        driver.give(page, "submission", name, content)
        expect(page.get_by_text(f"This cannot be scored: {len(problems)} problem")).to_be_visible(
            timeout=driver.PATIENCE
        )
        for code in {problem["code"] for problem in problems}:
            expect(page.get_by_text(code, exact=True).first).to_be_visible()
        assert page.get_by_test_id("stException").count() == 0
    page.locator(".st-key-melanoma_set_back button").click()
    driver.settled(page)
    driver.give(page, "submission", TEAM.name, TEAM.read_bytes())
    driver.shows(
        page,
        run(
            "score",
            "melanoma",
            "--truth",
            SAMPLE.path,
            "--predictions",
            TEAM,
            "--resamples",
            0,
            "--json",
            "-",
        ).json["score"],
        points,
    )
