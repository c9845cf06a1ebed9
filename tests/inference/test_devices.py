"""On what models run: the processor everywhere; CUDA where somebody wants it and it is there."""

import json

import numpy as np
import pytest

from scoring.inference import devices, sandbox_layers, worker
from scoring.inference.model_process import ModelProcess
from scoring.inference.onnx_scan import ModelRefused
from scoring.inference.preprocessing import Recipe
from scoring.inference.timed_worker import Limits
from scoring.inference.worker_results import ModelFailed
from tests.inference import builders
from tests.inference.test_preprocessing import encoded, photograph
from tests.support.command_line import run

SMALL = Recipe(((32, 32, "lanczos"),))
TRICORDER3 = "sample_data/tricorder3"
without_cuda = pytest.mark.skipif(not devices.missing(), reason="CUDA is here")
with_cuda = pytest.mark.skipif(bool(devices.missing()), reason=f"no CUDA: {devices.missing()}")


@pytest.fixture
def cuda(monkeypatch):
    """CUDA as if it were there."""
    monkeypatch.setattr(devices, "missing", lambda: "")


@without_cuda
def test_cuda_where_it_is_not_is_one_sentence_and_exit_status_2():
    model = f"{TRICORDER3}/models/palette.onnx"
    finished = run("check", "tricorder3", "--model", model, "--device", "cuda", "--json", "-")
    assert finished.status == 2
    (problem,) = json.loads(finished.out)["problems"]
    assert problem["code"] == "no-device"
    assert "cannot run on CUDA" in problem["message"]
    assert devices.wanted() == "auto"


def test_other_devices_are_refused_with_those_that_there_are():
    finished = run("check", "tricorder3", "--model", "m.onnx", "--device", "tpu")
    assert finished.status == 2
    assert "there is no device 'tpu'" in finished.err


@pytest.mark.parametrize(
    ("device", "every_layer", "accepted", "chosen"),
    [
        ("auto", False, "", "cpu"),
        ("auto", False, "accepted", "cuda"),
        ("auto", True, "accepted", "cpu"),
        ("cpu", False, "accepted", "cpu"),
        ("cuda", False, "", "cuda"),
    ],
)
def test_a_gpu_is_taken_only_where_unconfined_models_are_accepted(
    device, every_layer, accepted, chosen, cuda, monkeypatch
):
    monkeypatch.setenv(sandbox_layers.ACCEPTED, accepted)
    assert devices.chosen(device, every_layer) == chosen


def test_a_model_that_must_be_confined_never_runs_on_a_gpu(cuda):
    with pytest.raises(ModelFailed, match="requires full confinement"):
        devices.chosen("cuda", every_layer=True)


@pytest.mark.filterwarnings("ignore:Specified provider")
def test_a_runtime_that_goes_on_without_the_gpu_is_noticed():
    """It falls back silently where a driver or a library does not fit."""
    with pytest.raises(ModelRefused, match="cannot run on CUDA") as refused:
        worker.load(builders.classifier(), "cuda")
    assert refused.value.code == "no-device"


def test_the_processor_is_named_nowhere():
    with ModelProcess(builders.classifier(vector=False), Limits(device="cpu")) as process:
        assert process.facts.device == "cpu"
        assert not sandbox_layers.missing(process.facts.confinement)


@with_cuda
def test_outputs_on_a_gpu_are_within_1e_5_of_the_processor():
    data = encoded(photograph(), "JPEG")
    found = []
    for device in ("cpu", "cuda"):
        with ModelProcess(builders.classifier(vector=False), Limits(device=device)) as process:
            assert process.facts.device == device
            found.append(process.run(data, SMALL).outputs[0])
    np.testing.assert_allclose(found[1], found[0], atol=1e-5)
