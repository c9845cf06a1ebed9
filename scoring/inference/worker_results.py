"""Results that a worker process gives back: model facts, outputs, failures."""

from dataclasses import dataclass, field

from scoring.common.arrays import Floats
from scoring.inference.preprocessing import ImageInfo, Pixels


class ModelFailed(Exception):
    """A model cannot be used.

    Attributes:
        message: What is wrong, for people; it never quotes data.
        picture: Index of the image on which the model failed, None where that has no meaning.
        ended: Whether the process was gone without an answer and without being stopped for its time; a second
            try may be worth it.
    """

    def __init__(self, code: str, message: str, picture: int | None = None, ended: bool = False):
        super().__init__(code, message, picture, ended)
        self.code, self.message, self.picture, self.ended = code, message, picture, ended

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


@dataclass(frozen=True)
class Tensor:
    """An input or output as the model declares it.

    Attributes:
        dtype: Its type as the runtime writes it, e.g. "tensor(float)".
        shape: Its axes, None for a free one; None if the shape is unknown.
    """

    name: str
    dtype: str
    shape: tuple[int | None, ...] | None


@dataclass(frozen=True)
class RandomOperator:
    """A node that may answer otherwise each time.

    Attributes:
        operator: Its operator; Dropout and BatchNormalization in training mode.
        name: Its name in the file, or that of its output.
        seeded: Whether it has a seed.
    """

    operator: str
    name: str
    seeded: bool


@dataclass(frozen=True)
class Graph:
    """What an ONNX file holds.

    Attributes:
        nodes: Number of nodes, subgraphs and functions included.
        random: Its random operators, and those in training mode.
    """

    ir_version: int
    opset: int
    nodes: int
    random: tuple[RandomOperator, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ModelFacts:
    """Known facts about a loaded model.

    Attributes:
        inputs: Its inputs, by position, as challenges see them behind the adapter.
        outputs: Its outputs, by position.
        sha256: SHA-256 of the file.
        device: What it runs on, "cpu" or "cuda".
        adapter: What an adapter does to the inputs, "" where they are fed as they are.
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
    """Prepared pixels, read-only, and what the file was."""

    pixels: Pixels
    seen: ImageInfo


@dataclass(frozen=True)
class Upright:
    """A photograph turned upright.

    Attributes:
        pixels: Its pixels, read-only.
        small: A small copy (`image_sanitizer.small`), read-only.
        dropped: Which of `image_sanitizer.KINDS` the file held besides pixels.
    """

    pixels: Pixels
    small: Pixels
    seen: ImageInfo
    dropped: tuple[str, ...]


@dataclass(frozen=True)
class ModelOutput:
    """Outputs of a model for one image.

    Attributes:
        outputs: Every output in the model's order, read-only float32 or float64; None for one that is no
            tensor of numbers.
        pixels: Pixels that the model received, read-only; None unless requested.
        cpu_ms: Processor time for decoding, preparing and running, in milliseconds.
        seen: What the file was, None where pixels were given.
    """

    outputs: tuple[Floats | None, ...]
    pixels: Pixels | None
    cpu_ms: float
    seen: ImageInfo | None
