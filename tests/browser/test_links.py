"""What stands in the address, and what another visitor sees who opens it."""

import pytest
from playwright.sync_api import Page

from tests.browser import driver


def words(page: Page) -> str:
    return page.get_by_test_id("stMain").inner_text()


@pytest.mark.soak
def test_what_is_chosen_stands_in_the_address(tricorder3):
    page = tricorder3()
    page.get_by_role("combobox", name="Submission", exact=True).click()
    page.get_by_role("option", name="Delphi").click()
    driver.tab(driver.settled(page), "Risk")
    page.get_by_role("radio", name="malignant predicted as medium").click()
    driver.settled(page)
    assert "submission=delphi" in page.url
    assert "tab=Risk" in page.url
    other = tricorder3("?" + page.url.partition("?")[2])
    assert words(other) == words(page)
