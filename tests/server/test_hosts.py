"""The running app answers its own address alone, and no other site can show or steer it in a frame."""

import http.client
import http.server
import json
import socket
import threading
import urllib.request
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import sync_playwright
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.browser import driver

OTHER = "rebind.example"


@pytest.fixture(scope="module")
def other_site(server):
    """A page of another origin that shows the app in a frame and names itself as the place of uploads."""
    page = f"""<iframe id=app src="{server.address}/isic" width=1000 height=700></iframe><script>
        const steer = {{stCommVersion: 1, type: "SET_FILE_UPLOAD_CLIENT_CONFIG",
                        prefix: location.origin, headers: {{}}}};
        setInterval(() => document.getElementById("app").contentWindow.postMessage(steer, "*"), 100);
    </script>"""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{site.server_port}/"
        site.shutdown()


def ask(server: driver.Server, method: str, path: str, host: str) -> tuple[int, dict[str, str], bytes]:
    """Send a request with any `Host`."""
    channel = http.client.HTTPConnection(urlsplit(server.address).netloc)
    channel.request(method, path, headers={"Host": host})
    answer = channel.getresponse()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/isic"),
        ("GET", "/_stcore/health"),
        ("GET", "/_stcore/host-config"),
        ("GET", "/media/0.json"),
        ("GET", "/static/js/index.js"),
        ("PUT", "/_stcore/upload_file/a/b"),
        ("DELETE", "/_stcore/upload_file/a/b"),
        ("OPTIONS", "/"),
    ],
)
def test_every_route_refuses_another_host(server, method, path):
    status, _, body = ask(server, method, path, OTHER)
    assert status == 421
    assert b"--browser.serverAddress" in body


def test_the_socket_refuses_a_page_whose_name_was_pointed_here(server):
    port = urlsplit(server.address).port
    with pytest.raises(InvalidStatus) as refused:
        connect(
            f"ws://{OTHER}:{port}/_stcore/stream",
            origin=f"http://{OTHER}:{port}",
            subprotocols=["streamlit"],
            sock=socket.create_connection(("localhost", port)),
        )
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize("host", ["localhost/evil", "[::1]evil.example", "localhost:port", "localhost evil"])
def test_a_malformed_host_is_refused(server, host):
    assert ask(server, "GET", "/_stcore/health", host)[0] == 421


@pytest.mark.parametrize(
    ("origin", "is_answered"),
    [
        ("http://127.0.0.2", False),
        ("http://127.9.9.9:80", False),
        ("http://[::1]:3000", False),
        ("http://localhost.", False),
        ("http://front.example.", False),
        ("//localhost", False),
        ("localhost", False),
        ("null", False),
        ("", False),
        ("http://localhost:3000", False),
        ("http://127.0.0.1:9999", False),
        ("http://localhost:{port}", True),
        ("http://127.0.0.1:{port}", True),
        ("https://front.example", True),
    ],
)
def test_no_origin_makes_the_server_look_for_its_address(server, lookups, origin, is_answered):
    """Streamlit would look it up while every other visitor waits."""
    port = urlsplit(server.address).port
    head = (
        f"GET /_stcore/stream HTTP/1.1\r\nHost: localhost:{port}\r\nOrigin: {origin.format(port=port)}\r\n"
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    with socket.create_connection(("localhost", port), timeout=60) as channel:
        channel.sendall(head.encode())
        with urllib.request.urlopen(f"{server.address}/_stcore/health", timeout=60) as answer:
            assert answer.status == 200
        status = channel.recv(1000).split()[1]
    assert status == (b"101" if is_answered else b"403")
    assert lookups.read_text() == ""


@pytest.mark.parametrize("path", ["/", "/isic", "/_stcore/health", "/_stcore/host-config", "/nowhere.js"])
def test_every_answer_forbids_frames(server, path):
    _, headers, _ = ask(server, "GET", path, "localhost")
    assert headers["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]


def test_no_other_site_may_steer_the_app(server):
    _, _, body = ask(server, "GET", "/_stcore/host-config", "localhost")
    assert json.loads(body)["allowedOrigins"] == []


@pytest.mark.browser
def test_in_a_browser_neither_a_frame_nor_a_redirected_name_shows_the_app(server, other_site):
    program = driver.chromium()
    if program is None:
        pytest.skip("no Chromium on this machine: install the package chromium")
    rules = f"--host-resolver-rules=MAP {OTHER} 127.0.0.1"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=[*driver.ARGUMENTS, rules])
        page = browser.new_page()
        page.goto(f"http://{OTHER}:{urlsplit(server.address).port}/isic")
        assert "does not accept requests under this address" in page.content()
        with page.expect_console_message(lambda message: "frame" in message.text.lower()):
            page.goto(other_site)
        assert page.frames[1].query_selector("[data-testid=stApp]") is None
        assert "/isic" not in page.frames[1].url
        browser.close()
