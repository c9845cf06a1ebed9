"""Texts of the page, in words that a research-use label allows. They describe a model's output and its test
set, and are never a diagnosis.

Sources: 21 CFR 809.10(c)(2)(i) for the label; the FDA's guidance on such labels, by which texts about results
belong to the label.
"""

from collections.abc import Sequence

import numpy as np

from scoring.common.arrays import Floats
from scoring.metrics import calibration
from scoring.presentation.figures.number_format import score as score_text
from scoring.single_image.image_prediction import ImagePrediction, TurnedViews
from scoring.single_image.likeness import UNKNOWN_LIKENESS
from scoring.single_image.model_card import OVERCONFIDENT, ModelCard
from scoring.single_image.quality import CAUTION, QualityBadge
from scoring.single_image.similar_cases import ClassSet, Reference, RightShare
from scoring.statistics.intervals import Share

RESEARCH_USE = "Research use only. Not a medical device. Not for use in diagnostic procedures."
BANNER = (
    f"**{RESEARCH_USE}** This page shows what a challenge model outputs for one image. The score is "
    "not the probability that this person has "
    "a disease. Do not use it to decide about diagnosis, referral or treatment of a patient. The models "
    "are unreviewed submissions; sample images are computer-generated."
)
PRIVACY = (
    "The image, and in a session the name of its file, is kept in memory for this session only and is not "
    "stored; other people cannot open the image by an address. The image is rebuilt from its pixels: "
    "everything else in the file, such as a camera's EXIF data or DICOM tags, is removed. Only the file of "
    "a whole slide stays unchanged in memory, with its label, to read other regions. “Remove my image” "
    "deletes image and file at once; closing the tab deletes both within 30 seconds."
)
CONSENT = (
    "Do not use pictures with faces, tattoos, names or labels, and ask the person for consent: pixels can "
    "also identify a person."
)
TURNED = (
    "The photograph was turned upright, as its camera data state. The challenge's program does not turn "
    "images, so the official score can differ."
)
CAMERA_REFUSED = (
    "If there is no picture, the browser or its administrator blocks the camera, or another program uses "
    "the camera. Allow the camera in the browser. You can also take a photograph with the device's own "
    "camera and choose the file under My image."
)
MAP = (
    "The map shows where hiding a part of the image changes the model's score. The map does not show disease."
)
ALIKE = "Cases with similar scores from this model. These cases may look different."
SAME_KIND = "These shares hold only for images like the images of the test set."
EXCHANGEABLE = "These shares do not hold for photographs from another camera."
UNKNOWN_INPUT = (
    "An input is given as unknown (-1). Models that were not trained with unknown inputs can give very "
    "different answers."
)
UNKNOWN_AGE = (
    "For an unknown age the model receives 0, as in the challenge's validator. A model cannot distinguish "
    "this 0 from the age of a newborn."
)
POSSIBLE = "Possible classes (chosen to contain the true class in 9 of 10 test cases)"
AT_END = (
    " A share lies at the end of its interval because it comes from sets that were calibrated on fewer cases "
    "than the set of this image. The interval is about sets like that of this image."
)
AT_END_OF = 0.05
"""Part of its interval within which a share lies at the end."""
NO_ANSWER = "No answer"
CARD = "in the model card"
REGION = "The region contains only pixels."
SCALED = "temperature-scaled"
"""Name of the column of scores after temperature scaling."""
MOST_TIED = 3
"""Maximum number of classes with the same highest score that are named."""
MOST_NAMED = 3
"""Maximum number of cautions in a headline."""
OF_TILE = "The interval of lymphocytes treats nuclei as independent and holds for this tile only."
LYMPHOCYTES = "Lymphocytes among detected nuclei"

IN_SHORT = {
    "size": "small",
    "exposure": "badly exposed",
    "colours": "not the colours of skin",
    "lesion": "faint edges in the middle",
    "likeness": "unlike the test images",
    "scale": "another scale",
    "tissue": "unusual tissue",
}
"""Name of a badge -> short text for a headline; for sharpness, the badge's value is used."""
UNKNOWN_IN_SHORT = "similarity to the test images not known"
SCALE_WAITS = (
    "The scale of this model's outputs is being determined on the test set. Before that, there is no score."
)
SCALE_UNKNOWN = (
    "The scale of this model's outputs is not known, because there are no outputs for other test images: "
    "there is no score. End the model with a sigmoid or softmax, or choose another test set."
)
UNTRIED = "it is not known how good the model is"
UNFINISHED = "the answer may change or be withdrawn while the model runs on the test set"
"""A low score or another scale of the outputs is known only after the run."""


