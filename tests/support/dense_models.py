"""Small dense models: a map of eleven probabilities of the mean colour of each cell of a tile."""

import numpy as np
import onnx

from tests.inference import builders


def dense(
    channels: int = 11,
    stride: int = 4,
    side=(None, None),
    metadata: str | None = None,
    fill: float | None = None,
) -> bytes:
    """Channel k is the mean of cells of the tile, whatever its class."""
    sides = ["height", "width"] if side == (None, None) else list(side)
    nodes = [
        onnx.helper.make_node(
            "AveragePool",
            ["image"],
            ["cells"],
            kernel_shape=[stride, stride],
            strides=[stride, stride],
            ceil_mode=1,
        ),
        onnx.helper.make_node("Conv", ["cells", "W"], ["wide"], kernel_shape=[1, 1]),
        onnx.helper.make_node(
            "Div" if fill is not None else "Softmax",
            ["wide", "nought"] if fill is not None else ["wide"],
            ["p"],
            **({} if fill is not None else {"axis": 1}),
        ),
    ]
    weights = np.random.default_rng(0).normal(0, 3, (channels, 3, 1, 1)).astype(np.float32)
    constants = [builders.initializer("W", weights), builders.initializer("nought", np.float32(fill or 0))]
    image = ("image", onnx.TensorProto.FLOAT, ["N", 3, *sides])
    model = builders.proto(
        nodes, [image], [("p", onnx.TensorProto.FLOAT, ["N", channels, None, None])], constants
    )
    if metadata is not None:
        entry = model.metadata_props.add()
        entry.key, entry.value = "categories", metadata
    return model.SerializeToString()
