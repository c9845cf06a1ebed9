"""Request guard: answers only requests to this server from its own pages; tells whether others can reach it.

The limit on uploaded bytes is in `pages.input_widgets.upload_quota`.

A page of another site can make its host name point at this machine (DNS rebinding) or show this app inside a
frame. By default, Streamlit answers any host and allows frames. If a WebSocket has an unknown origin, it asks
an outside service for this machine's address while all visitors wait.
"""

import ipaddress
import re
from itertools import product

import streamlit as st
from google.protobuf.message import DecodeError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server.streamlit_internals import BackMsg
from scoring.challenges import samples
from scoring.inference import sandbox_layers

FOR_THIS_MACHINE = ("/_stcore/metrics", "/_stcore/agent", "/_stcore/script-health-check")
"""Routes for the operator: statistics of memory and sessions, and Streamlit's interface for agents."""
NOT_IN_FRAMES = ((b"content-security-policy", b"frame-ancestors 'none'"), (b"x-frame-options", b"DENY"))
NO_MESSAGE, POLICY_VIOLATION, TOO_BIG = 1002, 1008, 1009
FRAME_BYTES, FRAME_FILES = 200_000, 7_000
"""Maximum of a visitor's message: bytes besides files, and number of files. Streamlit turns JSON into objects
of 25 times its size and keeps them for each widget."""
OWN_PAGES = frozenset({"localhost", "127.0.0.1"})
"""Hosts whose pages may connect to another name of this machine, if the ports are equal."""
AUTHORITY = re.compile(r"(\[[0-9A-Fa-f]*:[0-9A-Fa-f:.]*\]|[A-Za-z0-9._-]+)(?::([0-9]{0,5}))?")
"""Pattern of a `Host` header: a name or address, and a port."""
FORWARDED_HTTPS = re.compile(r"(?:^|;)\s*proto=\"?https\"?\s*(?:;|$)")
OTHER_HOST = (
    "This server does not accept requests under this address. The server's operator sets the address for "
    "visitors with --browser.serverAddress."
)


class RequestGuardMiddleware:
    """ASGI middleware that refuses other host names (421; WebSockets are closed), WebSockets from other
    origins, oversized messages, and the operator's routes if other machines can reach the server (404). It
    forbids frames in every answer and marks cookies `Secure` with HTTPS."""

    def __init__(self, app: ASGIApp):
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        host, is_socket = _header(scope, b"host"), scope["type"] == "websocket"
        origin = _header(scope, b"origin")
        if is_socket and not (_is_own_host(host) and _is_own_origin(origin, host)):
            await send({"type": "websocket.close", "code": POLICY_VIOLATION})
        elif is_socket:
            await self._app(_same_origin(scope, origin), _bounded(receive, send), send)
        elif not _is_own_host(host):
            await _refuse(send, 421, OTHER_HOST)
        elif is_public() and any(path in scope["path"] for path in FOR_THIS_MACHINE):
            await _refuse(send, 404, "")
        else:
            await self._app(scope, receive, _Protected(scope, send))


class _Protected:
    """Sends answers with the headers that forbid frames."""

    def __init__(self, scope: Scope, send: Send):
        self._send = send
        self._is_https = scope.get("scheme") == "https" or _is_forwarded_https(scope)

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [self._protected(*header) for header in message.get("headers", ())]
            message = {**message, "headers": [*headers, *NOT_IN_FRAMES]}
        await self._send(message)

    def _protected(self, name: bytes, value: bytes) -> tuple[bytes, bytes]:
        if name.lower() == b"set-cookie" and self._is_https and b"; secure" not in value.lower():
            return name, value + b"; Secure"
        return name, value


def _bounded(receive: Receive, send: Send) -> Receive:
    """Return what receives a visitor's messages, and closes the socket at one that is none or too large."""

    async def received() -> Message:
        message = await receive()
        fault = _fault(message.get("bytes")) if message["type"] == "websocket.receive" else 0
        if fault:
            await send({"type": "websocket.close", "code": fault})
            return {"type": "websocket.disconnect", "code": fault}
        return message

    return received


def _fault(data: bytes | None) -> int:
    """Return the code with which a message is refused, 0 if it is not: text and foreign bytes, of which
    Streamlit writes tracebacks into the log; too much besides files; and too many files, because the server
    answers with addresses for each and keeps each as an object."""
    try:
        message = BackMsg.FromString(data or b"?")
    except DecodeError:
        return NO_MESSAGE
    asked = message.file_urls_request
    widgets = message.rerun_script.widget_states.widgets
    uploaders = [widget.file_uploader_state_value for widget in widgets]
    n_files = len(asked.file_names) + sum(len(one.uploaded_file_info) for one in uploaders)
    other = len(data or b"") - asked.ByteSize() - sum(one.ByteSize() for one in uploaders)
    return TOO_BIG if n_files > FRAME_FILES or other > FRAME_BYTES else 0


