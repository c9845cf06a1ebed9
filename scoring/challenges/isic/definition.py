"""The definition of ISIC lesion classification."""

from operator import attrgetter

from scoring.challenges.isic.card import score
from scoring.challenges.isic.categories import ID
from scoring.challenges.isic.comparison import COMPARISON
from scoring.challenges.isic.options import OPTIONS, formula
from scoring.challenges.isic.predictions import form, read_predictions
from scoring.challenges.isic.truth import read_images, read_truth
from scoring.common.citation import Citation
from scoring.core.challenge import Challenge, Display, ModelSupport, Readers, SingleImage, Words
from scoring.core.challenge_files import InputKind, Inputs, Sample
from scoring.core.lazy import Lazy
from scoring.core.scores import Scoring
from scoring.core.submission import example_table, faults_by_option

RULE = """
| measure | definition |
|---|---|
| balanced accuracy | plain mean over the categories of: cases of the category whose **largest** score is that category / cases of the category |
| largest score shared | the row is undecided and counts as wrong |
| sensitivity, specificity, F1 ... | each category against the rest, positive where its score is **strictly above 0.5**; this does not hold for recall |
| AUC, average precision | each category against the rest, from its score alone |

A category without a case is left out of the means. The score is balanced accuracy, or the other official metric that is chosen to rank: macro AUC,
macro average precision, or macro F1 (MILK10k).
"""


CHALLENGE = Challenge(
    id=ID,
    words=Words(
        title="ISIC Challenge, lesion categories",
        about=(
            "One score per diagnosis category and image; categories come from the truth file (2018, 2019, "
            "MILK10k or your own)."
        ),
        formula=formula,
        rule=RULE,
        citations=(Citation("isic_challenge", "ISIC Challenge: lesion classification", ("ISIC",)),),
        official_source="as the official scorer computes it",
    ),
    options=OPTIONS,
    inputs=Inputs(
        truth=InputKind("Table with labels, or zip or files with table and images", ("jpg", "jpeg", "png")),
        submission=InputKind("ONNX model, or prediction table (CSV)", ("onnx",)),
        example=lambda truth: example_table(truth.ids, truth.categories, truth.id_name),
    ),
    readers=Readers(
        truth=read_truth,
        predictions=read_predictions,
        faults=faults_by_option,
        recognise=Lazy("scoring.challenges.isic.tables:recognise"),
        form=form,
    ),
    scoring=Scoring(score=score, bounded_by_labels=True),
    comparison=COMPARISON,
    samples=(
        Sample("isic2019", "isic2019", "Sample as of 2019: 306 generated images, 8 diagnoses"),
        Sample("isic2018", "isic2018", "Sample as of 2018: 250 generated images, 7 diagnoses"),
    ),
    model=ModelSupport(
        read_images,
        Lazy("scoring.challenges.isic.model:inspect"),
        Lazy("scoring.challenges.isic.model:predict"),
        Lazy("scoring.challenges.isic.model:table"),
        Lazy("scoring.inference.classifiers:received"),
    ),
    display=Display(
        views=Lazy("scoring.challenges.isic.views:views"),
        thumbnails=Lazy("scoring.inference.thumbnails:thumbnails"),
        single_image=SingleImage(
            "photograph", Lazy("scoring.challenges.isic.model:image_task"), attrgetter("categories")
        ),
    ),
)
