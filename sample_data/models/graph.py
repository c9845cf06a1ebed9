"""ONNX graphs of the sample models that need no deep-learning framework: a bank of filters, pooled, and a
linear head."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET, IR_VERSION = 13, 8
DARKEST = 0.02  # intensities below are one: their logarithm is finite
GENDERS, LOCATIONS = (0, 1), tuple(range(1, 8))


@dataclass(frozen=True)
class Bank:
    """filters: float32, n x 3 x k x k, on optical densities. biases: n. weights: h x w to weigh places of the
    filtered map by (mean 1), or None; h and w are then those of the map.
    """

    filters: np.ndarray
    biases: np.ndarray
    weights: np.ndarray | None = None


@dataclass(frozen=True)
class Head:
    """Linear scores: matrix float32, features x columns; offset, one per column. One column ends in a
    sigmoid, several in a softmax."""

    matrix: np.ndarray
    offset: np.ndarray


@dataclass
class Graph:
    """Nodes and constants in the making; every step returns the name of its result."""

    nodes: list = field(default_factory=list)
    constants: list = field(default_factory=list)

    def constant(self, values) -> str:
        name = f"constant{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(values, np.float32), name))
        return name

    def step(self, operator: str, *inputs: str, **attributes) -> str:
        name = f"{operator.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def one_hot(self, code: str, values: tuple[int, ...]) -> str:
        """A column of codes as one column per value; a code that is none of them (unknown) is all zeros."""
        distance = self.step("Abs", self.step("Sub", code, self.constant([values])))
        return self.step("Relu", self.step("Sub", self.constant(1), distance))

    def demographics(self, codes: str) -> list[str]:
        """Age in centuries, whether the age is known, gender and location one-hot."""
        names = [f"{codes}_{part}" for part in ("age", "gender", "location")]
        self.nodes.append(helper.make_node("Split", [codes], names, axis=1))
        age, gender, location = names
        known = self.step("Min", age, self.constant(1))
        return [
            self.step("Mul", age, self.constant(0.01)),
            known,
            self.one_hot(gender, GENDERS),
            self.one_hot(location, LOCATIONS),
        ]

    def image(self, pixels: str, bank: Bank, pool: int) -> list[str]:
        """Pooled answers of the filters to the image's optical density."""
        if pool > 1:
            pixels = self.step("AveragePool", pixels, kernel_shape=[pool, pool], strides=[pool, pool])
        density = self.step("Neg", self.step("Log", self.step("Max", pixels, self.constant(DARKEST))))
        size = bank.filters.shape[-1]
        answers = self.step(
            "Conv",
            density,
            self.constant(bank.filters),
            self.constant(bank.biases),
            kernel_shape=[size, size],
            strides=[2, 2],
            pads=[size // 2] * 4,
        )
        answers = self.step("Relu", answers)
        pooled = [self._over_places("ReduceMean", answers)]
        if bank.weights is not None:
            weighted = self.step("Mul", answers, self.constant(bank.weights[None, None]))
            pooled += [
                self._over_places("ReduceMean", weighted),
                self._over_places("ReduceMean", self.step("Mul", weighted, answers)),
            ]
        smooth = self.step("AveragePool", answers, kernel_shape=[4, 4], strides=[4, 4])
        pooled.append(self._over_places("ReduceMax", smooth))
        # Square roots: a filter that answers at few places should not drown beside one that answers at many.
        return [self.step("Sqrt", values) for values in pooled]

    def _over_places(self, operator: str, maps: str) -> str:
        return self.step(operator, maps, axes=[2, 3], keepdims=0)


def build(
    bank: Bank,
    pool: int,
    size: tuple[int | str, int | str],
    demographics: bool,
    head: Head | None = None,
    categories: Sequence[str] = (),
) -> bytes:
    """An ONNX model of the input image (batch, 3, *size) in 0..1, and of demographics (batch, 3) as codes if
    it is given them.

    pool: pixels that are averaged first. categories: of the columns, noted in the model's metadata. The
    output is batch x columns probabilities, or without a head the batch x features that a head is trained on:
    so training and use compute them with the same graph.
    """
    graph = Graph()
    inputs = [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 3, *size])]
    parts = graph.image("image", bank, pool)
    if demographics:
        inputs.append(helper.make_tensor_value_info("demographics", TensorProto.FLOAT, ["batch", 3]))
        parts += graph.demographics("demographics")
    output = graph.step("Concat", *parts, axis=1)
    width: int | str = "features"
    if head is not None:
        scores = graph.step("Gemm", output, graph.constant(head.matrix), graph.constant(head.offset))
        width = len(head.offset)
        output = graph.step("Sigmoid", scores) if width == 1 else graph.step("Softmax", scores, axis=1)
    graph.nodes.append(helper.make_node("Identity", [output], ["output"]))
    outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, ["batch", width])]
    model = helper.make_model(
        helper.make_graph(graph.nodes, "sample", inputs, outputs, graph.constants),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )
    note_categories(model, categories)
    onnx.checker.check_model(model)
    return model.SerializeToString()


def note_categories(model: onnx.ModelProto, categories: Sequence[str]) -> None:
    """Writes the names of the output's columns into the model's metadata, if there are any."""
    if categories:
        helper.set_model_props(model, {"categories": ",".join(categories)})
