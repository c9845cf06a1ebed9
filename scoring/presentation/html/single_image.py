"""HTML page with the record of one image, for printing: image, model and result."""

import base64
import io
from typing import Any

import numpy as np
from PIL import Image

from scoring.challenges import REGISTRY
from scoring.common.arrays import Floats
from scoring.common.text import shortened
from scoring.inference.preprocessing import Pixels
from scoring.presentation.figures.number_format import decimal
from scoring.presentation.html.page_template import POLICY, template
from scoring.single_image.abstention import withheld_line
from scoring.single_image.explanation import conclusion
from scoring.single_image.image_record import Record, SecondModel, TileRecord
from scoring.single_image.model_card import card_line, entries
from scoring.single_image.nuclei import truth_line
from scoring.single_image.operating_threshold import one_sided_line, risks
from scoring.single_image.other_demographics import FIELDS, told
from scoring.single_image.photograph import Photograph
from scoring.single_image.quality import GOOD, STOP
from scoring.single_image.saliency import FLOOR, SCALE, enlarged
from scoring.single_image.side_by_side import (
    changes_over_time,
    dates_line,
    mean_scores,
    models_line,
    photograph_cautions,
    photographs_line,
    shown_difference,
    told_apart,
)
from scoring.single_image.similar_cases import right_alike
from scoring.single_image.wording import (
    BANNER,
    LYMPHOCYTES,
    MAP,
    NO_ANSWER,
    OF_TILE,
    POSSIBLE,
    REGION,
    RESEARCH_USE,
    TURNED,
    dropped_line,
    further_line,
    headline,
    kind_line,
    only_line,
    right_line,
    scale_words,
    set_line,
    views_line,
)
from scoring.version import __version__

LONGEST_SIDE, JPEG_QUALITY = 900, 88
WAYS = ("Parts hidden one at a time", "Random half of the picture hidden")
OPACITY, LOWERS, RAISES = 0.6, (200, 30, 30), (30, 80, 200)
OPTIONAL = (
    *("class_set", "class_set_line", "card", "told", "threshold", "maps", "maps_lines"),
    *("photographs", "rate_line", "impression", "second_line"),
)
DIGITS = 3
"""Decimals of the scores in the table."""
NAMED = 24
"""Maximum characters of a model's name above a column."""


def html(record: Record, with_image: bool = True) -> str:
    """Return the record of an image as a self-contained HTML page.

    Args:
        with_image: Whether to include the image. Only its pixels are included, nothing else from its file.
    """
    task, has_scores = record.model.task, record.scores_shown or not record.checks.abstentions
    own = record.impression
    class_set = record.test_set.class_set
    return _page(
        record,
        with_image,
        facts=_facts(record),
        headline=_headline(record),
        no_answer=bool(record.checks.abstentions),
        reasons=record.checks.abstentions,
        test_set_line=_test_set_line(record) if has_scores else "",
        possible=POSSIBLE,
        class_set=_members(record) if has_scores else "",
        class_set_line=set_line(class_set, task.names, record.prediction.top)
        if class_set is not None
        else "",
        rate_line=withheld_line(record.test_set.withheld) if record.test_set.withheld is not None else "",
        cautions=[*_cautions(record), *filter(None, [_official_line(record)])],
        card=_card_line(record),
        told=entries(record.model.process.facts.graph.metadata),
        threshold=_threshold_line(record) if has_scores else "",
        maps=_maps(record) if has_scores and with_image else (),
        maps_lines=_maps_lines(record) if has_scores else (),
        photographs=[_jpeg(other.pixels) for other in record.more.photographs] if with_image else (),
        impression=f"{own.named(task.names)}, confidence {own.confidence}" if own else "",
        scores=_scores(record) if has_scores else (),
        heads=_heads(record),
        scores_line=_scores_line(record),
        second_line=_second_line(record) if has_scores else "",
        sha256=record.model.sha256,
    )


