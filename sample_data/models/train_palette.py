"""Trains palette.onnx, a weak model on purpose: `python -m sample_data.models.train_palette TASK images*.npz
palette.onnx`.

It knows which colours occur in the image, not where or in which pattern, and the demographics if any. Its
image may have any height and width.
"""

import sys
from pathlib import Path

import numpy as np

from sample_data.models.graph import Bank
from sample_data.models.linear import train
from sample_data.models.task import TASKS
from sample_data.models.training_set import load

# Combinations of red, green and blue optical density that are looked at, each above the three thresholds
# beside it.
COLOURS = (
    ((1, 0, 0), (0.2, 0.6, 1.2)),
    ((0, 1, 0), (0.4, 0.8, 1.4)),
    ((-1, 1, 0), (0.2, 0.5, 0.9)),
    ((0, -1, 1), (0.1, 0.3, 0.6)),
)


def bank() -> Bank:
    filters = [weights for weights, thresholds in COLOURS for _ in thresholds]
    biases = [-threshold for _, thresholds in COLOURS for threshold in thresholds]
    return Bank(np.array(filters, np.float32)[:, :, None, None], np.array(biases, np.float32))


if __name__ == "__main__":
    Path(sys.argv[-1]).write_bytes(
        train(bank(), load(sys.argv[2:-1]), TASKS[sys.argv[1]], ("height", "width"), seed=0)
    )
