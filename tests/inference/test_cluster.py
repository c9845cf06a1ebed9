"""Models on a cluster of separate processes: the same bytes as on one machine, also when one ends midway; one
sentence where it cannot be used."""

import dataclasses
import io
import json
import os
import pickle
import shutil
import signal
import socket
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import scoring
from scoring.cli import doctor
from scoring.common.findings import InputRefused, error
from scoring.inference import model_pool
from scoring.inference.cluster import masks, scheduler
from scoring.inference.cluster.inference import CHUNK_IMAGES, FIRST_IMAGES, _next_images, run_on_all
from scoring.inference.cluster.scheduler import (
    ADDRESS,
    AUTHORITY,
    CERTIFICATE,
    FALLBACK,
    KEY,
    ClusterUnusable,
)
from scoring.inference.model_pool import Answered, Cancelled
from scoring.inference.preprocessing import Recipe
from scoring.inputs.masks.counting import examine
from scoring.inputs.masks.lesions import MaskPair
from tests.inference import builders
from tests.inference.test_preprocessing import encoded, photograph
from tests.support import volumes
from tests.support.cluster import LocalCluster, free_port, write_certificates
from tests.support.command_line import run, run_fresh

SMALL = Recipe(((32, 32, "lanczos"),))
FILES = [encoded(photograph(40 + i, 50, seed=i), "JPEG") for i in range(10)]
MODEL = builders.classifier(vector=False)
MANY = [partial(bytes, FILES[i % len(FILES)]) for i in range(45)]
TRICORDER3 = Path("sample_data/tricorder3")


def recipe_for(facts):
    return SMALL


def layers(process, data, index, settings):
    """Work that tells where it runs: layers of confinement, the worker's process, and the image's number."""
    answer = process.run(data, SMALL)
    return Answered((process.facts.confinement, os.getpid(), index), answer.seen, answer.cpu_ms)


def slow(process, data, index, settings):
    time.sleep(0.1)
    return layers(process, data, index, settings)


@pytest.fixture(scope="module")
def cluster():
    with LocalCluster(1) as started:
        yield started


@pytest.fixture
def on_cluster(cluster, monkeypatch):
    """One worker, which the program is to use."""
    monkeypatch.setenv(ADDRESS, cluster.address)
    return cluster


@pytest.fixture(scope="module")
def here():
    """What this machine gives."""
    settings = model_pool.PoolSettings(workers=1, cache=None)
    return model_pool.predict(MODEL, PICTURES, None, recipe_for, settings=settings)


def raising(fault, *_):
    raise fault


REFUSED = InputRefused([error("bad-zip", "x.zip", "damaged")])
UNUSABLE = {
    3: None,
    5: lambda: b"no image",
    7: partial(raising, OSError("gone")),
    4 * FIRST_IMAGES: partial(raising, REFUSED),
}
PICTURES = [UNUSABLE.get(i, picture) for i, picture in enumerate(MANY)]


def are_equal(one, other):
    for first, second in zip(one.outputs, other.outputs, strict=True):
        assert type(first) is type(second)
        if isinstance(first, np.ndarray):
            np.testing.assert_array_equal(first, second)
        else:
            assert str(first) == str(second)
    assert (one.seen, one.facts, one.recipe) == (other.seen, other.facts, other.recipe)
    assert (np.isnan(one.cpu_ms) == np.isnan(other.cpu_ms)).all()


def test_outputs_are_those_of_one_machine_with_a_worker_killed_in_the_middle(on_cluster, here):
    victim, counted = on_cluster.add_worker(), []
    on_cluster.registered()

    def progress(done, total):
        counted.append((done, total))
        if done and victim.poll() is None:
            on_cluster.kill(victim)
            on_cluster.workers.remove(victim)

    there = model_pool.predict(
        MODEL, PICTURES, None, recipe_for, settings=model_pool.PoolSettings(run=run_on_all), progress=progress
    )
    assert victim.returncode == -signal.SIGKILL
    are_equal(here, there)
    assert there.facts.confinement == here.facts.confinement
    assert not models_of(on_cluster)
    assert (counted[0], counted[-1]) == ((0, len(MANY)), (len(MANY), len(MANY)))


