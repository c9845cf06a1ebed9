"""Logins on a real server with a provider beside it, without a browser."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.cookiejar import CookieJar
from urllib.request import HTTPCookieProcessor, build_opener
from uuid import UUID

import pytest

from scoring.boards.hidden_truth.visible_results import HiddenRules
from tests.browser import driver
from tests.support.hidden_boards import hidden_board
from tests.support.provider import provided, secrets
from tests.support.visitor import Visitor

pytest.importorskip("authlib")
pytest.importorskip("oidc_provider_mock")
GROUPS = [str(UUID(int=number)) for number in range(4000)]
MAX = {"email": "max@example.org", "email_verified": True, "name": "Max", "groups": [*GROUPS, "lab"]}
LOGIN = re.compile(rb"auth/login\?provider=[\w.=%-]+")


@pytest.fixture
def serve(tmp_path, monkeypatch) -> Iterator[Callable[..., str]]:
    """Starts an app with the hidden board "h" and its provider, who knows Max in thousands of groups."""
    monkeypatch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    hidden_board(tmp_path, HiddenRules())
    with ExitStack() as running:

        def serve(is_unsigned: bool = False) -> str:
            port = driver.free_port()
            provider = running.enter_context(provided(driver.free_port(), {"max": MAX}, is_unsigned))
            file = secrets(tmp_path, port, provider)
            options = ("app.py", f"--secrets.files={file}")
            return running.enter_context(driver.served(*options, port=port)).address

        yield serve


def log_in(address: str, sub: str) -> dict[str, str]:
    """Return the cookies that a browser has after a login."""
    jar = CookieJar()
    browser = build_opener(HTTPCookieProcessor(jar))
    with Visitor(address, "board") as stranger:
        stranger.run()
        stranger.click(stranger.widgets["button"][0])
        address_of_login = LOGIN.search(stranger.content)[0].decode()
    with browser.open(f"{address}/{address_of_login}") as form:
        place = form.url
    browser.open(place, f"sub={sub}".encode()).close()
    return {cookie.name: cookie.value or "" for cookie in jar}


def page_of(address: str, cookies: dict[str, str], is_leaving: bool = False) -> bytes:
    """Return what a page says to whom these cookies belong. is_leaving: after a click on **Log out**."""
    header = "; ".join(f"{name}={value}" for name, value in cookies.items() if name != "_streamlit_user")
    with Visitor(address, "board", login=f"{cookies.get('_streamlit_user', '')}; {header}") as visitor:
        visitor.run(board="h", tab="Submit")
        if is_leaving:
            visitor.click(visitor.widgets["button"][0])
        return visitor.content


def test_a_person_in_thousands_of_groups_is_in_the_team_of_one_of_them_until_a_logout_ends_every_copy(serve):
    address = serve()
    cookies = log_in(address, "max")
    page = page_of(address, cookies)
    assert "Max · participant".encode() in page
    assert b"beta" in page
    page_of(address, cookies, is_leaving=True)
    page = page_of(address, cookies)
    assert b"Your login has ended." in page
    assert b"Max" not in page
    assert b"beta" not in page


def test_a_token_without_a_signature_is_nobodys_also_where_the_provider_announces_it(serve):
    address = serve(is_unsigned=True)
    cookies = log_in(address, "max")
    assert "_streamlit_user" not in cookies
    assert b"Max" not in page_of(address, cookies)
