"""Compares answers: of one model to several photographs of a lesion, or of two models to one photograph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

import numpy as np

from scoring.common.arrays import Floats
from scoring.metrics.image_quality import EVERY, LUMA
from scoring.presentation.figures.number_format import score
from scoring.single_image.abstention import ImageAnswer
from scoring.single_image.image_prediction import ImagePrediction, TurnedViews
from scoring.single_image.saliency import counts
from scoring.single_image.similar_cases import TIE

OTHER_LIGHT = 0.75
"""If the ratio of brightness of two photographs is below this, one is called darker."""


@dataclass(frozen=True)
class DatedAnswer:
    """A model's answer to one of several photographs of a lesion.

    Attributes:
        taken: Date of the photograph; None if unknown.
        views: Answers to the turned and mirrored copies of the photograph; None if they were not requested.
    """

    name: str
    taken: date | None
    prediction: ImagePrediction
    views: TurnedViews | None = None

    @property
    def called(self) -> str:
        """Name and date of the photograph, for display."""
        return self.name if self.taken is None else f"{self.name}, {self.taken:%d %B %Y}"

    def span(self, k: int) -> tuple[float, float]:
        """Return the lowest and highest score of class k over the turned and mirrored copies."""
        scores = self.prediction.probabilities if self.views is None else self.views.probabilities
        return float(scores[..., k].min()), float(scores[..., k].max())

    def score(self, k: int) -> str:
        """Return the score of class k as text, with its range over the copies if they were requested."""
        low, high = self.span(k)
        found = score(self.prediction.probabilities[k])
        return found if self.views is None else f"{found} ({score(low)} to {score(high)})"


def by_date(answers: Sequence[DatedAnswer]) -> list[DatedAnswer]:
    """Sort answers by the date of their photographs. Photographs without a date come last."""
    return sorted(answers, key=lambda answer: (answer.taken is None, answer.taken or date.min))


def changes_over_time(answers: Sequence[DatedAnswer], names: Sequence[str]) -> list[str]:
    """Return sentences that say how the scores of the highest-scoring classes changed between successive
    dates, and whether each change is larger than changes by turning the image.

    Args:
        answers: Answers in the order of the photographs' dates; photographs without a date do not count.
    """
    sentences = []
    for before, after in pairwise([answer for answer in answers if answer.taken is not None]):
        for k in dict.fromkeys((before.prediction.top, after.prediction.top)):
            change = shown_difference(after.prediction.probabilities, before.prediction.probabilities)[k]
            sentence = (
                f"{names[k]}: {before.score(k)} in {before.called}; {after.score(k)} in {after.called}; "
                f"change {change:+.2f}."
            )
            if before.views is not None and after.views is not None:
                sentence += _against_copies(before.span(k), after.span(k), change)
            sentences.append(sentence)
    return sentences


def as_shown(scores: Floats, digits: int = 2) -> Floats:
    """Round scores as formatted text does; `np.round` can differ in the last digit."""
    return np.array([round(float(score), digits) for score in scores])


def shown_difference(after: Floats, before: Floats, digits: int = 2) -> Floats:
    """Return the differences of scores as they are shown, so that they fit the scores beside them."""
    return as_shown(as_shown(after, digits) - as_shown(before, digits), digits)


def dates_line(answers: Sequence[DatedAnswer]) -> str:
    """Return a text with the dates of photographs, as visitors entered them, in the given order."""
    return f"Dates as entered: {'; '.join(answer.called for answer in answers if answer.taken is not None)}."


def _against_copies(before: tuple[float, float], after: tuple[float, float], change: float) -> str:
    before, after = ((round(low, 2), round(high, 2)) for low, high in (before, after))  # as shown
    if before[0] <= after[1] and after[0] <= before[1]:
        return " Turned and mirrored copies differ as much, so this is no sign of a change of the lesion."
    if not counts(change):
        return " This difference is too small to show a change of the lesion."
    return (
        " This difference is larger than the effect of turning and mirroring. Light, distance and camera "
        "can have the same effect."
    )


def mean_scores(answers: Mapping[int, ImageAnswer]) -> Floats | None:
    """Return the unweighted mean of the scores [K] of several photographs of a lesion. None if an answer is
    withheld."""
    if any(answer.reasons for answer in answers.values()):
        return None
    mean: Floats = np.mean([answer.prediction.probabilities for answer in answers.values()], axis=0)
    return mean


def photographs_line(answers: Mapping[int, ImageAnswer], names: Sequence[str]) -> str:
    """Return a sentence that says whether several photographs of a lesion get the same class, with the mean
    of their scores.

    Args:
        answers: Number of the photograph -> answer of the model.
    """
    mean, n = mean_scores(answers), len(answers)
    if mean is None:
        refused = " ".join(
            f"Photograph {number} gets no answer: {' '.join(answer.reasons)}"
            for number, answer in answers.items()
            if answer.reasons
        )
        return f"{refused} Therefore no mean is shown.{_light_line(answers)}"
    tops = [answer.prediction.top for answer in answers.values()]
    if len(set(tops)) == 1:
        sentence = f"{'Both' if n == 2 else f'All {n}'} photographs get the class {names[tops[0]]}."
    else:
        each = ", ".join(f"photograph {number} {names[k]}" for number, k in zip(answers, tops, strict=True))
        sentence = f"The photographs get different classes: {each}."
    return (
        f"{sentence} {_highest_mean(mean, names)}. Benchside takes the mean of {n}. "
        "Challenges whose cases are photographs score each on its own; challenges whose cases are lesions "
        f"score one answer per lesion.{_light_line(answers)}"
    )


def _highest_mean(mean: Floats, names: Sequence[str]) -> str:
    """Return the highest mean as text, without naming a class alone that shares it with another."""
    tied, highest = np.flatnonzero(mean >= mean.max() - TIE).tolist(), score(mean.max())
    if len(tied) == 1:
        return f"Highest mean: {names[tied[0]]} {highest}"
    if len(tied) == len(mean):
        return f"All classes have the same mean: {highest}"
    return f"No class has the highest mean alone: {' and '.join(names[k] for k in tied)} have {highest}"


def _light_line(answers: Mapping[int, ImageAnswer]) -> str:
    """Return which photographs are darker or lighter than the first, as a sentence after another; "" if none
    is. The skin is the same in all."""
    (first, usual), *others = (
        (number, float(np.median(answer.prediction.prepared[::EVERY, ::EVERY] @ LUMA)))
        for number, answer in answers.items()
    )
    different = [
        f"photograph {number} is {'darker' if light < usual else 'lighter'} ({light:.0f})"
        for number, light in others
        if min(light, usual) < OTHER_LIGHT * max(light, usual)
    ]
    if not different:
        return ""
    than = f"than photograph {first} (brightness {usual:.0f} of 255)"
    return f" Light alone can change a score: {', '.join(different)} {than}."


def photograph_cautions(top: int, others: Mapping[int, ImageAnswer], names: Sequence[str]) -> list[str]:
    """Return short texts about further photographs of a lesion that have no answer or another class.

    Args:
        top: The class that the photograph in the headline gets.
    """
    return [
        f"photograph {number} gets {'no answer' if answer.reasons else names[answer.prediction.top]}"
        for number, answer in others.items()
        if answer.reasons or answer.prediction.top != top
    ]


def told_apart(first: str, second: str) -> tuple[str, str]:
    """Return the names of two models as headings of columns. Both get a suffix if they are equal, or if one
    of them is the heading of another column."""
    if first != second and not {first, second} & {"class", "mean", "difference"}:
        return first, second
    return f"{first} (first model)", f"{second} (second model)"


def models_line(
    first: ImagePrediction,
    second: ImagePrediction,
    names: Sequence[str],
    models: tuple[str, str],
    cautions: Sequence[str] = (),
) -> str:
    """Return a sentence that says whether two models predict the same class.

    Args:
        names: Full names of the classes.
        models: Names of the two models (`told_apart`).
        cautions: Reasons for caution about the second model, as short texts.
    """
    a, b = ((names[p.top], score(p.probabilities[p.top])) for p in (first, second))
    if first.top == second.top:
        sentence = f"Both models give {a[0]}: {models[0]} {a[1]}, {models[1]} {b[1]}"
    else:
        sentence = f"The models differ: {models[0]} gives {a[0]} {a[1]}, {models[1]} gives {b[0]} {b[1]}"
    sentence = (
        f"{sentence}; caution about {models[1]}: {'; '.join(cautions)}." if cautions else f"{sentence}."
    )
    if any(p.official is not None and p.official != p.top for p in (first, second)):
        said = [f"{model}: {_official(p, names)}" for model, p in zip(models, (first, second), strict=True)]
        sentence += f" By the challenge's own rule: {'; '.join(said)}."
    return sentence


def _official(prediction: ImagePrediction, names: Sequence[str]) -> str:
    """Return the class that the challenge predicts from the raw outputs."""
    chosen = prediction.top if prediction.official is None else prediction.official
    return "no class" if chosen < 0 else names[chosen]
