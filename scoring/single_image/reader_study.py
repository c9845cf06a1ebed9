"""Small reader study: compares a reader's assessments of images before and after the reader sees the model's
answer."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.common.arrays import Bools, Ints
from scoring.statistics.intervals import Share, difference_t, estimated, share

UNSURE = -1
"""Number that replaces a class number if the reader is unsure, the model gives no answer, or the truth is
unknown."""
UNSURE_WORD, NO_ANSWER_WORD = "unsure", "no answer"
CONFIDENCES = ("low", "medium", "high")
MOST_IMAGES = 20
ALONE, MODEL, ASSISTED = "reader alone", "model", "reader with the model"
READERS = (ALONE, MODEL, ASSISTED)
FILE = "file"
RIGHT, SENSITIVITY, SPECIFICITY = "true class", "sensitivity", "specificity"
RULE = (
    "“Unsure” and “no answer” count as wrong, both in malignant and in other cases. The model's class is the "
    "class with the highest score."
)


@dataclass(frozen=True)
class Impression:
    """A person's assessment of an image: a class number or UNSURE, and a confidence from `CONFIDENCES`."""

    label: int
    confidence: str

    def named(self, names: Sequence[str]) -> str:
        """Return the name of the class, or "unsure". `names` are the names of the classes."""
        return UNSURE_WORD if self.label == UNSURE else names[self.label]


@dataclass(frozen=True)
class ReadImage:
    """An image that a person has assessed.

    Attributes:
        alone: The reader's assessment before the model's answer was shown.
        model: The class with the model's highest score; UNSURE if it gives no answer.
        score: The model's highest score, 0..1; NaN without an answer.
        truth: The true class; UNSURE if unknown.
        remarks: Why the model gives no answer, and reasons for caution.
        file_name: Name of a visitor's file; "" for a test case.
    """

    name: str
    alone: Impression
    assisted: Impression
    model: int
    score: float
    truth: int
    remarks: str = ""
    file_name: str = ""

    @property
    def said(self) -> tuple[int, int, int]:
        """The class that each of `READERS` chose."""
        return self.alone.label, self.model, self.assisted.label


@dataclass(frozen=True)
class ReadersCompared:
    """One measure of each of `READERS`, on images with known truth.

    Attributes:
        shares: Value of the measure for each of `READERS`.
        interval: 95 % interval of the difference on the same images; None with fewer than two images.
    """

    shares: tuple[Share, Share, Share]
    difference: float
    interval: list[float] | None


def compared(images: Sequence[ReadImage], malignant: Bools) -> dict[str, ReadersCompared]:
    """Compare the readers by their share of right classes, and by sensitivity and specificity for malignant
    classes.

    Args:
        images: The images; those with unknown truth do not count.
        malignant: Whether each class is malignant [K].

    Returns:
        Measure -> results. Measures for which no image counts are left out.
    """
    known = [image for image in images if image.truth != UNSURE]
    truth = np.array([image.truth for image in known], int)
    said = np.array([image.said for image in known], int).reshape(-1, len(READERS))
    positive, answered, called = malignant[truth], said != UNSURE, malignant[said]
    measures = {
        RIGHT: said == truth[:, None],
        SENSITIVITY: (answered & called)[positive],
        SPECIFICITY: (answered & ~called)[~positive & malignant.any()],
    }
    return {name: _compared(hits) for name, hits in measures.items() if len(hits)}


def _compared(hits: Bools) -> ReadersCompared:
    """Return the measure whose hits [n, readers] are given."""
    alone, model, assisted = (share(column) for column in hits.T)
    changes, n = hits[:, 2].astype(float) - hits[:, 0], len(hits)
    left_out = (changes.sum() - changes) / max(n - 1, 1)
    interval = difference_t(estimated(float(changes.mean()), left_out, left_out, n))
    return ReadersCompared((alone, model, assisted), float(changes.mean()), interval)


def summary(images: Sequence[ReadImage]) -> tuple[str, ...]:
    """Return sentences that say how well person and model agree, and what the person changed after seeing the
    model's answer."""
    n, given = len(images), [image for image in images if UNSURE not in image.said[:2]]
    same = sum(image.alone.label == image.model for image in given)
    changed = [image for image in images if image.alone.label != image.assisted.label]
    agree = (
        f"Your first impression and the model's answer name the same class in {same} of {len(given)} images "
        "in which both name a class"
        if given
        else "In no image did both you and the model name a class"
    )
    sentences = [
        f"{agree}; you were unsure in {sum(image.alone.label == UNSURE for image in images)} of "
        f"{n}, and the model gave no answer in {sum(image.model == UNSURE for image in images)}.",
        f"After the model's answer you changed your impression in {len(changed)} of {n} images",
    ]
    known = [image for image in changed if image.truth != UNSURE]
    towards = sum(image.assisted.label == image.truth for image in known)
    away = sum(image.alone.label == image.truth for image in known)
    sentences[1] += f": to the true class in {towards}, away from the true class in {away}." if known else "."
    return tuple(sentences)


def table(images: Sequence[ReadImage], names: Sequence[str]) -> dict[str, list[str | float]]:
    """Return the images as columns with one entry per image. There is a column `FILE` only if some images are
    visitors' files."""

    files: list[str | float] = [image.file_name for image in images]
    return {
        "image": [image.name for image in images],
        **({FILE: files} if any(files) else {}),
        "truth": ["" if image.truth == UNSURE else names[image.truth] for image in images],
        "impression": [image.alone.named(names) for image in images],
        "confidence": [image.alone.confidence for image in images],
        "model": [NO_ANSWER_WORD if image.model == UNSURE else names[image.model] for image in images],
        "highest score": [image.score for image in images],
        "impression with the model": [image.assisted.named(names) for image in images],
        "confidence with the model": [image.assisted.confidence for image in images],
        "remarks": [image.remarks for image in images],
    }


def drawn(labels: Ints, malignant: Bools, places: Ints, count: int, seed: int) -> list[int]:
    """Draw positions of cases to assess at random. Half of the cases are malignant if the test set has
    enough.

    Args:
        labels: Class numbers of all cases [N], negative if unknown.
        malignant: Whether each class is malignant [K].
    """
    random = np.random.default_rng(seed)
    shuffled = random.permutation(places[labels[places] >= 0])
    positive = malignant[labels[shuffled]]
    half = min(count // 2, int(positive.sum()))
    chosen = [*shuffled[positive][:half], *shuffled[~positive][: count - half]]
    rest = [place for place in shuffled if place not in chosen]
    return [int(place) for place in random.permutation([*chosen, *rest][:count])]
