"""Models opened for single images, and photographs for them, without a file in between."""

import io
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import onnx
from PIL import Image

from scoring.inference import image_sanitizer
from scoring.inference.preprocessing import ImageInfo
from scoring.inference.single_image_task import ModelTask
from scoring.inputs.sources import SourceFiles
from scoring.metrics.image_quality import Quality
from scoring.single_image.model import OpenModel, opened
from scoring.single_image.model_inputs import model_task
from scoring.single_image.nuclei import tile_support
from scoring.single_image.photograph import Photograph
from scoring.single_image.quality import of_photograph
from tests.inference import builders

NO_FILES = SourceFiles("cases", "folder", {}, dict[str, bytes]().__getitem__, io.BytesIO, None)

PATIENT, TILE_SUPPORT = model_task("tricorder3").patient, tile_support("puma")


def small(pixels: np.ndarray) -> np.ndarray:
    return np.asarray(image_sanitizer.small(Image.fromarray(pixels)))


def measure(pixels: np.ndarray) -> Quality:
    return of_photograph(photograph(pixels))


def photograph(pixels: np.ndarray) -> Photograph:
    return Photograph(
        pixels, small(pixels), ImageInfo(pixels.shape[1], pixels.shape[0], "RGB", "PNG", False, 1), ()
    )


def lesion(side: int = 512, seed: int = 0) -> np.ndarray:
    """A dark disc on skin with grain, left of the middle and above it."""
    y, x = np.mgrid[:side, :side] / side
    disc = 1 / (1 + np.exp((np.hypot(x - 0.4, y - 0.45) - 0.2) * 60))
    grain = np.random.default_rng(seed).normal(0, 4, (side, side, 1))
    return np.clip(np.array([205, 160, 140]) - disc[..., None] * [100, 90, 70] + grain, 0, 255).astype(
        np.uint8
    )


@contextmanager
def model(data: bytes, about: ModelTask | None = None) -> Iterator[OpenModel]:
    found = opened(about or model_task("tricorder3"), data)
    try:
        yield found
    finally:
        found.close()


def of_quadrant(side: int = 64) -> bytes:
    """Melanoma's one score: the mean of the upper right quarter, whatever else is there."""
    half = side // 2
    nodes = [
        onnx.helper.make_node("Slice", ["image", "starts", "ends", "axes"], ["quarter"]),
        onnx.helper.make_node("ReduceMean", ["quarter"], ["mean"], axes=[1, 2, 3], keepdims=0),
        onnx.helper.make_node("Reshape", ["mean", "shape"], ["scores"]),
    ]
    constants = [
        builders.initializer("starts", np.array([0, half])),
        builders.initializer("ends", np.array([half, side])),
        builders.initializer("axes", np.array([2, 3])),
        builders.initializer("shape", np.array([-1, 1])),
    ]
    image = ("image", onnx.TensorProto.FLOAT, ["N", 3, side, side])
    return builders.build(nodes, [image], [("scores", onnx.TensorProto.FLOAT, ["N", 1])], constants)


def constant(width: int = 11, side: int = 64) -> bytes:
    """The same scores for every image."""
    nodes = [
        onnx.helper.make_node("ReduceMean", ["image"], ["grey"], keepdims=0),
        onnx.helper.make_node("Mul", ["grey", "nought"], ["zero"]),
        onnx.helper.make_node("Add", ["row", "zero"], ["scores"]),
    ]
    row = np.linspace(1, 2, width, dtype=np.float32)[None]
    constants = [builders.initializer("nought", np.float32(0)), builders.initializer("row", row / row.sum())]
    image = ("image", onnx.TensorProto.FLOAT, [1, 3, side, side])
    return builders.build(nodes, [image], [("scores", onnx.TensorProto.FLOAT, [1, width])], constants)


def times(data: bytes, factor: float) -> bytes:
    """A model whose scores are multiplied: by 100 they are percentages."""
    found = onnx.load_from_string(data)
    (output,) = found.graph.output
    found.graph.initializer.append(builders.initializer("factor", np.float32(factor)))
    found.graph.node.append(onnx.helper.make_node("Mul", [output.name, "factor"], ["multiplied"]))
    output.name = "multiplied"
    return found.SerializeToString()


