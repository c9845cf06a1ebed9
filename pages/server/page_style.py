"""Page style: adds the app's style sheet to the first page that browsers load, so that nothing moves
later."""

from pathlib import Path

import streamlit as st
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SHEET = Path(__file__).parents[1] / "display" / "page.css"
HEAD, PAGE = b"</head>", b"text/html"
OF_CACHED = frozenset({b"accept-encoding", b"if-none-match", b"if-modified-since"})
"""Request headers that lead to a compressed page, or to an answer without a page."""
OF_CONTENT = frozenset({b"content-length", b"etag", b"last-modified"})
"""Response headers that apply to the page without the style."""


def style() -> str:
    """Return the style sheet, with higher priority than Streamlit's, including the theme's colours, which are
    not variables outside components."""
    css = SHEET.read_text(encoding="utf-8")
    for kind in ("light", "dark"):
        css = css.replace(f"PAPER_{kind.upper()}", st.get_option(f"theme.{kind}.backgroundColor"))
    return f":root:root {{\n{css}}}"


class PageStyleMiddleware:
    """ASGI middleware that adds the style sheet to HTML pages."""

    def __init__(self, app: ASGIApp):
        self._app, self._style = app, f"<style>{style()}</style>".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not any(PAGE in v for k, v in scope["headers"] if k == b"accept"):
            await self._app(scope, receive, send)
            return
        plain = [header for header in scope["headers"] if header[0] not in OF_CACHED]
        await self._app({**scope, "headers": plain}, receive, _Styled(send, self._style))


class _Styled:
    """Sends answers, and of an HTML page the style in its head."""

    def __init__(self, send: Send, css: bytes):
        self._send, self._style = send, css
        self._start: Message | None = None
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_page(message):
            self._start = message
        elif self._start is None:
            await self._send(message)
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._finish(self._start)

    async def _finish(self, start: Message) -> None:
        body = self._body.replace(HEAD, self._style + HEAD, 1)
        headers = [header for header in start["headers"] if header[0].lower() not in OF_CONTENT]
        await self._send({**start, "headers": [*headers, (b"content-length", str(len(body)).encode())]})
        await self._send({"type": "http.response.body", "body": body})


def _is_page(message: Message) -> bool:
    """Return whether an answer is an HTML page."""
    headers = {name.lower(): value for name, value in message.get("headers", ())}
    return message["status"] == 200 and headers.get(b"content-type", b"").startswith(PAGE)
