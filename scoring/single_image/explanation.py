"""Explanation of an output: both saliency maps, their agreement, and the test of the whole picture."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from scoring.single_image.image_prediction import ImagePrediction
from scoring.single_image.model import OpenModel
from scoring.single_image.occlusion_saliency import occlusion
from scoring.single_image.random_mask_saliency import COUNT, masks
from scoring.single_image.saliency import Progress, SaliencyMap, enlarged
from scoring.single_image.whole_picture_test import (
    CHANGES,
    WholePicture,
    hidden_line,
    whole_line,
    whole_picture,
)

LATTICE = 24
"""Number of cells along each axis of the grid on which two maps are compared."""
SAME_COLOUR = (
    "Hidden parts get the colour around the lesion: a part that has this colour shows no effect, even if the "
    "whole score depends on the part."
)
AGREE, AGREE_IN_PART = 0.7, 0.3


@dataclass(frozen=True)
class Explanation:
    """Two saliency maps of an answer.

    Attributes:
        random_halves: Saliency map that was made by hiding random halves of the image (RISE).
        whole: Scores after changes of light and colour, and after hiding the middle or the surroundings.
    """

    one_by_one: SaliencyMap
    random_halves: SaliencyMap
    whole: WholePicture

    def correlation(self, k: int) -> float | None:
        """Return Pearson's correlation of the two maps for class k; None if one map is constant."""
        rows = np.array([enlarged(saliency.drops[k], LATTICE, LATTICE).ravel() for saliency in self.maps])
        return None if min(np.ptp(rows, axis=1)) == 0 else float(np.corrcoef(rows)[0, 1])

    @property
    def maps(self) -> tuple[SaliencyMap, SaliencyMap]:
        return self.one_by_one, self.random_halves


def explanation(
    model: OpenModel,
    prediction: ImagePrediction,
    grid: int,
    count: int = COUNT,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Explanation:
    """Return two saliency maps of an answer, and the effect of changes of the whole image.

    Args:
        grid: Number of cells along each axis that are hidden one by one: grid x grid runs.
        count: Number of random halves, one run each; changes of the whole picture need more runs.
        progress: Called with the numbers of finished and of all runs.
        cancelled: Function that says whether to stop.

    Raises:
        Cancelled: Raised within the time of one run.
        InputRefused: If the model fails.
    """
    total = runs(grid, count)

    def from_run(first: int) -> Progress | None:
        return None if progress is None else lambda done, _: progress(first + done, total)

    one_by_one = occlusion(model, prediction, grid, from_run(0), cancelled)
    halves = masks(model, prediction, count, progress=from_run(grid * grid), cancelled=cancelled)
    whole = whole_picture(model, prediction, from_run(grid * grid + count), cancelled)
    return Explanation(one_by_one, halves, whole)


def runs(grid: int, count: int = COUNT) -> int:
    """Return the number of model runs for an explanation."""
    return grid * grid + count + len(CHANGES)


def agreement_line(maps: Explanation, k: int, name: str) -> str:
    """Return sentences that say how well the two maps of a class agree, or that hiding parts changes
    nothing."""
    single, halves = (saliency.strongest(k) for saliency in maps.maps)
    if not maps.one_by_one.matters(k) and not maps.random_halves.matters(k):
        return (
            f"Hiding small parts shows no effect: each part changes {name} by at most "
            f"{single:.2f}, and hiding random halves of the image shows no part with an effect "
            f"above chance.{hidden_line(maps.whole, k)} {SAME_COLOUR}"
        )
    if not maps.one_by_one.matters(k):
        return (
            f"Hiding single small parts shows no effect: each part changes {name} by at most {single:.2f}. "
            "When half of the image is already hidden, hiding one more part changes the score by up to "
            f"{halves:.2f}. {SAME_COLOUR}"
        )
    if not maps.random_halves.matters(k):
        return (
            f"Hiding one part changes {name} by up to {single:.2f}, but hiding random halves of "
            "the image finds no region with an effect above chance: the two methods disagree, so "
            "do not rely on either map."
        )
    r = maps.correlation(k)
    if r is None or r < AGREE_IN_PART:
        sentence = "do not agree" if r is None else f"do not agree (correlation {r:.2f})"
        return f"The two maps {sentence}: do not rely on either map."
    sentence = "largely agree" if r >= AGREE else "agree in part only"
    return f"The two maps {sentence} (correlation {r:.2f} of at most 1)."


def conclusion(maps: Explanation, k: int, name: str) -> tuple[str, str]:
    """Return two sentences about class k: what hiding parts shows, and what changing the whole image
    shows."""
    strongest = max(saliency.strongest(k) for saliency in maps.maps)
    return agreement_line(maps, k, name), whole_line(maps.whole, k, name, strongest)
