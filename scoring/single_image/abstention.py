"""Abstention: reasons for which the page shows no answer of a model, and how often they apply on the test
set. `out_of_distribution` measures how unusual an image is, and `likeness.likeness_chip` turns this into a
badge.

Abstention is calibrated to be rare, because people ignore a warning that appears on every third image. There
is no answer if the highest score is lower than on 98 % of the test set's images, if nearly all turned and
mirrored copies get another class, or if the image is of a kind that the model was never tested on.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from scoring.common.arrays import Array
from scoring.common.findings import InputRefused, error
from scoring.inference.model_pool import Cancelled
from scoring.inference.model_process import ImageProcess
from scoring.inference.preprocessing import Pixels
from scoring.presentation.figures.number_format import score
from scoring.single_image.image_prediction import ImagePrediction, TurnedViews, asked, views
from scoring.single_image.likeness import chips_of
from scoring.single_image.model import CALLED, OpenModel
from scoring.single_image.photograph import received
from scoring.single_image.quality import (
    STOP,
    MeasuredImages,
    Pictures,
    QualityBadge,
)
from scoring.single_image.similar_cases import Reference
from scoring.statistics.intervals import counted

UNSURE = 0.02
"""Share of the test set's images that get no answer because their highest score is too low."""
UNSTABLE = 0.75
"""No answer is given if at least this share of turned and mirrored copies gets another class."""
ENDED = "the model crashed on test image {}, or on its turned or mirrored copy."
FAILED = "the model failed"
SHORTLY = {
    "size": "too small",
    "sharpness": "blurred",
    "colours": "stained tissue",
    "lesion": "no lesion found",
    "likeness": "nothing like the others",
}
"""Name of a badge -> short text for the reason why there is no answer."""
TRIED = 60
"""Maximum number of test set images on which Benchside counts how often there is no answer."""


@dataclass(frozen=True)
class Withheld:
    """How often the model gives no answer on the test set.

    Attributes:
        right_withheld: Number of images without an answer whose highest-scoring class was right.
        right_given: Number of images with an answer whose highest-scoring class was right.
        tied: Whether several images have exactly the minimum score; the share of images without an answer
            then has no valid interval.
        because: First reason for no answer -> number of images.
    """

    images: int
    withheld: int
    right_withheld: int
    right_given: int
    tied: bool = False
    because: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class ImageAnswer:
    """A model's answer to one image.

    Attributes:
        views: Answers to the turned and mirrored copies of the image; None if the model fails on one.
        reasons: Reasons why there is no answer; empty if there is one.
        in_short: The first reason in a few words.
    """

    prediction: ImagePrediction
    views: TurnedViews | None
    reasons: tuple[str, ...]
    in_short: str = ""


def least_score(reference: Reference) -> float | None:
    """Return the minimum score that the highest-scoring class of an image must have, so that the answer is
    shown. None if the test set has too few cases to estimate it."""
    rank = int(np.floor(UNSURE * (len(reference) + 1))) - 1
    return None if rank < 0 else float(np.sort(reference.probabilities.max(1))[rank])


def tied(reference: Reference) -> bool:
    """Return whether several images have exactly the minimum score. The share of images with an answer then
    jumps at the threshold."""
    return bool((reference.highest == least_score(reference)).sum() > 1)


def unstable(views: TurnedViews) -> bool:
    """Return whether so many turned and mirrored copies get another class that there is no answer."""
    return bool(views.others) and views.most_changed >= UNSTABLE * views.others


def reasons_of(chips: Sequence[QualityBadge]) -> tuple[str, ...]:
    """Return the reasons for withholding an answer that follow from the image alone, one sentence each."""
    return tuple(chip.words for chip in chips if chip.level == STOP)


def reasons(
    highest: float,
    least: float | None,
    views: TurnedViews | None,
    chips: Sequence[QualityBadge],
    failed: str = "",
) -> tuple[str, ...]:
    """Return the reasons for withholding an answer, one sentence each. Arguments are those of `causes`."""
    return tuple(causes(highest, least, views, chips, failed).values())


def causes(
    highest: float,
    least: float | None,
    views: TurnedViews | None,
    chips: Sequence[QualityBadge],
    failed: str = "",
) -> dict[str, str]:
    """Return the reasons for withholding an answer: the reason in a few words -> a sentence. Empty if there
    is an answer.

    Args:
        highest: The highest score, 0..1.
        least: Minimum highest score that an answer needs; None if unknown.
        views: Answers to the turned and mirrored copies; None if they were not computed or the model failed.
        failed: Why the model failed on a turned or mirrored copy; "" if it did not.
    """
    found = {SHORTLY[chip.name]: chip.words for chip in chips if chip.level == STOP}
    if views is not None and unstable(views):
        found["another class when turned"] = (
            f"The model's answer is not stable: {views.count_line} turned or mirrored copies of the image "
            "get a different class."
        )
    if failed:
        found[FAILED] = f"The model failed on this image turned or mirrored: {failed}"
    if least is not None and highest < least:
        found["a low highest score"] = (
            f"The model is less sure on this "
            f"image (highest score {score(highest)}) than on {1 - UNSURE:.0%} of the test "
            "set's images."
        )
    return found


