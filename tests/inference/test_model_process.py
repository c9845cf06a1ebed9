"""The worker seen from the server: friendly models, hostile ones, and what is left behind."""

import contextlib
import gc
import io
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from math import inf
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper
from PIL import Image, ImageCms, PngImagePlugin

from scoring.inference import image_sanitizer
from scoring.inference.model_contract import noise
from scoring.inference.model_process import ImageProcess, ModelProcess
from scoring.inference.preprocessing import (
    TOO_MUCH_MEMORY,
    ImageInfo,
    ImageUnreadable,
    Recipe,
    pixels,
    tensor,
)
from scoring.inference.timed_worker import Limits, WorkerProcess
from scoring.inference.worker_results import ModelFailed, Tensor
from tests.inference import builders
from tests.inference.test_preprocessing import encoded, photograph
from tests.support.memory import peak
from tests.support.processes import children
from tests.support.soak import FACTOR
from tests.support.thinned import some, some_rows

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "tricorder3" / "10-onnx-160"
SMALL = Recipe(((32, 32, "lanczos"),))
SHORT = Limits(load_seconds=1.5, run_seconds=1.5)
NOISE = noise(32, 32)
VECTOR = np.array([50, 1, 7], np.float32)

linux = pytest.mark.skipif(sys.platform != "linux", reason="/proc and rlimits")


def outcome(model: bytes, limits: Limits = SHORT, picture=NOISE, vector=VECTOR):
    """The answer of a model, or the failure."""
    try:
        with ModelProcess(model, limits) as process:
            return process.run(picture, SMALL, vector)
    except ModelFailed as failed:
        return failed


def resident_mib() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def eventually(condition) -> bool:
    """Whether `condition` becomes true within ten seconds."""
    deadline = time.monotonic() + 10
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def test_facts():
    model = builders.classifier(side=(24, 40), batch=1)
    with ModelProcess(model) as process:
        facts = process.facts
    assert (facts.graph.ir_version, facts.graph.opset, facts.graph.nodes, facts.size_bytes) == (
        10,
        17,
        5,
        len(model),
    )
    assert facts.inputs == (
        Tensor("image", "tensor(float)", (1, 3, 24, 40)),
        Tensor("demographics", "tensor(float)", (1, 3)),
    )
    assert facts.outputs == (Tensor("scores", "tensor(float)", (1, 11)),)
    assert len(facts.sha256) == 64
    if sys.platform == "linux":
        assert facts.confinement[:2] == ("rlimits", "no-new-privileges")


def test_free_axes_and_unknown_shapes_and_scalars_are_told_apart():
    model = onnx.ModelProto.FromString(builders.classifier(vector=False))
    model.graph.node.append(helper.make_node("ReduceMax", ["scores"], ["highest"], keepdims=0))
    model.graph.output.append(helper.make_tensor_value_info("highest", TensorProto.FLOAT, []))
    model.graph.node.append(helper.make_node("Reshape", ["scores", "to"], ["unknown"]))
    model.graph.input.append(helper.make_tensor_value_info("to", TensorProto.INT64, [None]))
    model.graph.output.append(helper.make_tensor_value_info("unknown", TensorProto.FLOAT, None))
    with ModelProcess(model.SerializeToString()) as process:
        assert [entry.shape for entry in process.facts.inputs] == [(None, 3, None, None), (None,)]
        assert [entry.shape for entry in process.facts.outputs] == [(None, 11), (), None]


def test_the_golden_model_gives_the_official_outputs():
    golden = json.loads((GOLDEN / "case.json").read_text())["expect"]["cases"]
    with ModelProcess((GOLDEN / "model.onnx").read_bytes()) as process:
        for case in golden:
            data = (GOLDEN / "dataset" / case["case"]).read_bytes()
            answer = process.run(
                data,
                Recipe(((512, 512, "lanczos"), (160, 160, "lanczos"))),
                np.array(case["encoded"]),
                want_pixels=True,
            )
            np.testing.assert_allclose(answer.outputs[0][0], case["outputs"], rtol=0, atol=1e-6)
            assert answer.pixels.shape == (160, 160, 3)
            assert answer.cpu_ms > 0


