"""The project's nginx configuration on free ports of this machine."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Collection, Iterator, Sequence
from email.message import Message
from pathlib import Path

from tests.support.command_line import ROOT

CONFIGURATION = ROOT / "deploy" / "nginx.conf"
USER, PASSWORD = "anna", "secret"
LOGIN = {"Authorization": "Basic " + b64encode(f"{USER}:{PASSWORD}".encode()).decode()}
AROUND = """
daemon off; worker_processes 1; pid nginx.pid; error_log stderr error; {user}
events {{ worker_connections 512; }}
http {{
  access_log off;
  client_body_temp_path tmp/body; proxy_temp_path tmp/proxy; fastcgi_temp_path tmp/fastcgi;
  uwsgi_temp_path tmp/uwsgi; scgi_temp_path tmp/scgi;
  include site.conf;
}}
"""


def program() -> str | None:
    """Return where nginx is, None where it is not installed."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def written(folder: Path, site: str) -> Path:
    """Write a configuration around the site, with a file of users, and return its folder."""
    (folder / "tmp").mkdir(parents=True)
    (folder / "users").write_text(f"{USER}:{{PLAIN}}{PASSWORD}\n")
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(AROUND.format(user=user))
    (folder / "site.conf").write_text(site.replace("/etc/nginx/benchside.users", str(folder / "users")))
    return folder


def plain_site(port: int, copies: Sequence[int]) -> str:
    """Return the project's site without TLS, on a port, before copies on other ports. Each answer says in
    X-Copy which of them gave it."""
    site = CONFIGURATION.read_text(encoding="utf-8")
    for usual, copy in zip((8501, 8502), copies, strict=True):
        site = site.replace(f"127.0.0.1:{usual}", f"127.0.0.1:{copy}")
    site = site.replace("listen 443 ssl;", f"listen 127.0.0.1:{port};")
    site = site.replace("listen 80;", f"listen 127.0.0.1:{free_port()};")
    site = site.replace("server_tokens off;", "server_tokens off; add_header X-Copy $upstream_addr always;")
    return re.sub(r"^ *ssl_.*\n", "", site, flags=re.MULTILINE)


@contextlib.contextmanager
def started(folder: Path) -> Iterator[subprocess.Popen]:
    """Run nginx on a written configuration until the block ends."""
    command = [str(program()), "-p", str(folder), "-c", "nginx.conf"]
    with (folder / "errors").open("wb") as errors:
        process = subprocess.Popen(command, stderr=errors)
        try:
            yield process
        finally:
            process.terminate()
            process.wait()


@contextlib.contextmanager
def running(folder: Path, port: int) -> Iterator[str]:
    """Run nginx on a written configuration without TLS; gives its address once it answers."""
    address = f"http://localhost:{port}"
    with started(folder) as process:
        while status(address) is None:
            if process.poll() is not None:
                raise RuntimeError((folder / "errors").read_text())
            time.sleep(0.05)
        yield address


def given_cookie(headers: Message) -> str | None:
    """Return the cookie by which a visitor stays with a copy, where an answer gives one."""
    cookies = (text.partition(";")[0] for text in headers.get_all("Set-Cookie", ()))
    return next((text for text in cookies if text.startswith("benchside_copy=")), None)


def status(address: str, headers: dict[str, str] | None = None) -> int | None:
    """Return the status of an answer, None where nobody answers."""
    answer = asked(address, headers)
    return answer[0] if answer else None


def asked(address: str, headers: dict[str, str] | None = None) -> tuple[int, Message] | None:
    """Return status and headers of an answer."""
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers or {})) as answer:
            return answer.status, answer.headers
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.headers
    except (urllib.error.URLError, OSError):
        return None


def body(address: str, headers: dict[str, str]) -> bytes:
    """Return the content of an answer."""
    with urllib.request.urlopen(urllib.request.Request(address, headers=headers)) as answer:
        return answer.read()


def check_guards(address: str) -> None:
    """The proxy asks for a password, sends its headers and closes what is for operators."""
    assert status(address) == 401
    assert status(f"{address}/_stcore/health") == 200
    code, headers = asked(address, LOGIN)
    assert code == 200
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Strict-Transport-Security"].startswith("max-age=")
    for path in ("_stcore/metrics", "tricorder3/_stcore/metrics"):
        assert status(f"{address}/{path}", LOGIN) == 404


def cookies_by_copy(address: str, copies: Collection[int]) -> dict[int, str]:
    """Ask until each copy has answered, and return a cookie that leads to each."""
    found: dict[int, str] = {}
    while len(found) < len(copies):
        _, headers = asked(f"{address}/_stcore/health")
        found.setdefault(int(headers["X-Copy"].rpartition(":")[2]), given_cookie(headers))
    for copy, sent in found.items():
        for _ in range(3):
            _, headers = asked(f"{address}/_stcore/health", {"Cookie": sent})
            assert int(headers["X-Copy"].rpartition(":")[2]) == copy
            assert given_cookie(headers) is None
    return found
