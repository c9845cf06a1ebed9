"""The record of an image as JSON: everything that is needed to repeat its result. The image itself is
included only on request."""

import base64
import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import numpy as np
from PIL import Image

from scoring.core.scorecard import plain
from scoring.inference.single_image_task import UNKNOWN_WORD
from scoring.metrics.image_quality import Quality
from scoring.single_image.abstention import ImageAnswer, Withheld, reasons_of
from scoring.single_image.explanation import Explanation
from scoring.single_image.image_prediction import ImagePrediction, TurnedViews
from scoring.single_image.image_record_parts import (
    by_class,
    of_card,
    of_class_set,
    of_maps,
    of_reference,
    of_right,
    of_share,
    of_threshold,
    of_views,
)
from scoring.single_image.model import OpenModel
from scoring.single_image.model_card import ModelCard, entries
from scoring.single_image.nuclei import Overview
from scoring.single_image.operating_threshold import ChosenOperatingPoint
from scoring.single_image.other_demographics import unknown_cautions
from scoring.single_image.photograph import CALLED, Photograph
from scoring.single_image.quality import QualityBadge
from scoring.single_image.reader_study import Impression
from scoring.single_image.side_by_side import DatedAnswer, by_date, changes_over_time, photograph_cautions
from scoring.single_image.similar_cases import ClassSet, Reference, right_alike
from scoring.single_image.wording import BANNER, RESEARCH_USE, cautions
from scoring.version import __version__


@dataclass(frozen=True)
class SecondModel:
    """Another model's answer to the same photograph.

    Attributes:
        name: Name of the model on the page.
        card: Performance of the model on the test set; None if unknown.
    """

    name: str
    sha256: str
    prediction: ImagePrediction
    card: ModelCard | None = None

    @property
    def cautions(self) -> list[str]:
        """Reasons for caution about the model, as short texts."""
        return cautions((), None, self.card, self.prediction)


@dataclass(frozen=True)
class TileRecord:
    """Everything that the page showed about a tile.

    Attributes:
        source: Name of the source of the nuclei, as the page shows it.
        sha256: SHA-256 of the model; "" if the nuclei come from a file.
        counts_shown: Whether counts were shown although there was no answer.
    """

    photograph: Photograph
    source: str
    sha256: str
    counts: Overview
    least_confidence: float
    chips: Sequence[QualityBadge]
    date: str
    counts_shown: bool = False

    @property
    def abstentions(self) -> tuple[str, ...]:
        """Reasons for withholding the answer; empty if the answer is not withheld."""
        return reasons_of(self.chips)


@dataclass(frozen=True)
class UnusedTestSet:
    """A test set without results of the model: its name, the reason as a sentence, and whether the model
    still runs on it, so that the answer is not final."""

    name: str
    because: str
    running: bool = False


@dataclass(frozen=True)
class OnTestSet:
    """Results on the test set that are shown with an answer. A result that was not computed is None.

    Attributes:
        truth: Full name of the true class if the image is a test case, otherwise "".
    """

    reference: Reference | None = None
    class_set: ClassSet | None = None
    operating_point: ChosenOperatingPoint | None = None
    withheld: Withheld | None = None
    truth: str = ""
    card: ModelCard | None = None
    unused: UnusedTestSet | None = None


@dataclass(frozen=True)
class MoreAnswers:
    """Answers besides the main one.

    Attributes:
        others: Number of a further photograph of the same lesion -> answer to it.
        second: Answer of a second model, if one was chosen.
        photographs: The photographs of `others`.
        dates: Number of a photograph of the lesion -> its date, as the visitor entered it.
    """

    views: TurnedViews | None = None
    others: Mapping[int, ImageAnswer] = field(default_factory=dict)
    second: SecondModel | None = None
    photographs: Sequence[Photograph] = ()
    maps: Explanation | None = None
    dates: Mapping[int, date] = field(default_factory=dict)


@dataclass(frozen=True)
class Checks:
    """Reasons for caution about an answer.

    Attributes:
        abstentions: Reasons for withholding the answer.
        age_unknown: Whether the age was unknown, so that the model received 0.
    """

    quality: Quality | None = None
    chips: Sequence[QualityBadge] = ()
    abstentions: Sequence[str] = ()
    age_unknown: bool = False


