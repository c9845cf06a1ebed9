"""Names from strangers. That nothing leaves the machine and no dialog opens is watched in every test, and so
here."""

import pytest
from playwright.sync_api import Page

from tests.browser import driver
from tests.support import lesion_tables
from tests.support.payloads import PAYLOADS

CASES = tuple(payload.replace("\n", " ") for payload in PAYLOADS)
LABELS = tuple(lesion_tables.CLASSES[i % 11] for i in range(len(CASES)))
CALLED = tuple(lesion_tables.CLASSES[(i + 8) % 11] for i in range(len(CASES)))
EFFECTS = """() => [...document.querySelectorAll(`
  [href*="evil"], [src*="evil"], [style*="evil"], [href^="javascript"], [onerror], iframe, .katex,
  [data-testid="stMain"] h1 + h1
`)].map(e => e.outerHTML)"""


def assert_nothing_took_effect(page: Page) -> None:
    assert page.evaluate(EFFECTS) == []
    assert page.get_by_test_id("stException").count() == 0
    assert page.evaluate("() => getComputedStyle(document.body).display") != "none"


@pytest.mark.soak
def test_names_of_cases_do_nothing_on_any_tab(tricorder3):
    page = driver.give(tricorder3(), "set", "truth.csv", lesion_tables.truth(CASES, LABELS))
    driver.give(page, "submission", "few.csv", lesion_tables.predictions(CASES[:1], CALLED[:1]))
    assert_nothing_took_effect(page)
    driver.give(page, "submission", "told.csv", lesion_tables.predictions(CASES, CALLED))
    page.keyboard.press("Escape")
    for name in driver.TABS:
        assert_nothing_took_effect(driver.tab(page, name))


@pytest.mark.soak
def test_names_of_files_do_nothing(tricorder3):
    page = tricorder3()
    for payload in PAYLOADS:
        driver.give(page, "submission", f"{payload}.csv", b"nothing")
        assert_nothing_took_effect(page)
    for payload in PAYLOADS[:3]:
        driver.give(page, "set", f"{payload}.csv", b"nothing")
        assert_nothing_took_effect(page)
