"""Where a login begins and ends, without a provider."""

import asyncio
from http.cookies import SimpleCookie

import pytest

from pages.server.login_redirect import BEGAN, FAILED, LoginRedirectMiddleware

DEEP = "/board?board=h&tab=Submit"
LOGGED_IN = (b"set-cookie", b"_streamlit_user=abc; Path=/; HttpOnly")
LOGGED_OUT = (b"set-cookie", b'_streamlit_user=""; Max-Age=0; Path=/')


def answered(path: str, status: int, headers=(), broken=False, **sent: str) -> tuple[int, str, SimpleCookie]:
    """Return status, place and cookies of an answer that Streamlit would give with these. sent: headers of
    the request, and `query`."""
    query = sent.pop("query", "").encode()
    messages = []

    async def streamlit(_scope, _receive, send):
        if broken:
            raise ModuleNotFoundError("authlib")
        await send({"type": "http.response.start", "status": status, "headers": list(headers)})
        await send({"type": "http.response.body", "body": b"Authentication error"})

    async def send(message):
        messages.append(message)

    asked = [(key.encode(), value.encode()) for key, value in {"host": "here:1", **sent}.items()]
    scope = {"type": "http", "path": path, "query_string": query, "headers": asked}
    asyncio.run(LoginRedirectMiddleware(streamlit)(scope, None, send))
    first, body = messages
    cookies, found = SimpleCookie(), dict(first["headers"])
    for key, value in first["headers"]:
        if key == b"set-cookie":
            cookies.load(value.decode())
    assert (body["body"] == b"") == (first["status"] == 303)
    return first["status"], found.get(b"location", b"").decode(), cookies


def began(referer: str) -> SimpleCookie:
    return answered("/auth/login", 302, [(b"location", b"https://idp/")], referer=referer)[2]


def ended(cookie: str, *headers, query="state=s&code=c") -> tuple[int, str, SimpleCookie]:
    return answered("/oauth2callback", 302, [(b"location", b"/"), *headers], cookie=cookie, query=query)


def test_a_login_ends_where_it_began():
    kept = began(f"http://here:1{DEEP}")[BEGAN]
    assert kept["httponly"]
    _, place, cookies = ended(f"{BEGAN}={kept.value}", LOGGED_IN)
    assert place == DEEP
    assert cookies[BEGAN]["max-age"] == cookies[FAILED]["max-age"] == "0"


@pytest.mark.parametrize(
    "referer",
    ["http://evil/board", "http://here:1//evil/", "http://here:1/\\evil", "http://here:1/" + "x" * 2000, "["],
)
def test_it_ends_nowhere_else(referer):
    kept = began(referer)[BEGAN].value
    assert ended(f"{BEGAN}={kept}", LOGGED_IN)[1] == "/"


@pytest.mark.parametrize(
    "kept",
    [
        "https%3A%2F%2Fevil",
        "%2F.%2F%2Fevil.example",
        "%2Fnone",
        "%2F%2Fevil",
        "%2F%5Cevil",
        "%2Fa%0D%0Ab: c",
        "",
    ],
)
def test_a_cookie_that_somebody_else_set_leads_nowhere_else(kept):
    assert ended(f"{BEGAN}={kept}", LOGGED_IN)[1] == "/"


@pytest.mark.parametrize("broken", [False, True], ids=["refused", "broken"])
def test_a_provider_that_does_not_answer_leads_back_to_the_page(broken):
    status, place, cookies = answered("/auth/login", 400, broken=broken, referer=f"http://here:1{DEEP}")
    assert (status, place, cookies[FAILED].value) == (303, DEEP, "1")


def test_who_is_sent_back_without_a_login_is_told():
    assert ended("", LOGGED_OUT)[2][FAILED].value == "1"
    assert ended("", query="state=s&error=access_denied")[2][FAILED].value == "1"
    assert FAILED not in ended("", query="")[2], "who logged out comes here too"


def test_other_addresses_are_left_alone():
    assert answered("/board", 404, [(b"location", b"/x")])[:2] == (404, "/x")