def of_test_set(reference: Reference) -> str:
    """Return the beginning of a sentence that names the test set, such as "In this test set (n = 220,
    computer-generated, 20 per class)"."""
    support = reference.support[reference.support > 0]
    spread = (
        f"{support[0]} per class"
        if len(support) and np.ptp(support) == 0
        else f"{support.min()} to {support.max()} per class"
        if len(support)
        else "no class"
    )
    without = len(reference.support) - len(support)
    if without and len(support):
        spread += f"; no case of {without} of {len(reference.support)} classes"
    failed = f"; no valid output for {len(reference.failed)} more" if len(reference.failed) else ""
    return (
        f"In this test set (n = {len(reference)}, "
        f"{'computer-generated, ' if reference.generated else ''}{spread}{failed})"
    )


def number_line(reference: Reference) -> str:
    """Return the number of cases as text, with the number of cases that are left out."""
    left_out = len(reference.failed)
    without = f"{left_out} without a valid output {'is' if left_out == 1 else 'are'} left out" * bool(
        left_out
    )
    return "; ".join(filter(None, (f"n = {len(reference)}", without, apart_words(reference))))


def apart_words(reference: Reference) -> str:
    """Return how many other images of the same patient or lesion are left out, as text; "" if none."""
    n = reference.apart
    one = n == 1
    said = (
        f"{n} other image{'' if one else 's'} of the same patient or lesion {'is' if one else 'are'} left out"
    )
    return said if n else ""


def kind_line(kind: str) -> str:
    """Return a sentence that says how scores are computed from outputs of a kind; "" for probabilities."""
    return {
        "probabilities": "",
        "percent": "The model's outputs are percent: the scores are the outputs divided by 100.",
        "bytes": "The model's outputs are whole numbers up to 255, read as scores from 0 to 1.",
    }.get(kind, "The model's raw outputs are not probabilities; Benchside computes the scores from them.")


def headline(
    prediction: ImagePrediction, names: Sequence[str], cautions: Sequence[str] = (), rest: str = CARD
) -> str:
    """Return the highest score as text, with the gravest reasons for caution. `names` are the full names of
    the classes; `rest` says where the other reasons stand (`further_line`)."""
    tied, highest = prediction.tied, score_text(prediction.probabilities[prediction.top])
    score = f"Highest score: {names[prediction.top]} {highest}"
    if len(tied) > 1:
        among = f"{len(tied)} classes" if len(tied) > MOST_TIED else " and ".join(names[k] for k in tied)
        score = f"No class has the highest score alone: {among} have {highest}"
    if len(tied) == len(names):
        score = f"All classes have the same score: {highest}"
    named = [*cautions[:MOST_NAMED], *filter(None, [further_count(cautions, rest)])]
    return f"{score}, but: {'; '.join(named)}" if named else score


def further_count(cautions: Sequence[str], rest: str = CARD) -> str:
    """Return how many cautions a headline does not name, and where they stand; "" if it names all."""
    more = len(cautions) - MOST_NAMED
    return f"and {more} more caution{'s' * (more > 1)} {rest}" if more > 0 else ""


def further_line(cautions: Sequence[str]) -> str:
    """Return a sentence with the cautions that a headline does not name; "" if it names all."""
    further = "; ".join(cautions[MOST_NAMED:])
    return f"Further cautions: {further}." if further else ""


