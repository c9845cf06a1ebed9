"""Test of the whole picture: the scores when its light or colour changes, and when its middle or surroundings
are hidden.

Saliency maps cannot show the effect of light and colour, because they hide a part in the surrounding colour.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from scoring.common.arrays import Floats
from scoring.inference.preprocessing import Pixels
from scoring.presentation.figures.number_format import score
from scoring.single_image.image_prediction import ImagePrediction
from scoring.single_image.model import OpenModel
from scoring.single_image.saliency import FLOOR, Progress, counts, scores, surrounding

LIGHT, WARMTH = 0.25, 0.12
"""Relative changes that are tried: of all channels (light), and of red against blue (warmth)."""
LUMA = np.array([0.299, 0.587, 0.114])
GREY = 128.0
REACH, SHARPNESS = 0.3, 8
"""Radius of the middle as a share of the image's sides, and sharpness of the middle's rim."""


@dataclass(frozen=True)
class WholePicture:
    """Scores of an image that is changed as a whole.

    Attributes:
        before: Scores of the unchanged picture [K].
        after: Name of a change -> scores after it [K]. The changes in `TONES` change light or colour.
    """

    before: Floats
    after: Mapping[str, Floats]

    def tone(self, k: int) -> float:
        """Return the largest change of class k's score by a change of light or colour."""
        return self._largest(k, TONES)

    def hidden(self, k: int) -> float:
        """Return the largest change of class k's score when the middle or the surroundings are hidden."""
        return self._largest(k, CHANGES.keys() - TONES.keys())

    def _largest(self, k: int, names: Iterable[str]) -> float:
        return max(abs(float(self.after[name][k] - self.before[k])) for name in names)


def _channels(red: float, green: float, blue: float) -> Callable[[Floats], Floats]:
    return lambda pixels: pixels * np.array([red, green, blue])


def _grey(pixels: Floats) -> Floats:
    return np.repeat((pixels @ LUMA)[..., None], 3, axis=2)


def _middle_hidden(pixels: Floats) -> Floats:
    inside = _inside(*pixels.shape[:2])
    hidden: Floats = pixels + inside * (surrounding(pixels.astype(np.uint8)) - pixels)
    return hidden


def _around_hidden(pixels: Floats) -> Floats:
    hidden: Floats = pixels + (1 - _inside(*pixels.shape[:2])) * (GREY - pixels)
    return hidden


def _inside(height: int, width: int) -> Floats:
    """Return how far each pixel is in the middle, 0..1 [height, width, 1]."""
    y, x = np.mgrid[:height, :width]
    away = np.hypot((y + 0.5) / height - 0.5, (x + 0.5) / width - 0.5)
    inside: Floats = np.exp(-((away / REACH) ** SHARPNESS))[..., None]
    return inside


TONES: Mapping[str, Callable[[Floats], Floats]] = {
    "lighter": _channels(1 + LIGHT, 1 + LIGHT, 1 + LIGHT),
    "darker": _channels(1 - LIGHT, 1 - LIGHT, 1 - LIGHT),
    "warmer": _channels(1 + WARMTH, 1, 1 - WARMTH),
    "cooler": _channels(1 - WARMTH, 1, 1 + WARMTH),
    "grey": _grey,
}
MIDDLE_HIDDEN, AROUND_HIDDEN = "middle hidden", "all around hidden"
CHANGES = {**TONES, MIDDLE_HIDDEN: _middle_hidden, AROUND_HIDDEN: _around_hidden}
SURROUNDINGS = 2
"""The surroundings are reported only if their effect is at least this many times the effect of the middle,
and of light and colour."""


def changed(pixels: Pixels, name: str) -> Pixels:
    """Return pixels uint8 (h, w, 3) after a change from `CHANGES`."""
    after: Pixels = np.rint(np.clip(CHANGES[name](pixels.astype(float)), 0, 255)).astype(np.uint8)
    return after


def whole_picture(
    model: OpenModel,
    prediction: ImagePrediction,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> WholePicture:
    """Run the model on each changed image.

    Raises:
        Cancelled: Raised within the time of one run.
        InputRefused: If the model fails.
    """
    inputs = ((changed(prediction.prepared, name), prediction.vector) for name in CHANGES)
    rows = scores(model, prediction, inputs, len(CHANGES), progress, cancelled)
    return WholePicture(prediction.probabilities, dict(zip(CHANGES, rows, strict=True)))


def whole_line(whole: WholePicture, k: int, name: str, strongest: float) -> str:
    """Return a sentence that says how light and colour of the whole image change the score of class k.
    `strongest` is the largest change by hiding a part."""
    largest, around = whole.tone(k), _around_line(whole, k, name)
    if not counts(largest):
        changes = "Making the whole image lighter, darker, warmer, cooler or grey"
        return f"{changes} changes {name} by at most {largest:.2f}.{around}"
    moved = ", ".join(
        f"{change} {score(float(whole.after[change][k]))}"
        for change in TONES
        if counts(whole.after[change][k] - whole.before[k])
    )
    sentence = (
        f"Light or colour of the whole image changes {name} from {score(float(whole.before[k]))}: {moved}. A "
        "single part can be the cause."
    )
    beyond = largest > max(strongest, whole.hidden(k))
    more = (
        " The effect is larger than the effect of hiding any part, the middle or the surroundings." * beyond
    )
    return sentence + more + around


def _around_line(whole: WholePicture, k: int, name: str) -> str:
    """Return that a score hangs on what is around the middle, as a sentence after another; "" if it does
    not, or where light and colour may be why."""
    middle, around = (float(whole.after[change][k]) for change in (MIDDLE_HIDDEN, AROUND_HIDDEN))
    before = float(whole.before[k])
    least = SURROUNDINGS * max(abs(middle - before), whole.tone(k), FLOOR)
    if abs(around - before) < least:
        return ""
    return (
        f" With the surroundings hidden, {name} is {score(around)}; with the middle hidden, {score(middle)}: "
        "the score depends more on the surroundings than on the middle."
    )


def hidden_line(whole: WholePicture, k: int) -> str:
    """Return a further sentence if hiding a large area changes the score of class k although hiding small
    parts does not; else ""."""
    if not counts(whole.hidden(k)):
        return ""
    before, middle, around = (
        float(row[k]) for row in (whole.before, whole.after[MIDDLE_HIDDEN], whole.after[AROUND_HIDDEN])
    )
    return (
        f" Hiding a large area changes the score from {score(before)}: with the middle hidden it is "
        f"{score(middle)}, with all around hidden {score(around)}."
    )
