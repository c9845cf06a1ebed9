"""Adapter for models whose axes, number types or batch size differ from what challenges provide."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from scoring.common.arrays import Array
from scoring.inference.worker_results import Tensor

CHANNELS = 3
FLOAT = "tensor(float)"
PIXELS = "tensor(uint8)"
TYPES = {FLOAT: np.float32, "tensor(float16)": np.float16, "tensor(double)": np.float64, PIXELS: np.uint8}
"""Supported types of a model's input. A model with 8-bit integers receives pixels from 0 to 255."""


@dataclass(frozen=True)
class Adapter:
    """Converts an image, float32 (1, 3, H, W), and a vector, float32 (1, k), to the inputs of a model.

    Attributes:
        types: Type of each input, as the runtime names it.
        channels_last: Whether the model expects the image as (N, H, W, 3).
        batch: Batch size of the model. The input is repeated to fill the batch, and only the first output is
            used.
    """

    types: tuple[str, ...]
    channels_last: bool = False
    batch: int = 1

    @classmethod
    def of(cls, inputs: Sequence[Tensor]) -> "Adapter":
        """Return the adapter for a model's declared inputs.

        Args:
            inputs: Inputs in order: the image, then optionally a vector.
        """
        shape = (inputs[0].shape if inputs else None) or ()
        last = len(shape) == 4 and shape[3] == CHANNELS and shape[1] != CHANNELS
        sizes = [entry.shape[0] or 1 for entry in inputs if entry.shape and len(entry.shape) in (2, 4)]
        return cls(tuple(entry.dtype for entry in inputs), last, max(sizes, default=1))

    def plain(self, inputs: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Return the inputs as challenges define them, without the conversions of the adapter."""
        return tuple(self._plain(i, entry) for i, entry in enumerate(inputs))

    def _plain(self, index: int, entry: Tensor) -> Tensor:
        if entry.dtype in TYPES and not (index and entry.dtype == PIXELS):
            entry = replace(entry, dtype=FLOAT)
        if not entry.shape:
            return entry
        batch, *others = entry.shape
        if self.channels_last and not index:
            others = [others[2], *others[:2]]
        return replace(entry, shape=(None if self.batch > 1 else batch, *others))

    def feed(self, arrays: Sequence[Array]) -> list[Array]:
        """Convert the arrays to the model's axes, types and batch size.

        Args:
            arrays: The image float32 [1, 3, H, W] with values 0 to 1, then optionally the vector float32 [1,
                k].
        """
        fed = []
        for dtype, array in zip(self.types, arrays, strict=False):
            if array.ndim == 4:
                array = np.rint(array * 255) if dtype == PIXELS else array
                array = np.moveaxis(array, 1, 3) if self.channels_last else array
            array = np.repeat(array, self.batch, axis=0) if self.batch > 1 else array
            fed.append(np.ascontiguousarray(array, TYPES.get(dtype, np.float32)))
        return fed

    def first(self, output: Array) -> Array:
        """Return the output for the first image of the batch."""
        return output[:1] if self.batch > 1 and len(np.atleast_1d(output)) == self.batch else output

    @property
    def words(self) -> str:
        """Description of the conversion; "" if inputs are not converted."""
        types = [dtype for dtype in dict.fromkeys(self.types) if dtype in TYPES and dtype != FLOAT]
        done = [f"numbers as {np.dtype(TYPES[dtype]).name}" for dtype in types]
        done += ["channels last"] * self.channels_last
        done += [f"a batch with the image {self.batch} times, of which only the first output counts"] * (
            self.batch > 1
        )
        return ", ".join(done)
