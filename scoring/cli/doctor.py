"""Report of `benchside doctor` about version, confinement, folders, store, memory and limits. It says how to
fix problems.

The command line and the page about the server use the same report.
"""

import os
import platform
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from scoring.common import limits
from scoring.common.findings import Finding, InputRefused
from scoring.inference import sandbox_layers
from scoring.inference.cluster.scheduler import ClusterUnusable, falls_back, is_named, named, size
from scoring.inference.model_pool import cores
from scoring.inference.model_process import achieved_layers
from scoring.inference.sandbox import THREADS
from scoring.inference.timed_worker import Limits
from scoring.inference.worker_results import ModelFailed
from scoring.inputs.archives import MEMBER_BYTES, MEMBERS
from scoring.inputs.table_text import CELLS, TABLE_BYTES
from scoring.version import __version__

State = Literal["ok", "caution", "fault"]
LOW_MEMORY, LOW_ROOM, NO_ROOM = 2 << 30, 2 << 30, 50 << 20
STATE_SECONDS = 30
"""Number of seconds for which the state of a cluster is cached."""
PROGRAM, MODELS, DATA, LIMITS, MACHINE = "Program", "Models", "Files", "Limits", "Machine"
UNBOUND_THREADS = (
    "Start the app as an ordinary user who may create user namespaces, or limit the processes of the "
    "service: TasksMax= of systemd, --pids-limit of a container."
)
NEWER = "Run the app on Linux 5.13 or newer, outside of containers that forbid confinement."


@dataclass(frozen=True)
class Check:
    """One check of the installation.

    Attributes:
        state: "ok", "caution" if something could work better, "fault" if something does not work.
        mend: What to do about the problem; "" if the state is "ok".
        public: Whether everybody may read the result, even on a server that other machines can reach.
    """

    group: str
    name: str
    value: str
    state: State = "ok"
    mend: str = ""
    public: bool = False


@dataclass(frozen=True)
class Occupancy:
    """Current use of a server.

    Attributes:
        own_result_bytes: Bytes that results from visitors' own files take.
    """

    visitors: int
    upload_bytes: int
    result_bytes: int = 0
    own_result_bytes: int = 0


def examine(public: bool = False, occupancy: Occupancy | None = None) -> list[Check]:
    """Check the installation: program, models, cluster, files, store, limits and machine.

    Args:
        public: Whether other machines can reach the server. If so, unconfined models are refused.
        occupancy: Current use of the server; None on the command line.
    """
    return [
        *_program(),
        *_models(public, occupancy is not None),
        *_cluster(),
        *_files(),
        *_store(),
        *_limits(public, occupancy),
        *_machine(),
    ]


def faults(entries: Iterable[Check]) -> list[Check]:
    """Return only the checks that found faults."""
    return [entry for entry in entries if entry.state == "fault"]


def as_document(entries: Sequence[Check]) -> dict[str, Any]:
    """Return the checks as a value for JSON."""
    return {"version": __version__, "works": not faults(entries), "entries": [asdict(e) for e in entries]}


def _program() -> Iterator[Check]:
    yield Check(PROGRAM, "Version", __version__, public=True)
    yield Check(PROGRAM, "Python", f"{platform.python_version()} on {platform.system()} {platform.machine()}")
    silent = os.environ.get("ORT_DISABLE_TELEMETRY") == "1"
    leaving = "models and images go to the cluster that the operator configured" if is_named() else "nothing"
    yield Check(
        PROGRAM,
        "Data that leaves this machine",
        leaving if silent else "usage reports of onnxruntime",
        "ok" if silent else "fault",
        "" if silent else "Set the environment variable ORT_DISABLE_TELEMETRY=1.",
        public=True,
    )


