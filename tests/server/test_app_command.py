"""`benchside app`: serves the pages, or says in one sentence why it cannot."""

import socket
import subprocess
import sys
import urllib.request

import pytest

from scoring.cli import app
from tests.browser import driver
from tests.support.command_line import run


@pytest.fixture(autouse=True)
def own_store(monkeypatch, tmp_path):
    """Whatever the command sets is taken back."""
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))


def test_it_serves_the_pages_from_any_folder(tmp_path):
    port = driver.free_port()
    command = [sys.executable, "-m", "scoring", "app", "--headless", "--port", port, "--store", tmp_path]
    environment, log = {"PYTHONPATH": str(driver.ROOT)}, tmp_path / "log"
    with (
        driver.running(command, port, log, cwd=tmp_path, **environment) as server,
        urllib.request.urlopen(server.address) as answer,
    ):
        assert answer.status == 200
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
        written = log.read_text(encoding="utf-8").splitlines()
    assert [line for line in written if line] == [f"Benchside is open at {server.address}"]


def refused(*arguments: object) -> str:
    """Return the one sentence of a refusal."""
    done = run("app", "--headless", *arguments)
    assert done.status == 2
    (line,) = done.err.splitlines()
    return line


def test_a_port_in_use_is_refused():
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert f"localhost:{port}" in (line := refused("--port", port))
        assert line.endswith("Try another --port.")


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_a_number_that_is_no_port_is_refused(port):
    assert "from 1 to 65535" in refused("--port", port)


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_an_address_that_others_reach_needs_a_name(host):
    assert "--name" in refused("--host", host)


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid"])
def test_an_address_of_another_machine_is_refused(host):
    assert refused("--host", host, "--name", "scores.example.org").startswith("error")


def test_a_store_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").touch()
    assert "--store" in refused("--store", tmp_path / "file" / "boards")


def test_without_streamlit_or_pages_the_sentence_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(app, "find_spec", lambda _name: None)
    assert 'pip install "benchside[app]"' in refused("--port", driver.free_port())
    monkeypatch.setattr(app, "FOLDERS", (tmp_path,))
    assert "wheel" in refused("--port", driver.free_port())


READERS_FAIL = """
import sys
import scoring.inference.reader_pool as pool
pool.READER = ("/bin/false",)
from streamlit.web.cli import main
sys.argv = ["streamlit", "run", "app.py", "--server.headless=true", "--server.port={port}"]
main()
"""


@pytest.mark.parametrize("text", ["[[auth]]\ncookie_secret = 'x'\n", "auth = 1\n"])
def test_a_server_whose_secrets_streamlit_cannot_read_ends_with_a_sentence(tmp_path, text):
    """Streamlit reads them when it starts; it answered every request by an error."""
    (tmp_path / "secrets.toml").write_text(text)
    options = ["--server.headless=true", f"--server.port={driver.free_port()}"]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", *options]
    done = subprocess.run(
        [*command, f"--secrets.files={tmp_path / 'secrets.toml'}"],
        cwd=driver.ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 2
    assert "error bad-secrets [auth]: it is missing or empty" in done.stderr
    assert "Traceback" not in done.stderr + done.stdout


def test_a_server_whose_readers_cannot_start_ends_with_a_sentence():
    command = [sys.executable, "-c", READERS_FAIL.replace("{port}", str(driver.free_port()))]
    done = subprocess.run(command, cwd=driver.ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith("`benchside doctor` says what is missing.")
    assert "Traceback" not in done.stderr + done.stdout
