"""Pages behind the proxy: drawn whole, with its headers and its login."""

import pytest
from playwright.sync_api import sync_playwright

from tests.browser import driver
from tests.support import nginx

pytestmark = [
    pytest.mark.soak,
    pytest.mark.browser,
    pytest.mark.skipif(nginx.program() is None, reason="nginx is not installed (Debian's package nginx)"),
    pytest.mark.skipif(driver.chromium() is None, reason="no Chromium found"),
]
PAGES = (
    "",
    "tricorder3",
    "puma?tab=Viewer",
    "hecktor2026?tab=Viewer",
    "single_image",
    "compare_teams",
    "board",
)


def test_no_page_asks_for_what_the_headers_forbid(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    monkeypatch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
    port = nginx.free_port()
    with driver.served() as app, sync_playwright() as player:
        copy = int(app.address.rpartition(":")[2])
        site = nginx.plain_site(port, [copy, copy])
        with nginx.running(nginx.written(tmp_path / "nginx", site), port) as address:
            browser = player.chromium.launch(executable_path=driver.chromium(), args=list(driver.ARGUMENTS))
            login = {"username": nginx.USER, "password": nginx.PASSWORD}
            context = browser.new_context(http_credentials=login)
            for page in PAGES:
                said: list[str] = []
                opened = context.new_page()
                opened.on("console", lambda message, said=said: said.append(message.text))
                opened.goto(f"{address}/{page}")
                driver.settled(opened)
                opened.screenshot(path=tmp_path / f"{page.partition('?')[0] or 'overview'}.png")
                assert [text for text in said if "Content Security Policy" in text] == [], page
                assert opened.get_by_test_id("stMain").inner_text().strip()
                opened.close()
            browser.close()