def test_outputs_equal_those_of_a_plain_session_bit_for_bit():
    model, data = builders.classifier(), encoded(photograph())
    expected = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"]).run(
        None, {"image": tensor(pixels(data, SMALL)[0]), "demographics": VECTOR[None]}
    )
    answer = outcome(model, picture=data)
    np.testing.assert_array_equal(answer.outputs[0], expected[0])
    assert answer.outputs[0].dtype == np.float32
    assert not answer.outputs[0].flags.writeable


@pytest.mark.parametrize(("name", "model"), some_rows([*builders.architectures().items()], 2))
def test_networks_of_every_kind_run_under_the_confinement_as_they_do_without(name, model):
    session = onnxruntime.InferenceSession(
        model, onnxruntime.SessionOptions(), providers=["CPUExecutionProvider"]
    )
    expected = session.run(None, {"image": tensor(NOISE)})
    answer = outcome(model)
    assert not isinstance(answer, ModelFailed), answer
    np.testing.assert_allclose(answer.outputs[0], expected[0], atol=1e-6)
    assert answer.outputs[0].size == 11


def test_pixels_and_the_file_give_the_same_answer():
    data = encoded(photograph(mode="RGBA"))
    with ModelProcess(builders.classifier()) as process:
        from_file = process.run(data, SMALL, VECTOR, want_pixels=True)
        from_pixels = process.run(from_file.pixels, SMALL, VECTOR)
    np.testing.assert_array_equal(from_file.outputs[0], from_pixels.outputs[0])
    np.testing.assert_array_equal(from_file.pixels, pixels(data, SMALL)[0])
    assert from_file.seen == ImageInfo(90, 60, "RGBA", "PNG", True, 1)
    assert (from_pixels.seen, from_pixels.pixels) == (None, None)


def test_a_cielab_tiff_is_read_in_the_worker_as_without_confinement():
    to_lab = ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB")
    data = encoded(ImageCms.profileToProfile(photograph(), *to_lab, outputMode="LAB"), "TIFF")
    with ImageProcess() as process:
        found = process.pixels(data, SMALL)
    assert found.seen.mode == "LAB"
    np.testing.assert_array_equal(found.pixels, pixels(data, SMALL)[0])


def test_inputs_go_by_position_whatever_they_are_called():
    model = onnx.ModelProto.FromString(builders.classifier())
    for entry in (*model.graph.input, *model.graph.node):
        if isinstance(entry, onnx.NodeProto):
            entry.input[:] = [
                {"image": "demographics", "demographics": "image"}.get(name, name) for name in entry.input
            ]
        else:
            entry.name = {"image": "demographics", "demographics": "image"}[entry.name]
    np.testing.assert_array_equal(
        outcome(model.SerializeToString()).outputs[0], outcome(builders.classifier()).outputs[0]
    )


def test_a_model_with_one_input_is_not_given_the_second():
    model = builders.classifier(vector=False)
    np.testing.assert_array_equal(outcome(model).outputs[0], outcome(model, vector=None).outputs[0])


def test_every_output_comes_back_and_what_is_no_number_as_none():
    model = onnx.ModelProto.FromString(builders.classifier(vector=False))
    for kind, name in (
        (TensorProto.DOUBLE, "double"),
        (TensorProto.FLOAT16, "half"),
        (TensorProto.INT64, "integer"),
        (TensorProto.STRING, "text"),
    ):
        model.graph.node.append(helper.make_node("Cast", ["scores"], [name], to=kind))
        model.graph.output.append(helper.make_tensor_value_info(name, kind, ["N", 11]))
    model.graph.node.append(helper.make_node("SequenceConstruct", ["scores"], ["sequence"]))
    model.graph.output.append(helper.make_tensor_sequence_value_info("sequence", TensorProto.FLOAT, None))
    scores, double, half, integer, text, sequence = outcome(model.SerializeToString()).outputs
    assert [double.dtype, half.dtype, integer.dtype] == [np.float64, np.float32, np.float64]
    np.testing.assert_array_equal(double, scores.astype(np.float64))
    np.testing.assert_array_equal(half, scores.astype(np.float16).astype(np.float32))
    assert text is None
    assert sequence is None


