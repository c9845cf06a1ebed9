"""Types of NumPy arrays, named by their content. Docstrings state the shape: [N] means one value per case."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
"""Real numbers, float32 or float64."""
Ints = NDArray[np.integer[Any]]
"""Integers of any width, for example class numbers, positions and counts."""
Bools = NDArray[np.bool_]
"""Booleans, for example which cases are positive."""
Numbers = Floats | Ints
"""Floats or integers, for example weights and counts."""
Array = NDArray[Any]
"""An array of any type, for example of texts."""