@pytest.mark.parametrize(
    ("cpu_ms", "images"),
    [
        ([2.0, 6.0], CHUNK_IMAGES),
        ([40.0, np.nan, 60.0], 8),
        ([3000.0], 1),
        ([np.nan], 7),
        ([0.0], CHUNK_IMAGES),
    ],
)
def test_chunks_take_about_as_long_whatever_the_model(cpu_ms, images):
    found = model_pool.Results(None, (), (), np.array(cpu_ms))
    assert _next_images(found, 7) == images


def models_of(cluster):
    """Processes that workers of a cluster started."""
    parents = {worker.pid for worker in cluster.workers}
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found += [int(stat.parent.name)] if int(fields[1]) in parents and fields[0] != "Z" else []
    return found


def test_doctor_says_how_many_workers_there_are(on_cluster):
    entries = {entry.name: entry for entry in doctor.examine()}
    found = entries["Cluster that runs models"]
    assert found.value == f"{on_cluster.address}, 1 worker, 1 thread, same versions as this machine"
    assert found.state == "ok"
    assert "to the cluster" in entries["Data that leaves this machine"].value


@pytest.mark.parametrize(("fallback", "state"), [("", "fault"), ("local", "caution")])
def test_doctor_says_why_a_cluster_cannot_be_used(fallback, state, monkeypatch):
    monkeypatch.setenv(ADDRESS, "tcp://host")
    monkeypatch.setenv(FALLBACK, fallback)
    (found,) = [entry for entry in doctor.examine() if entry.name == "Cluster that runs models"]
    assert (found.state, "is not the address of a scheduler" in found.mend) == (state, True)


def test_cancelling_ends_the_work_and_the_processes_at_once(on_cluster):
    seen = []

    def cancelled():
        seen.extend(models_of(on_cluster))
        return bool(seen)

    with pytest.raises(Cancelled):
        run_on_all(MODEL, MANY, slow, cancelled=cancelled)
    deadline = time.monotonic() + 5
    while models_of(on_cluster) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert seen
    assert not models_of(on_cluster)


@pytest.fixture
def few(tmp_path):
    """A small test set with photographs."""
    lines = (TRICORDER3 / "labels.csv").read_text().splitlines(keepends=True)[:44]
    (tmp_path / "labels.csv").write_text("".join(lines))
    (tmp_path / "images").mkdir()
    for line in lines[1:]:
        member = line.split(",")[0]
        shutil.copy(TRICORDER3 / member, tmp_path / member)
    return tmp_path


@pytest.mark.soak
def test_a_scorecard_has_the_same_bytes_with_a_worker_killed_in_the_middle(on_cluster, monkeypatch, few):
    challenge = scoring.load_challenge("tricorder3")
    truth, model = challenge.read_truth(few), TRICORDER3 / "models" / "palette.onnx"
    victim = on_cluster.add_worker()
    on_cluster.registered()

    def card(progress=None):
        predictions = challenge.predict(model, truth, progress=progress)
        return challenge.score(truth, predictions, resamples=0).to_json()

    def kill(done, total):
        if 0 < done < total and victim.poll() is None:
            on_cluster.kill(victim)

    there = card(kill)
    on_cluster.workers.remove(victim)
    monkeypatch.delenv(ADDRESS)
    assert victim.returncode == -signal.SIGKILL
    assert there == card()


