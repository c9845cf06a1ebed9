"""What an installation says about itself, and that each fault comes with its mend."""

import json
import resource
import tempfile

import pytest

from scoring.cli import doctor
from scoring.cli.doctor import Occupancy
from scoring.common import limits
from scoring.inference import sandbox_layers
from scoring.store.database import open_store
from tests.support import schemas
from tests.support.command_line import run, run_fresh


def entry(name: str, entries=None, **examined) -> doctor.Check:
    entries = doctor.examine(**examined) if entries is None else entries
    return next(one for one in entries if one.name == name)


def test_all_is_well_here_and_the_json_fits_its_schema(tmp_path):
    finished = run("doctor", "--json", "-")
    assert finished.status == 0
    assert schemas.problems("doctor", finished.out) == []
    found = json.loads(finished.out)
    assert found["works"]
    assert {entry["group"] for entry in found["entries"]} == {
        "Program",
        "Models",
        "Files",
        "Limits",
        "Machine",
    }


def test_words_are_lines_by_group():
    lines = run("doctor").out.splitlines()
    assert lines[0] == "Program"
    assert any(line.startswith("  ok    Data that leaves this machine: nothing") for line in lines)


def test_a_folder_for_temporary_files_that_cannot_be_written_is_a_fault_with_its_mend(tmp_path, monkeypatch):
    def missing(*_, **__):
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(tempfile, "TemporaryFile", missing)
    found = entry("Folder for temporary files")
    assert (found.state, "TMPDIR" in found.mend) == ("fault", True)
    assert run("doctor").status == 2


def test_threads_of_models_that_nothing_limits_are_told_with_the_mend(monkeypatch):
    assert entry("Threads of one model").value == "64"
    layers = [layer for layer in doctor.achieved_layers() if layer != "threads"]
    monkeypatch.setattr(doctor, "achieved_layers", lambda: layers)
    unbound = entry("Threads of one model")
    assert (unbound.state, "TasksMax" in unbound.mend) == ("caution", True)


def test_the_store_is_not_made_by_looking_for_it(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    monkeypatch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
    assert (entry("Boards and history").value, (tmp_path / "store").exists()) == (
        f"none yet; they will be in {tmp_path / 'store'}",
        False,
    )


def test_a_store_says_where_it_is_and_a_damaged_one_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path))
    monkeypatch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
    store = open_store()
    found = entry("Boards and history")
    assert (found.state, found.value.startswith(f"{tmp_path}, ")) == ("ok", True)
    monkeypatch.setattr(limits, "free_bytes", lambda _: 10 << 20)
    assert entry("Boards and history").state == "fault"
    store.engine.dispose()
    with (tmp_path / "benchside.db").open("r+b") as database:
        database.seek(8 * 4096)
        database.write(bytes(range(256)) * 16)
    doctor._state_of_store.cache_clear()
    found = entry("Boards and history")
    assert (found.state, "restore the last backup" in found.mend) == ("fault", True)
    assert str(tmp_path) not in json.dumps(doctor.as_document([e for e in doctor.examine(True) if e.public]))


@pytest.mark.parametrize(("free", "state"), [(10 << 20, "fault"), (1 << 30, "caution"), (10 << 30, "ok")])
def test_room_for_temporary_files(free, state, monkeypatch):
    monkeypatch.setattr(limits, "free_bytes", lambda _: free)
    assert entry("Folder for temporary files").state == state


@pytest.mark.parametrize(
    ("public", "accepted", "words", "state"),
    [
        (False, "", "run, not fully confined", "caution"),
        (True, "", "refused", "caution"),
        (True, "accepted", "run, not fully confined", "caution"),
    ],
)
def test_a_missing_layer_is_named_and_what_follows(public, accepted, words, state, monkeypatch):
    monkeypatch.setattr(doctor, "achieved_layers", lambda: ("rlimits", "no-new-privileges", "landlock-7"))
    monkeypatch.setenv(sandbox_layers.ACCEPTED, accepted)
    entries = doctor.examine(public, Occupancy(1, 0))
    assert entry(f"Confinement: {sandbox_layers.LAYERS['seccomp']}", entries).value == "missing"
    assert (entry("Visitors' models", entries).value, entry("Visitors' models", entries).state) == (
        words,
        state,
    )


def test_few_descriptors_are_told_and_raised_as_far_as_they_may_be():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
        assert "ulimit -n" in entry("Open files and connections").mend
        limits.raise_descriptors()
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == min(hard, limits.MOST_DESCRIPTORS)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("words", ["many", "-3", "0", "1.5", "³", ""])
def test_a_limit_that_is_no_number_leaves_the_default_and_is_told(words, monkeypatch):
    monkeypatch.setenv(limits.OPEN_MODELS.name, words)
    assert limits.OPEN_MODELS.value == limits.OPEN_MODELS.default
    assert entry(limits.OPEN_MODELS.name).state == "caution"


def test_a_limit_that_is_no_number_stops_no_command(monkeypatch):
    finished = run_fresh("doctor", environment={limits.OPEN_MODELS.name: "many"})
    assert finished.status == 0
    assert "BENCHSIDE_OPEN_MODELS is not a whole number above 0. Benchside uses 8 instead." in finished.out


@pytest.mark.parametrize(
    ("public", "session", "one"),
    [(False, None, 4096), (True, None, 1024), (False, "10", 10), (True, "9999", 4096)],
)
def test_who_is_alone_may_hold_all(public, session, one, monkeypatch):
    monkeypatch.delenv(limits.SESSION_UPLOADS.name, raising=False)
    if session:
        monkeypatch.setenv(limits.SESSION_UPLOADS.name, session)
    allowed = limits.uploads(public)
    assert (allowed.session_bytes, allowed.server_bytes) == (one * 1_000_000, 4096 * 1_000_000)


def test_a_server_that_is_nearly_full_says_so():
    full = entry("Uploads of all visitors", occupancy=Occupancy(3, 4_000_000_000))
    assert full.value == "4,000 MB of 4,096 MB used by 3 visitors"
    assert full.state == "caution"


def test_nothing_that_helps_an_attacker_is_public():
    shown = [entry for entry in doctor.examine(True, Occupancy(0, 0)) if entry.public]
    told = " ".join(f"{entry.name} {entry.value}" for entry in shown)
    assert "Version" in told
    for secret in (
        tempfile.gettempdir(),
        "Python",
        "seccomp",
        "Landlock",
        "filter of system calls",
        "GB free",
    ):
        assert secret not in told