def _models(public: bool, served: bool) -> Iterator[Check]:
    try:
        layers = achieved_layers()
    except ModelFailed as failed:
        yield Check(MODELS, "Process for models", "does not start", "fault", failed.message, public=False)
        yield Check(MODELS, "Visitors' models", "do not run", "fault", "Ask the operator.", public=True)
        return
    lacking = sandbox_layers.missing(layers)
    for layer, sentence in sandbox_layers.LAYERS.items():
        there = layer not in lacking
        yield Check(
            MODELS, f"Confinement: {sentence}", "active" if there else "missing", *_checked(there, NEWER)
        )
    spaces = "namespaces" in layers
    yield Check(
        MODELS,
        "Confinement: a network without interfaces",
        "active" if spaces else "not allowed here; the other layers also block the network",
    )
    bound = "threads" in layers
    yield Check(
        MODELS,
        "Threads of one model",
        f"{THREADS}" if bound else "not limited: one model can use all threads of the machine",
        *_checked(bound, UNBOUND_THREADS),
    )
    if served:
        accepted = os.environ.get(sandbox_layers.ACCEPTED) == "accepted"
        refused = bool(lacking) and public and not accepted
        sentence = "refused" if refused else "run, not fully confined" if lacking else "run, fully confined"
        advice = f"Fix the confinement above, or accept the risk with {sandbox_layers.ACCEPTED}=accepted."
        yield Check(MODELS, "Visitors' models", sentence, *_checked(not lacking, advice), public=True)


def _cluster() -> Iterator[Check]:
    """Yield the state of the cluster, if one is configured."""
    name = "Cluster that runs models"
    try:
        scheduler = named()
        if scheduler is not None:
            workers, threads = size(scheduler, int(time.monotonic() / STATE_SECONDS))
            counted = f"{workers} worker{'s' * (workers > 1)}, {threads} thread{'s' * (threads > 1)}"
            yield Check(MODELS, name, f"{scheduler.address}, {counted}, same versions as this machine")
    except ClusterUnusable as unusable:
        state: State = "caution" if falls_back() else "fault"
        here = ": this machine runs the models instead" if falls_back() else ""
        yield Check(MODELS, name, f"{unusable.where} cannot be used{here}", state, unusable.message)


def _checked(well: bool, advice: str) -> tuple[State, str]:
    return ("ok", "") if well else ("caution", advice)


def _files() -> Iterator[Check]:
    yield Check(
        DATA,
        "Where files of visitors are",
        "in memory, for their session only; deleted within 30 seconds of closing the tab",
        public=True,
    )
    folder = limits.temporary_folder()
    if folder is None:
        advice = "Name a folder that can be written with the environment variable TMPDIR."
        yield Check(DATA, "Folder for temporary files", "cannot be written", "fault", advice)
        return
    advice = "Free some space there, or name another folder with TMPDIR: uploads are stored there first."
    yield _room("Folder for temporary files", folder, advice)


def _store() -> Iterator[Check]:
    """Yield the place of boards and history, whether it can be used, and its free space."""
    from scoring.store.database import is_there, store_folder

    folder, name = store_folder(), "Boards and history"
    unwritable = "Let the user who runs Benchside write there, or name another folder in BENCHSIDE_STORE."
    if not is_there():
        nearest = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
        if os.access(nearest, os.W_OK):
            yield Check(DATA, name, f"none yet; they will be in {folder}")
        else:
            yield Check(DATA, name, f"{folder} cannot be made", "caution", unwritable)
        return
    problem, foreign, is_read_only = _state_of_store(folder, int(time.monotonic() / STATE_SECONDS))
    if problem is not None:
        yield Check(DATA, name, f"{problem.where} cannot be used", "fault", problem.message)
        return
    if is_read_only:
        yield Check(DATA, name, f"{folder} can only be read", "caution", unwritable)
        return
    if foreign:
        listed = f"{len(foreign)} files that do not belong to this database, such as {foreign[0][:12]}"
        advice = (
            "Benchside deletes no stored file while these files exist. If another store uses this folder, "
            "give each store its own folder (BENCHSIDE_FILES). Otherwise move the files away."
        )
        yield Check(DATA, "Files of boards and history", listed, "caution", advice)
    yield _room(name, folder, "Free some space there: otherwise nothing more can be saved.")


