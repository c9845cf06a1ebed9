"""Answers to all photographs of a lesion, and reasons for caution about the first."""

from functools import partial

from pages.challenge import scoring_run
from pages.challenge.scoring_run import Outcome
from pages.single_image_sections import demographics, session_state
from pages.single_image_sections.chosen_image import ChosenImage
from pages.single_image_sections.query import Query
from scoring.single_image import image_prediction, wording
from scoring.single_image.abstention import ImageAnswer, least_score, reasons
from scoring.single_image.other_demographics import unknown_cautions
from scoring.single_image.quality import QualityBadge
from scoring.single_image.side_by_side import photograph_cautions

MOST_MS = 6000
"""Maximum time for turning and mirroring all photographs without a click."""


def answers(query: Query) -> dict[int, ImageAnswer]:
    """Return the model's answers to all photographs of the lesion, by number; a single one if there is only
    one. Raises InputRefused."""
    image = query.setup.image
    found = {image.number: ImageAnswer(query.answer, query.views, query.reasons)}
    for other, chips in zip(image.others, query.other_chips, strict=True):
        known = (query.setup.test_set.key, query.held is None, chips)
        key = (*query.key[:2], other.token, query.key[3], query.answer.kind, *known)
        work = partial(_other_answer, query, other, chips)
        found[other.number] = session_state.cached(f"other_{other.token}", key, work)
    return dict(sorted(found.items()))


def _other_answer(query: Query, other: ChosenImage, chips: tuple[QualityBadge, ...]) -> ImageAnswer:
    """Return the answer to a further photograph, turned and mirrored, too, where that is quick."""
    held, opened = query.held, query.setup.opened
    answer = image_prediction.predict(opened, other.photograph, query.answer.vector, held)
    quick = len(query.setup.image.others) * answer.cpu_ms * query.other_views <= MOST_MS
    copies = scoring_run.attempt(image_prediction.views, opened, answer) if quick else Outcome()
    failed = copies.refused.problems[0].message if copies.refused else ""
    least = None if held is None else least_score(held)
    because = reasons(float(answer.probabilities.max()), least, copies.value, chips, failed)
    return ImageAnswer(answer, copies.value, because)


def cautions(query: Query) -> list[str]:
    """Return the reasons for caution about the answer, as short texts."""
    outcome, task, image = scoring_run.attempt(answers, query), query.setup.task, query.setup.image
    others = {number: answer for number, answer in (outcome.value or {}).items() if number != image.number}
    failed = ["the model failed on another photograph"] if outcome.refused else []
    further = [
        *photograph_cautions(query.answer.top, others, task.names),
        *failed,
        *unknown_cautions(task.patient, query.answer.vector, demographics.age_unknown(image.person)),
    ]
    return wording.cautions(
        query.chips, query.views, query.card, query.answer, further=further, runs=query.runs
    )
