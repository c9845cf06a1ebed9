"""Badge that says whether an image resembles the test set's images in light, colours and texture."""

import numpy as np
from PIL import Image

from scoring.common.arrays import Floats
from scoring.inference.image_sanitizer import SMALL_SIDE
from scoring.metrics.image_quality import Quality, patches
from scoring.single_image.out_of_distribution import FEWEST, TILE_PATCHES, OutlierScore
from scoring.single_image.photograph import Photograph
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
MOST_PATCHES = 8
"""Maximum number of parts along the shorter side of a tile that is compared at the scale of the test set."""
UNKNOWN_LIKENESS = QualityBadge(
    LIKENESS,
    CAUTION,
    "not known",
    "It is not known whether this image is like the test set, because the test set has fewer than "
    f"{FEWEST} images.",
)


def other_field(
    score: OutlierScore | None, tile: Photograph, among: MeasuredImages
) -> tuple[int, int] | None:
    """Return the shorter side of a tile and the usual one of the test set's tiles, px, if the tile is unlike
    them only because it shows another field of view. None if it is like them, if it has their size, if it is
    much larger, or if its parts are unlike theirs at the same scale too."""
    sides = [measures.short_side for measures in among.qualities if measures is not None]
    if score is None or not score.unlike:
        return None
    usual, (width, height) = round(float(np.median(sides))), tile.size
    short = min(width, height)
    across = round(TILE_PATCHES * short / usual)
    if short == usual or not 0 < across <= MOST_PATCHES:
        return None
    shrunk = [max(1, round(length * SMALL_SIDE / usual)) for length in tile.size]
    picture = Image.fromarray(tile.pixels).resize(
        (shrunk[0], shrunk[1]), Image.Resampling.LANCZOS, reducing_gap=1.2
    )
    at_scale = among.known.unlikeness(patches(np.asarray(picture), across))
    return None if at_scale is None or at_scale.unlike else (short, usual)


def likeness_chip(
    score: OutlierScore | None, anything: str = "image", field: tuple[int, int] | None = None
) -> tuple[QualityBadge, ...]:
    """Return the badge that says whether an image resembles the test set's images. Empty if the test set has
    too few images.

    Args:
        anything: Kind of the test set's images, "image" or "tile".
        field: Shorter sides, px, if a tile differs only in its field of view (`other_field`).
    """
    if score is None:
        return ()
    alarms = counted(score.far_alarms if score.far else score.false_alarms, score.images)
    rate = f"Of the test set's own {anything}s, {alarms} get {{}} if compared with the others."
    if score.unlike and field is not None:
        sentence = (
            f"This {anything} shows another field of view: its shorter side has {field[0]} px, that of the "
            f"test set's {anything}s {field[1]} px. At the same scale, its light, colours and texture are "
            "similar to theirs."
        )
        words = f"{sentence} {rate.format('the result “unlike”' if not score.far else 'no answer')}"
        return (QualityBadge(LIKENESS, STOP if score.far else CAUTION, "another field of view", words),)
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
