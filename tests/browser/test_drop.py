"""Files of every challenge, several, a folder: dragged anywhere by the browser's own drag and drop."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from pages.server.request_guard import FRAME_FILES
from scoring.challenges import samples
from tests.browser import driver
from tests.support.command_line import run
from tests.support.golden import FOLDER
from tests.support.platform_folders import jobs, table_answers, unpacked
from tests.support.thinned import some_rows
from tests.support.workbooks import sheet, workbook

GOLDEN = FOLDER / "tricorder3" / "01-public-a"
MIDDLE = (640, 500)
WORD = 80
"""px of a button that has a word, not a sign alone."""


@pytest.fixture
def opened(visitor, server):
    """Opens a page for a new visitor."""
    return lambda address="", **look: driver.visit(visitor(**look), f"{server.address}/{address}")


def drag(page: Page, *paths: Path, at: tuple[int, int] = MIDDLE):
    """Drag files or folders over the page, and return what drops them."""
    events = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}

    def send(kind: str) -> None:
        events.send("Input.dispatchDragEvent", {"type": kind, "x": at[0], "y": at[1], "data": data})

    send("dragEnter")
    send("dragOver")
    while not page.locator(".zone.over").count():
        page.wait_for_timeout(50)
        send("dragOver")  # a busy page takes a drag without a word for a cancelled one
    return lambda: send("drop")


@pytest.mark.parametrize(
    ("path", "address", "words"),
    some_rows(
        [
            (
                "tricorder3/teams/delphi.csv",
                "tricorder3",
                "a prediction file for TRICORDER-3: 11 classes, 220 images",
            ),
            ("melanoma/models/palette.onnx", "melanoma", "a Melanoma model: 1 output"),
            ("tricorder3/models/palette.onnx", "tricorder3", "a TRICORDER-3 model: 11 outputs"),
            ("melanoma/teams/iris.csv", "melanoma", "a prediction file for Melanoma: a score for 150 images"),
            ("isic2019/teams/juno.csv", "isic", "a prediction file for ISIC 2019: 9 categories, 306 images"),
            ("isic2019/metadata.csv", "isic", "metadata for the ISIC Challenge: 5 columns"),
            ("puma/teams/sirius.zip", "puma", "a submission to PUMA: 8 files of nuclei"),
            ("isic2018/teams/nova.csv", "isic", "a prediction file for ISIC 2018: 7 categories, 250 images"),
            ("puma/truth", "puma", "a PUMA test set: 8 files of nuclei, 8 image files"),
            ("puma/models/dense.onnx", "puma", "a model that finds nuclei, for PUMA"),
            ("hecktor2026/teams/vega.zip", "hecktor2026", "a submission to HECKTOR 2026: 48 masks"),
        ],
        11,
        first=3,
    ),
)
def test_a_file_on_the_overview_is_read_and_scored_on_its_page(opened, path, address, words):
    page = opened()
    drag(page, samples.FOLDER / path)()
    page.wait_for_url(f"**/{address}*")
    expect(page.get_by_text(words)).to_be_visible()
    driver.settled(page)
    if path == "puma/truth":  # a folder keeps its paths, and then waits for a submission
        expect(page.get_by_text("8 cases were read")).to_be_visible()
    else:
        expect(page.get_by_test_id("stMetricValue").first).to_be_visible()


def test_every_input_of_a_page_is_a_target_and_the_nearest_takes_the_drop(opened):
    page = opened(f"tricorder3?{driver.PLAIN}", theme="dark")
    drop = drag(page, GOLDEN / "truth.csv", at=(200, 600))
    zones = page.locator(".zone")
    inputs = ["Test set", "Submission", "Second submission"]
    assert [zone.locator("b").inner_text() for zone in zones.all()] == inputs
    assert "over" in zones.nth(0).get_attribute("class")
    drop()
    expect(zones.first).to_be_hidden()
    expect(page.get_by_text("50 cases were read")).to_be_visible()
    drag(page, GOLDEN / "predictions.csv", at=(200, 600))()  # on the test set, where it cannot belong
    expect(page.get_by_text("a prediction file for TRICORDER-3: 11 classes, 50 images")).to_be_visible()
    expect(page.get_by_test_id("stMetricValue").first).to_be_visible()


def test_an_upload_under_way_outlives_what_is_done_on_the_page(opened):
    page, held = opened(f"tricorder3?{driver.PLAIN}"), []
    page.route("**/_stcore/upload_file/**", lambda route: held.append(route))
    drag(page, GOLDEN / "truth.csv", at=(200, 600))()
    while not held:
        page.wait_for_timeout(50)
    driver.tab(page, "Preflight")
    page.get_by_role("button", name="Rule in full").click()
    page.keyboard.press("Escape")
    for route in held:
        route.continue_()
    expect(page.get_by_text("50 cases were read")).to_be_visible()


def test_drags_that_end_foreign_files_photographs_and_the_keyboard(opened, tmp_path):
    page = opened()
    drag(page, driver.ROOT / "README.md")
    zone = page.locator(".zone")
    expect(zone).to_be_visible()
    page.keyboard.press("Escape")
    expect(zone).to_be_hidden()
    drag(page, driver.ROOT / "README.md")
    expect(zone).to_be_hidden()  # a drag that goes on says so
    drag(page, driver.ROOT / "README.md")()
    expect(page.get_by_text("was not accepted")).to_be_visible()
    assert page.url.startswith("http")
    (tmp_path / "new folder").mkdir()
    drag(page, tmp_path / "new folder")()
    expect(page.get_by_text("The folder new folder is empty")).to_be_visible()
    drag(page, samples.FOLDER / "tricorder3" / "images" / "L0001.jpg")()
    expect(page.get_by_text("What does L0001.jpg show?")).to_be_visible()
    expect(page.get_by_text("was not accepted")).to_be_hidden()
    upload = driver.settled(page).locator(".st-key-any_files").get_by_role("button", name="Add files")
    assert upload.bounding_box()["width"] >= WORD
    with page.expect_file_chooser() as chooser:
        upload.press("Enter")
    chooser.value.set_files(samples.FOLDER / "melanoma" / "teams" / "iris.csv")
    page.wait_for_url("**/melanoma*")
    expect(page.get_by_text("a prediction file for Melanoma")).to_be_visible()


@pytest.mark.soak
def test_more_files_than_a_message_may_name_are_told_to_come_as_a_zip(opened, tmp_path):
    for number in range(FRAME_FILES + 1):
        (tmp_path / f"{number}.csv").touch()
    page = opened(f"isic?{driver.PLAIN}")
    drag(page, tmp_path)()
    expect(page.get_by_text("7,001 files were chosen, but none was read")).to_be_visible()


def excel(folder: Path, path: Path) -> list[Path]:
    """Return a table as Excel saves it where commas are decimal."""
    table = path.read_text().replace(",", ";").replace(".", ",").replace(",jpg", ".jpg")
    (folder / "excel.csv").write_bytes(table.encode("utf-8-sig"))
    return [folder / "excel.csv"]


def book(folder: Path, path: Path) -> list[Path]:
    """Return a table as a workbook."""
    first, *rows = csv.reader(path.open(newline=""))
    cells = [first, *([case, *map(float, values)] for case, *values in rows)]
    (folder / "scores.xlsx").write_bytes(workbook({"Sheet1": sheet(cells)}))
    return [folder / "scores.xlsx"]


def loose(folder: Path, path: Path) -> list[Path]:
    """Return the files of a zip, side by side."""
    return sorted(file for file in unpacked(path, folder / "loose").rglob("*") if file.is_file())


def nuclei(folder: Path, path: Path) -> list[Path]:
    """Return the lists of nuclei of a zip, side by side, without the table of their paths."""
    return [file for file in loose(folder, path) if file.suffix == ".json"]


def jobs_of(folder: Path, path: Path) -> list[Path]:
    """Return a table as job folders of Grand Challenge."""
    return [jobs(folder / "jobs", table_answers(path))]


def whole(folder: Path, path: Path) -> list[Path]:
    """Return a zip as a folder."""
    return [unpacked(path, folder / "all")]


def masks(folder: Path, path: Path) -> list[Path]:
    """Return the masks of a zip, without its table."""
    return [file for file in loose(folder, path) if file.name.endswith(".nii.gz")]


@pytest.mark.soak
@pytest.mark.parametrize(
    ("make", "challenge", "path", "answer"),
    [
        (book, "tricorder3", "tricorder3/teams/delphi.csv", None),
        (book, "isic", "isic2018/teams/nova.csv", None),
        (excel, "melanoma", "melanoma/teams/iris.csv", None),
        (excel, "tricorder3", "tricorder3/teams/delphi.csv", None),
        (loose, "hecktor2026", "hecktor2026/teams/vega.zip", None),
        (nuclei, "puma", "puma/teams/sirius.zip", None),
        (masks, "hecktor2026", "hecktor2026/teams/vega.zip", "A submission to HECKTOR 2026: 48 masks"),
        (whole, "hecktor2026", "hecktor2026/teams/mira.zip", None),
        (jobs_of, "melanoma", "melanoma/teams/iris.csv", None),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_with_at_most_one_click_the_score_is_that_of_the_command_line(
    opened, tmp_path, make: Callable[[Path, Path], list[Path]], challenge, path, answer
):
    dropped = make(tmp_path, samples.FOLDER / path)
    home = samples.FOLDER / path.split("/")[0]
    source = dropped[0] if len(dropped) == 1 else dropped[0].parent
    if answer:  # masks alone: the folder has the table too
        source = source.rename(tmp_path / "with table")
        (tmp_path / "alone").mkdir()
        dropped = [(source / file.name).rename(tmp_path / "alone" / file.name) for file in dropped]
        source = tmp_path / "alone"
    elif make in (loose, nuclei):
        source = samples.FOLDER / path
    truth = home / "truth" if challenge == "puma" else home
    card = run(
        "score", challenge, "--truth", truth, "--predictions", source, "--resamples", 0, "--json", "-"
    ).json
    page = opened()
    drag(page, *dropped)()
    if answer:
        page.get_by_role("button", name=answer).click()
    page.wait_for_url(f"**/{challenge}*")
    expect(page.get_by_text(repr(card["score"])).first).to_be_visible()