def _is_own_host(host: str | None) -> bool:
    """Return whether a `Host` is this machine, a name that the operator gave, or, where other machines can
    reach the server, any IP address: only a name can be pointed elsewhere."""
    name = _name(host or "")
    if name is None:
        return False
    name = name.rstrip(".")
    if is_loopback(name) or name in _configured_names():
        return True
    return is_public() and _is_ip_address(name)


def _is_own_origin(origin: str | None, host: str | None) -> bool:
    """Return whether a WebSocket's `Origin` is missing, this server with its port, or what the operator
    allows (`browser.serverAddress` and `browser.serverPort`, `server.corsAllowedOrigins`,
    `server.enableCORS`). Other ports of the same machine may belong to other users."""
    if origin is None or not st.get_option("server.enableCORS"):
        return True
    authority = _authority(origin)
    name = _name(authority)
    if name is None or authority == host:
        return name is not None
    is_alias = name in OWN_PAGES and is_loopback(_name(host or ""))
    return (is_alias and _port(authority) == _port(host or "")) or (name, _port(authority)) in _configured()


def _same_origin(scope: Scope, origin: str | None) -> Scope:
    """Return the scope of an accepted WebSocket with the `Host` of its origin: Streamlit then compares the
    two and looks no further. It would ask for this machine's address before it reads
    `server.corsAllowedOrigins`."""
    authority = _authority(origin or "")
    if _name(authority) is None:
        return scope
    headers = [(key, value) for key, value in scope["headers"] if key != b"host"]
    return {**scope, "headers": [*headers, (b"host", authority.encode("latin-1"))]}


def _configured_names() -> set[str]:
    """Return the host names that the operator's settings hold, in small letters."""
    return {name for name, _ in _configured()}


def _configured() -> set[tuple[str, str]]:
    """Return host names and ports of the operator's settings. An address without a port has the ports of the
    settings, and the port of its scheme ("") unless it is this machine."""
    own = {str(st.get_option("server.port")), str(st.get_option("browser.serverPort"))}
    origins = set[tuple[str, str]]()
    for setting in ("server.address", "browser.serverAddress"):
        name, port = _of_setting(st.get_option(setting))
        ports = {port} if port else own if is_loopback(name) else own | {""}
        origins.update(product([name], ports))
    origins.update(map(_of_setting, st.get_option("server.corsAllowedOrigins")))
    return {(name, port) for name, port in origins if name}


def _of_setting(setting: str | None) -> tuple[str, str]:
    """Return host name and port of an operator's setting, an address with or without scheme and path."""
    address = (setting or "").strip()
    host = (_authority(address) or address).partition("/")[0]
    return (_name(host) or "").rstrip("."), _port(host)


def _authority(origin: str) -> str:
    """Return host and port of an origin; "" if it is none of a web page (`null`, `//localhost`)."""
    scheme, _, authority = origin.partition("://")
    return authority if scheme in ("http", "https") else ""


def _name(authority: str) -> str | None:
    """Return the host name of a host with or without port, in small letters; None if it is malformed."""
    match = AUTHORITY.fullmatch(authority)
    if match is None or int(match[2] or 0) > 65535:
        return None
    return match[1].strip("[]").lower()


def _port(authority: str) -> str:
    """Return the port of a host, "" for the default of its scheme."""
    match = AUTHORITY.fullmatch(authority)
    return (match[2] or "") if match else ""


def _is_forwarded_https(scope: Scope) -> bool:
    """Return whether a proxy says that the visitor came by HTTPS (`X-Forwarded-Proto`, or `Forwarded` of RFC
    7239). If there are several proxies, the first address counts: it is the visitor's."""
    proto = (_header(scope, b"x-forwarded-proto") or "").lower().partition(",")[0].strip()
    forwarded = (_header(scope, b"forwarded") or "").lower().partition(",")[0]
    return proto == "https" or FORWARDED_HTTPS.search(forwarded) is not None


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


def is_public() -> bool:
    """Return whether the server listens beyond this machine, or is told that visitors use another name
    (behind a proxy it listens only to this machine)."""
    return not (
        is_loopback(st.get_option("server.address")) and is_loopback(st.get_option("browser.serverAddress"))
    )


def require_confinement() -> None:
    """If others can reach the server, run visitors' models only in fully confined workers."""
    if is_public():
        sandbox_layers.require(samples.model_digests())


def is_loopback(address: str | None) -> bool:
    """Return whether a host name or IP address is this machine's own."""
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address or "").is_loopback
    except ValueError:
        return False