@dataclass(frozen=True)
class Record:
    """Everything that the page showed about a photograph.

    Attributes:
        test_set: Results on a test set that belong to the answer.
        impression: The person's own assessment before the answer was shown.
        scores_shown: Whether scores were shown although there was no answer.
    """

    photograph: Photograph
    model: OpenModel
    prediction: ImagePrediction
    test_set: OnTestSet = OnTestSet()
    more: MoreAnswers = field(default_factory=MoreAnswers)
    checks: Checks = Checks()
    model_name: str = ""
    date: str = ""
    impression: Impression | None = None
    scores_shown: bool = False

    @property
    def lesion(self) -> dict[int, ImageAnswer]:
        """Number of each photograph of the lesion -> answer to it. The main photograph has the number that is
        missing in `others`."""
        others = self.more.others
        own = next(number for number in range(1, len(others) + 2) if number not in others)
        answer = ImageAnswer(self.prediction, self.more.views, tuple(self.checks.abstentions))
        return dict(sorted({own: answer, **others}.items()))

    @property
    def over_time(self) -> list[DatedAnswer]:
        """The photographs of the lesion in the order of their dates; empty without a date."""
        dates, answers = self.more.dates, self.lesion.items()
        return by_date(
            [
                DatedAnswer(f"photograph {number}", dates.get(number), answer.prediction, answer.views)
                for number, answer in answers
                if dates
            ]
        )

    @property
    def findings(self) -> list[str]:
        """Findings about the model, then the challenge's warnings about its outputs on the test set."""
        reference = self.test_set.reference
        warnings = () if reference is None else reference.warnings
        return [*dict.fromkeys((*(finding.message for finding in self.model.findings), *warnings))]

    @property
    def cautions(self) -> list[str]:
        """Reasons for caution, as short texts."""
        task, prediction, unused = self.model.task, self.prediction, self.test_set.unused
        further = photograph_cautions(prediction.top, self.more.others, task.names)
        further += unknown_cautions(task.patient, prediction.vector, self.checks.age_unknown)
        runs = unused is not None and unused.running
        card = self.test_set.card
        return cautions(self.checks.chips, self.more.views, card, prediction, further=further, runs=runs)


def document(record: Record, with_image: bool = False) -> dict[str, Any]:
    """Return the exported result as plain JSON values. With `with_image`, it contains the upright pixels as
    PNG, but nothing else from the file."""
    prediction, model, scaled = record.prediction, record.model, record.prediction.scaled
    test_set, more, checks, classes = record.test_set, record.more, record.checks, model.task.classes
    own = record.impression
    return {
        **_head(record.photograph, with_image),
        "challenge": model.task.challenge,
        "date": record.date or None,
        "model": {
            "name": record.model_name or None,
            "sha256": model.sha256,
            "inputs": [{"name": t.name, "shape": plain(t.shape)} for t in model.process.facts.inputs],
            "outputs": [{"name": t.name, "shape": plain(t.shape)} for t in model.process.facts.outputs],
            "steps": [list(step) for step in model.recipe.steps],
            "says_of_itself": dict(entries(model.process.facts.graph.metadata)),
            "findings": record.findings,
        },
        "inputs": _inputs(record),
        "answer": {
            "outputs": plain(prediction.outputs),
            "taken_for": prediction.kind,
            "scores": by_class(classes, prediction.probabilities),
            "scores_after_temperature": None if scaled is None else by_class(classes, scaled),
            "highest": classes[prediction.top],
            "official": _official(classes, prediction.official),
            "official_rule": model.task.official.words,
            "official_caution": prediction.official_caution or None,
            "cpu_ms": prediction.cpu_ms,
        },
        "true_class": classes[model.task.names.index(test_set.truth)] if test_set.truth else None,
        "test_set": None if test_set.reference is None else of_reference(test_set.reference),
        "right_on_test_set": None
        if test_set.reference is None
        else of_right(right_alike(test_set.reference, prediction.probabilities)),
        "test_set_not_compared": None if test_set.unused is None else vars(test_set.unused),
        "model_card": of_card(test_set.card, classes),
        "flips_and_rotations": None if more.views is None else of_views(classes, more.views),
        "class_set": None
        if test_set.class_set is None
        else of_class_set(classes, test_set.class_set, prediction.top),
        "operating_point": None
        if test_set.operating_point is None
        else of_threshold(test_set.operating_point),
        "quality": None if checks.quality is None else plain(checks.quality.as_dict()),
        "chips": _chips(checks.chips),
        "cautions": record.cautions,
        "no_answer_because": list(checks.abstentions),
        "no_answer_on_test_set": None if test_set.withheld is None else vars(test_set.withheld),
        "other_photographs": [
            by_class(classes, answer.prediction.probabilities) for answer in more.others.values()
        ],
        "other_photographs_no_answer_because": [list(answer.reasons) for answer in more.others.values()],
        "over_time": _over_time(record.over_time, model.task.names),
        "maps": None if more.maps is None else of_maps(classes, more.maps, prediction.top),
        "second_model": None if more.second is None else _second(classes, more.second),
        "impression": None if own is None else own.named(classes),
        "impression_confidence": None if own is None else own.confidence,
    }