def test_of_a_hundred_outputs_the_first_are_told_and_nothing_breaks():
    model = onnx.ModelProto.FromString(builders.classifier(vector=False))
    for place in range(100):
        model.graph.node.append(helper.make_node("Identity", ["scores"], [f"more{place}"]))
        model.graph.output.append(helper.make_tensor_value_info(f"more{place}", TensorProto.FLOAT, ["N", 11]))
    told = outcome(model.SerializeToString()).outputs
    assert len(told) == 101
    np.testing.assert_array_equal(told[0], told[50])
    assert told[-1] is None


@pytest.mark.parametrize("shape", some([[1, 3], [11], [1, 11, 1, 1], [1], [2, 11], [0, 11]], 2))
def test_the_shape_that_came_counts_not_the_one_declared(shape):
    assert outcome(builders.declared_other(shape)).outputs[0].shape == tuple(shape)


@pytest.mark.parametrize(
    ("model", "vector"),
    [
        (builders.classifier(), None),
        (builders.classifier(), VECTOR[:2]),
        (builders.classifier(side=(64, 64)), VECTOR),
        (
            builders.build(
                [helper.make_node("Identity", ["image"], ["scores"])],
                [("image", TensorProto.INT64, [1, 3, 16, 16])],
                [("scores", TensorProto.INT64, [1, 3, 16, 16])],
            ),
            None,
        ),
        (
            onnx.compose.add_prefix(
                onnx.ModelProto.FromString(
                    builders.build(
                        [helper.make_node("Sum", ["a", "b", "c"], ["scores"])],
                        [(name, TensorProto.FLOAT, None) for name in "abc"],
                    )
                ),
                "p_",
            ).SerializeToString(),
            VECTOR,
        ),
    ],
)
def test_inputs_that_do_not_fit_are_wrong_inputs(model, vector):
    assert outcome(model, vector=vector).code == "wrong-inputs"


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (builders.classifier(opset=99), "opset 99; up to 2"),
        (builders.classifier(ir_version=99), "IR version 99; up to 1"),
        (builders.build([helper.make_node("NoSuchOperator", ["image"], ["scores"])]), "NoSuchOperator"),
        (builders.build([helper.make_node("Relu", ["nowhere"], ["scores"])]), "nowhere"),
        (builders.build([helper.make_node("Relu", ["na\nïve"], ["scores"])]), "na"),
        (b"", "0 bytes"),
        (builders.custom_operator(), "SkinAttention"),
        (builders.function_bomb(), "inlined"),
        (builders.sparse_bomb(), "unfold"),
        (
            builders.linear(
                TensorProto(name="W", data_type=1, dims=[1 << 20, 1 << 20], raw_data=b"1234")
            ).SerializeToString(),
            "runtime",
        ),
        (
            builders.linear(
                TensorProto(name="W", data_type=1, dims=[3, 1 << 62], raw_data=b"1234")
            ).SerializeToString(),
            "refuses the model: Integer overflow.",
        ),
    ],
)
def test_what_the_scan_or_the_runtime_refuses_is_said_in_plain_words(model, words):
    failed = outcome(model)
    assert failed.code == "model-unreadable"
    assert words in failed.message
    assert failed.message.isascii()
    assert failed.message.isprintable()
    assert "/onnxruntime" not in failed.message
    assert len(failed.message) <= 400


def test_a_file_above_the_limit_is_refused_before_a_process_starts():
    before = children() if sys.platform == "linux" else set()
    with pytest.raises(ModelFailed, match="model-unreadable: The file has 2 MiB; models of up to 1 MiB"):
        ModelProcess(bytes(2 << 20), Limits(model_bytes=1 << 20))
    assert not before or children() == before


@pytest.mark.parametrize("model", ["model.onnx", Path("model.onnx"), None, 3])
def test_only_bytes_are_a_model(model):
    with pytest.raises(TypeError):
        ModelProcess(model)