def tile_html(record: TileRecord, with_image: bool = True) -> str:
    """Return the record of a tile as a self-contained HTML page. Arguments are those of `html`."""
    counts, least, area = record.counts, record.least_confidence, record.counts.area_mm2
    has_counts, densities = record.counts_shown or not record.abstentions, counts.per_mm2
    columns = [counts.counts] if densities is None else [counts.counts, densities]
    most = max(int(counts.counts.max()), 1)
    rows = [
        (
            name.replace("_", " "),
            [float(column[k]) for column in columns],
            round(100 * counts.counts[k] / most),
        )
        for k, name in enumerate(counts.support.classes)
    ]
    facts = [
        ("Model" if record.sha256 else "File of nuclei", record.source),
        ("Challenge", REGISTRY[counts.support.challenge].short_name),
        ("Confidence", f"from {least:.2f}" if least else "all detected nuclei"),
    ]
    if has_counts and area is not None:
        facts += [("Area", f"{area:.4f} mm²"), ("Nuclei per mm²", decimal(counts.total / area, 0))]
    if has_counts:
        facts.append((LYMPHOCYTES, str(counts.lymphocytes)))
    number = f"{counts.total:,} {'nucleus' if counts.total == 1 else 'nuclei'}"
    return _page(
        record,
        with_image,
        facts=facts,
        question="How many nuclei are in the tile?",
        headline=NO_ANSWER if record.abstentions else number,
        no_answer=bool(record.abstentions),
        reasons=record.abstentions,
        test_set_line=truth_line(counts),
        cautions=[chip.words for chip in record.chips if chip.level not in (GOOD, STOP)],
        heading="Nuclei by class",
        on_request="The counts are shown on request, although there is no answer.",
        digits=0,
        scores=sorted(rows, key=lambda row: -row[1][0]) if has_counts else (),
        heads=["nuclei", "per mm²"][: len(columns)],
        scores_line=f"Counted in this tile only; {scale_words(counts.micrometres)}. {OF_TILE}",
        sha256=record.sha256,
    )


def _page(record: Record | TileRecord, with_image: bool, **values: object) -> str:
    """Return the page of a record. values: of its template; what is in few records may be missing."""
    return template("record.html").render(
        **{**dict.fromkeys(OPTIONAL, ""), **values},
        policy=POLICY,
        version=__version__,
        label=RESEARCH_USE,
        about=BANNER.replace("**", ""),
        date=record.date,
        image=_jpeg(record.photograph.pixels) if with_image else "",
        image_line=_size_line(record.photograph),
    )


def _headline(record: Record) -> str:
    if record.checks.abstentions:
        return NO_ANSWER
    return headline(record.prediction, record.model.task.names, record.cautions, "below")


def _test_set_line(record: Record) -> str:
    names, prediction = record.model.task.names, record.prediction
    if record.test_set.reference is None:
        unused = record.test_set.unused
        because = "" if unused is None else f" {unused.because}"
        return f"{only_line(names)} The model was not compared with cases whose class is known.{because}"
    right = right_alike(record.test_set.reference, prediction.probabilities)
    return f"{only_line(names)} {right_line(right, record.test_set.reference, names[prediction.top])}"


def _card_line(record: Record) -> str:
    card, answered = record.test_set.card, not record.checks.abstentions
    line = "" if card is None else card_line(card, record.model.task.names)
    return " ".join(filter(None, (line, further_line(record.cautions) * answered)))


def _threshold_line(record: Record) -> str:
    """Return the threshold that was chosen and what it costs, "" if none was."""
    point, malignant = record.test_set.operating_point, record.model.task.malignant
    if point is None:
        return ""
    own = float(risks(record.prediction.probabilities, malignant))
    sentence = (
        f"Threshold {point.threshold:.3f} for a wanted sensitivity of {point.wanted:.0%}: this image has the "
        f"score {own:.3f}, {'at or above' if own > point.threshold else 'below'} the threshold."
    )
    if point.sensitivity is not None and point.specificity is not None:
        sentence += f" Cross-validated: sensitivity {point.sensitivity}, specificity {point.specificity}."
    card, reference = record.test_set.card, record.test_set.reference
    if reference is not None:
        sentence += one_sided_line(reference, malignant, point).replace("these cases", "the test cases")
    if card is not None and card.official is not None:
        sentence += f" The challenge itself predicts {card.official.rule}."
    return sentence


def _maps_lines(record: Record) -> tuple[str, ...]:
    """Return what hiding parts and changing the whole picture does to the highest class."""
    maps, top = record.more.maps, record.prediction.top
    return () if maps is None else (MAP, *conclusion(maps, top, record.model.task.names[top]))


def _maps(record: Record) -> list[tuple[str, str]]:
    """Return both maps over the image, with what was hidden."""
    if record.more.maps is None:
        return []
    return [
        (way, _overlay(record.photograph.small, saliency.drops[record.prediction.top]))
        for way, saliency in zip(WAYS, record.more.maps.maps, strict=True)
    ]


def _overlay(pixels: Pixels, drops: Floats) -> str:
    """Return a picture under a map: red where hiding lowers the score, blue where it raises it."""
    height, width = pixels.shape[:2]
    drop = enlarged(drops, height, width)[..., None]
    opacity = np.where(np.abs(drop) < FLOOR, 0, OPACITY * np.clip(np.abs(drop) / SCALE, 0, 1))
    colour = np.where(drop > 0, LOWERS, RAISES)
    return _jpeg(np.rint(pixels * (1 - opacity) + colour * opacity).astype(np.uint8))


