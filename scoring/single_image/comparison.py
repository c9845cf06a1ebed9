"""Answers side by side: of one model to several photographs of a lesion, of two models to one photograph."""

from collections.abc import Sequence

import numpy as np

from scoring.common.arrays import Floats
from scoring.single_image.image_prediction import ImagePrediction


def mean_scores(answers: Sequence[ImagePrediction]) -> Floats:
    """Return the mean of the scores [K] of several photographs of one lesion, each counted alike."""
    mean: Floats = np.mean([one.probabilities for one in answers], axis=0)
    return mean


def photographs_line(answers: Sequence[ImagePrediction], names: Sequence[str]) -> str:
    """Return whether several photographs of one lesion get the same class, and their mean.

    Args:
        answers: Of one model, one per photograph.
        names: The classes in full.
    """
    mean = mean_scores(answers)
    top = int(mean.argmax())
    tops = [one.top for one in answers]
    if len(set(tops)) == 1:
        words = f"{'Both' if len(answers) == 2 else f'All {len(answers)}'} photographs get {names[tops[0]]}."
    else:
        each = ", ".join(f"photograph {place} {names[k]}" for place, k in enumerate(tops, 1))
        words = f"The photographs get different classes: {each}."
    return (
        f"{words} Highest mean: {names[top]} {mean[top]:.2f}. The mean is made here, from {len(answers)} "
        "answers; the challenge scores every photograph by itself."
    )


def models_line(first: ImagePrediction, second: ImagePrediction, names: Sequence[str]) -> str:
    """Return whether two models give the same class, as a sentence. names: the classes in full."""
    one, other = ((names[found.top], found.probabilities[found.top]) for found in (first, second))
    if first.top == second.top:
        return f"Both models give {one[0]}: {one[1]:.2f} and {other[1]:.2f}."
    return f"The models differ: {one[0]} {one[1]:.2f}, and {other[0]} {other[1]:.2f}."
