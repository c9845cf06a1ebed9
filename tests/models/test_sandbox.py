"""Confinement, tried from inside: a process that confined itself attempts what a hostile model would."""

import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from scoring.models import sandbox

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the layers are Linux's")

ATTEMPTS = """
import ctypes, json, mmap, os, resource, socket, subprocess, sys, threading
sys.path.insert(0, sys.argv[1])
from scoring.models import sandbox
open_before = os.open("/", os.O_RDONLY)
tries = {
    "open": lambda: open("/etc/hostname").close(),
    "open below a directory opened before": lambda: os.open("etc/hostname", os.O_RDONLY, dir_fd=open_before),
    "list": lambda: os.listdir("."),
    "write": lambda: open("here", "w").close(),
    "environment of the parent": lambda: open(f"/proc/{os.getppid()}/environ").close(),
    "socket": lambda: socket.socket(),
    "unix socket": lambda: socket.socket(socket.AF_UNIX),
    "fork": lambda: os.fork() or os._exit(0),
    "program": lambda: subprocess.run(["/bin/true"]),
    "replace itself": lambda: os.execv("/bin/true", ["true"]),
    "signal to the parent": lambda: os.kill(os.getppid(), 0),
    "4 GB": lambda: mmap.mmap(-1, 4 << 30),
    "more memory": lambda: resource.setrlimit(resource.RLIMIT_AS, (-1, -1)),
    "memory file": lambda: os.memfd_create("x"),
    "trace the parent": lambda: exec(
        "if ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0) != 0: raise OSError"
    ),
}
layers = sandbox.confine(2 << 30, 60, 10)
refused = []
for name, attempt in tries.items():
    try:
        attempt()
    except (OSError, MemoryError, ValueError, RuntimeError, NotImplementedError):
        refused.append(name)
threads = []
thread = threading.Thread(target=threads.append, args=(1,))
thread.start()
thread.join()
print(json.dumps({"layers": layers, "refused": refused, "tried": list(tries), "threads": threads}))
"""


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    empty = tmp_path_factory.mktemp("empty")
    done = subprocess.run(
        [sys.executable, "-c", ATTEMPTS, str(ROOT)],
        cwd=empty,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout) | {"left": os.listdir(empty)}


def test_every_attempt_is_refused(outcome):
    if "seccomp" not in outcome["layers"]:
        pytest.skip("this kernel has no system-call filter")
    assert outcome["refused"] == outcome["tried"]
    assert outcome["left"] == []


def test_threads_still_work(outcome):
    assert outcome["threads"] == [1]


def test_the_layers_achieved_are_named(outcome):
    assert outcome["layers"][:2] == ["rlimits", "no-new-privileges"]
    assert all(layer == "seccomp" or layer.startswith("landlock-") for layer in outcome["layers"][2:])


def test_the_filter_lets_through_exactly_the_calls_allowed():
    program = sandbox.filter_program()
    assert len(program) % 8 == 0

    def verdict(number: int, first_argument: int = 0, architecture: int = 0xC000003E) -> int:
        """The filter interpreted: load a word of the call's description, compare, jump, answer."""
        described = struct.pack("<iIQQ", number, architecture, 0, first_argument)
        at, word = 0, 0
        while True:
            code, if_true, if_false, operand = struct.unpack_from("<HBBI", program, 8 * at)
            at += 1
            if code == 0x20:
                (word,) = struct.unpack_from("<I", described, operand)
            elif code == 0x06:
                return operand
            else:
                met = {0x15: word == operand, 0x35: word >= operand, 0x45: bool(word & operand)}[code]
                at += if_true if met else if_false

    allow, no_such_call, thread = 0x7FFF0000, 0x00050000 | 38, 0x10000
    clone, clone3 = 56, 435
    assert {number for number in range(600) if verdict(number) == allow} == set(
        sandbox.ALLOWED_CALLS.values()
    )
    assert verdict(clone, thread) == allow
    assert verdict(clone, 0) != allow
    assert verdict(clone3, thread) == no_such_call
    assert verdict(0, architecture=0x40000003) == 0x80000000
    assert verdict(0x40000000) == 0x80000000


def test_where_a_layer_does_not_exist_it_is_left_out(monkeypatch):
    monkeypatch.setattr(sandbox.platform, "machine", lambda: "aarch64")
    assert sandbox.filter_system_calls() == ""
    monkeypatch.setattr(sandbox, "resource", None)
    assert sandbox.limit_resources(1, 1) == ""


def test_a_limit_that_cannot_be_set_is_not_claimed(monkeypatch):
    class Refusing:
        RLIMIT_AS = RLIMIT_CPU = RLIMIT_NOFILE = RLIMIT_FSIZE = RLIMIT_CORE = 0

        def setrlimit(self, *_):
            raise ValueError("not here")

    monkeypatch.setattr(sandbox, "resource", Refusing())
    assert sandbox.limit_resources(1, 1) == ""


def test_an_old_kernel_without_landlock_is_not_claimed(monkeypatch):
    class Library:
        def syscall(self, *_):
            return -1

    monkeypatch.setattr(sandbox.ctypes, "CDLL", lambda *_, **__: Library())
    assert sandbox.deny_files_and_network() == ""
    assert sandbox.filter_system_calls() == ""


def test_a_child_ends_with_the_other_end_of_its_pipe():
    code = (
        "import sys, time; sys.path.insert(0, sys.argv[1]); from scoring.models.sandbox import "
        "die_with_parent; die_with_parent(0); time.sleep(60)"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(ROOT)], stdin=subprocess.PIPE)
    child.stdin.close()
    assert child.wait(30) == 0
