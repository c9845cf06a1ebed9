"""What goes wrong around a server: no home, few descriptors, a port in use, kills, a full disk. It starts
with one sentence or not at all, goes on, and leaves nothing behind."""

import contextlib
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoring.inference import timed_worker
from tests.browser import driver
from tests.support.command_line import ROOT, run_fresh
from tests.support.visitor import Visitor

PATIENCE = 120


class Started:
    """A server whose environment and limits are chosen."""

    def __init__(self, folder: Path, *before: str, port: int | None = None, descriptors: int | None = None):
        self.folder, self.port = folder, port or free_port()
        self.address = f"http://localhost:{self.port}"
        (folder / "tmp").mkdir(exist_ok=True)
        options = ("--server.headless=true", f"--server.port={self.port}", "--server.fileWatcherType=none")
        environment = {k: v for k, v in os.environ.items() if k != "HOME"}
        self.process = subprocess.Popen(
            [*before, sys.executable, "-m", "streamlit", "run", "app.py", *options],
            cwd=ROOT,
            env=environment | {"HOME": "/nonexistent", "TMPDIR": str(folder / "tmp")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=None if descriptors is None else lambda: limit_descriptors(descriptors),
        )

    def wait_until_healthy(self) -> None:
        until = time.monotonic() + PATIENCE
        while not driver._healthy(self.address):
            assert self.process.poll() is None, self.process.stdout.read()
            assert time.monotonic() < until
            time.sleep(0.1)

    def children(self) -> list[int]:
        listed = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        return [int(pid) for task in tasks for pid in task.read_text().split()] if listed.exists() else []

    def folders(self) -> list[str]:
        """Return what this server and its workers left where files are kept for a while."""
        of_workers = Path("/tmp").glob(f"benchside-{self.process.pid}-*")
        return [path.name for path in (*(self.folder / "tmp").iterdir(), *of_workers)]


def limit_descriptors(soft: int) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def eventually(condition, seconds: float = 30) -> bool:
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.1)
    return condition()


@contextlib.contextmanager
def started(folder: Path, *before: str, **options: int) -> Iterator[Started]:
    server = Started(folder, *before, **options)
    try:
        server.wait_until_healthy()
        yield server
    finally:
        server.process.kill()
        server.process.wait()


@pytest.mark.soak
def test_a_server_that_is_killed_leaves_no_process_and_no_folder(tmp_path):
    """It has no home and few descriptors besides."""
    with started(tmp_path, descriptors=64) as server:
        with contextlib.ExitStack() as stack:
            visitors = [stack.enter_context(Visitor(server.address, "about")) for _ in range(80)]
            for one in (visitors[0], visitors[-1]):
                one.run()
                assert any(
                    "Everything is in order" in words or "could be better" in words for words in one.texts
                )
        with Visitor(server.address, "single_image") as one:
            one.run()
            assert eventually(server.children)
            workers = server.children()
            server.process.kill()
            server.process.wait()
    assert eventually(lambda: not any(map(lives, workers)))
    assert server.folders() == []
    with started(tmp_path) as following:
        begun = time.monotonic()
        following.process.terminate()
        following.process.wait(20)
        assert time.monotonic() - begun < 10
        assert following.process.returncode in (0, -signal.SIGTERM, 128 + signal.SIGTERM)
        assert following.folders() == []


@pytest.mark.soak
def test_a_port_in_use_is_one_sentence(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        server = Started(tmp_path, port=taken.getsockname()[1])
        said, _ = server.process.communicate(timeout=PATIENCE)
    assert server.process.returncode != 0
    assert "not available" in said or "in use" in said
    assert "Traceback" not in said


@pytest.mark.soak
def test_a_full_folder_for_temporary_files_refuses_uploads_in_words_and_the_pages_go_on(tmp_path):
    before = mounting(tmp_path)
    with started(tmp_path, *before) as server, Visitor(server.address, "isic") as one:
        one.run()
        status, words = one.upload("a.csv", b"," * 3_000_000)
        assert status == 507
        assert "This file was not accepted" in words
        one.finish()
        assert words in one.texts
        assert one.upload("b.csv", b"image,MEL\na,1\n")[0] == 204


def mounting(folder: Path) -> list[str]:
    """What runs a command with a folder for temporary files of 1 MB and a read-only checkout; skipped where
    the system does not allow that."""
    (folder / "tmp").mkdir(exist_ok=True)
    script = (
        f"mount -t tmpfs -o size=1m none {folder}/tmp && mount --bind {ROOT} {ROOT} && "
        f'mount -o remount,bind,ro {ROOT} && exec "$@"'
    )
    before = ["unshare", "--mount", "--", "sh", "-c", script, "sh"]
    if (
        not shutil.which("unshare")
        or subprocess.run([*before, "true"], capture_output=True, check=False).returncode
    ):
        pytest.skip("this system lets nobody mount a folder")
    return before


@pytest.mark.soak
def test_another_user_without_rights_scores_and_runs_models():
    """A user namespace: nobody of the system, who may read the checkout."""
    before = ["unshare", "--user", "--", sys.executable, "-m", "scoring"]
    sample = ROOT / "sample_data" / "melanoma"
    command = [*before, "check", "melanoma", "--model", str(sample / "models" / "palette.onnx")]
    if (
        not shutil.which("unshare")
        or subprocess.run(["unshare", "--user", "true"], capture_output=True, check=False).returncode
    ):
        pytest.skip("this system lets nobody make a user namespace")
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr


def test_a_variable_that_names_no_folder_and_no_home_hurt_nothing():
    found = run_fresh("challenges", environment={"TMPDIR": "/nonexistent", "HOME": "/nonexistent"})
    assert (found.status, found.err) == (0, "")


def test_no_deadline_hangs_on_the_clock_of_the_day():
    """It may jump; what waits and what ends asks for seconds that never go back."""
    asking = ("time.time()", "from time import time\n")
    # What a login's claims, the withdrawal of one, and the age of a file are stated in.
    stated = {
        "pages/server/access.py",
        "scoring/boards/teams/members.py",
        "scoring/store/kept_files.py",
    }
    places = {*(ROOT / "scoring").rglob("*.py"), *(ROOT / "pages").rglob("*.py"), ROOT / "app.py"}
    places -= {ROOT / path for path in stated}
    found = [path for path in places if any(words in path.read_text(encoding="utf-8") for words in asking)]
    assert found == []
    assert "time.monotonic()" in Path(timed_worker.__file__).read_text(encoding="utf-8")
