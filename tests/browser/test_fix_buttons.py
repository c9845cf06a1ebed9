"""A refused file is fixed on the page as a visitor does it, on a phone too, and that is undone."""

import pytest
from playwright.sync_api import expect

from scoring.challenges import samples
from tests.browser.driver import PATIENCE, SCREENS, give, settled, visit

TEAM = samples.test_sets("tricorder3")["sample"].submissions["aurora"].path


@pytest.mark.parametrize("screen", SCREENS)
def test_a_refused_file_is_mended_and_that_is_undone(visitor, server, screen):
    page = visit(visitor(viewport=screen), f"{server.address}/tricorder3")
    header, _, rows = TEAM.read_bytes().partition(b"\n")
    give(page, "submission", "theirs.csv", header.replace(b",", b",prob_") + b"\n" + rows)
    expect(page.get_by_text("This cannot be scored: 11 problems")).to_be_visible(timeout=PATIENCE)
    page.get_by_role("button", name="Read columns without “prob_”").click()
    expect(page.get_by_text("is fixed: Read columns without “prob_”")).to_be_in_viewport(timeout=PATIENCE)
    undo = settled(page).get_by_role("button", name="Undo")
    expect(undo).to_be_in_viewport(ratio=1)
    undo.click()
    expect(page.get_by_text("This cannot be scored: 11 problems")).to_be_visible(timeout=PATIENCE)
