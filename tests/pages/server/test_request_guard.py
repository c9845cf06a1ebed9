"""Which requests the server answers, by host name, origin and route, and with which headers."""

import asyncio
from itertools import product

import pytest
import streamlit as st
from starlette.routing import Router
from streamlit import config, net_util
from streamlit.web.server.starlette.starlette_websocket import create_websocket_routes

from pages.server.request_guard import RequestGuardMiddleware

OWN = {"server.address": "localhost", "browser.serverAddress": "localhost"}
PUBLIC = {"server.address": "0.0.0.0", "browser.serverAddress": "scores.hospital.example"}
BEHIND_A_PROXY = PUBLIC | {"server.address": "127.0.0.1"}
DEFAULTS = {
    "server.enableCORS": True,
    "server.corsAllowedOrigins": [],
    "server.port": 8501,
    "browser.serverPort": 8501,
}


@pytest.fixture
def ask(monkeypatch):
    """Sends a request through the guard to an app that answers 200 and sets a cookie."""

    async def app(_scope, _receive, send):
        cookie = (b"set-cookie", b"login=1; Path=/")
        await send({"type": "http.response.start", "status": 200, "headers": [cookie]})

    def ask(settings, kind="http", path="/", **headers) -> dict:
        monkeypatch.setattr(st, "get_option", (DEFAULTS | settings).get)
        pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
        messages = []

        async def send(message):
            messages.append(message)

        scope = {"type": kind, "path": path, "headers": pairs, "scheme": "http"}
        asyncio.run(RequestGuardMiddleware(app)(scope, None, send))
        return messages[0]

    return ask


@pytest.mark.parametrize(
    ("settings", "host", "answered"),
    [
        (OWN, "localhost:8501", True),
        (OWN, "LOCALHOST.:8501", True),
        (OWN, "127.0.0.1:8501", True),
        (OWN, "127.8.9.1", True),
        (OWN, "[::1]:8501", True),
        (OWN, "rebind.example:8501", False),
        (OWN, "localhost.rebind.example", False),
        (OWN, "127.0.0.1.rebind.example", False),
        (OWN, "localhost@rebind.example", False),
        (OWN, "rebind.example@localhost", False),
        (OWN, "192.168.1.5:8501", False),
        (OWN, "localhost:port", False),
        (OWN, "localhost:65536", False),
        (OWN, "localhost/evil", False),
        (OWN, "localhost?evil", False),
        (OWN, "localhost#evil", False),
        (OWN, "localhost\\evil", False),
        (OWN, "localhost evil", False),
        (OWN, " localhost", False),
        (OWN, "localhost:8501:8501", False),
        (OWN, "[::1]evil.example", False),
        (OWN, "[::1", False),
        (OWN, "::1", False),
        (OWN, "[127.0.0.1]", False),
        (OWN, "local\thost", False),
        (OWN, "localhost,rebind.example", False),
        (OWN, "", False),
        (PUBLIC, "scores.hospital.example", True),
        (PUBLIC, "Scores.Hospital.Example:443", True),
        (PUBLIC, "192.168.1.5:8501", True),
        (PUBLIC, "[fe80::1]:8501", True),
        (PUBLIC, "localhost", True),
        (PUBLIC, "rebind.example", False),
        (PUBLIC, "x.scores.hospital.example", False),
        (OWN | {"server.corsAllowedOrigins": ["https://front.example"]}, "front.example", True),
        (OWN | {"browser.serverAddress": "scores.example/benchside"}, "scores.example", True),
    ],
)
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_only_the_servers_own_names_are_answered(ask, settings, host, answered, kind):
    message = ask(settings, kind, host=host, origin=f"http://{host}" if answered else "http://localhost")
    assert message.get("status", message["type"]) == (
        200 if answered else {"http": 421}.get(kind, "websocket.close")
    )


def test_a_request_without_a_host_is_not_answered(ask):
    assert ask(OWN)["status"] == 421


@pytest.mark.parametrize(
    ("settings", "origin", "answered"),
    [
        (OWN, "http://localhost:8501", True),
        (OWN, "http://elsewhere.example", False),
        (OWN, "http://localhost.elsewhere.example", False),
        (OWN, "null", False),
        (OWN, "http://[", False),
        (OWN, "", False),
        (OWN, "http://127.0.0.1:8501", True),
        (OWN, "http://localhost:3000", False),
        (OWN, "http://127.0.0.1:9999", False),
        (OWN, "http://localhost", False),
        (OWN | {"browser.serverPort": 3000}, "http://localhost:3000", True),
        (OWN | {"server.corsAllowedOrigins": ["http://localhost:3000"]}, "http://localhost:3000", True),
        (OWN | {"server.corsAllowedOrigins": ["http://localhost:3000"]}, "http://localhost:3001", False),
        (OWN, "http://127.0.0.2", False),
        (OWN, "http://127.9.9.9:80", False),
        (OWN, "http://[::1]:3000", False),
        (OWN, "http://localhost.", False),
        (OWN, "//localhost", False),
        (OWN, "localhost", False),
        (PUBLIC, "https://scores.hospital.example.", False),
        (OWN | {"server.enableCORS": False}, "http://elsewhere.example", True),
        (OWN | {"server.corsAllowedOrigins": ["https://front.example"]}, "https://front.example", True),
        (OWN | {"server.corsAllowedOrigins": ["https://front.example"]}, "https://front.example:444", False),
        (PUBLIC, "https://scores.hospital.example", True),
        (PUBLIC, "http://scores.hospital.example:8501", True),
        (PUBLIC, "http://scores.hospital.example:9999", False),
        (BEHIND_A_PROXY, "http://127.0.0.1:8501", True),
        (BEHIND_A_PROXY, "http://127.0.0.1:9999", False),
        (PUBLIC, "http://localhost:8501", True),
        (PUBLIC, "http://localhost:3000", False),
        (PUBLIC, "http://127.0.0.1:9999", False),
    ],
)
def test_websockets_of_other_sites_are_closed(ask, settings, origin, answered):
    message = ask(settings, "websocket", host="localhost:8501", origin=origin)
    assert (message["type"] == "http.response.start") is answered


