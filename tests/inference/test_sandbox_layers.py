"""Where strangers can come, their models run fully confined or not at all."""

import hashlib
import sys

import pytest

from scoring.inference import sandbox_layers
from scoring.inference.model_process import ModelProcess
from scoring.inference.timed_worker import WORKER
from scoring.inference.worker_results import ModelFailed
from tests.inference import builders

FULL = ("rlimits", "no-new-privileges", "namespaces", "threads", "landlock-7", "seccomp")
UNCONFINED = (
    sys.executable,
    "-I",
    "-c",
    WORKER[-1].replace(
        "from scoring.inference.worker import main",
        "from scoring.inference import sandbox\n"
        "sandbox.deny_files_and_network = sandbox.filter_system_calls = lambda: ''\n"
        "from scoring.inference.worker import main",
    ),
)


@pytest.fixture(autouse=True)
def forget(monkeypatch):
    monkeypatch.setattr(sandbox_layers, "_required", False)
    monkeypatch.setattr(sandbox_layers, "_known", frozenset())
    monkeypatch.delenv(sandbox_layers.ACCEPTED, raising=False)


def test_what_is_missing():
    assert sandbox_layers.missing(FULL) == ()
    assert sandbox_layers.missing([layer for layer in FULL if layer != "namespaces"]) == ()
    assert sandbox_layers.missing(["rlimits", "landlock-1"]) == ("no-new-privileges", "seccomp")


def test_a_model_is_refused_where_a_layer_is_missing_and_in_words():
    model = builders.classifier()
    ModelProcess(model, command=UNCONFINED).close()
    sandbox_layers.require()
    with pytest.raises(ModelFailed) as failed:
        ModelProcess(model, command=UNCONFINED)
    assert failed.value.code == "not-confined"
    assert "Landlock" in failed.value.message
    assert "system calls" in failed.value.message
    assert "memory" not in failed.value.message


def test_models_that_are_no_strangers_run():
    model = builders.classifier()
    sandbox_layers.require([hashlib.sha256(model).hexdigest()])
    ModelProcess(model, command=UNCONFINED).close()


def test_an_operator_may_accept_the_risk(monkeypatch):
    monkeypatch.setenv(sandbox_layers.ACCEPTED, "accepted")
    sandbox_layers.require()
    assert not sandbox_layers.required()
    sandbox_layers.check((), sandbox_layers.needed(b"model"))
    monkeypatch.setenv(sandbox_layers.ACCEPTED, "yes")
    sandbox_layers.require()
    assert sandbox_layers.required()
