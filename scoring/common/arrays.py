"""Types of NumPy arrays, by what they hold. Docstrings give shapes: [N] is one value per case."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
"""Real numbers, float32 or float64."""
Ints = NDArray[np.integer[Any]]
"""Whole numbers of any width, for example class numbers, positions and counts."""
Bools = NDArray[np.bool_]
"""Yes or no, for example which cases are positive."""
Numbers = Floats | Ints
"""Real or whole numbers, for example weights and counts."""
Array = NDArray[Any]
"""An array of anything, for example of texts."""
