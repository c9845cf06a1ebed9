"""A board in the browser: an organizer's walk, and what the public page sends."""

from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from scoring.boards.board import opened
from scoring.boards.bundles import bundle
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.boards.serialization import zipped
from scoring.boards.truth_correction.correction_preview import correction
from scoring.store.database import open_store
from tests.browser import driver
from tests.support.boards import CASES, labels, predictions

WRONG = (0, 3, 7, 11, 14, 20)
"""Cases whose label is corrected. One team of the walk predicts the wrong labels of them."""
DAYS = ("2026-10-01", "2026-10-08", "2026-10-15")


def cells(table, row: int) -> list[str]:
    """What a row of a table says to who cannot see it; 0 is its head."""
    return table.locator("tr").nth(row).locator("td, th").all_text_contents()


@pytest.mark.soak
def test_an_organizers_walk(visitor, server, tmp_path):
    board_id = f"walk-{uuid4().hex[:8]}"
    page = driver.visit(visitor(), f"{server.address}/board")
    if not page.get_by_label("Title", exact=True).is_visible():
        page.get_by_text("New board", exact=True).click()
    page.get_by_label("Challenge", exact=True).click()
    page.get_by_role("option", name="Melanoma", exact=True).click()
    driver.settled(page)
    page.get_by_label("Title", exact=True).fill("A walk")
    page.get_by_label("Address", exact=True).fill(board_id)
    page.keyboard.press("Tab")
    truth = labels(tmp_path / "labels.csv", wrong=WRONG).read_bytes()
    page.locator(".st-key-board_new_truth_file input[type=file]").set_input_files(_file("labels.csv", truth))
    driver.settled(page).get_by_role("button", name="Create the board").click()
    page.wait_for_url(f"**board={board_id}*")

    driver.tab(page, "Submissions")
    weeks = {
        f"{team}/{day}.csv": predictions(
            tmp_path / "p.csv",
            3 * week + place,
            0.5,
            (*(WRONG if team == "alpha" else ()), *range(30, 36 - 2 * week + place)),
        ).read_bytes()
        for week, day in enumerate(DAYS)
        for place, team in enumerate(("alpha", "beta", "gamma"))
    }
    pack = page.locator(f".st-key-board_{board_id}_teams_zip_files input[type=file]")
    pack.set_input_files(_file("weeks.zip", zipped(weeks.items())))
    driver.settled(page).get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_text("9 submissions scored")).to_be_visible()
    store = open_store()
    before = board_ranking(opened(store, board_id)).as_dict()["teams"]
    assert before[0]["team"] == "alpha"

    driver.tab(page, "Corrections")
    corrected = labels(tmp_path / "corrected.csv").read_bytes()
    page.locator(f".st-key-board_{board_id}_truth_file input[type=file]").set_input_files(
        _file("corrected.csv", corrected)
    )
    driver.settled(page).get_by_role("button", name="Score all again").click()
    page.get_by_role("button", name="Show the correction to everybody").click()
    shown = page.get_by_role("heading", name="What did the correction change?")
    expect(shown).to_be_visible()
    after = board_ranking(opened(store, board_id))
    assert after.as_dict()["teams"][-1]["team"] == "alpha", "the first is last now"
    changed = correction(after.board, opened(store, board_id, 1)).changes
    (alpha,) = (one for one in changed if one.team == "alpha")
    assert alpha.ranks == (1, 3)
    assert alpha.lost == {CASES[i] for i in WRONG}
    assert all(one.gained == alpha.lost for one in changed if one is not alpha)
    driver.settled(page)
    expect(page.get_by_text("Of 3 teams: 3 with another rank.")).to_be_visible()
    by_case = page.get_by_test_id("stDataFrame").last
    assert [cells(by_case, row) for row in (1, len(WRONG))] == [
        [CASES[i], "labels", ", ".join(one.team for one in changed if one is not alpha), "alpha"]
        for i in (WRONG[0], WRONG[-1])
    ]

    driver.settled(page)
    with page.expect_download() as report:
        page.get_by_role("button", name="Report (HTML)").click()
    assert "A walk" in Path(report.value.path()).read_text(encoding="utf-8")
    page.get_by_text("with the test sets").click()
    driver.settled(page)
    with page.expect_download() as whole:
        page.get_by_role("button", name="Whole board (zip)").click()
    data = Path(whole.value.path()).read_bytes()
    elsewhere = open_store(tmp_path / "elsewhere")
    assert bundle.import_board(elsewhere, data) == board_id
    assert bundle.export(opened(elsewhere, board_id), with_truth=True) == data

    driver.tab(page, "Settings")
    page.get_by_text("Delete the board", exact=True).click()
    page.get_by_label("Address of the board").fill(board_id)
    page.keyboard.press("Tab")
    driver.settled(page).get_by_role("button", name="Delete for good").click()
    expect(page.get_by_text("A walk is deleted. Deleted submissions: 9.")).to_be_visible()
    driver.settled(page).get_by_text("Import a board", exact=True).click()
    page.locator(".st-key-board_bundle_file input[type=file]").set_input_files(_file("walk.zip", data))
    driver.settled(page).get_by_role("button", name="Import the board").click()
    page.wait_for_url(f"**board={board_id}*")
    driver.tab(page, "Corrections")
    expect(page.get_by_text("Of 3 teams: 3 with another rank.")).to_be_visible()
    assert bundle.export(opened(store, board_id), with_truth=True) == data


def _file(name: str, data: bytes) -> dict:
    return {"name": name, "mimeType": "application/octet-stream", "buffer": data}
