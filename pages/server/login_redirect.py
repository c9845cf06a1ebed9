"""Login redirect: a login returns to the page where it began, and a failed login says so there.

After a login, Streamlit always opens its first page, and if the provider does not answer, it shows a plain
line of text.
"""

import logging
import re
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urlsplit

import streamlit as st
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOGIN, CALLBACK = "/auth/login", "/oauth2callback"
BEGAN, FAILED = "benchside_login_began", "benchside_login_failed"
"""Names of cookies: the page where a login began, and the mark of a login that has just failed."""
SECONDS_TO_LOG_IN, SECONDS_TO_SAY_SO = 1800, 60
LONGEST = 1500
_NAMES = "|".join(re.escape(path.stem) for path in Path(__file__).parents[1].glob("[a-z]*.py"))
_PAGE = re.compile(rf"/(?:[\w-]+/)*(?:{_NAMES})?", re.ASCII)
"""Path of a page, perhaps below the server's base path."""
LOG = logging.getLogger(__name__)


class LoginRedirectMiddleware:
    """ASGI middleware that stores in a cookie on which page a login began."""

    def __init__(self, app: ASGIApp):
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope["type"] == "http" else ""
        if path.endswith(LOGIN):
            await self._login(scope, receive, send)
        elif path.endswith(CALLBACK):
            await self._app(scope, receive, _Ended(scope, send))
        else:
            await self._app(scope, receive, send)

    async def _login(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = _page(_header(scope, b"referer"), _header(scope, b"host"))
        beginning = _Begun(began, send)
        try:
            await self._app(scope, receive, beginning)
        except Exception:
            LOG.warning("a login could not begin", exc_info=True)
            await beginning.fail()


class _Begun:
    """Sends the answer that leads to the provider; where there is none, the way back."""

    def __init__(self, began: str, send: Send):
        self._began, self._send, self._failed = began, send, False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            if message["status"] >= 400:
                await self.fail()
            else:
                message = _with(message, _cookie(BEGAN, quote(self._began, safe=""), SECONDS_TO_LOG_IN))
        if not self._failed:
            await self._send(message)

    async def fail(self) -> None:
        """Answer with the way back."""
        self._failed = True
        headers = [(b"location", self._began.encode("ascii")), _cookie(FAILED, "1", SECONDS_TO_SAY_SO)]
        await self._send({"type": "http.response.start", "status": 303, "headers": headers})
        await self._send({"type": "http.response.body", "body": b""})


class _Ended:
    """Sends a person whom the provider sent back to the page where the login began."""

    def __init__(self, scope: Scope, send: Send):
        cookies = SimpleCookie(_header(scope, b"cookie"))
        self._began = unquote(cookies[BEGAN].value) if BEGAN in cookies else ""
        self._is_login = "state" in parse_qs(scope.get("query_string", b"").decode("latin-1"))
        self._send = send

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and 300 <= message["status"] < 400:
            is_done = any(_logs_in(value) for key, value in message["headers"] if key == b"set-cookie")
            if self._began and _is_own(self._began):
                message = _moved(message, self._began)
            message = _with(message, _cookie(BEGAN, "", 0))
            if self._is_login:
                cookie = _cookie(FAILED, "", 0) if is_done else _cookie(FAILED, "1", SECONDS_TO_SAY_SO)
                message = _with(message, cookie)
        await self._send(message)


def failed() -> bool:
    """Return whether a login of this visitor has just failed."""
    return st.context.cookies.get(FAILED) == "1"


def _page(referer: str, host: str) -> str:
    """Return the address of the page on which the login began, without the server's name; "/" where it is
    not our own."""
    try:
        parts = urlsplit(referer)
    except ValueError:
        return "/"
    address = parts.path + (f"?{parts.query}" if parts.query else "")
    return address if parts.netloc == host and _is_own(address) else "/"


def _is_own(address: str) -> bool:
    """Return whether an address can only lead to a page of this server."""
    is_plain = address.isascii() and address.isprintable() and "\\" not in address
    return is_plain and len(address) <= LONGEST and bool(_PAGE.fullmatch(address.partition("?")[0]))


def _logs_in(cookie: bytes) -> bool:
    """Return whether a cookie says who somebody is."""
    return cookie.startswith(b"_streamlit_user=") and not cookie.startswith(b'_streamlit_user="";')


def _cookie(name: str, value: str, seconds: int) -> tuple[bytes, bytes]:
    return b"set-cookie", f"{name}={value}; Max-Age={seconds}; Path=/; HttpOnly; SameSite=Lax".encode("ascii")


def _with(message: Message, header: tuple[bytes, bytes]) -> Message:
    return {**message, "headers": [*message["headers"], header]}


def _moved(message: Message, address: str) -> Message:
    headers = [header for header in message["headers"] if header[0] != b"location"]
    return {**message, "headers": [*headers, (b"location", address.encode("ascii"))]}


def _header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")
