"""Sandbox: the worker confines itself (no files, no network, few system calls) before it reads any untrusted
byte.

For the time limit of a request see `timed_worker`.

Each layer is applied separately, and the achieved layers are reported, because systems differ. Landlock needs
Linux 5.13 and may be missing under gVisor. The system-call filter supports x86-64 and aarch64. Containers may
forbid namespaces. Outside Linux, little more than the server's time limit remains. The numbers in this module
come from the Linux headers (prctl.h, landlock.h, seccomp.h, sched.h, filter.h, unistd.h).
"""

import contextlib
import csv
import ctypes
import os
import platform
import select
import signal
import struct
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

if sys.platform != "win32":
    import resource

_SET_NO_NEW_PRIVILEGES, _SET_DUMPABLE = 38, 4
_LANDLOCK_CREATE_RULESET, _LANDLOCK_RESTRICT_SELF = 444, 446
_LANDLOCK_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_X32_BIT, _CLONE_THREAD = 0x40000000, 0x10000
_NEW_USER, _NEW_NETWORK, _NEW_IPC, _NEW_HOSTNAME = 0x10000000, 0x40000000, 0x08000000, 0x04000000
_SPACES = _NEW_NETWORK | _NEW_IPC | _NEW_HOSTNAME
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NOT_PERMITTED, _ACCESS_DENIED, _NOT_IMPLEMENTED = 1, 13, 38
_CLONE3 = 435
THREADS = 64
_UNUSED = range(1_900_000_000, 2_100_000_000)
"""User ids that no system assigns."""
CALLS: dict[str, tuple[int | None, ...]] = {
    name: tuple(int(number) if number else None for number in numbers)
    for name, *numbers in csv.reader(
        Path(__file__).with_name("system_calls.csv").read_text("ascii").splitlines()[1:]
    )
}
"""Name of a system call that computing needs -> its numbers on x86-64 and aarch64; None: it does not exist
there."""
_DUPFD, _GETFD, _SETFD, _GETFL, _SETFL, _DUPFD_CLOEXEC = 0, 1, 2, 3, 4, 1030


@dataclass(frozen=True)
class Architecture:
    """Facts about a processor architecture for the seccomp filter: the kernel's name and its system call
    numbers."""

    audit: int
    seccomp: int
    clone: int
    column: int

    @property
    def calls(self) -> dict[str, int]:
        """Numbers of the allowed system calls, by name."""
        return {
            name: number for name, numbers in CALLS.items() if (number := numbers[self.column]) is not None
        }


MACHINES = {
    "x86_64": Architecture(audit=0xC000003E, seccomp=317, clone=56, column=0),
    "aarch64": Architecture(audit=0xC00000B7, seccomp=277, clone=220, column=1),
}


def leave_folders() -> None:
    """Change to an empty, already removed folder. Relative names then lead nowhere, and a killed process
    leaves nothing. If this is impossible, the current folder stays the same."""
    with contextlib.suppress(OSError):
        folder = tempfile.mkdtemp(prefix=f"benchside-{os.getppid()}-")
        if os.name == "posix":  # elsewhere a folder in which somebody stands cannot be removed
            os.chdir(folder)
        os.rmdir(folder)


def confine(memory_bytes: int, cpu_seconds: int, niceness: int, on_gpu: bool = False) -> tuple[str, ...]:
    """Confine this process permanently and return the achieved layers.

    The layers are "rlimits", "no-new-privileges", "namespaces", "threads", "landlock-7" (with a version) and
    "seccomp". All imports must be done before, because no file can be opened afterwards.

    Args:
        on_gpu: Whether the GPU driver must stay accessible. Only the time limit and the ban on new privileges
            are then possible.
    """
    if hasattr(os, "nice"):
        os.nice(niceness)
    if on_gpu:
        _limit("RLIMIT_CPU", cpu_seconds)
        _limit("RLIMIT_CORE", 0)
        return tuple(filter(None, [forbid_new_privileges() if sys.platform == "linux" else ""]))
    layers = [limit_resources(memory_bytes, cpu_seconds)]
    if sys.platform == "linux":
        apart = separate()
        layers += [forbid_new_privileges(), *apart]
        layers += [deny_files_and_network(), filter_system_calls()]
    return tuple(layer for layer in layers if layer)


