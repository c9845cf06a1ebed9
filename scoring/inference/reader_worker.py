"""Reader worker: the confined child process in which a server reads visitors' tables and documents.

Frames of `worker_protocol`: a request is {"reader": name} + the arguments by `transport`; the reply is {"ok":
true} + the result, {"ok": true, "refused": true} + the problems, or {"ok": false, "code"}.
"""

import codecs
import importlib
from pathlib import Path
from typing import Any

from scoring.common import transport
from scoring.common.findings import InputRefused
from scoring.common.transport import READERS
from scoring.inference import sandbox, worker_protocol

CODECS = ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp437", "latin-1", "unicode_escape")
"""Codecs that must be loaded before confinement. Python loads a codec on first use, which a confined process
cannot do."""


def main(settings: dict[str, Any]) -> None:
    """Answer requests until the other side closes the connection.

    Args:
        settings: memory_bytes (in addition to the memory that the process uses without a file), cpu_seconds,
            niceness, decoders (modules with readers), frame_bytes and alarm_seconds.
    """
    requests, replies = worker_protocol.take_channel()
    for module in settings["decoders"]:
        importlib.import_module(module)
    for codec in CODECS:
        codecs.lookup(codec)
    memory_bytes = settings["memory_bytes"] + _address_space()
    sandbox.leave_folders()
    layers = sandbox.confine(memory_bytes, settings["cpu_seconds"], settings["niceness"])
    sandbox.die_with_parent(requests.fileno())
    worker_protocol.write_frame(replies, {"ok": True, "confinement": layers})
    while True:
        try:
            header, parts = worker_protocol.read_frame(requests, settings["frame_bytes"])
        except worker_protocol.BrokenFrame:
            return
        sandbox.set_alarm(settings["alarm_seconds"])
        reply, payload = _reply(header["reader"], parts)
        sandbox.set_alarm(0)
        worker_protocol.write_frame(replies, reply, payload)


def _reply(reader: str, parts: list[bytearray]) -> tuple[dict[str, Any], list[Any]]:
    try:
        return {"ok": True}, transport.encode(READERS[reader](*transport.decode(parts)))
    except InputRefused as refused:
        return {"ok": True, "refused": True}, transport.encode((refused.problems, refused.findings))
    except MemoryError:
        return {"ok": False, "code": "model-out-of-memory"}, []
    except Exception:
        return {"ok": False, "code": "stopped"}, []


def _address_space() -> int:
    """Return the bytes of address space that this process takes; 0 if the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * 4096
    except (OSError, ValueError):
        return 0
