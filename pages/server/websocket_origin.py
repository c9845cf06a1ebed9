"""Refuse WebSockets that a page of another site opens.

Streamlit refuses them too, but asks an outside service for this machine's address first.
"""

from urllib.parse import urlsplit

import streamlit as st
from starlette.types import ASGIApp, Receive, Scope, Send

LOCAL = ("localhost", "127.0.0.1", "0.0.0.0")
POLICY_VIOLATION = 1008


class SameOriginMiddleware:
    """ASGI middleware that lets WebSockets through whose `Origin` is missing, this server, this machine, or
    what the operator allows (`browser.serverAddress`, `server.corsAllowedOrigins`, `server.enableCORS`)."""

    def __init__(self, app: ASGIApp):
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and not _allowed(_header(scope, b"origin"), _header(scope, b"host")):
            await send({"type": "websocket.close", "code": POLICY_VIOLATION})
            return
        await self._app(scope, receive, send)


def _allowed(origin: str | None, host: str | None) -> bool:
    if origin is None or not st.get_option("server.enableCORS"):
        return True
    allowed = [entry.strip() for entry in st.get_option("server.corsAllowedOrigins")]
    names = (*LOCAL, st.get_option("browser.serverAddress"), *map(_name, allowed))
    return _place(origin) == host or origin in allowed or _name(origin) in filter(None, names)


def _header(scope: Scope, name: bytes) -> str | None:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), None)


def _place(address: str) -> str:
    try:
        return urlsplit(address).netloc
    except ValueError:
        return ""


def _name(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None
