"""Cases of a score against a yes or no, each with a weight, as arrays."""

from collections.abc import Sequence

import numpy as np


def arrays(cases: Sequence[tuple[int, bool, float]], steps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores [N] from 0 to 1 in so many steps, which are positive [N], and weights [N]."""
    scores, positive, weights = zip(*cases, strict=True)
    return np.array(scores) / steps, np.array(positive), np.array(weights)