@pytest.mark.parametrize(
    "build", [builders.external_initializer, builders.external_constant, builders.external_in_function]
)
def test_a_canary_in_the_server_s_folder_is_never_read(build, tmp_path, monkeypatch):
    canary = np.arange(33, dtype=np.float32)
    (tmp_path / "weights.bin").write_bytes(canary.tobytes())
    monkeypatch.chdir(tmp_path)
    plain = onnxruntime.InferenceSession(build("weights.bin"), providers=["CPUExecutionProvider"])
    assert plain.run(None, {"image": tensor(NOISE)})[0].any(), (
        "the runtime itself reads the file: this is what is defended"
    )
    assert outcome(build("weights.bin")).code == "external-data"


@linux
@pytest.mark.parametrize("location", ["weights.bin", "../weights.bin", "/proc/self/environ"])
def test_a_canary_is_not_read_either_when_the_scan_is_fooled(location, tmp_path, monkeypatch):
    """A worker whose scan lets everything pass: the empty folder and the confinement must hold alone."""
    (tmp_path / "weights.bin").write_bytes(bytes(200))
    monkeypatch.chdir(tmp_path)
    command = hooked("from scoring.inference import onnx_scan; onnx_scan.check_tensor = lambda tensor: None")
    with pytest.raises(ModelFailed) as caught:
        ModelProcess(builders.external_initializer(location), SHORT, command)
    assert caught.value.code == "model-unreadable"


@linux
@pytest.mark.parametrize(
    ("model", "code"),
    some_rows(
        [
            (builders.memory_bomb(), "model-out-of-memory"),
            (builders.doubling_loop(), "model-out-of-memory"),
            (builders.wide_output(1 << 30), "model-out-of-memory"),
            (builders.wide_output(1 << 25), "wrong-output"),
            (builders.endless_loop(), "inference-timeout"),
            (builders.large_product(), "inference-timeout"),
            (builders.folding_bomb(), "model-timeout"),
            (builders.gather_out_of_range(), "model-crashed"),
        ],
        2,
    ),
)
def test_greedy_models_are_stopped_and_the_server_stays_as_it_was(model, code):
    before, start = resident_mib(), time.monotonic()
    failed = outcome(model, Limits(load_seconds=1.5, run_seconds=1.5 if code == "inference-timeout" else 20))
    assert isinstance(failed, ModelFailed)
    assert failed.code == code
    assert time.monotonic() - start < 15
    assert resident_mib() - before < 20
    assert outcome(builders.classifier()).outputs[0].shape == (1, 11)


def test_words_of_a_run_never_quote_the_data():
    failed = outcome(builders.gather_out_of_range(), picture=np.full((32, 32, 3), 255, np.uint8))
    assert failed.code == "model-crashed"
    assert "123456" not in str(failed)
    assert not any(character.isdigit() for character in failed.message)


def test_a_worker_that_the_model_took_over_cannot_speak_through_a_failure():
    code = (
        "from scoring.inference import worker, onnx_scan as scan\n"
        "replies = iter([scan.ModelRefused(c, 'pixel 123456') for c in ('model-unreadable', "
        "'external-data', 'wrong-output', 'x')])\n"
        "def run(*_):\n    raise next(replies)\nworker.run = run"
    )
    with ModelProcess(builders.classifier(), SHORT, hooked(code)) as process:
        for _ in range(4):
            with pytest.raises(ModelFailed) as caught:
                process.run(NOISE, SMALL, VECTOR)
            assert "123456" not in str(caught.value)


def hooked(code: str) -> tuple[str, ...]:
    """A worker that runs `code` before it begins: for the tests only, the product knows no such thing."""
    return (
        sys.executable,
        "-c",
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\nimport json, os, signal, struct, time\n{code}\n"
        "from scoring.inference import worker\nworker.main(json.loads(sys.argv[1]))",
    )


IN_A_RUN = (
    "from scoring.inference import preprocessing\nimport ctypes\ndef hook(*_):\n    "
    "{}\npreprocessing.tensor = hook"
)


