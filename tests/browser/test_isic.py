"""The page of the ISIC Challenge: its inputs, the matrix that opens cases, its sliders, its links."""

import json

import pytest
from playwright.sync_api import Page, expect

import scoring
from scoring.challenges import samples
from scoring.challenges.isic import thresholds
from scoring.presentation.figures.numerals import share
from tests.browser import driver
from tests.browser.driver import ROOT
from tests.support.archives import archive_of, archive_of_folder
from tests.support.command_line import run

CHALLENGE = scoring.load_challenge("isic")
SAMPLE = samples.test_sets("isic")["isic2019"]
TEAM = SAMPLE.submissions["lyra"].path
GOLDEN = ROOT / "tests" / "golden" / "isic"


@pytest.fixture
def isic(visitor, server):
    """Opens the page for a new visitor, with what an address says behind its question mark."""

    def open_page(question: str = "", theme: str = "light", viewport=driver.DESKTOP) -> Page:
        return driver.visit(visitor(theme, viewport), f"{server.address}/isic{question}")

    return open_page


def expected(name: str) -> dict:
    return json.loads((GOLDEN / name / "case.json").read_text(encoding="utf-8"))["expect"]


@pytest.mark.soak
def test_dropped_tables_have_the_official_score(isic):
    folder = GOLDEN / "isic2019-unk"
    page = driver.give(isic(), "set", "truth.csv", (folder / "truth.csv").read_bytes())
    driver.give(page, "submission", "predictions.csv", (folder / "predictions.csv").read_bytes())
    driver.shows(
        page,
        run(
            "score",
            "isic",
            "--truth",
            folder / "truth.csv",
            "--predictions",
            folder / "predictions.csv",
            "--resamples",
            0,
            "--json",
            "-",
        ).json["score"],
    )


@pytest.mark.soak
def test_a_dropped_test_set_with_a_dropped_model_is_scored(isic):
    folder = GOLDEN / "model"
    page = driver.give(isic(), "set", "test_set.zip", archive_of_folder(folder / "data"))
    driver.give(page, "submission", "model.onnx", (folder / "model.onnx").read_bytes())
    expect(page.get_by_test_id("stMetricValue")).to_have_text(
        share(expected("model")["score"]), timeout=driver.PATIENCE
    )
    driver.tab(page, "Cases")
    expect(page.get_by_alt_text("Pixels that the model receives of").first).to_be_visible()


BAD = {
    "garbage.csv": bytes(range(256)) * 9,
    "wrong rows.csv": (GOLDEN / "refused-predictions" / "predictions.csv").read_bytes(),
    "climbing.zip": archive_of({"../../predictions.csv": TEAM.read_bytes()}),
    "truncated.zip": archive_of_folder(GOLDEN / "by-hand")[:-400],
    "pickle.onnx": b"\x80\x04\x95\x17\x00\x00cos\nsystem\n(S'true'\ntR.",
    "cut.onnx": (GOLDEN / "model" / "model.onnx").read_bytes()[:900],
}


@pytest.mark.soak
def test_bad_files_are_answered_and_nothing_else_is_lost(isic, tmp_path):
    """One visitor, one bad file after another: each is answered with every problem, and then a good file is
    scored."""
    page = isic()
    for name, content in BAD.items():
        path = tmp_path / name
        path.write_bytes(content)
        what = "--model" if name.endswith(".onnx") else "--predictions"
        problems = run("score", "isic", "--truth", SAMPLE.path, what, path, "--json", "-").json["problems"]
        driver.give(page, "submission", name, content)
        expect(page.get_by_text(f"This cannot be scored: {len(problems)} problem")).to_be_visible(
            timeout=driver.PATIENCE
        )
        for code in {problem["code"] for problem in problems}:
            expect(page.get_by_text(code, exact=True).first).to_be_visible()
        assert page.get_by_test_id("stException").count() == 0
    driver.give(page, "submission", TEAM.name, TEAM.read_bytes())
    driver.shows(
        page,
        run(
            "score", "isic", "--truth", SAMPLE.path, "--predictions", TEAM, "--resamples", 0, "--json", "-"
        ).json["score"],
    )


def click_cell(page: Page, row: int, column: int) -> None:
    page.locator(".js-plotly-plot").first.scroll_into_view_if_needed()
    x, y = page.evaluate(driver.CELL, [row, column])
    page.mouse.move(x, y)
    expect(page.locator(".hoverlayer .hovertext")).to_be_visible()
    page.mouse.click(x, y)


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
        expect(page.get_by_role("heading", name=f"{names[0]} → {names[1]}: {count} case")).to_be_visible(
            timeout=driver.PATIENCE
        )
        driver.settled(page)
    link = driver.visit(page.context, page.url)
    expect(link.get_by_role("heading", name=f"{names[0]} → {names[1]}: {count} case")).to_be_visible(
        timeout=driver.PATIENCE
    )


@pytest.mark.soak
def test_a_name_in_the_legend_hides_its_curve(isic):
    page = isic("?tab=Curves&curve=all+in+one")
    shown = "() => document.querySelector('.js-plotly-plot')._fullData.filter(t => t.visible === true).length"
    page.locator(".js-plotly-plot .legendtoggle").first.wait_for()
    before = page.evaluate(shown)
    page.locator(".js-plotly-plot .legendtoggle").first.click()
    page.wait_for_function(f"before => ({shown})() === before - 2", arg=before, timeout=driver.PATIENCE)


@pytest.mark.soak
def test_a_slider_moves_its_numbers_and_the_address_but_not_the_score(isic):
    page = isic("?submission=lyra&tab=Thresholds")
    score = page.get_by_test_id("stMetricValue").inner_text()
    truth = CHALLENGE.read_truth(SAMPLE.path)
    card = CHALLENGE.score(truth, CHALLENGE.read_predictions(TEAM, truth), resamples=0)
    page.get_by_role("slider").first.focus()
    page.keyboard.press("Home")
    moved = share(thresholds.at(card, {"MEL": 0.0})["macro_f1"])
    expect(page.get_by_role("strong").filter(has_text=moved).first).to_be_visible(timeout=driver.PATIENCE)
    driver.settled(page)
    assert "cut_MEL=0" in page.url
    assert page.get_by_test_id("stMetricValue").inner_text() == score


@pytest.mark.soak
def test_a_rescaled_file_that_was_downloaded_scores_what_was_shown(isic):
    page = isic("?submission=lyra&tab=Thresholds&cut_MEL=0.2&cut_SCC=0.1")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Rescaled predictions").click()
    truth = CHALLENGE.read_truth(SAMPLE.path)
    card = CHALLENGE.score(truth, CHALLENGE.read_predictions(TEAM, truth), resamples=0)
    rescaled = CHALLENGE.score(truth, CHALLENGE.read_predictions(waiting.value.path(), truth), resamples=0)
    said = thresholds.at(card, {"MEL": 0.2, "SCC": 0.1})
    assert rescaled.metrics["macro_f1"] == said["macro_f1"]
    assert rescaled.score == said["balanced_accuracy"]


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
