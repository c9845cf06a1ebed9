"""Which requests the server answers, by host name, origin and route, and with which headers."""

import asyncio

import pytest
import streamlit as st

from pages.server.request_guard import RequestGuardMiddleware

OWN = {"server.address": "localhost", "browser.serverAddress": "localhost"}
PUBLIC = {"server.address": "0.0.0.0", "browser.serverAddress": "scores.hospital.example"}


@pytest.fixture
def ask(monkeypatch):
    """Sends a request through the guard to an app that answers 200 and sets a cookie."""

    async def app(_scope, _receive, send):
        cookie = (b"set-cookie", b"login=1; Path=/")
        await send({"type": "http.response.start", "status": 200, "headers": [cookie]})

    def ask(settings, kind="http", path="/", **headers) -> dict:
        defaults = {"server.enableCORS": True, "server.corsAllowedOrigins": []}
        monkeypatch.setattr(st, "get_option", (defaults | settings).get)
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
        (OWN, "", False),
        (PUBLIC, "scores.hospital.example", True),
        (PUBLIC, "Scores.Hospital.Example:443", True),
        (PUBLIC, "192.168.1.5:8501", True),
        (PUBLIC, "[fe80::1]:8501", True),
        (PUBLIC, "localhost", True),
        (PUBLIC, "rebind.example", False),
        (PUBLIC, "x.scores.hospital.example", False),
        (OWN | {"server.corsAllowedOrigins": ["https://front.example"]}, "front.example", True),
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
        (OWN | {"server.enableCORS": False}, "http://elsewhere.example", True),
        (OWN | {"server.corsAllowedOrigins": ["https://front.example"]}, "https://front.example", True),
        (PUBLIC, "https://scores.hospital.example", True),
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


@pytest.mark.parametrize(("proto", "secure"), [("https", True), ("http", False)])
def test_cookies_are_secure_behind_https(ask, proto, secure):
    headers = dict(ask(OWN, host="localhost", x_forwarded_proto=proto)["headers"])
    assert headers[b"set-cookie"].endswith(b"; Secure") is secure