def _room(name: str, folder: Path, advice: str) -> Check:
    """Return a check with a folder and its free space."""
    free = limits.free_bytes(folder)
    state: State = "fault" if free < NO_ROOM else "caution" if free < LOW_ROOM else "ok"
    return Check(DATA, name, f"{folder}, {free / 1e9:.1f} GB free", state, "" if state == "ok" else advice)


@lru_cache(maxsize=1)
def _state_of_store(folder: Path, _since: int) -> tuple[Finding | None, list[str], bool]:
    """Return the problem of the store, the files that belong to another store, and whether the store can only
    be read. The result is cached for each value of `_since`."""
    from scoring.store.database import open_store
    from scoring.store.mark import foreign_files

    try:
        store = open_store(folder)
        try:
            store.check()
            with store.read() as session:
                return None, foreign_files(session, store.files), store.is_read_only
        finally:
            store.engine.dispose()
    except InputRefused as refused:
        return refused.problems[0], [], False


def _limits(public: bool, occupancy: Occupancy | None) -> Iterator[Check]:
    allowed, model = limits.uploads(public), Limits()
    yield Check(LIMITS, "Uploads of one visitor", _mb(allowed.session_bytes), public=True)
    value, state, advice = _mb(allowed.server_bytes), "ok", ""
    if occupancy is not None:
        value = f"{_mb(occupancy.upload_bytes)} of {value} used by {occupancy.visitors} visitors"
        if occupancy.upload_bytes > 0.9 * allowed.server_bytes:
            state, advice = "caution", f"Raise {limits.SERVER_UPLOADS.name}, or wait until visitors leave."
    yield Check(LIMITS, "Uploads of all visitors", value, state, advice)  # type: ignore[arg-type]
    results = _mb(limits.RESULTS.value * limits.MEGABYTE)
    if occupancy is not None:
        results = f"{_mb(occupancy.result_bytes)} of {results} used; the oldest are deleted first"
    yield Check(LIMITS, "Scorecards and predictions kept in memory", results, public=True)
    own = f"{_mb(limits.SESSION_RESULTS.value * limits.MEGABYTE)}; the oldest are deleted first"
    if occupancy is not None:
        own += f"; all visitors: {_mb(occupancy.own_result_bytes)}"
    yield Check(LIMITS, "Results of one visitor's own files", own, public=True)
    yield Check(
        LIMITS,
        "One model",
        f"{model.model_bytes >> 20} MiB; {model.load_seconds:g} s to load, "
        f"{model.run_seconds:g} s per image; "
        f"{model.memory_bytes >> 30} GiB of memory for models up to 160 MiB, more for larger models",
        public=True,
    )
    yield Check(LIMITS, "One table", f"{_mb(TABLE_BYTES)}, {CELLS:,} cells", public=True)
    yield Check(LIMITS, "One zip", f"{MEMBERS:,} files of {_mb(MEMBER_BYTES)}", public=True)
    yield Check(LIMITS, "Visitors' models that stay open", f"{limits.OPEN_MODELS.value}", public=True)
    for setting in limits.SETTINGS:
        if setting.problem:
            sentence = f"{setting.written!r}"[:60]
            yield Check(LIMITS, setting.name, sentence, "caution", setting.problem)


def _machine() -> Iterator[Check]:
    yield Check(MACHINE, "Processors", f"{cores()}")
    memory = limits.memory()
    if memory is not None:
        held, free = memory
        state, advice = _checked(free >= LOW_MEMORY, "A model can need 2 GB of memory: close other programs.")
        yield Check(
            MACHINE, "Memory", f"{_mb(held)} used by this process, {free / 1e9:.1f} GB free", state, advice
        )
    most = limits.descriptors()
    if most is not None:
        advice = (
            "Start the app with a higher limit, for example after `ulimit -n 4096`: each open tab needs "
            "four open files."
        )
        yield Check(
            MACHINE,
            "Open files and connections",
            f"{most:,}",
            *_checked(most >= limits.ENOUGH_DESCRIPTORS, advice),
        )


def _mb(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"
