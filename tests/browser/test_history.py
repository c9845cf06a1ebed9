"""Back and Forward go back to what a visitor has seen: a tab, a team, a page."""

from playwright.sync_api import expect

from tests.browser import driver


def test_back_and_forward_restore_page_team_and_tab(tricorder3):
    page = tricorder3()
    title = page.locator(".st-key-bar_title")
    driver.tab(page, "Preflight")  # no figures, which take long to draw
    page.get_by_role("combobox", name="Submission", exact=True).click()
    page.get_by_role("option", name="Delphi").click()
    expect(title).to_have_text("Delphi")
    driver.settled(page)
    page.get_by_role("link", name="Melanoma").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Melanoma")
    driver.settled(page)
    first, aurora, delphi = ("Points", "Aurora"), ("Preflight", "Aurora"), ("Preflight", "Delphi")
    back = ((page.go_back, delphi), (page.go_back, aurora), (page.go_back, first))
    for go, (tab, team) in (*back, (page.go_forward, aurora)):
        go()
        expect(page.get_by_role("tab", name=tab, exact=True)).to_have_attribute("aria-selected", "true")
        expect(title).to_have_text(team)
        driver.settled(page)
        page.wait_for_function("() => !window.oneEntry.busy")