@pytest.mark.parametrize(
    ("code", "expected"),
    some_rows(
        [
            (IN_A_RUN.format("ctypes.string_at(0)"), "model-crashed"),
            (IN_A_RUN.format("os.abort()"), "model-crashed"),
            (IN_A_RUN.format("os._exit(0)"), "model-crashed"),
            (IN_A_RUN.format("os._exit(3)"), "model-crashed"),
            (IN_A_RUN.format("os.write(4, b'garbage' * 1000); time.sleep(60)"), "model-crashed"),
            (IN_A_RUN.format("os.write(4, struct.pack('<I', 1 << 31)); time.sleep(60)"), "model-crashed"),
            (
                IN_A_RUN.format(
                    "os.write(4, struct.pack('<I', 24) + b'{\"parts\": [90000000000]}'); time.sleep(60)"
                ),
                "model-crashed",
            ),
            (IN_A_RUN.format("time.sleep(60)"), "inference-timeout"),
            (IN_A_RUN.format("raise MemoryError"), "model-out-of-memory"),
            ("raise SystemExit", "model-crashed"),
            ("print('hello'); sys.stdout.flush(); time.sleep(60)", "model-crashed"),
        ],
        2,
    ),
)
def test_a_worker_that_breaks_is_a_failure_and_not_a_fault_of_the_server(code, expected):
    with (
        pytest.raises(ModelFailed) as caught,
        ModelProcess(builders.classifier(), SHORT, hooked(code)) as process,
    ):
        process.run(NOISE, SMALL, VECTOR)
    assert caught.value.code == expected


LIES = [
    {"ok": True},
    {"ok": 1},
    {"ok": False},
    {"ok": False, "code": 7, "message": ["x"]},
    {"ok": True, "outputs": None, "shape": None, "seen": None, "cpu_ms": 1},
    {"ok": True, "outputs": [["<f4", [1, 11]]], "shape": None, "seen": None, "cpu_ms": 1},
    {"ok": True, "outputs": [["O", [1]]], "shape": None, "seen": None, "cpu_ms": 1},
    {"ok": True, "outputs": [["<f4", [-1]]], "shape": [1, 1, 3], "seen": None, "cpu_ms": 1},
    {"ok": True, "outputs": [], "shape": [0, 0, 3], "seen": None, "cpu_ms": 1},
    {"ok": True, "outputs": [], "shape": None, "seen": [1, 2], "cpu_ms": 1},
    {"ok": True, "outputs": [], "shape": None, "seen": None, "cpu_ms": "x"},
    {"ok": True, "outputs": "xy", "shape": None, "seen": None, "cpu_ms": 1},
    {"ok": True, "outputs": [], "shape": None, "seen": [inf, 1, "", "", False, 1], "cpu_ms": 1},
]


def test_a_worker_that_lies_is_a_failure_and_not_a_fault_of_the_server():
    code = (
        f"from math import inf\nfrom scoring.inference import worker\nlies = iter({LIES!r})\n"
        "worker.run = lambda *_: (next(lies), [])"
    )
    with ModelProcess(builders.classifier(), SHORT, hooked(code)) as process:
        for lie in LIES:
            with pytest.raises(ModelFailed) as caught:
                process.run(NOISE, SMALL, VECTOR)
            assert caught.value.code == "model-crashed", lie


@pytest.mark.parametrize(
    "facts",
    [
        {},
        None,
        {"ir_version": "x"},
        {"ir_version": 1, "opset": 1, "nodes": 1, "random": [], "metadata": [], "inputs": [], "outputs": []},
    ],
)
def test_a_worker_that_lies_about_the_model_is_a_failure(facts):
    code = (
        "from scoring.inference import worker\nworker.load = lambda *_: (None, {'ok': True, 'facts': "
        f"{facts!r}}})"
    )
    with pytest.raises(ModelFailed) as caught:
        ModelProcess(builders.classifier(), SHORT, hooked(code))
    assert caught.value.code == "model-crashed"


@linux
def test_the_worker_knows_nothing_of_the_server_s_environment_and_folder(monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "canary")
    with ModelProcess(builders.classifier()):
        (pid,) = children()
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        assert int(stat[16]) >= 10, "it gives way to the pages"
        assert int(stat[2]) == pid, "a process group of its own"
        folder = Path(f"/proc/{pid}/cwd")
        if os.access(folder, os.R_OK):
            assert folder.resolve() != Path.cwd()
            assert not os.listdir(folder)
            assert b"canary" not in Path(f"/proc/{pid}/environ").read_bytes()


