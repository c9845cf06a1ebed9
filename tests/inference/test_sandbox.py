"""Confinement, tried from inside: a process that confined itself attempts what a hostile model would."""

import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from scoring.inference import sandbox, timed_worker

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the layers are Linux's")

ATTEMPTS = """
import ctypes, fcntl, json, mmap, os, resource, socket, subprocess, sys, threading
sys.path.insert(0, sys.argv[1])
from scoring.inference import sandbox
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
    "signal to a thread of the parent": lambda: exec(
        "if ctypes.CDLL(None).tgkill(os.getppid(), os.getppid(), 0) != 0: raise OSError"
    ),
    "processors of the parent": lambda: os.sched_setaffinity(os.getppid(), os.sched_getaffinity(0)),
    "schedule of the parent": lambda: os.sched_setscheduler(
        os.getppid(), os.SCHED_OTHER, os.sched_param(0)
    ),
    "who is sent signals": lambda: fcntl.fcntl(open_before, 8, os.getppid()),
    "which signal": lambda: fcntl.fcntl(open_before, 10, 9),
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
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
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
    assert {"rlimits", "no-new-privileges"} <= {*outcome["layers"]}
    others = ("rlimits", "no-new-privileges", "namespaces", "threads", "landlock-", "seccomp")
    assert all(layer.startswith(others) for layer in outcome["layers"])


def test_a_process_has_few_threads():
    """3,000 could be started, by root also within a namespace."""
    code = (
        "import os, sys, threading; sys.path.insert(0, sys.argv[1]); from scoring.inference import sandbox\n"
        "print(*sandbox.confine(2 << 30, 60, 10))\n"
        "threading.stack_size(1 << 16)\n"
        "started, wait = 0, threading.Event()\n"
        "try:\n"
        "    for _ in range(200): threading.Thread(target=wait.wait, daemon=True).start(); started += 1\n"
        "except RuntimeError: pass\n"
        "print(started, flush=True); os._exit(0)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, ROOT],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    layers, started = done.stdout.splitlines()
    if os.getuid() != 0 and "threads" not in layers:
        pytest.skip("this kernel or container has no user namespaces for ordinary users")
    assert 1 <= int(started) < sandbox.THREADS


def test_a_process_with_other_threads_does_not_claim_what_holds_one_alone():
    code = (
        "import sys, threading; sys.path.insert(0, sys.argv[1]); from scoring.inference import sandbox\n"
        "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "print(*sandbox.confine(2 << 30, 60, 10), flush=True); import os; os._exit(0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(ROOT)], capture_output=True, text=True, timeout=60, check=True
    )
    assert "landlock" not in done.stdout
    assert "rlimits" in done.stdout


def test_a_worker_has_one_thread_when_it_confines_itself():
    """The runtime started one of its own as long as its telemetry was on: Landlock did not hold it."""
    child = timed_worker.WorkerProcess(timed_worker.Limits(), timed_worker.WORKER)
    try:
        if not sandbox.landlock_version():
            pytest.skip("this kernel has no Landlock")
        assert any(layer.startswith("landlock-") for layer in child.confinement)
    finally:
        child.close()


@pytest.mark.parametrize("name", sandbox.MACHINES)
def test_the_filter_lets_through_exactly_the_calls_allowed(name):
    machine, own, other = sandbox.MACHINES[name], 4321, 1
    program = sandbox.filter_program(machine, own)
    assert len(program) % 8 == 0

    def verdict(number: int, *arguments: int, architecture: int = machine.audit) -> int:
        """The filter interpreted: load a word of the call's description, compare, jump, answer."""
        described = struct.pack("<iIQ6Q", number, architecture, 0, *arguments, *[0] * (6 - len(arguments)))
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

    allow, no_such_call, thread, clone3 = 0x7FFF0000, 0x00050000 | 38, 0x10000, 435
    calls = machine.calls
    assert {number for number in range(600) if verdict(number, own) == allow} == set(calls.values())
    for call in ("tgkill", "sched_setparam", "sched_setscheduler", "sched_setaffinity"):
        assert verdict(calls[call], other) != allow
    assert verdict(calls["tgkill"], 0) != allow
    assert verdict(calls["sched_setaffinity"], 0) == allow
    assert {request for request in range(1100) if verdict(calls["fcntl"], 0, request) == allow} == {
        *(0, 1, 2, 3, 4),
        1030,
    }
    assert verdict(machine.clone, thread) == allow
    assert verdict(machine.clone, 0) != allow
    assert verdict(clone3, thread) == no_such_call
    assert verdict(0, architecture=0x40000003) == 0x80000000
    assert verdict(0x40000000) == 0x80000000


def test_where_a_layer_does_not_exist_it_is_left_out(monkeypatch):
    monkeypatch.setattr(sandbox.platform, "machine", lambda: "riscv64")
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

        def unshare(self, _):
            return -1

    monkeypatch.setattr(sandbox.ctypes, "CDLL", lambda *_, **__: Library())
    assert sandbox.deny_files_and_network() == ""
    assert sandbox.enter_namespaces(0) == ""
    assert sandbox.filter_system_calls() == ""


def test_a_child_ends_with_the_other_end_of_its_pipe():
    code = (
        "import sys, time; sys.path.insert(0, sys.argv[1]); from scoring.inference.sandbox import "
        "die_with_parent; die_with_parent(0); time.sleep(60)"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(ROOT)], stdin=subprocess.PIPE)
    child.stdin.close()
    assert child.wait(30) == 0
