"""Saliency map (heat map); `occlusion_saliency` and `random_mask_saliency` compute one each."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from PIL import Image

from scoring.common.arrays import Floats
from scoring.inference.model_pool import Cancelled
from scoring.metrics.output_kinds import probabilities
from scoring.single_image.image_prediction import ImagePrediction
from scoring.single_image.model import CHANGED, OpenModel

BORDER_SHARE, DARKEST = 1 / 8, 0.15
SCALE = 0.25
"""Change of a score at the ends of the colour scale; all maps use the same scale."""
FLOOR = 0.05
"""A change of a score counts only if, rounded to two decimals as shown, it is at least this."""

Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class SaliencyMap:
    """How far the scores of all classes fall when a part of an image is hidden.

    Attributes:
        drops: Score with the part shown minus score with the part hidden [K, g, g]. A positive drop means
            that the part supports the class. If parts are hidden one by one, everything else is shown. With
            random halves, the drop is a mean over what else is hidden.
        before: Scores of the unchanged picture [K].
        after: Scores with the part hidden [K, g, g]; None for random halves.
        shape: Height and width of the pixels that the model received.
        noise: Change of each class's score that random halves can cause by chance [K]; 0 if parts are hidden
            one by one.
    """

    drops: np.ndarray
    before: np.ndarray
    after: np.ndarray | None
    shape: tuple[int, int]
    noise: np.ndarray

    def picture(self, k: int) -> np.ndarray:
        """Return the map of class k as float32 [height, width] for the pixels that the model received,
        interpolated between the centres of the cells."""
        return enlarged(self.drops[k], *self.shape)

    def strongest(self, k: int) -> float:
        """Return the largest absolute drop of class k."""
        return float(np.abs(self.drops[k]).max())

    def matters(self, k: int) -> bool:
        """Return whether any part changes the score of class k by more than the minimum and by more than
        chance."""
        return counts(self.strongest(k)) and self.strongest(k) >= float(self.noise[k])

    def largest(self, k: int) -> tuple[int, int, float, float] | None:
        """Return row and column of the cell that changes class k most, and the score of the class before and
        after. The result is None if random halves were hidden."""
        if self.after is None:
            return None
        row, column = np.unravel_index(np.abs(self.drops[k]).argmax(), self.drops[k].shape)
        return int(row), int(column), float(self.before[k]), float(self.after[k, row, column])


def counts(change: float) -> bool:
    """Return whether a change of a score, rounded as on the page, is large enough to be mentioned
    (`FLOOR`)."""
    return round(abs(change), 2) >= FLOOR


def enlarged(values: np.ndarray, height: int, width: int) -> np.ndarray:
    """Enlarge values, float32 [g, g], to height x width px. Values are interpolated bilinearly between the
    centres of the cells, and constant outside them.

    Pillow computes this, because small matrix products would wake all threads of the linear algebra library.
    """
    return np.asarray(
        Image.fromarray(values.astype(np.float32)).resize((width, height), Image.Resampling.BILINEAR)
    )


def surrounding(pixels: np.ndarray) -> Floats:
    """Return the surrounding colour of an image, float32 [3]. The colour is the median of each channel in the
    outer eighth of the pixels, uint8 (h, w, 3), without a black frame."""
    height, width = pixels.shape[:2]
    rim = max(1, round(BORDER_SHARE * min(height, width)))
    outside = np.ones((height, width), bool)
    outside[rim:-rim, rim:-rim] = False
    colours = pixels[outside]
    bright = colours[colours.mean(1) > DARKEST * 255]
    median: Floats = np.median(bright if len(bright) else colours, axis=0).astype(np.float32)
    return median


def scores(
    model: OpenModel,
    prediction: ImagePrediction,
    inputs: Iterable[tuple[np.ndarray, np.ndarray | None]],
    total: int,
    progress: Progress | None,
    cancelled: Callable[[], bool] | None,
) -> np.ndarray:
    """Return probabilities [total, K] for prepared pixels with their vectors. The model runs on one input at
    a time, because batches are not faster.

    Raises:
        Cancelled: Raised within the time of one run.
        InputRefused: If the model fails.
    """
    rows = np.empty((total, len(prediction.probabilities)))
    for done, (pixels, vector) in enumerate(inputs):
        if cancelled and cancelled():
            raise Cancelled
        if progress:
            progress(done, total)
        rows[done] = probabilities(model.run(pixels, vector, CHANGED)[0][None], prediction.kind)[0]
    if progress:
        progress(total, total)
    return rows
