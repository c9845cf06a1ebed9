"""Pictures through a model: the official flow's cost against ours, for the first model and for those after
it. Run with --benchmark-only."""

import io
import multiprocessing
from itertools import pairwise

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper
from PIL import Image

from scoring.inference import model_pool
from scoring.inference.image_cache import PictureCache
from scoring.inference.model_process import ModelProcess
from scoring.inference.preprocessing import Recipe, prepared, stretch
from tests.inference import builders

PICTURES = 64
CHUNK = 200
RECIPE = Recipe(((512, 512, "lanczos"),))


def photograph(seed: int) -> bytes:
    """A JPEG of 800 x 600 with smooth colour and some grain, about as large as a phone's."""
    random = np.random.default_rng(seed)
    smooth = Image.fromarray(random.integers(0, 256, (12, 16, 3), np.uint8)).resize(
        (800, 600), Image.Resampling.BICUBIC
    )
    grained = np.clip(
        np.array(smooth, np.int16) + random.normal(0, 6, (600, 800, 1)).astype(np.int16), 0, 255
    ).astype(np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(grained).save(buffer, "JPEG", quality=90)
    return buffer.getvalue()


def network() -> bytes:
    """0.1 MiB: three convolutions, mean, demographics, softmax over eleven classes."""
    random = np.random.default_rng(0)
    widths = [3, 16, 32, 64]
    nodes, weights, last = [], [], "image"
    for i, (before, after) in enumerate(pairwise(widths)):
        weights.append(
            builders.initializer(
                f"W{i}", random.normal(0, (9 * before) ** -0.5, (after, before, 3, 3)).astype(np.float32)
            )
        )
        nodes += [
            helper.make_node(
                "Conv", [last, f"W{i}"], [f"c{i}"], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]
            ),
            helper.make_node("Relu", [f"c{i}"], [f"r{i}"]),
        ]
        last = f"r{i}"
    weights += [
        builders.initializer("V", random.normal(0, 1, (64, 11)).astype(np.float32)),
        builders.initializer("D", random.normal(0, 0.02, (3, 11)).astype(np.float32)),
    ]
    nodes += [
        helper.make_node("ReduceMean", [last], ["mean"], axes=[2, 3], keepdims=0),
        helper.make_node("MatMul", ["mean", "V"], ["a"]),
        helper.make_node("MatMul", ["demographics", "D"], ["b"]),
        helper.make_node("Add", ["a", "b"], ["c"]),
        helper.make_node("Softmax", ["c"], ["scores"], axis=1),
    ]
    inputs = [("image", TensorProto.FLOAT, ["N", 3, 512, 512]), ("demographics", TensorProto.FLOAT, ["N", 3])]
    return builders.build(nodes, inputs, initializers=weights)


@pytest.fixture(scope="module")
def files() -> list[bytes]:
    return [photograph(seed) for seed in range(PICTURES)]


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    return np.tile(np.array([50, 1, 7], np.float32), (PICTURES, 1))


def infer(channel, model: bytes) -> None:
    """The validator's second process: chunks of tensors in, outputs out, one image at a time on one
    thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    while (chunk := channel.recv()) is not None:
        channel.send(
            [session.run(None, {"image": tensor, "demographics": vector})[0][0] for tensor, vector in chunk]
        )


def official(model: bytes, files: list[bytes], vectors: np.ndarray) -> np.ndarray:
    """Images prepared one by one in one process, pickled in chunks to another, which runs the model while the
    first one waits."""
    context = multiprocessing.get_context("spawn")
    channel, other = context.Pipe()
    process = context.Process(target=infer, args=(other, model))
    process.start()
    other.close()
    outputs = []
    for first in range(0, len(files), CHUNK):
        chunk = []
        for data, vector in zip(files[first : first + CHUNK], vectors[first:], strict=False):
            image = Image.open(io.BytesIO(data)).convert("RGB").resize((512, 512), Image.Resampling.LANCZOS)
            chunk.append(
                (
                    (np.array(image).astype(np.float32) / np.float32(255)).transpose(2, 0, 1)[None],
                    vector[None],
                )
            )
        channel.send(chunk)
        outputs += channel.recv()
    channel.send(None)
    process.join()
    return np.array(outputs, np.float64)


def ours(
    model: bytes, files: list[bytes], vectors: np.ndarray, cache: PictureCache, workers: int | None = None
) -> np.ndarray:
    found = model_pool.predict(
        model,
        [lambda data=data: data for data in files],
        vectors,
        lambda facts: RECIPE,
        settings=model_pool.PoolSettings(workers=workers, cache=cache),
    )
    return np.array(found.outputs)


def test_official_flow(benchmark, files, vectors):
    assert benchmark.pedantic(official, (network(), files, vectors), rounds=5).shape == (PICTURES, 11)


@pytest.mark.parametrize("how", ["pillow", "matrices"])
def test_stretching(benchmark, files, how):
    """A decoded photograph made 512 x 512."""
    image = Image.open(io.BytesIO(files[0]))
    image.load()
    if how == "pillow":
        benchmark(lambda: np.array(stretch(image, RECIPE.steps)))
        return
    for _ in range(2):  # from the third image of a size on Pillow is not asked
        prepared(image, RECIPE.steps)
    found = benchmark(prepared, image, RECIPE.steps)
    np.testing.assert_array_equal(found, np.array(stretch(image, RECIPE.steps)))


@pytest.mark.parametrize("workers", [1, 2])
def test_first_model(benchmark, files, vectors, workers):
    outputs = benchmark.pedantic(
        lambda: ours(network(), files, vectors, PictureCache(1 << 30), workers), rounds=5
    )
    np.testing.assert_allclose(outputs, official(network(), files, vectors), atol=1e-3)


@pytest.mark.parametrize("workers", [1, 2])
def test_second_model(benchmark, files, vectors, workers):
    cache = PictureCache(1 << 30)
    first = ours(network(), files, vectors, cache)
    np.testing.assert_array_equal(
        benchmark.pedantic(lambda: ours(network(), files, vectors, cache, workers), rounds=5), first
    )


def test_worker_start(benchmark):
    def start():
        with ModelProcess(network()) as process:
            return process.facts.graph.nodes

    assert benchmark.pedantic(start, rounds=10) == 11