def test_the_work_is_done_here_where_nobody_answers_if_that_is_wanted(monkeypatch):
    monkeypatch.setenv(ADDRESS, "tcp://127.0.0.1:1")
    monkeypatch.setenv(FALLBACK, "local")
    unusable = ClusterUnusable("tcp://127.0.0.1:1", "No scheduler answers.")
    monkeypatch.setattr("scoring.inference.cluster.inference.connected", partial(raising, unusable))
    found = run_on_all(MODEL, MANY[:2], layers)
    assert {output[1] for output in found.outputs} == {os.getpid()}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({ADDRESS: "http://host:8786"}, "is not the address of a scheduler"),
        ({ADDRESS: "tcp://host"}, "is not the address of a scheduler"),
        ({ADDRESS: "tcp://host:8786", FALLBACK: "yes"}, "only “local” is allowed"),
        ({ADDRESS: "tls://host:8786"}, "The path is not set: tls:// needs"),
        ({ADDRESS: "tls://host:8786", AUTHORITY: "/nowhere.pem"}, "The path names no file: tls:// needs"),
    ],
)
def test_a_wrong_setting_is_one_sentence(settings, words, monkeypatch):
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ClusterUnusable, match=words):
        run_on_all(b"", MANY, layers)


def test_the_command_line_refuses_with_one_sentence_where_nobody_answers(monkeypatch, few):
    monkeypatch.setenv(ADDRESS, f"tcp://127.0.0.1:{free_port()}")
    monkeypatch.setattr(scheduler, "CONNECT_SECONDS", 1)
    begun = time.monotonic()
    with pytest.raises(ClusterUnusable) as caught:
        run_on_all(b"", MANY, layers)
    assert time.monotonic() - begun < 5
    monkeypatch.setattr("scoring.inference.cluster.inference.connected", partial(raising, caught.value))
    model = str(TRICORDER3 / "models" / "palette.onnx")
    finished = run("score", "tricorder3", "--truth", str(few), "--model", model, "--json", "-")
    assert finished.status == 2
    problems = json.loads(finished.out)["problems"]
    assert [(one["code"], one["where"]) for one in problems] == [("cluster-unusable", os.environ[ADDRESS])]
    assert "No scheduler of Dask answers" in problems[0]["message"]


@pytest.mark.soak
@pytest.mark.parametrize("place", ["127.0.0.1:1", "192.0.2.1:8786"], ids=["refused", "silent"])
def test_a_command_says_within_ten_seconds_that_there_is_no_cluster(few, place):
    model = TRICORDER3 / "models" / "palette.onnx"
    begun = time.monotonic()
    finished = run_fresh(
        *("score", "tricorder3", "--truth", few, "--model", model), environment={ADDRESS: f"tcp://{place}"}
    )
    assert time.monotonic() - begun < 10
    assert "No scheduler of Dask answers" in finished.err


def test_the_import_of_dask_counts_as_waiting(monkeypatch):
    """A command says within ten seconds of its start that nobody answers, where Dask is slow to import."""
    clock = iter([100.0, 101.0])
    monkeypatch.setattr(scheduler, "monotonic", lambda: next(clock))
    waited = []

    def client(_address, timeout, **_) -> None:
        waited.append(timeout)
        raise OSError

    monkeypatch.setattr("distributed.Client", client)
    with pytest.raises(ClusterUnusable), scheduler.connected(scheduler.Scheduler("tcp://127.0.0.1:1")):
        pass
    assert waited == [scheduler.CONNECT_SECONDS - 1]
    assert scheduler.CONNECT_SECONDS <= 4


