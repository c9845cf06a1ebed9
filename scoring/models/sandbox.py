"""Confinement of the worker by itself, before it sees one untrusted byte.

Every layer is tried on its own and the ones achieved are reported, because hosts differ: Landlock needs Linux
5.13 and may be missing under gVisor, the system-call filter is written for x86-64, and outside Linux little
more than the wall-clock limit of the server remains. Numbers are those of the Linux headers (prctl.h,
landlock.h, seccomp.h, filter.h; system calls of x86-64).
"""

import ctypes
import os
import platform
import select
import struct
import sys
import threading

if sys.platform != "win32":
    import resource

_SET_NO_NEW_PRIVILEGES, _SET_DUMPABLE = 38, 4
_LANDLOCK_CREATE_RULESET, _LANDLOCK_RESTRICT_SELF, _SECCOMP = 444, 446, 317
_LANDLOCK_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_AUDIT_ARCH_X86_64, _X32_BIT, _CLONE_THREAD = 0xC000003E, 0x40000000, 0x10000
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NOT_PERMITTED, _ACCESS_DENIED, _NOT_IMPLEMENTED = 1, 13, 38
_CLONE, _CLONE3 = 56, 435
ALLOWED_CALLS = {
    "read": 0,
    "write": 1,
    "close": 3,
    "fstat": 5,
    "poll": 7,
    "lseek": 8,
    "mmap": 9,
    "mprotect": 10,
    "munmap": 11,
    "brk": 12,
    "rt_sigaction": 13,
    "rt_sigprocmask": 14,
    "rt_sigreturn": 15,
    "pread64": 17,
    "readv": 19,
    "writev": 20,
    "sched_yield": 24,
    "mremap": 25,
    "mincore": 27,
    "madvise": 28,
    "dup": 32,
    "nanosleep": 35,
    "setitimer": 38,
    "getpid": 39,
    "exit": 60,
    "uname": 63,
    "fcntl": 72,
    "gettimeofday": 96,
    "getrlimit": 97,
    "getrusage": 98,
    "sysinfo": 99,
    "times": 100,
    "sigaltstack": 131,
    "sched_setparam": 142,
    "sched_getparam": 143,
    "sched_setscheduler": 144,
    "sched_getscheduler": 145,
    "sched_get_priority_max": 146,
    "sched_get_priority_min": 147,
    "prctl": 157,
    "gettid": 186,
    "futex": 202,
    "sched_setaffinity": 203,
    "sched_getaffinity": 204,
    "restart_syscall": 219,
    "clock_gettime": 228,
    "clock_getres": 229,
    "clock_nanosleep": 230,
    "exit_group": 231,
    "tgkill": 234,
    "set_mempolicy": 238,
    "get_mempolicy": 239,
    "set_robust_list": 273,
    "getcpu": 309,
    "getrandom": 318,
    "membarrier": 324,
    "rseq": 334,
}


def confine(memory_bytes: int, cpu_seconds: int, niceness: int) -> tuple[str, ...]:
    """Confine this process for good and return the layers achieved, e.g. ("rlimits", "no-new-privileges",
    "landlock-7", "seccomp").

    memory_bytes bounds the address space, cpu_seconds the processor time of the whole life of the process.
    Everything that is going to be imported must have been imported: no file can be opened afterwards.
    """
    if hasattr(os, "nice"):
        os.nice(niceness)
    layers = [limit_resources(memory_bytes, cpu_seconds)]
    if sys.platform == "linux":
        layers += [forbid_new_privileges(), deny_files_and_network(), filter_system_calls()]
    return tuple(layer for layer in layers if layer)


def limit_resources(memory_bytes: int, cpu_seconds: int) -> str:
    """Limit address space, processor time, descriptors, written files and core dumps; "rlimits" if all of
    them took."""
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
    """Keep set-user-id programs from raising this process again, and other processes of the user from looking
    into it."""
    library = ctypes.CDLL(None, use_errno=True)
    library.prctl(_SET_DUMPABLE, 0, 0, 0, 0)
    return "no-new-privileges" if library.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0 else ""


def deny_files_and_network() -> str:
    """Apply Landlock with no rule at all: no file, no TCP, no abstract socket, no signal to others.
    "landlock-N" with the kernel's version.

    It holds this thread and those started later. The runtime starts one of its own while it is imported: that
    one is held by the filter of system calls alone.
    """
    library = ctypes.CDLL(None, use_errno=True)
    version = library.syscall(_LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return ""
    file_rights = (1 << _LANDLOCK_FILE_RIGHTS.get(version, 16)) - 1
    rights = struct.pack("<QQQ", file_rights, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    size = 8 if version < 4 else 16 if version < 6 else 24
    ruleset = library.syscall(_LANDLOCK_CREATE_RULESET, ctypes.c_char_p(rights), ctypes.c_size_t(size), 0)
    if ruleset < 0:
        return ""
    refused = library.syscall(_LANDLOCK_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
    return "" if refused else f"landlock-{version}"


def filter_system_calls() -> str:
    """Allow only the system calls that computing needs: no open, no socket, no fork, no exec.

    A refused call gives an error number instead of the end of the process, so that libraries which only probe
    can carry on.
    """
    if platform.machine() != "x86_64" or struct.calcsize("P") != 8:
        return ""

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]

    instructions = filter_program()
    buffer = ctypes.create_string_buffer(instructions, len(instructions))
    program = Program(len(instructions) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    set_mode_filter, every_thread = 1, 1
    library = ctypes.CDLL(None, use_errno=True)
    return (
        "seccomp"
        if library.syscall(_SECCOMP, set_mode_filter, every_thread, ctypes.byref(program)) == 0
        else ""
    )


def filter_program() -> bytes:
    """Return the filter as BPF instructions of 8 bytes each.

    clone is allowed for threads only; clone3 hides its flags behind a pointer, so it is declared missing and
    the C library falls back to clone.
    """
    load, equal, at_least, any_bit, answer = 0x20, 0x15, 0x35, 0x45, 0x06
    architecture_offset, number_offset, first_argument_offset = 4, 0, 16
    steps = [
        (load, 0, 0, architecture_offset),
        (equal, 1, 0, _AUDIT_ARCH_X86_64),
        (answer, 0, 0, _KILL),
        (load, 0, 0, number_offset),
        (at_least, 0, 1, _X32_BIT),
        (answer, 0, 0, _KILL),
        (equal, 0, 1, _CLONE3),
        (answer, 0, 0, _REFUSE | _NOT_IMPLEMENTED),
        (equal, 0, 4, _CLONE),
        (load, 0, 0, first_argument_offset),
        (any_bit, 0, 1, _CLONE_THREAD),
        (answer, 0, 0, _ALLOW),
        (answer, 0, 0, _REFUSE | _NOT_PERMITTED),
    ]
    for number in sorted(ALLOWED_CALLS.values()):
        steps += [(equal, 0, 1, number), (answer, 0, 0, _ALLOW)]
    steps.append((answer, 0, 0, _REFUSE | _ACCESS_DENIED))
    return b"".join(struct.pack("<HBBI", *step) for step in steps)


def die_with_parent(descriptor: int) -> None:
    """End this process when the other end of the pipe `descriptor` is gone, also in the middle of a
    computation.

    PR_SET_PDEATHSIG would do this in the kernel, but it fires when the *thread* that started the worker ends,
    and servers start workers from short-lived threads.
    """
    if not hasattr(select, "poll"):
        return

    def wait() -> None:
        poll = select.poll()
        poll.register(descriptor, 0)
        poll.poll()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()