def withheld(
    model: OpenModel,
    truth: Pictures,
    vectors: Array | None,
    reference: Reference,
    measured: MeasuredImages | None,
    progress: Callable[[int, int], object] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Withheld:
    """Count on at most 60 images of the test set how often the answer is withheld.

    Args:
        truth: The test set's images.
        vectors: The model's second input for each case [N, 3]; None if it takes only the image.
        reference: The model's outputs for the test set.
        measured: Quality and appearance of the test set's images, None if unknown.
        progress: Called with the number of finished images and of all images.
        cancelled: Function that says whether to stop.

    Raises:
        Cancelled: Raised within the time of one image.
        InputRefused: If the model's process ends on an image or a copy (a crash or a limit), so that results
            of later images are unknown.
    """
    places = np.concatenate([reference.indices, reference.failed.indices])
    rows = np.argsort(places)[
        np.unique(np.linspace(0, len(places) - 1, min(TRIED, len(places))).round().astype(int))
    ]
    least, without, right = least_score(reference), [], []
    with ImageProcess() as process:
        for done, row in enumerate(rows):
            if cancelled and cancelled():
                raise Cancelled
            if progress:
                progress(done, len(rows))
            if row >= len(reference):
                without.append(FAILED)
                right.append(False)
                continue
            case = int(places[row])
            data = truth.picture(case)
            if data is None:
                continue
            vector = None if vectors is None else vectors[case]
            chips = _chips(model, measured, case)
            without.append(_why_not(model, data, process, vector, reference, least, chips))
            if model.ended:
                raise InputRefused([error("model-crashed", CALLED, ENDED.format(reference.ids[row]))])
            right.append(reference.probabilities[row].argmax() == reference.truth[row])
    was, was_right = np.array(without, bool), np.array(right, bool)
    right_of = int((was & was_right).sum()), int((~was & was_right).sum())
    because = Counter(filter(None, without))
    return Withheld(len(was), int(was.sum()), *right_of, tied(reference), dict(because.most_common()))


def answered(
    model: OpenModel,
    prepared: Pixels,
    vector: Array | None,
    reference: Reference | None,
    least: float | None,
    chips: Sequence[QualityBadge],
) -> ImageAnswer:
    """Return the model's answer to an image and its turned and mirrored copies, with the reasons if the
    answer is withheld.

    Args:
        prepared: The pixels that the model receives, uint8 (h, w, 3).
        vector: The model's second input [3], None if it takes only the image.
        reference: The model's outputs for the test set, None if unknown.
        least: Minimum highest score that an answer needs; None if unknown.

    Raises:
        InputRefused: If the model fails on the unchanged image.
    """
    prediction, seen, failed = asked(model, prepared, vector, reference), None, ""
    try:
        seen = views(model, prediction)
    except InputRefused as refused:
        failed = refused.problems[0].message
    because = causes(float(prediction.probabilities.max()), least, seen, chips, failed)
    return ImageAnswer(prediction, seen, tuple(because.values()), next(iter(because), ""))


def _why_not(
    model: OpenModel,
    data: bytes,
    process: ImageProcess,
    vector: Array | None,
    reference: Reference,
    least: float | None,
    chips: Sequence[QualityBadge],
) -> str:
    """Return the first reason for no answer in a few words, "" if there is an answer."""
    try:
        prepared = model.prepared(received(data, process).pixels)
        return answered(model, prepared, vector, reference, least, chips).in_short
    except InputRefused:
        return FAILED


def _chips(model: OpenModel, measured: MeasuredImages | None, case: int) -> tuple[QualityBadge, ...]:
    quality = None if measured is None else measured.qualities[case]
    if measured is None or quality is None:
        return ()
    parts = measured.known.features[np.flatnonzero(measured.known.indices == case)[0]]
    return chips_of(quality, parts, model.task.shortest_side, measured, case)


def withheld_line(withheld: Withheld) -> str:
    """Return sentences that say how often answers are withheld on the test set, and how often the model is
    right on images with and without an answer."""
    answered, others = withheld.images - withheld.withheld, withheld.withheld
    share = f"{answered} of {withheld.images}" if withheld.tied else counted(answered, withheld.images)
    sentence = f"The model answered {share} test images"
    if answered:
        sentence += f" and was right on {counted(withheld.right_given, answered)} of those"
    if not others:
        return f"{sentence}."
    why = "; ".join(f"{words}: {count}" for words, count in withheld.because.items())
    why, images = f" ({why})" * bool(why), "The other image" if others == 1 else f"The other {others}"
    return (
        f"{sentence}. {images} got no answer{why}. The class with the highest score was the true class in "
        f"{withheld.right_withheld} of {others}."
    )