def test_a_port_that_speaks_nothing_is_one_sentence(monkeypatch):
    monkeypatch.setattr(scheduler, "CONNECT_SECONDS", 1)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        monkeypatch.setenv(ADDRESS, f"tcp://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(ClusterUnusable, match="No scheduler of Dask answers"):
            run_on_all(b"", MANY, layers)


def test_refusals_cross_between_processes():
    refused = InputRefused([error("a", "b", "c")], salvaged=(1,))
    refused.add_note("would be refused")
    crossed = pickle.loads(pickle.dumps(refused))
    assert (crossed.problems, crossed.salvaged, str(crossed)) == (refused.problems, (1,), str(refused))
    assert crossed.__notes__ == ["would be refused"]


OTHERS = """
import importlib.metadata as metadata
real = getattr(metadata.version, "real", metadata.version)
def version(name):
    if name == "onnxruntime":
        raise metadata.PackageNotFoundError(name)
    return "2024.1.0" if name == "dask" else real(name)
version.real = real
metadata.version = version
"""


@pytest.mark.soak
def test_a_cluster_without_workers_or_with_other_versions_is_one_sentence(monkeypatch):
    with LocalCluster(0, worker_code=OTHERS) as cluster:
        monkeypatch.setenv(ADDRESS, cluster.address)
        with pytest.raises(ClusterUnusable, match="has no worker"):
            run_on_all(b"", MANY, layers)
        cluster.add_worker()
        cluster.registered()
        with pytest.raises(ClusterUnusable) as caught:
            run_on_all(b"", MANY, layers)
    assert "dask is 2024.1.0 there" in caught.value.message
    assert "onnxruntime is missing there" in caught.value.message


@pytest.mark.soak
def test_a_cluster_behind_tls_takes_who_has_a_certificate_and_ends_with_a_sentence(tmp_path, monkeypatch):
    """A scheduler that ends in the middle is one sentence soon."""
    others = tmp_path / "others"
    others.mkdir()
    authority, certificate, key = map(str, write_certificates(tmp_path))
    tls = ("--tls-ca-file", authority, "--tls-cert", certificate, "--tls-key", key)
    killed = []

    def use(*paths):
        for name, path in zip((AUTHORITY, CERTIFICATE, KEY), paths, strict=True):
            monkeypatch.setenv(name, str(path))

    def kill(done, total):
        if done and not killed:
            cluster.kill(cluster.scheduler)
            killed.append(time.monotonic())

    with LocalCluster(1, "tls", tls) as cluster:
        monkeypatch.setenv(ADDRESS, cluster.address)
        use(*write_certificates(others))
        with monkeypatch.context() as hasty:
            hasty.setattr(scheduler, "CONNECT_SECONDS", 2)
            with pytest.raises(ClusterUnusable, match="that the certificates match"):
                run_on_all(MODEL, MANY, layers)
        use(authority, certificate, key)
        with pytest.raises(ClusterUnusable, match="stopped during the work"):
            run_on_all(MODEL, MANY, slow, progress=kill)
        assert time.monotonic() - killed[0] < 10


def test_masks_are_compared_on_workers_as_here(on_cluster, monkeypatch, tmp_path):
    """Also malformed ones, those that are not there, and one that is too large to be sent."""
    labels = [np.zeros((40, 40, 20), np.uint8) for _ in range(4)]
    for i, volume in enumerate(labels):
        volume[5 : 15 + i, 5:15, 5:10], volume[30:35, 30:35, 12 : 14 + i] = 1, 2
    files = [volumes.nifti(volume) for volume in labels]
    truths = [examine(partial(io.BytesIO, data)) for data in files]
    truths[3] = dataclasses.replace(truths[3], runs=None)
    submitted = [*files[1:], files[0][:-5000]]
    pairs = [
        MaskPair(truth, partial(io.BytesIO, data)) for truth, data in zip(truths, submitted, strict=True)
    ]
    pairs += [None, MaskPair(truths[0], None), MaskPair(truths[0], partial((tmp_path / "gone").open, "rb"))]
    monkeypatch.setattr(masks, "CHUNK_PAIRS", 2)
    here, counted = masks.compare_all(pairs, 2), []
    monkeypatch.setattr(masks, "WORTH_VOXELS", 0)
    there = masks.compare_all(pairs, 2, lambda *now: counted.append(now))
    assert [repr(found) for found in there] == [repr(found) for found in here]
    assert [found and found[0].state for found in here] == ["ok"] * 3 + [
        "malformed",
        None,
        "missing",
        "malformed",
    ]
    assert counted[-1] == (7, 7)
