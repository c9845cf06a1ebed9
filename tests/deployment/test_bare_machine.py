"""Who follows docs/deployment.md on a bare machine reaches a board behind nginx, with TLS and login."""

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.browser import driver
from tests.support import nginx
from tests.support.boards import filled
from tests.support.command_line import ROOT

pytestmark = [
    pytest.mark.soak,
    pytest.mark.browser,
    pytest.mark.skipif(nginx.program() is None, reason="nginx is not installed (Debian's package nginx)"),
    pytest.mark.skipif(driver.chromium() is None, reason="no Chromium found"),
]
NAME = "benchside.example.org"


@contextlib.contextmanager
def unit(place: Path, store: Path, port: int) -> Iterator[None]:
    """Run what the unit runs, with its settings, on another port."""
    text = (ROOT / "deploy" / "benchside.service").read_text()
    start = re.search(r"^ExecStart=(.*)$", text, re.MULTILINE)[1]
    start = start.replace("/opt/benchside", str(place)).replace("8501", str(port))
    settings = dict(
        re.findall(r"(\w+)=(\S+)", " ".join(re.findall(r"^Environment=(.*)$", text, re.MULTILINE)))
    )
    around = {"PATH": os.environ["PATH"], "HOME": str(place), **settings, "BENCHSIDE_STORE": str(store)}
    command = shlex.split(start.replace("BENCHSIDE.EXAMPLE.ORG", NAME))
    process = subprocess.Popen(command, cwd=place, env=around, stdout=subprocess.DEVNULL)
    try:
        while nginx.status(f"http://127.0.0.1:{port}/_stcore/health") != 200:
            assert process.poll() is None
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait()


def secure_site(folder: Path, port: int, copy: int) -> str:
    """Return the project's site with a certificate of its own, before one copy."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    made += ["-keyout", key, "-out", certificate, "-subj", f"/CN={NAME}", "-days", "1"]
    subprocess.run(made, check=True, capture_output=True)
    site = nginx.CONFIGURATION.read_text().replace("BENCHSIDE.EXAMPLE.ORG", NAME)
    site = site.replace("/etc/ssl/certs/BENCHSIDE.pem", str(certificate))
    site = site.replace("/etc/ssl/private/BENCHSIDE.key", str(key))
    site = site.replace("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;")
    site = site.replace("listen 80;", f"listen 127.0.0.1:{nginx.free_port()};")
    return re.sub(r" *server 127.0.0.1:8502.*\n", "", site).replace("127.0.0.1:8501", f"127.0.0.1:{copy}")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_from_a_clone_to_a_board_behind_nginx(tmp_path, monkeypatch):
    place, store = tmp_path / "benchside", tmp_path / "store"
    subprocess.run(["git", "clone", "--quiet", ROOT, place], check=True)
    subprocess.run([sys.executable, "-m", "venv", place / ".venv"], check=True)
    pip = [place / ".venv" / "bin" / "python", "-m", "pip", "install", "--quiet"]
    if subprocess.run([*pip, "-r", "requirements.txt"], cwd=place, check=False).returncode:
        pytest.skip("the package registry cannot be reached")
    monkeypatch.setenv("BENCHSIDE_STORE", str(store))
    monkeypatch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
    filled(tmp_path)
    copy, port = nginx.free_port(), nginx.free_port()
    folder = nginx.written(tmp_path / "nginx", secure_site(tmp_path, port, copy))
    with unit(place, store, copy), nginx.started(folder), sync_playwright() as player:
        arguments = [*driver.ARGUMENTS, f"--host-resolver-rules=MAP {NAME} 127.0.0.1"]
        browser = player.chromium.launch(executable_path=driver.chromium(), args=arguments)
        login = {"username": nginx.USER, "password": nginx.PASSWORD}
        context = browser.new_context(http_credentials=login, ignore_https_errors=True)
        page = driver.visit(context, f"https://{NAME}:{port}/board?board=b")
        expect(page.get_by_role("heading", name="B", exact=True)).to_be_visible()
        expect(page.get_by_text("Submissions", exact=True)).to_have_count(0)
        page.screenshot(path=tmp_path / "board.png")
        browser.close()