@pytest.mark.parametrize(
    ("settings", "path", "status"),
    [
        (PUBLIC, "/_stcore/metrics", 404),
        (PUBLIC, "/behind/a/proxy/_stcore/metrics", 404),
        (PUBLIC, "/_stcore/agent/interact", 404),
        (PUBLIC, "/_stcore/health", 200),
        (OWN, "/_stcore/metrics", 200),
    ],
)
def test_routes_of_the_operator_are_served_to_this_machine_alone(ask, settings, path, status):
    assert ask(settings, path=path, host="localhost")["status"] == status


@pytest.mark.parametrize("host", ["localhost", "rebind.example"])
def test_no_answer_may_be_shown_in_a_frame(ask, host):
    headers = dict(ask(OWN, host=host)["headers"])
    assert headers[b"content-security-policy"] == b"frame-ancestors 'none'"
    assert headers[b"x-frame-options"] == b"DENY"


@pytest.mark.parametrize(
    ("headers", "secure"),
    [
        ({"x_forwarded_proto": "https"}, True),
        ({"x_forwarded_proto": "HTTPS"}, True),
        ({"x_forwarded_proto": "https, http"}, True),
        ({"x_forwarded_proto": "http, https"}, False),
        ({"x_forwarded_proto": "http"}, False),
        ({"x_forwarded_proto": "xhttps"}, False),
        ({"forwarded": "proto=https"}, True),
        ({"forwarded": 'for="[2001:db8::1]:80";Proto="HTTPS";by=10.0.0.1, for=10.0.0.1;proto=http'}, True),
        ({"forwarded": "for=192.0.2.1;proto=http, for=10.0.0.1;proto=https"}, False),
        ({"forwarded": "for=192.0.2.1;xproto=https"}, False),
        ({}, False),
    ],
)
def test_cookies_are_secure_behind_https(ask, headers, secure):
    answered = dict(ask(OWN, host="localhost", **headers)["headers"])
    assert answered[b"set-cookie"].endswith(b"; Secure") is secure


NAMES = (
    *(
        "localhost",
        "LOCALHOST",
        "localhost.",
        "127.0.0.1",
        "127.0.0.2",
        "127.9.9.9",
        "0.0.0.0",
        "[::1]",
        "::1",
    ),
    *("[::ffff:127.0.0.1]", "192.168.1.5", "scores.hospital.example", "scores.hospital.example."),
    *("front.example", "FRONT.example", "front.example.", "elsewhere.example", "localhost@elsewhere.example"),
)
HOSTS = [f"{name}{port}" for name, port in product(NAMES, ("", ":", ":80", ":8501"))]
ORIGINS = [f"{scheme}{host}" for scheme, host in product(("http://", "https://", "//", "", "HTTP://"), HOSTS)]
ODD_ORIGINS = (
    "",
    "null",
    "http://",
    "http://[",
    "file://",
    "https:///localhost",
    "http://localhost/",
    "\xff",
)


class Arrivals:
    """Streamlit's server as its socket sees it: counts sessions that connect."""

    def __init__(self) -> None:
        self.count = 0

    def connect_session(self, **_) -> str:
        self.count += 1
        return "session"

    def disconnect_session(self, *_, **__) -> None:
        pass


def test_no_origin_lets_streamlit_look_for_this_machines_address(monkeypatch):
    """Whom the guard lets through, Streamlit's own socket lets in without a question to the network."""

    def look() -> str:
        raise AssertionError("this machine's address was looked up")

    front = {"server.corsAllowedOrigins": ["https://front.example"]}
    defaults = DEFAULTS | {"server.allowedHosts": [], "secrets.files": []}
    monkeypatch.setattr(net_util, "get_external_ip", look)
    monkeypatch.setattr(net_util, "get_internal_ip", look)
    passed, arrivals = 0, Arrivals()
    streamlit = Router(create_websocket_routes(arrivals, None))

    async def counted(scope, receive, send):
        nonlocal passed
        passed += 1
        await streamlit(scope, receive, send)

    async def connect(headers) -> None:
        messages = iter([{"type": "websocket.connect"}, {"type": "websocket.disconnect", "code": 1000}])

        async def receive():
            return next(messages)

        async def send(_message):
            pass

        scope = {"type": "websocket", "path": "/_stcore/stream", "headers": headers, "subprotocols": []}
        await RequestGuardMiddleware(counted)(scope, receive, send)

    async def connect_all() -> None:
        for origin, host in product((*ORIGINS, *ODD_ORIGINS), HOSTS):
            await connect([(b"host", host.encode()), (b"origin", origin.encode("latin-1"))])

    for settings in (OWN, PUBLIC, OWN | front, PUBLIC | front):
        options = (defaults | settings).get
        monkeypatch.setattr(st, "get_option", options)
        monkeypatch.setattr(config, "get_option", options)
        monkeypatch.setattr(config, "is_manually_set", lambda _name: True)
        asyncio.run(connect_all())
    assert passed == arrivals.count > 1000