def cautions(
    chips: Sequence[QualityBadge],
    views: TurnedViews | None,
    card: ModelCard | None = None,
    prediction: ImagePrediction | None = None,
    *,
    further: Sequence[str] = (),
    runs: bool = False,
) -> list[str]:
    """Return the reasons for caution as short texts, the gravest first.

    Args:
        card: Performance of the model on the test set; None if unknown.
        prediction: The model's answer to the image, if it gets one.
        further: Reasons from other photographs of the lesion, and from unknown age, sex or body site.
        runs: Whether the model still runs on the test set.
    """
    found = [] if prediction is None or not prediction.official_caution else [prediction.official_caution]
    untried = UNFINISHED if runs else UNTRIED
    found += [untried] if card is None else [words for words in card.cautions if words != OVERCONFIDENT]
    of_image = [chip for chip in chips if chip.level == CAUTION]
    found += [
        UNKNOWN_IN_SHORT if chip == UNKNOWN_LIKENESS else IN_SHORT[chip.name]
        for chip in of_image
        if chip.name == "likeness"
    ]
    if views is not None and views.most_changed:
        found.append(f"another class in {views.count_line} turned copies")
    found += further
    found += [IN_SHORT.get(chip.name, chip.value) for chip in of_image if chip.name != "likeness"]
    return found + [OVERCONFIDENT] * (card is not None and OVERCONFIDENT in card.cautions)


def model_line(model: str, prediction: ImagePrediction, names: Sequence[str]) -> str:
    """Return the name of a model, its raw output for the highest-scoring class if this is no probability, and
    what else it cannot answer."""
    raw, k = "", prediction.top - len(names)
    if prediction.kind != "probabilities":
        is_of_top = k >= -len(prediction.outputs)
        output = prediction.outputs[k if is_of_top else -1]
        raw = f", raw {output:.3g} ({prediction.kind}){'' if is_of_top else f' for {names[-1]}'}"
    return f"Model: {model}{raw}. {only_line(names, 'It')}"


def scale_line(runs: bool) -> str:
    """Return why there is no score while the scale of the outputs is unknown. `runs` says whether the model
    still runs on the test set."""
    return SCALE_WAITS if runs else SCALE_UNKNOWN


def raw_line(outputs: Floats, names: Sequence[str]) -> str:
    """Return the raw outputs of a model [k] as a sentence. `names` are the full names of the classes."""
    if len(outputs) == 1:
        return f"Raw output: {outputs[0]:.3g}."
    rows = (f"{name} {output:.3g}" for name, output in zip(names, outputs, strict=True))
    return f"Raw outputs: {'; '.join(rows)}."


def only_line(names: Sequence[str], subject: str = "The model") -> str:
    """Return a sentence that says that a model can only answer its own classes. `names` are the full names of
    these classes."""
    classes = " or ".join(names) if len(names) <= MOST_TIED else f"one of {len(names)} classes"
    return f"{subject} can only answer {classes}; it knows no other disease."


def right_line(right: RightShare, reference: Reference, name: str) -> str:
    """Return sentences that say how often the model is right on test cases with a similar highest score, and
    on test cases of the same predicted class. `name` is the full name of the highest-scoring class."""
    if not right.similar.n:
        return "The test set has no other case to compare with."
    if right.similar.n == 1:
        return "The test set has one other case: too few to estimate how often such a score is right."
    whole = f"{of_test_set(reference)} the model was right on {right.similar} images"
    apart = apart_words(reference)
    end = f"{SAME_KIND} {apart}." if apart else SAME_KIND
    if right.every:
        return f"{whole}: too few to compare high and low scores. {end}"
    low, high = score_text(right.low), score_text(right.high)
    shown = low if low == high else f"{low} to {high}"
    sentence = f"{whole} whose highest score is most similar to this image's ({shown})."
    if right.of_class.n:
        sentence += f" When the model predicted {name}, with any score, it was right on {right.of_class}."
    else:
        sentence += f" The model never predicted {name}{' alone' * bool(right.left_out)}."
    return f"{sentence}{_ties_line(right, name)} {end}"


def _ties_line(right: RightShare, name: str) -> str:
    """Return how many images have the class `name` as one of several with the highest score, as a sentence
    after another."""
    if right.left_out:
        images = f"{right.left_out} image{'s' * (right.left_out > 1)}"
        return (
            f" The count leaves out {images} on which several classes, among them {name}, share the highest "
            "score: the challenge predicts no class for them."
        )
    if right.tied:
        return f" In {right.tied} of these {right.of_class.n}, another class has the same highest score."
    return ""