def _members(record: Record) -> str:
    if record.test_set.class_set is None:
        return ""
    row = record.prediction.probabilities
    members = sorted(np.flatnonzero(record.test_set.class_set.members), key=lambda k: -row[k])
    return "; ".join(record.model.task.names[k] for k in members)


def _size_line(photograph: Photograph) -> str:
    width, height = photograph.size
    turned = f" {TURNED}" if photograph.turned else ""
    held = REGION if photograph.of_slide else dropped_line(photograph.dropped)
    return f"{width} x {height} px. {photograph.framed} {held}{turned}"


def _facts(record: Record) -> list[tuple[str, str]]:
    prediction, task = record.prediction, record.model.task
    facts = [("Model", record.model_name), ("Challenge", REGISTRY[task.challenge].short_name)]
    if prediction.vector is not None and task.patient is not None:
        described = told(task.patient, prediction.vector, record.checks.age_unknown)
        facts += [(FIELDS[name], value) for name, value in described.items()]
    if record.test_set.reference is not None:
        reference = record.test_set.reference
        failed = f", no valid output for {len(reference.failed)} more" if len(reference.failed) else ""
        facts.append(("Test set", f"{reference.name}, n = {len(reference)}{failed}"))
    elif record.test_set.unused is not None:
        facts.append(("Test set", f"{record.test_set.unused.name}, not compared"))
    if record.test_set.truth:
        facts.append(("Truth in the test set", record.test_set.truth))
    return [(name[0].upper() + name[1:], value) for name, value in facts]


def _cautions(record: Record) -> list[str]:
    sentences = [chip.words for chip in record.checks.chips if chip.level not in (GOOD, STOP)]
    for caution in photograph_cautions(record.prediction.top, record.more.others, record.model.task.names):
        sentences.append(f"{caution[0].upper()}{caution[1:]}.")
    if record.more.views is not None and record.more.views.most_changed:
        sentences.append(views_line(record.more.views))
    return sentences


def _official_line(record: Record) -> str:
    """Return which class the challenge predicts, where scores without a headline suggest another; else ""."""
    return record.prediction.official_line if record.checks.abstentions and record.scores_shown else ""


def _scores(record: Record) -> list[tuple[str, list[float], int]]:
    """Return name, scores and width of the bar in per cent of each class, the highest first."""
    rows = [record.prediction.probabilities]
    mean = mean_scores(record.lesion)
    if record.more.others and mean is not None:
        rows.append(mean)
    if record.more.second is not None:
        other = record.more.second.prediction.probabilities
        rows += [other, shown_difference(other, rows[0], DIGITS)]
    names = record.model.task.names
    return [
        (names[k], [float(row[k]) for row in rows], round(100 * float(rows[0][k])))
        for k in record.prediction.order
    ]


def _heads(record: Record) -> list[str]:
    """Return what is above the columns of scores."""
    mean = ["mean"] if record.more.others and mean_scores(record.lesion) is not None else []
    if record.more.second is None:
        return ["score", *mean]
    first, second = _models(record, record.more.second)
    return [first, *mean, second, "difference"]


def _models(record: Record, second: SecondModel) -> tuple[str, str]:
    """Return the names of both models, short enough for a column."""
    return told_apart(shortened(record.model_name, NAMED), shortened(second.name, NAMED))


def _second_line(record: Record) -> str:
    """Return what a second model says, "" if none was chosen."""
    if record.more.second is None:
        return ""
    second, names = record.more.second, record.model.task.names
    models = _models(record, second)
    sentence = models_line(record.prediction, second.prediction, names, models, second.cautions)
    about = kind_line(second.prediction.kind)
    if second.card is not None:
        about = f"{card_line(second.card, names)} {about}".rstrip()
    sentence += f" Second model: {about}" * bool(about)
    return f"Second model, {models[1]}: {sentence} Its SHA-256: {second.sha256}"


def _scores_line(record: Record) -> str:
    about, second = kind_line(record.prediction.kind), record.more.second
    whose = f"First model, {_models(record, second)[0]}: " if about and second else ""
    sentence = f"The scores of all classes add up to 1. {whose}{about}".rstrip()
    if record.more.others:
        sentence += f" {photographs_line(record.lesion, record.model.task.names)}"
    if ordered := record.over_time:
        changes = changes_over_time(ordered, record.model.task.names)
        sentence = " ".join((sentence, dates_line(ordered), *changes))
    return sentence


def _jpeg(pixels: np.ndarray[Any, Any]) -> str:
    image, file = Image.fromarray(pixels), io.BytesIO()
    image.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Image.Resampling.LANCZOS)
    image.save(file, "JPEG", quality=JPEG_QUALITY)
    return f"data:image/jpeg;base64,{base64.b64encode(file.getvalue()).decode()}"
