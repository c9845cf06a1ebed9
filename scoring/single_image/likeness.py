"""Badge that says whether an image resembles the test set's images in light, colours and texture."""

from scoring.common.arrays import Floats
from scoring.metrics.image_quality import Quality
from scoring.single_image.out_of_distribution import FEWEST, OutlierScore
from scoring.single_image.quality import (
    CAUTION,
    ENOUGH,
    GOOD,
    NOTE,
    STOP,
    MeasuredImages,
    QualityBadge,
    photograph_chips,
)
from scoring.statistics.intervals import counted

LIKENESS = "likeness"
ENOUGH_TO_REFUSE, PASSED_OF_100, SKIN_PASSED_OF_100 = 100, 8, 18
"""With at least the first number of test set images, at most 5 of 100 foreign pictures get an answer. The
other two say how many of 100 do with 60 images: of all foreign pictures, and of other skin diseases
(`tests/single_image/test_package_pictures.py`)."""
UNKNOWN_LIKENESS = QualityBadge(
    LIKENESS,
    CAUTION,
    "not known",
    "It is not known whether this image is like the test set, because the test set has fewer than "
    f"{FEWEST} images.",
)


def likeness_chip(score: OutlierScore | None, anything: str = "image") -> tuple[QualityBadge, ...]:
    """Return the badge that says whether an image resembles the test set's images. Empty if the test set has
    too few images.

    Args:
        anything: Kind of the test set's images, "image" or "tile".
    """
    if score is None:
        return ()
    alarms = counted(score.far_alarms if score.far else score.false_alarms, score.images)
    rate = f"Of the test set's own {anything}s, {alarms} get {{}} if compared with the others."
    if score.far:
        sentence = (
            f"This image is nothing like the {anything}s of the test set in light, colours and texture."
        )
        words = f"{sentence} {rate.format('the same result')}{_limits_of(score, anything)}"
        return (QualityBadge(LIKENESS, STOP, "nothing like them", words),)
    if score.unlike:
        sentence = (
            f"This image is unlike the {anything}s of the test set in light, colours and texture. The "
            "model's performance on such images is not known."
        )
        words = f"{sentence} {rate.format('the same result')}{_limits_of(score, anything)}"
        return (QualityBadge(LIKENESS, CAUTION, "unlike them", words),)
    sentence = f"Light, colours and texture are similar to the test set's {anything}s."
    few = _passed_among_few(score, anything)
    words = f"{sentence} {rate.format('the result “unlike”')}{few}"
    return (QualityBadge(LIKENESS, NOTE if few else GOOD, "usual", words),)


def _passed_among_few(score: OutlierScore, anything: str) -> str:
    """Return how many pictures of something else are called usual too, as a sentence after another; "" if the
    test set has enough images."""
    if score.images >= ENOUGH_TO_REFUSE:
        return ""
    if anything != "image":
        return f" With only {score.images} {anything}s this limit is rough."
    return (
        f" The test set has only {score.images} images, so other things can pass as similar. In a "
        f"trial with our gallery and 60 real images as the test set, {PASSED_OF_100} of 100 unrelated "
        f"pictures passed, and {SKIN_PASSED_OF_100} of 100 photographs of other skin diseases. Of other "
        "pictures, more can pass."
    )


def _limits_of(score: OutlierScore, anything: str) -> str:
    """Return why a test set cannot well say what is unlike it, as sentences after another; "" if it can."""
    sentences = ""
    if score.images < ENOUGH:
        sentences += f" With only {score.images} {anything}s this limit is rough."
    if score.generated:
        sentences += (
            f" The test set's {anything}s are computer-generated, so real {anything}s are usually unlike the "
            f"test set: choose one of real {anything}s."
        )
    return sentences


def chips_of(
    measures: Quality, parts: Floats, shortest_side: int, among: MeasuredImages | None, own: int | None = None
) -> tuple[QualityBadge, ...]:
    """Return the quality badges of a photograph of skin, including its similarity to the test set's images.

    Args:
        parts: Appearance of the parts of the photograph [p, d].
        shortest_side: Minimum pixels of the shorter side that the challenge requires; 0: none.
        among: The test set's images; None if they were not measured.
        own: Position of the photograph in the test set, if it is one of the test set's images.
    """
    if among is None:
        return photograph_chips(measures, shortest_side)
    likeness = likeness_chip(among.known.unlikeness(parts, own))
    return (*photograph_chips(measures, shortest_side, among.qualities, own), *likeness)