def set_line(class_set: ClassSet, names: Sequence[str], top: int) -> str:
    """Return sentences that say why classes are in the prediction set, and how often such sets contain the
    true class. `names` are the full names of the classes; `top` is the highest-scoring class."""
    share = f"{1 - class_set.miss:.0%}"
    sentence = (
        f"A class counts as possible if its score reaches a limit that {share} of the test cases of "
        f"this class reach. {EXCHANGEABLE}"
    )
    if class_set.top_added:
        sentence += (
            f" {names[top]} is added because it has the highest score, although {1 - class_set.miss:.0%} of "
            f"the test cases of {names[top]} have a higher score."
        )
    enough = int((~class_set.always).sum())
    if class_set.members.all() and enough == len(names):
        sentence += " The set contains all classes: the model excludes no class for this image."
    elif class_set.members.all() and enough:
        classes = "the only class" if enough == 1 else f"any of the {enough} classes"
        sentence += f" The model does not exclude {classes} with enough cases."
    if class_set.always.any():
        few = ", ".join(names[k] for k in np.flatnonzero(class_set.always & ~class_set.absent).tolist())
        absent = ", ".join(names[k] for k in np.flatnonzero(class_set.absent).tolist())
        cases = [f"fewer than {class_set.fewest} cases of {few}"] * bool(few)
        cases += [f"no case of {absent}"] * bool(absent)
        sentence += (
            f" The test set has {' and '.join(cases)}. Benchside cannot exclude a "
            "class with so few cases, so it always lists the class as possible. A reliable statement needs "
            "20 or more cases per class."
        )
    overall, own = class_set.coverage.overall, class_set.coverage.by_class[top]
    if overall is None:
        return (
            f"{sentence} With so few cases, it cannot be estimated how often such sets contain the true "
            "class."
        )
    if class_set.members.all():
        return f"{sentence} Sets of all classes always contain the true class."
    left = " of classes with enough cases" * (None in class_set.coverage.by_class)
    sentence += (
        f" Benchside also made such a set for each test case{left}, without that case and others of its "
        f"patient or lesion. It contained the true class for {overall} cases"
    )
    sentence += "." if own is None else f"; for cases of {names[top]}: {own}."
    return sentence + AT_END * any(map(_at_end, filter(None, (overall, own))))


def _at_end(held: Share) -> bool:
    """Return whether a share, neither 0 nor 1, lies at one end of its interval or almost there."""
    distance = min(abs(held.hits / held.n - end) for end in (held.low, held.high))
    return 0 < held.hits < held.n and distance < AT_END_OF * (held.high - held.low)


def temperature_line(reference: Reference) -> str:
    """Return a sentence that says with which temperature the scores in the column `SCALED` are scaled, and
    whether this temperature fits the test set best."""
    temperature, n = reference.temperature, len(reference)
    sentence = f"The column “{SCALED}” has the scores after scaling with the temperature {temperature:.2f}"
    if calibration.is_at_limit(temperature):
        return (
            f"{sentence}, the limit of the search: beyond the limit, the log loss on {reference.name} "
            f"(n = {n}) may be even smaller."
        )
    return f"{sentence}, which gives the smallest log loss on {reference.name} (n = {n})."


def views_line(views: TurnedViews) -> str:
    """Return a sentence that says how much the answer changes when the photograph is turned and mirrored."""
    return f"In {views.count_line} turned or mirrored copies the model chose another class."


def dropped_line(kinds: Sequence[str], keeps_file: bool = False) -> str:
    """Return a sentence that says which metadata were removed from the file. `keeps_file` says whether the
    file itself stays in memory, as that of a slide does."""
    named = ", ".join("the program's name" if kind == "program" else kind for kind in kinds)
    if keeps_file:
        held = f", with {named}" if kinds else ""
        return f"{REGION} The slide's file stays in memory unchanged{held}."
    return f"Removed from the file: {named}." if kinds else "The file contained no position, name or date."


def scale_words(micrometres: float | None) -> str:
    """Return the micrometres per pixel of a tile as text."""
    return "micrometres per pixel not known" if micrometres is None else f"{micrometres:.3g} µm per px"


def map_line(name: str, before: float, after: float) -> str:
    """Return the largest score change of a saliency map as text."""
    if before == after:
        return f"Hiding any one part leaves {name} at {score_text(before)}."
    return (
        f"Hiding this part {'lowers' if after < before else 'raises'} {name} from "
        f"{score_text(before)} to {score_text(after)}."
    )