def limit_resources(memory_bytes: int, cpu_seconds: int) -> str:
    """Limit address space, processor time, descriptors, written files and core dumps. Return "rlimits" if all
    limits could be set."""
    if sys.platform == "win32":
        return ""
    wanted = {
        "RLIMIT_AS": memory_bytes,
        "RLIMIT_CPU": cpu_seconds,
        "RLIMIT_NOFILE": 32,
        "RLIMIT_FSIZE": 0,
        "RLIMIT_CORE": 0,
    }
    took = [_limit(name, value) for name, value in wanted.items()]
    return "rlimits" if all(took) else ""


def _limit(name: str, value: int) -> bool:
    try:
        resource.setrlimit(getattr(resource, name), (value, value))
    except (AttributeError, ValueError, OSError):
        return False
    return True


def forbid_new_privileges() -> str:
    """Prevent set-user-id programs from raising privileges, and other processes of the user from inspecting
    this process."""
    library = ctypes.CDLL(None, use_errno=True)
    library.prctl(_SET_DUMPABLE, 0, 0, 0, 0)
    return "no-new-privileges" if library.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0 else ""


def separate() -> tuple[str, ...]:
    """Enter namespaces and limit the number of threads. Return ("namespaces", "threads"), or only the one
    that kernel and container allow.

    An ordinary user needs a user namespace for both; the thread limit then counts only this process. Thread
    limits do not apply to root, so a process of root changes to its own user.
    """
    was_root = os.getuid() == 0
    spaces = enter_namespaces(_SPACES) if was_root else ""
    alone = was_root and _leave_root()
    spaces = spaces or enter_namespaces(_SPACES | _NEW_USER)
    alone = alone or (spaces != "" and not was_root)
    bound = alone and _limit("RLIMIT_NPROC", THREADS)
    return tuple(filter(None, (spaces, "threads" if bound else "")))


def enter_namespaces(kinds: int) -> str:
    """Enter own namespaces for network (without interfaces), IPC and host name. Return "namespaces" if this
    is allowed.

    No process namespace is entered, because it would affect only children, which the filter forbids anyway,
    and would prevent new threads.
    """
    return "namespaces" if ctypes.CDLL(None, use_errno=True).unshare(kinds) == 0 else ""


def _leave_root() -> bool:
    """Become a user whose number nobody else has; False if a container forbids it."""
    number = _UNUSED[int.from_bytes(os.urandom(4), "big") % len(_UNUSED)]
    try:
        os.setgroups([])
        os.setresgid(number, number, number)
        os.setresuid(number, number, number)
    except OSError:
        return False
    return True


