"""Nothing leaves the machine, and nothing is written outside of the program's own folders: server, command
line and worker, watched by strace."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.inference import builders

ROOT = Path(__file__).parents[1]
PATIENCE = 120
WATCHED = (
    "connect,sendto,sendmsg,sendmmsg,open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,link,symlink"
)
ADDRESS = re.compile(r'inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"')
WRITING = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|^\d+ +(?:creat|mkdir|rename|link|symlink)")
PATH = re.compile(r'"([^"]*)"')
NO_FILES = ("/dev/", "/proc/self/", "/sys/")


@dataclass(frozen=True)
class Watch:
    """A folder with all that a watched program may write to."""

    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def trace(self) -> Path:
        return self.folder / "trace"

    def command(self, *command: object) -> list[str]:
        """The command under strace; a test is skipped where there is none."""
        program = shutil.which("strace")
        if program is None:
            if os.environ.get("CI"):
                pytest.fail("no strace on this machine")
            pytest.skip("no strace on this machine: install the package strace")
        options = ("-f", "--seccomp-bpf", "-qq", "-e", f"trace={WATCHED}", "-e", "signal=none")
        return [program, *options, "-o", str(self.trace), *map(str, command)]

    @property
    def environment(self) -> dict[str, str]:
        names = {"HOME": self.home, "TMPDIR": self.folder / "tmp", "PYTHONDONTWRITEBYTECODE": "1"}
        kept = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
        return kept | {name: str(value) for name, value in names.items()}

    def addresses(self) -> set[str]:
        """Every address beyond this machine that a program talked to, or tried to."""
        found = ("".join(match) for match in ADDRESS.findall(self.trace.read_text(errors="replace")))
        return {address for address in found if not address.startswith("127.") and address != "::1"}

    def written(self) -> set[str]:
        """Every path outside of the folder that was opened to be written, or made."""
        lines = self.trace.read_text(errors="replace").splitlines()
        paths = (PATH.search(line) for line in lines if WRITING.search(line) and "= -1" not in line)
        named = {match[1] for match in paths if match}
        return {path for path in named if not path.startswith((f"{self.folder}/", *NO_FILES))}

    def is_silent(self) -> None:
        assert self.addresses() == set()
        assert self.written() == set()
        assert list(self.home.iterdir()) == []


@pytest.fixture
def watch(tmp_path) -> Watch:
    for name in ("home", "tmp"):
        (tmp_path / name).mkdir()
    return Watch(tmp_path)


def test_what_is_watched_for_is_seen(watch):
    """An address that no one has (RFC 5737), and a file beside the folder."""
    script = (
        "import pathlib, socket, sys\n"
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))\n"
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('127.0.0.1', 9))\n"
        "pathlib.Path(sys.argv[1]).write_text('')\n"
        "pathlib.Path.home().joinpath('kept').write_text('')\n"
    )
    beside = watch.folder.with_name(f"{watch.folder.name}-beside")
    command = watch.command(sys.executable, "-c", script, beside)
    subprocess.run(command, env=watch.environment, check=True)
    assert watch.addresses() == {"192.0.2.1"}
    assert watch.written() == {str(beside)}
    with pytest.raises(AssertionError):
        watch.is_silent()


def test_command_line_and_worker_are_silent(watch):
    (watch.folder / "m.onnx").write_bytes(builders.classifier(vector=False))
    arguments = (
        *("-m", "scoring", "check", "isic", "--model", watch.folder / "m.onnx", "--json", watch.folder / "j"),
    )
    command = watch.command(sys.executable, *arguments)
    done = subprocess.run(
        command, cwd=ROOT, env=watch.environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    assert "onnxruntime" in watch.trace.read_text(errors="replace")
    watch.is_silent()


def test_the_package_is_silent_when_onnxruntime_is_imported_after_it(watch):
    command = watch.command(sys.executable, "-c", "import scoring, onnxruntime, time; time.sleep(0.5)")
    subprocess.run(command, cwd=ROOT, env=watch.environment, check=True)
    watch.is_silent()


def test_server_and_its_workers_are_silent_also_for_a_page_of_another_site(watch):
    with _server(watch, "--server.address=0.0.0.0") as port:
        with pytest.raises(InvalidStatus) as refused:
            connect(f"ws://localhost:{port}/_stcore/stream", origin="http://elsewhere.example")
        assert refused.value.response.status_code == 403
        assert _visit(port, "single_image") > 10
    assert "onnxruntime" in watch.trace.read_text(errors="replace")
    watch.is_silent()


@contextlib.contextmanager
def _server(watch: Watch, *settings: str) -> Iterator[int]:
    """The app under strace on a free port, ended with the block."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ("--server.headless=true", f"--server.port={port}", "--server.fileWatcherType=none", *settings)
    command = watch.command(sys.executable, "-m", "streamlit", "run", "app.py", *options)
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=watch.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        _wait_until_healthy(port)
        yield port
    finally:
        os.killpg(process.pid, signal.SIGTERM)  # strace itself ends with what it watches
        process.wait(PATIENCE)


def _wait_until_healthy(port: int) -> None:
    latest = time.monotonic() + PATIENCE
    while time.monotonic() < latest:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"http://localhost:{port}/_stcore/health"):
            return
        time.sleep(0.1)
    raise TimeoutError("the server did not start")


def _visit(port: int, page: str) -> int:
    """Open a page as a browser does, until its script has ended; gives the number of messages."""
    question = BackMsg()
    question.rerun_script.page_name = page
    address, origin = f"ws://localhost:{port}/_stcore/stream", f"http://localhost:{port}"
    with connect(address, origin=origin, subprotocols=["streamlit"], max_size=None) as channel:
        channel.send(question.SerializeToString())
        for count in range(10_000):
            message = ForwardMsg.FromString(channel.recv(PATIENCE))
            if message.WhichOneof("type") == "script_finished":
                return count
    raise AssertionError("the script did not end")