@linux
def test_nothing_is_left_after_close_or_when_nobody_holds_the_process():
    gc.collect()
    assert eventually(lambda: not children()), "what earlier tests left"
    before, descriptors, threads = children(), len(os.listdir("/proc/self/fd")), threading.active_count()
    with ModelProcess(builders.classifier()) as process:
        assert len(children() - before) == 1
        process.run(NOISE, SMALL, VECTOR)
    assert children() == before
    forgotten = ModelProcess(builders.classifier())
    assert len(children() - before) == 1
    del forgotten
    gc.collect()
    assert children() == before
    process.close()
    assert eventually(lambda: threading.active_count() <= threads)
    assert eventually(lambda: len(os.listdir("/proc/self/fd")) <= descriptors)


@linux
def test_close_from_another_thread_ends_a_run():
    before = children()
    process = ModelProcess(builders.endless_loop())
    threading.Timer(0.3, process.close).start()
    start = time.monotonic()
    with pytest.raises(ModelFailed):
        process.run(NOISE, SMALL)
    assert time.monotonic() - start < 5
    assert eventually(lambda: children() == before)


@linux
def test_stop_ends_a_load():
    before, stop = children(), threading.Event()
    threading.Timer(0.5, stop.set).start()
    start = time.monotonic()
    with pytest.raises(ModelFailed):
        ModelProcess(builders.folding_bomb(), stop=stop)
    assert time.monotonic() - start < 5
    assert children() == before


def test_a_closed_process_fails_in_words():
    process = ModelProcess(builders.classifier())
    process.close()
    process.close()
    with pytest.raises(ModelFailed, match="closed"):
        process.run(NOISE, SMALL, VECTOR)


@linux
def test_a_worker_killed_from_outside_is_out_of_memory():
    """SIGKILL that the server did not send comes from the kernel, when memory ran out."""
    with ModelProcess(builders.classifier()) as process:
        (pid,) = children()
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(ModelFailed) as caught:
            process.run(NOISE, SMALL, VECTOR)
    assert caught.value.code == "model-out-of-memory"


def kill_children() -> None:
    for pid in children():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@linux
@pytest.mark.soak
def test_fifty_workers_killed_at_any_moment_leave_an_answer_and_nothing_else():
    """While one starts, loads a model or runs it: one sentence, no process and no descriptor left."""
    moments, codes = random.Random(1), set()
    assert not isinstance(outcome(builders.classifier()), ModelFailed)
    descriptors = len(os.listdir("/proc/self/fd"))
    for _ in range(50):
        killer = threading.Timer(moments.uniform(0, 2), kill_children)
        killer.start()
        try:
            with ModelProcess(builders.classifier()) as process:
                while killer.is_alive():
                    process.run(NOISE, SMALL, VECTOR)
                process.run(NOISE, SMALL, VECTOR)
        except ModelFailed as failed:
            codes.add(failed.code)
        killer.join()
        assert eventually(lambda: not children())
        assert len(os.listdir("/proc/self/fd")) == descriptors
    assert "model-out-of-memory" in codes
    assert not isinstance(outcome(builders.classifier()), ModelFailed)