def _official(classes: Sequence[str], official: int | None) -> str | None:
    """Return the class that the challenge predicts; None if it predicts none."""
    return None if official is None or official < 0 else classes[official]


def _over_time(answers: Sequence[DatedAnswer], names: Sequence[str]) -> dict[str, Any] | None:
    if not answers:
        return None
    dates = [
        {
            "photograph": int(answer.name.rpartition(" ")[2]),
            "date": None if answer.taken is None else answer.taken.isoformat(),
        }
        for answer in answers
    ]
    return {"dates": dates, "changes": changes_over_time(answers, names)}


def _inputs(record: Record) -> dict[str, Any]:
    """Return what the model received. unknown: the fields that nobody knew."""
    prediction, patient = record.prediction, record.model.task.patient
    described = None
    if prediction.vector is not None and patient is not None:
        described = dict(patient.described(prediction.vector))
    unknown = [name for name, value in (described or {}).items() if value == UNKNOWN_WORD]
    return {
        "image_shape": [1, 3, *prediction.prepared.shape[:2]],
        "image_sha256": sha256(prediction.prepared),
        "vector": None if prediction.vector is None else plain(prediction.vector),
        "described": described,
        "unknown": ["age"] * record.checks.age_unknown + unknown,
    }


def tile_document(record: TileRecord, with_image: bool = False) -> dict[str, Any]:
    """Return the exported result of a tile. If the answer is withheld and the counts were not shown, they are
    left out."""
    counts, found, classes = record.counts, record.counts.lymphocytes, record.counts.support.classes
    shown = record.counts_shown or not record.abstentions
    return {
        **_head(record.photograph, with_image),
        "challenge": counts.support.challenge,
        "model": {"sha256": record.sha256} if record.sha256 else None,
        "least_confidence": record.least_confidence,
        "micrometres_per_pixel": counts.micrometres,
        "area_mm2": counts.area_mm2,
        "lymphocytes_among_nuclei": of_share(found) if shown and found.n else None,
        "counts": by_class(classes, counts.counts) if shown else None,
        "true_counts": None if counts.truth is None else by_class(classes, counts.truth),
        "per_mm2": by_class(classes, counts.per_mm2) if shown and counts.per_mm2 is not None else None,
        "chips": _chips(record.chips),
        "no_answer_because": list(record.abstentions),
    }


def sha256(pixels: np.ndarray) -> str:
    """Return the SHA-256 of uint8 pixels and their shape. The hash differs from that of the file, so that
    nobody can use it to find the file elsewhere."""
    return hashlib.sha256(repr(pixels.shape).encode() + np.ascontiguousarray(pixels).tobytes()).hexdigest()


def stem(challenge: str, photograph: Photograph) -> str:
    """Return the file name of a record without extension. Different images have different names."""
    return f"{challenge}-image-{sha256(photograph.small)[:8]}"


def _chips(chips: Sequence[QualityBadge]) -> list[dict[str, Any]]:
    return [
        {"name": c.name, "level": c.level, "value": c.value, "words": c.words, "percentile": c.percentile}
        for c in chips
    ]


def _head(photograph: Photograph, with_image: bool) -> dict[str, Any]:
    width, height = photograph.size
    image: dict[str, Any] = {
        "called": CALLED,
        "width": width,
        "height": height,
        "turned_upright": photograph.turned,
        "framed": photograph.framed or None,
        "dropped": list(photograph.dropped),
    }
    if with_image:
        image["png"] = base64.b64encode(_png(photograph.pixels)).decode()
    return {"notice": RESEARCH_USE, "about": BANNER.replace("**", ""), "version": __version__, "image": image}


def _png(pixels: np.ndarray) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def _second(classes: Sequence[str], second: SecondModel) -> dict[str, Any]:
    scores = by_class(classes, second.prediction.probabilities)
    return {
        "name": second.name,
        "sha256": second.sha256,
        "taken_for": second.prediction.kind,
        "scores": scores,
        "official": _official(classes, second.prediction.official),
        "model_card": of_card(second.card, classes),
        "cautions": second.cautions,
    }
