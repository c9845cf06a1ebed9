"""Results of a worker process: model facts, outputs, failures."""

from dataclasses import dataclass, field

from scoring.common.arrays import Floats
from scoring.inference.preprocessing import ImageInfo, Pixels


class ModelFailed(Exception):
    """Raised if a model cannot be used.

    Attributes:
        message: What is wrong, without any quoted data.
        picture: Index of the image on which the model failed; None if it did not fail on an image.
        ended: Whether the process ended without an answer and was not stopped by a time limit; a second
            attempt may succeed.
    """

    def __init__(self, code: str, message: str, picture: int | None = None, ended: bool = False):
        super().__init__(code, message, picture, ended)
        self.code, self.message, self.picture, self.ended = code, message, picture, ended

    def on(self, what: str) -> str:
        """Return the message; a crash names the input, such as "test image a.jpg"."""
        return self.message.replace("crashed on an image", f"crashed on {what}")

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


@dataclass(frozen=True)
class Tensor:
    """An input or output as the model declares it.

    Attributes:
        dtype: Type as the runtime names it, e.g. "tensor(float)".
        shape: Length of each axis, None for an axis of any length; None if the shape is unknown.
    """

    name: str
    dtype: str
    shape: tuple[int | None, ...] | None


@dataclass(frozen=True)
class RandomOperator:
    """A node that may give different results each time.

    Attributes:
        operator: Type of the node: a random operator, or Dropout or BatchNormalization in training mode.
        name: Name of the node in the file, or the name of its output.
        seeded: Whether the node has a seed.
    """

    operator: str
    name: str
    seeded: bool


@dataclass(frozen=True)
class Graph:
    """Contents of an ONNX file.

    Attributes:
        nodes: Number of nodes, including subgraphs and functions.
        random: Random operators, and operators in training mode.
        from_0_to_1: Whether the graph proves that its first output is from 0 to 1.
    """

    ir_version: int
    opset: int
    nodes: int
    random: tuple[RandomOperator, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)
    from_0_to_1: bool = False


@dataclass(frozen=True)
class ModelFacts:
    """Known facts about a loaded model.

    Attributes:
        inputs: Inputs by position, as challenges define them; the adapter converts to the model's own inputs.
        sha256: SHA-256 of the file.
        device: The device, "cpu" or "cuda".
        adapter: Description of the adapter's conversion; "" if inputs are not converted.
    """

    graph: Graph
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    size_bytes: int
    sha256: str
    confinement: tuple[str, ...]
    device: str = "cpu"
    adapter: str = ""


@dataclass(frozen=True)
class PreparedImage:
    """Prepared, read-only pixels, and information about their file (`seen`)."""

    pixels: Pixels
    seen: ImageInfo


@dataclass(frozen=True)
class SlideView:
    """A region of a slide at full resolution.

    Attributes:
        pixels: Pixels of the region, read-only.
        box: Left, top, width and height, px of the slide.
        seen: The slide: `width` and `height` of its full resolution.
        overview: The whole slide, reduced, read-only; None if it was not requested.
        magnification: Magnification of the objective, 0 if unknown.
        dropped: Which of `image_sanitizer.KINDS` the file contained; they were dropped.
    """

    pixels: Pixels
    box: tuple[int, int, int, int]
    seen: ImageInfo
    overview: Pixels | None
    levels: int
    magnification: float
    dropped: tuple[str, ...]


@dataclass(frozen=True)
class Upright:
    """A photograph in upright orientation.

    Attributes:
        pixels: Its pixels, read-only.
        small: A small copy (`image_sanitizer.small`), read-only.
        dropped: Which of `image_sanitizer.KINDS` the file contained; they were dropped.
    """

    pixels: Pixels
    small: Pixels
    seen: ImageInfo
    dropped: tuple[str, ...]


@dataclass(frozen=True)
class ModelOutput:
    """Outputs of a model for one image.

    Attributes:
        outputs: Every output in the model's order, read-only float32 or float64; None for an output that is
            not a numeric tensor.
        pixels: Pixels that the model received, read-only; None unless requested.
        cpu_ms: Processor time for decoding, preparing and running, in milliseconds.
        seen: Information about the file, None if pixels were given.
    """

    outputs: tuple[Floats | None, ...]
    pixels: Pixels | None
    cpu_ms: float
    seen: ImageInfo | None
