"""Answers side by side: of one model to several photographs of a lesion, of two models to one photograph."""

from collections.abc import Sequence

import numpy as np

from scoring.common.arrays import Floats
from scoring.single_image.image_prediction import ImagePrediction


def mean_scores(predictions: Sequence[ImagePrediction]) -> Floats:
    """Return the mean of the scores [K] of several photographs of one lesion, each counted alike."""
    mean: Floats = np.mean([prediction.probabilities for prediction in predictions], axis=0)
    return mean


def photographs_line(predictions: Sequence[ImagePrediction], names: Sequence[str]) -> str:
    """Return whether several photographs of one lesion get the same class, and their mean.

    Args:
        predictions: Of one model, one per photograph.
        names: The classes in full.
    """
    mean = mean_scores(predictions)
    top = int(mean.argmax())
    tops, n = [prediction.top for prediction in predictions], len(predictions)
    if len(set(tops)) == 1:
        sentence = f"{'Both' if n == 2 else f'All {n}'} photographs get {names[tops[0]]}."
    else:
        each = ", ".join(f"photograph {number} {names[k]}" for number, k in enumerate(tops, 1))
        sentence = f"The photographs get different classes: {each}."
    return (
        f"{sentence} Highest mean: {names[top]} {mean[top]:.2f}. Benchside takes the mean of {n}; "
        "the challenge scores each photograph on its own."
    )


def models_line(first: ImagePrediction, second: ImagePrediction, names: Sequence[str]) -> str:
    """Return whether two models give the same class, as a sentence. names: the classes in full."""
    a, b = ((names[p.top], p.probabilities[p.top]) for p in (first, second))
    if first.top == second.top:
        return f"Both models give {a[0]}: {a[1]:.2f} and {b[1]:.2f}."
    return f"The models differ: {a[0]} {a[1]:.2f}, and {b[0]} {b[1]:.2f}."
