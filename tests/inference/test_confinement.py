"""Where strangers can come, their models run fully confined or not at all."""

import hashlib
import sys

import pytest

from scoring.inference import confinement
from scoring.inference.process import ModelProcess
from scoring.inference.results import ModelFailed
from scoring.inference.worker_process import WORKER
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
    monkeypatch.setattr(confinement, "_required", False)
    monkeypatch.setattr(confinement, "_known", frozenset())
    monkeypatch.delenv(confinement.ACCEPTED, raising=False)


def test_what_is_missing():
    assert confinement.missing(FULL) == ()
    assert confinement.missing([layer for layer in FULL if layer != "namespaces"]) == ()
    assert confinement.missing(["rlimits", "landlock-1"]) == ("no-new-privileges", "seccomp")


def test_a_model_is_refused_where_a_layer_is_missing_and_in_words():
    model = builders.classifier()
    ModelProcess(model, command=UNCONFINED).close()
    confinement.require()
    with pytest.raises(ModelFailed) as failed:
        ModelProcess(model, command=UNCONFINED)
    assert failed.value.code == "not-confined"
    assert "Landlock" in failed.value.message
    assert "system calls" in failed.value.message
    assert "memory" not in failed.value.message


def test_models_that_are_no_strangers_run():
    model = builders.classifier()
    confinement.require([hashlib.sha256(model).hexdigest()])
    ModelProcess(model, command=UNCONFINED).close()


def test_an_operator_may_accept_the_risk(monkeypatch):
    monkeypatch.setenv(confinement.ACCEPTED, "accepted")
    confinement.require()
    assert not confinement.required()
    confinement.check((), confinement.needed(b"model"))
    monkeypatch.setenv(confinement.ACCEPTED, "yes")
    confinement.require()
    assert confinement.required()
