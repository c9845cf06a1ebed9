"""Every page as a visitor first meets it, on every screen and in both themes."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser import driver
from tests.browser.driver import PHONE, ROOT
from tests.support.thinned import crossed, some, some_rows

ADDRESS_OF = {"overview": "", "declared": "declared?challenge=camelyon17"}
ADDRESSES = tuple(sorted(ADDRESS_OF.get(path.stem, path.stem) for path in (ROOT / "pages").glob("*.py")))
PLAIN = ("", "about", "board", "challenges", ADDRESS_OF["declared"])
"""Pages without tabs."""
TABBED = [*(address for address in ADDRESSES if address not in PLAIN), "board?board=sample"]
QUARTERS = [(address, turn) for turn in range(4) for address in TABBED]
"""Every fourth tab of a page, from the first to the fourth."""
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
FOCUSED = """() => {
  const focused = document.activeElement;
  return (focused.getAttribute("aria-label") || focused.textContent).trim();
}"""
PAPER = """() => [...document.querySelectorAll(".js-plotly-plot")].map(plot => plot._fullLayout.font.color)"""


@pytest.mark.soak
@pytest.mark.parametrize("address", ADDRESSES)
def test_a_page_is_whole_as_the_first_request_of_a_fresh_server(visitor, fresh_server, address):
    page = driver.visit(visitor(), f"{fresh_server.address}/{address}")
    assert page.get_by_test_id("stException").count() == 0
    assert page.get_by_role("link", name="TRICORDER-3").first.is_visible()
    assert page.get_by_role("heading", level=1).count() == 1
    assert page.get_by_test_id("stMainBlockContainer").bounding_box()["width"] > 1000
    assert page.get_by_text("Research use only").is_visible()


def walk(page, rules: list[str], by: str, turn: int) -> tuple[dict, list]:
    """Every fourth tab of a page, from the first (0) to the fourth (3): what axe says of it, and which scroll
    sideways; none may fail."""
    found, wide = {}, []
    page.get_by_role("tab").first.wait_for()
    around = None  # the whole page with one tab, then the tabs alone: what is around them is the same
    for name in [tab.inner_text() for tab in page.get_by_role("tab").all()][turn::4]:
        driver.tab(page, name)
        assert page.get_by_test_id("stException").count() == 0
        options = {"runOnly": {"type": by, "values": rules}, "resultTypes": ["violations"]}
        violations = Axe().run(page, context=around, options=options).response["violations"]
        around = "[role=tabpanel]"
        found |= {(name, v["id"]): [node["html"][:200] for node in v["nodes"]] for v in violations}
        wide += [name] * page.evaluate(driver.WIDER)
    return found, wide


# `make test` looks at a quarter of the tabs of one page on each screen, `make soak` at all of all pages.
@pytest.mark.parametrize(("address", "turn"), some_rows(QUARTERS, len(QUARTERS), first=4))
def test_every_tab_is_accessible_and_fits_a_desktop(visitor, server, sample_board, address, turn):
    page = driver.visit(visitor(), f"{server.address}/{address}")
    assert walk(page, RULES, "tag", turn) == ({}, [])


@pytest.mark.parametrize(("address", "turn"), some_rows(QUARTERS, len(QUARTERS), first=12))
def test_every_tab_has_contrast_in_the_dark_and_fits_a_phone(visitor, server, sample_board, address, turn):
    page = driver.visit(visitor("dark", PHONE), f"{server.address}/{address}")
    assert walk(page, ["color-contrast"], "rule", turn) == ({}, [])


@pytest.mark.parametrize(("address", "theme"), crossed(PLAIN, ["light", "dark"], 5))
def test_pages_without_tabs_are_accessible(visitor, server, address, theme):
    page = driver.visit(visitor(theme), f"{server.address}/{address}")
    assert Axe().run(page, options={"runOnly": {"type": "tag", "values": RULES}}).response["violations"] == []


@pytest.mark.soak
def test_what_only_a_model_has_fits_a_phone(tricorder3):
    page = tricorder3("?submission=kmeans&tab=Cases&what_if=true", viewport=PHONE)
    page.get_by_text("What if the patient were older?").wait_for()
    assert not driver.settled(page).evaluate(driver.WIDER)
    assert not driver.tab(page, "Preflight").evaluate(driver.WIDER)
    assert page.get_by_text("run this model").is_visible()


def assert_a_change_of_theme_draws_the_figures_anew(page) -> None:
    page.locator(".js-plotly-plot").first.wait_for()
    light = set(page.evaluate(PAPER))
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        f"light => {{ const now = ({PAPER})(); return now.length && !now.some(c => light.includes(c)); }}",
        arg=list(light),
    )
    driver.settled(page)
    assert page.get_by_test_id("stException").count() == 0


def test_everything_is_reached_with_the_keyboard_and_a_change_of_theme_draws_the_figures_anew(tricorder3):
    page, reached = tricorder3(), []
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(FOCUSED))
    order = [
        "Rule in full",
        "Test set",
        "Upload",
        "Submission",
        "Points",
        "scorecard.json",
        "Report (HTML)",
    ]
    places = [next((i for i, words in enumerate(reached) if name in words), None) for name in order]
    assert None not in places, reached
    assert places == sorted(places)
    assert_a_change_of_theme_draws_the_figures_anew(page)


@pytest.mark.parametrize(
    "address", some(["declared?challenge=rsna-boneage", "board?board=sample&view=public"], 2)
)
def test_a_phone_tells_what_an_own_challenge_is_scored_by(visitor, server, sample_board, address):
    page = driver.visit(visitor(viewport=PHONE), f"{server.address}/{address}")
    assert page.locator(".st-key-opening").get_by_text("is better").first.is_visible()
    for label in ("Test set", "Submission") if address.startswith("declared") else ():
        assert page.get_by_text(label, exact=True).is_visible(), "two buttons Upload are told apart"
    assert not page.evaluate(driver.WIDER)
