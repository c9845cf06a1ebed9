"""What is kept outlives the browser: another visit finds it, opens it as it was, and deletes it."""

import pytest
from playwright.sync_api import expect

from scoring.challenges import samples
from tests.browser import driver

TEAM = samples.test_sets("melanoma")["sample"].submissions["fornax"].path


@pytest.fixture
def own_server(tmp_path, monkeypatch):
    """A server with a store of its own."""
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    with driver.served() as started:
        yield started


@pytest.mark.soak
def test_an_own_file_is_kept_and_opened_by_another_visit(own_server, visitor, tmp_path):
    page = driver.visit(visitor(), f"{own_server.address}/melanoma?tab=History")
    driver.give(page, "submission", "mine.csv", TEAM.read_bytes())
    page.get_by_role("button", name="Save this").click()
    page.get_by_label("Note", exact=True).fill("with colour jitter")
    page.get_by_label("Note", exact=True).press("Tab")
    driver.settled(page).get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", name="Did the submissions get better?")).to_be_visible()
    page.close()

    page = driver.visit(visitor(viewport=driver.PHONE), f"{own_server.address}/melanoma?tab=History")
    page.get_by_role("button", name="Open again").click()
    expect(page.get_by_text("has the same result as when it was saved on")).to_contain_text("mine.csv")
    assert not driver.settled(page).evaluate(driver.WIDER)
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_text("Nothing is saved yet")).to_be_visible()
    content = TEAM.read_bytes()
    files = [path for path in (tmp_path / "store").rglob("*") if path.is_file()]
    assert [path for path in files if content in path.read_bytes() or b"jitter" in path.read_bytes()] == []