@linux
@pytest.mark.parametrize("model", ["classifier", "endless_loop"])
def test_the_worker_ends_when_the_server_is_killed(model):
    """Idle, and in the middle of a run; after SIGKILL, so that no handler of the server helps."""
    code = (
        "import sys, threading\nfrom scoring.inference.model_process import *\n"
        "from scoring.inference.model_contract import noise\nfrom tests.inference import builders\n"
        f"process = ModelProcess(builders.{model}())\nprint(process._worker._child.pid, flush=True)\n"
        "process.run(noise(32, 32), Recipe(((32, 32, 'lanczos'),)), np.zeros(3))\nsys.stdin.read()"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    worker = int(server.stdout.readline())
    time.sleep(0.3)
    assert alive(worker)
    server.kill()
    server.wait()
    assert eventually(lambda: not alive(worker))
    for stream in (server.stdin, server.stdout):
        stream.close()


def test_a_worker_outlives_the_thread_that_started_it():
    started = []
    thread = threading.Thread(target=lambda: started.append(ModelProcess(builders.classifier())))
    thread.start()
    thread.join()
    with started[0] as process:
        assert process.run(NOISE, SMALL, VECTOR).outputs[0].shape == (1, 11)


def test_an_unreadable_picture_is_told_from_a_failing_model_which_goes_on():
    with ModelProcess(builders.classifier()) as process:
        for data in (b"", b"<html>", encoded(photograph(200, 200), "JPEG")[:900]):
            with pytest.raises(ImageUnreadable):
                process.run(data, SMALL, VECTOR)
        assert process.run(NOISE, SMALL, VECTOR).outputs[0].shape == (1, 11)


def test_pixels_of_another_kind_are_a_fault_of_the_caller():
    with ModelProcess(builders.classifier()) as process:
        for picture in (NOISE.astype(np.float32), NOISE[..., 0], NOISE[..., :2], NOISE[:0]):
            with pytest.raises(ValueError, match="uint8"):
                process.run(picture, SMALL, VECTOR)


def test_every_format_is_decoded_inside_the_confinement():
    exif = Image.Exif()
    exif[274] = 6
    exif[0x9286] = "ASCII\0\0\0comment"
    notes = PngImagePlugin.PngInfo()
    notes.add_itxt("comment", "naïve", zip=True)
    files = [
        encoded(photograph(mode=mode), kind, **options)
        for kind, mode, options in (
            ("JPEG", "CMYK", {}),
            ("JPEG", "RGB", {"exif": exif, "progressive": True}),
            ("PNG", "P", {"pnginfo": notes}),
            ("BMP", "L", {}),
            ("TIFF", "RGB", {"compression": "tiff_lzw"}),
            ("TIFF", "1", {"compression": "group4"}),
            ("TIFF", "RGB", {"compression": "jpeg"}),
            ("GIF", "P", {}),
            ("WEBP", "RGBA", {"exif": exif}),
        )
    ]
    files.append(encoded(Image.fromarray(np.arange(90 * 60, dtype=np.uint16).reshape(60, 90))))
    files.append(encoded(photograph(), "MPO", save_all=True, append_images=[photograph(seed=1)]))
    with ImageProcess() as process:
        for data in files:
            picture = process.pixels(data, SMALL)
            expected, seen = pixels(data, SMALL)
            np.testing.assert_array_equal(picture.pixels, expected)
            assert picture.seen == seen
            assert not picture.pixels.flags.writeable


def test_pictures_of_several_megapixels_cross_whole():
    data = encoded(photograph(3000, 2000), "JPEG")
    with ImageProcess() as process:
        picture = process.pixels(data, Recipe(()))
    np.testing.assert_array_equal(picture.pixels, pixels(data, Recipe(()))[0])


def slow_photograph(scans: int) -> bytes:
    """A progressive JPEG whose last scan is repeated: each is decoded over the whole picture."""
    data = encoded(photograph(4000, 4000), "JPEG", progressive=True, quality=20)
    last = data.rindex(b"\xff\xda")
    return data[:-2] + data[last:-2] * scans + b"\xff\xd9"


@linux
def test_a_picture_that_takes_too_long_or_too_much_is_unreadable():
    with ImageProcess(Limits(run_seconds=1)) as process:
        with pytest.raises(ImageUnreadable, match="too long"):
            process.pixels(slow_photograph(300), SMALL)
        assert process.pixels(encoded(photograph()), SMALL).pixels.shape == (32, 32, 3), (
            "the next picture is served again"
        )
    buffer = io.BytesIO()
    photograph(10, 10).resize((12_000, 12_000)).save(buffer, "JPEG")
    with (
        ImageProcess(Limits(memory_bytes=650 << 20)) as process,
        pytest.raises(ImageUnreadable, match="memory"),
    ):
        process.pixels(buffer.getvalue(), SMALL)


WHITE = bytes.fromhex("524946461a000000574542505650384c0e0000002f39740e0d071011fd0f4444ff03")
"""A WebP of 13,370 x 13,370 px: decoding it and removing its transparency needs 1.4 GB."""


RUNTIME = ("onnx_cpp2py_export", "onnxruntime_pybind11_state", "google/_upb")


def loaded(pid: int) -> list[str]:
    """Which libraries of the runtime of models a process has loaded."""
    maps = Path(f"/proc/{pid}/maps").read_text()
    return [library for library in RUNTIME if library in maps]


@linux
def test_a_decoder_of_images_never_loads_the_runtime_of_models():
    """The runtime took half of the time in which a decoder starts, and a fifth of its address space."""
    with ModelProcess(builders.classifier()) as process:
        assert loaded(process._worker._child.pid) == list(RUNTIME)
    for modules in ((), image_sanitizer.SLIDE_DECODERS, *image_sanitizer.DECODERS.values()):
        with ImageProcess(Limits(decoders=modules)) as process:
            process.pixels(encoded(photograph()), SMALL)
            assert loaded(process._worker._child.pid) == []


@linux
def test_a_process_that_decodes_images_holds_about_a_gigabyte_at_most():
    with ImageProcess() as process:
        with pytest.raises(ImageUnreadable, match="very large"):
            process.pixels(WHITE, SMALL)
        assert 25 < peak(process._worker._child.pid) < 1_100


def test_an_image_that_a_used_process_has_no_memory_for_is_decoded_by_a_new_one(monkeypatch):
    """A picture of 28 million pixels was read the first time, and refused the second time."""
    request, asked = WorkerProcess.request, []

    def short_of_memory(worker, *arguments):
        asked.append(worker)
        if is_short or asked.count(worker) > 1:
            raise ImageUnreadable(TOO_MUCH_MEMORY)
        return request(worker, *arguments)

    monkeypatch.setattr(WorkerProcess, "request", short_of_memory)
    is_short, data = False, encoded(photograph())
    with ImageProcess() as process:
        first, second = process.pixels(data, SMALL), process.pixels(data, SMALL)
        assert np.array_equal(first.pixels, second.pixels)
        assert (len(asked), asked[0] is asked[1], asked[2] is asked[0]) == (3, True, False)
        is_short = True
        with pytest.raises(ImageUnreadable, match="more memory"):
            process.pixels(data, SMALL)
        assert len(asked) == 5, "a new one is asked once"


def test_a_model_of_150_mib_runs_within_the_memory():
    weights = builders.initializer("big", np.zeros(150 << 18, np.float32))
    model = builders.scores_from([helper.make_node("Identity", ["big"], ["x"])], [weights])
    assert outcome(model, Limits()).outputs[0].shape == (1, 11)


@linux
def test_mutated_models_end_in_an_answer_or_one_of_the_codes():
    chance = random.Random(20261120)
    seeds = [
        builders.classifier(),
        builders.function_bomb(3),
        builders.chain(5),
        builders.gather_out_of_range(),
        builders.external_in_branch("x"),
    ]
    codes = {
        "model-unreadable",
        "external-data",
        "wrong-inputs",
        "wrong-output",
        "model-crashed",
        "model-out-of-memory",
        "inference-timeout",
        "model-timeout",
    }
    before = children()
    for turn in range(12 * FACTOR):
        data = bytearray(chance.choice(seeds))
        for _ in range(chance.randint(1, 3)):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        result = outcome(bytes(data))
        assert not isinstance(result, ModelFailed) or result.code in codes, (turn, result)
    assert children() == before


@pytest.mark.soak
def test_a_model_of_nearly_the_size_that_is_read_runs():
    """It is in memory several times while it is loaded: its address space grows with it."""
    weights = builders.initializer("big", np.zeros((500 * 1_000_000 // 44, 11), np.float32))
    nodes = [
        helper.make_node("ReduceMean", ["big"], ["mean"], axes=[0], keepdims=1),
        helper.make_node("ReduceMean", ["image"], ["grey"], keepdims=0),
        helper.make_node("Add", ["mean", "grey"], ["scores"]),
    ]
    assert outcome(builders.build(nodes, initializers=[weights]), Limits()).outputs[0].shape == (1, 11)