def deny_files_and_network() -> str:
    """Forbid files, TCP, abstract sockets and signals to other processes by Landlock. Return "landlock-N"
    with the kernel's version.

    Landlock applies to this thread and later ones. If another thread runs already, the layer is applied but
    not reported.
    """
    library, version = ctypes.CDLL(None, use_errno=True), landlock_version()
    if version < 1:
        return ""
    alone = len(os.listdir("/proc/self/task")) == 1
    file_rights = (1 << _LANDLOCK_FILE_RIGHTS.get(version, 16)) - 1
    rights = struct.pack("<QQQ", file_rights, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    size = 8 if version < 4 else 16 if version < 6 else 24
    ruleset = library.syscall(_LANDLOCK_CREATE_RULESET, ctypes.c_char_p(rights), ctypes.c_size_t(size), 0)
    if ruleset < 0:
        return ""
    refused = library.syscall(_LANDLOCK_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
    return f"landlock-{version}" if alone and not refused else ""


def landlock_version() -> int:
    """Return the kernel's version of Landlock; less than 1 if it has none."""
    library = ctypes.CDLL(None, use_errno=True)
    return int(library.syscall(_LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), 1))


def filter_system_calls() -> str:
    """Allow only the system calls that computing needs: no open, no socket, no fork, no exec. A refused call
    returns an error number instead of ending the process, so that libraries that only probe can continue."""
    machine = MACHINES.get(platform.machine())
    if machine is None or struct.calcsize("P") != 8:
        return ""

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]

    instructions = filter_program(machine, os.getpid())
    buffer = ctypes.create_string_buffer(instructions, len(instructions))
    program = Program(len(instructions) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    set_mode_filter, every_thread = 1, 1
    library = ctypes.CDLL(None, use_errno=True)
    return (
        "seccomp"
        if library.syscall(machine.seccomp, set_mode_filter, every_thread, ctypes.byref(program)) == 0
        else ""
    )


def filter_program(machine: Architecture, process: int) -> bytes:
    """Return the filter as BPF instructions of 8 bytes each.

    The call clone is allowed only for threads. The call clone3 hides its flags behind a pointer, so it is
    reported as missing, and the C library uses clone instead. Signals and scheduling reach only the process
    with the number `process`; fcntl is limited to operations on descriptors, without signal owners.
    """
    load, equal, at_least, any_bit, verdict = 0x20, 0x15, 0x35, 0x45, 0x06
    architecture_offset, number_offset = 4, 0
    calls = machine.calls
    steps = [
        (load, 0, 0, architecture_offset),
        (equal, 1, 0, machine.audit),
        (verdict, 0, 0, _KILL),
        (load, 0, 0, number_offset),
        (at_least, 0, 1, _X32_BIT),
        (verdict, 0, 0, _KILL),
        (equal, 0, 1, _CLONE3),
        (verdict, 0, 0, _REFUSE | _NOT_IMPLEMENTED),
        (equal, 0, 4, machine.clone),
        (load, 0, 0, _argument(0)),
        (any_bit, 0, 1, _CLONE_THREAD),
        (verdict, 0, 0, _ALLOW),
        (verdict, 0, 0, _REFUSE | _NOT_PERMITTED),
    ]
    restricted = {
        "tgkill": (0, (process,)),
        "sched_setparam": (0, (0, process)),
        "sched_setscheduler": (0, (0, process)),
        "sched_setaffinity": (0, (0, process)),
        "fcntl": (1, (_DUPFD, _GETFD, _SETFD, _GETFL, _SETFL, _DUPFD_CLOEXEC)),
    }
    for name, (argument, values) in restricted.items():
        steps += [
            (equal, 0, len(values) + 3, calls[name]),
            (load, 0, 0, _argument(argument)),
            *((equal, len(values) - i, 0, value) for i, value in enumerate(values)),
            (verdict, 0, 0, _REFUSE | _NOT_PERMITTED),
            (verdict, 0, 0, _ALLOW),
        ]
    for number in sorted(number for name, number in calls.items() if name not in restricted):
        steps += [(equal, 0, 1, number), (verdict, 0, 0, _ALLOW)]
    steps.append((verdict, 0, 0, _REFUSE | _ACCESS_DENIED))
    return b"".join(struct.pack("<HBBI", *step) for step in steps)


def _argument(argument: int) -> int:
    """Return where the lower half of an argument is in the description of a call, bytes."""
    return 16 + 8 * argument


def set_alarm(seconds: float) -> None:
    """Let the kernel end this process after some seconds, even if native code blocks the interpreter. 0
    cancels the alarm."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def die_with_parent(descriptor: int) -> None:
    """End this process when the other end of the pipe `descriptor` closes, even during a computation.

    The kernel's PR_SET_PDEATHSIG would also end the process. However, it is sent as soon as the *thread* that
    started the worker ends, and servers start workers from short-lived threads.
    """
    if not hasattr(select, "poll"):
        return

    def wait() -> None:
        poll = select.poll()
        poll.register(descriptor, 0)
        poll.poll()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()