def sigmoid_of(data: bytes) -> bytes:
    """A model whose outputs are logits, with a sigmoid at its end."""
    found = onnx.load_from_string(data)
    (output,) = found.graph.output
    found.graph.node.append(onnx.helper.make_node("Sigmoid", [output.name], ["probability"]))
    output.name = "probability"
    return found.SerializeToString()


def of_patches(weights: np.ndarray, side: int = 64) -> bytes:
    """Melanoma's one score: the sum of weights [g, g] x mean brightness of each patch of a g x g lattice, or
    of weights [3, g, g] x a third of its mean red, green and blue."""
    g = weights.shape[-1]
    step = side // g
    nodes = [
        onnx.helper.make_node(
            "AveragePool", ["image"], ["cells"], kernel_shape=[step] * 2, strides=[step] * 2
        ),
        onnx.helper.make_node("Mul", ["cells", "weights"], ["weighed"]),
        onnx.helper.make_node("ReduceSum", ["weighed", "axes"], ["sum"], keepdims=0),
        onnx.helper.make_node("Reshape", ["sum", "shape"], ["scores"]),
    ]
    constants = [
        builders.initializer("weights", np.float32(weights / 3).reshape(1, -1, g, g)),
        builders.initializer("axes", np.array([1, 2, 3])),
        builders.initializer("shape", np.array([-1, 1])),
    ]
    image = ("image", onnx.TensorProto.FLOAT, ["N", 3, side, side])
    return builders.build(nodes, [image], [("scores", onnx.TensorProto.FLOAT, ["N", 1])], constants)


def _of_halves(nodes: list[onnx.NodeProto], constants: list[onnx.TensorProto], side: int) -> bytes:
    """Return a model of nodes that make scores of the means of an image's left half, l, and right half, r."""
    halves = [
        onnx.helper.make_node("Slice", ["image", "start", "half", "axis"], ["left"]),
        onnx.helper.make_node("Slice", ["image", "half", "end", "axis"], ["right"]),
        onnx.helper.make_node("ReduceMean", ["left"], ["l"], axes=[1, 2, 3], keepdims=0),
        onnx.helper.make_node("ReduceMean", ["right"], ["r"], axes=[1, 2, 3], keepdims=0),
    ]
    limits = [
        builders.initializer("start", np.array([0])),
        builders.initializer("half", np.array([side // 2])),
        builders.initializer("end", np.array([side])),
        builders.initializer("axis", np.array([3])),
        builders.initializer("shape", np.array([-1, 1])),
    ]
    image = ("image", onnx.TensorProto.FLOAT, ["N", 3, side, side])
    scores = ("scores", onnx.TensorProto.FLOAT, ["N", 1])
    return builders.build([*halves, *nodes], [image], [scores], [*limits, *constants])


def of_left_less_right(side: int = 64) -> bytes:
    """Melanoma's one score: the root of left half less right half; no number where the right is brighter."""
    nodes = [
        onnx.helper.make_node("Sub", ["l", "r"], ["less"]),
        onnx.helper.make_node("Add", ["less", "little"], ["more"]),
        onnx.helper.make_node("Sqrt", ["more"], ["root"]),
        onnx.helper.make_node("Reshape", ["root", "shape"], ["scores"]),
    ]
    constants = [
        builders.initializer("little", np.float32(0.01)),
    ]
    return _of_halves(nodes, constants, side)


def crashing_on_the_left(side: int = 64) -> bytes:
    """Melanoma's one score, 0.5; an error where the left half is much brighter than the right."""
    nodes = [
        onnx.helper.make_node("Mul", ["r", "half_more"], ["most"]),
        onnx.helper.make_node("Greater", ["l", "most"], ["brighter"]),
        onnx.helper.make_node("Cast", ["brighter"], ["place"], to=onnx.TensorProto.INT64),
        onnx.helper.make_node("Gather", ["row", "place"], ["found"]),
        onnx.helper.make_node("Reshape", ["found", "shape"], ["scores"]),
    ]
    constants = [
        builders.initializer("half_more", np.float32(1.5)),
        builders.initializer("row", np.array([0.5], np.float32)),
    ]
    return _of_halves(nodes, constants, side)
