"""Request guard: answers only requests that are addressed to this server and come from its own pages.

A page of another site can have its host name point at this machine (DNS rebinding) or show this app inside
a frame. Streamlit answers any host by default, allows frames, and asks an outside service for this machine's
address when a WebSocket comes from another site.
"""

import ipaddress
from urllib.parse import urlsplit

import streamlit as st
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server import network_exposure

FOR_THIS_MACHINE = ("/_stcore/metrics", "/_stcore/agent", "/_stcore/script-health-check")
"""Routes for the operator: figures of memory and sessions, and Streamlit's interface for agents."""
NOT_IN_FRAMES = ((b"content-security-policy", b"frame-ancestors 'none'"), (b"x-frame-options", b"DENY"))
POLICY_VIOLATION = 1008
OTHER_HOST = (
    "This server does not answer under this name. Whoever runs it names the address that visitors use with "
    "--browser.serverAddress."
)


class RequestGuardMiddleware:
    """ASGI middleware that refuses other host names (421; WebSockets are closed), WebSockets of other
    origins, and the operator's routes where other machines can reach the server (404). It forbids frames
    around every answer and marks cookies `Secure` behind HTTPS."""

    def __init__(self, app: ASGIApp):
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        host, is_socket = _header(scope, b"host"), scope["type"] == "websocket"
        if is_socket and not (_is_own_host(host) and _is_own_origin(_header(scope, b"origin"), host)):
            await send({"type": "websocket.close", "code": POLICY_VIOLATION})
        elif is_socket:
            await self._app(scope, receive, send)
        elif not _is_own_host(host):
            await _refuse(send, 421, OTHER_HOST)
        elif network_exposure.is_public() and any(path in scope["path"] for path in FOR_THIS_MACHINE):
            await _refuse(send, 404, "")
        else:
            await self._app(scope, receive, _Protected(scope, send))


class _Protected:
    """Sends answers with the headers that forbid frames."""

    def __init__(self, scope: Scope, send: Send):
        self._send = send
        self._is_https = "https" in (scope.get("scheme"), _header(scope, b"x-forwarded-proto"))

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [self._protected(*header) for header in message.get("headers", ())]
            message = {**message, "headers": [*headers, *NOT_IN_FRAMES]}
        await self._send(message)

    def _protected(self, name: bytes, value: bytes) -> tuple[bytes, bytes]:
        if name.lower() == b"set-cookie" and self._is_https and b"; secure" not in value.lower():
            return name, value + b"; Secure"
        return name, value


def _is_own_host(host: str | None) -> bool:
    """Return whether a `Host` is this machine, a name that the operator gave, or, where other machines can
    reach the server, any IP address: only a name can be pointed elsewhere."""
    name = _name(f"//{host}") if host else None
    if name is None:
        return False
    if network_exposure.is_loopback(name) or name in _configured_names():
        return True
    return network_exposure.is_public() and _is_ip_address(name)


def _is_own_origin(origin: str | None, host: str | None) -> bool:
    """Return whether a WebSocket's `Origin` is missing, this server, this machine, or what the operator
    allows (`browser.serverAddress`, `server.corsAllowedOrigins`, `server.enableCORS`)."""
    if origin is None or not st.get_option("server.enableCORS"):
        return True
    name = _name(origin)
    if name is None:
        return False
    if origin.partition("://")[2] == host or network_exposure.is_loopback(name):
        return True
    return name in _configured_names()


def _configured_names() -> set[str]:
    """Return the host names that the operator's settings hold, in small letters."""
    addresses = (st.get_option("server.address"), st.get_option("browser.serverAddress"))
    origins = [_name(origin.strip()) for origin in st.get_option("server.corsAllowedOrigins")]
    return {name.lower().rstrip(".") for name in (*addresses, *origins) if name}


def _name(address: str) -> str | None:
    """Return the host name of an address in small letters; None where it has none or is malformed."""
    try:
        parts = urlsplit(address)
        _ = parts.port  # a port that is no number makes the address malformed
        return parts.hostname.rstrip(".") if parts.hostname and parts.username is None else None
    except ValueError:
        return None


def _is_ip_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _header(scope: Scope, name: bytes) -> str | None:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), None)


async def _refuse(send: Send, status: int, sentence: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), *NOT_IN_FRAMES]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": sentence.encode()})
