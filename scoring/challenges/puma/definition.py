"""The definition of PUMA."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from scoring.challenges.puma import match_table, nucleus_classes
from scoring.challenges.puma.card import score
from scoring.challenges.puma.formula import (
    CLASS_MAP,
    ID,
    METRICS,
    OPTIONS,
    RULE,
    categories_of_sums,
    formula,
    score_of_sums,
)
from scoring.challenges.puma.predictions import read_predictions
from scoring.challenges.puma.truth import read_truth
from scoring.common.citation import Citation
from scoring.common.direction_and_range import COUNT
from scoring.core.challenge import Challenge, Context, Display, ModelSupport, Readers, SingleImage, Words
from scoring.core.challenge_parts import InputKind, Inputs, Lazy, OtherNames, OutputFile, Sample, Scoring
from scoring.core.comparison_spec import ComparisonSpec
from scoring.core.scorecard import ScoreCard
from scoring.inputs.sources import Source
from scoring.metrics.classification import mean_of_defined
from scoring.statistics.mcnemar_delong_wilcoxon import PairedSample


def correct(card: ScoreCard) -> np.ndarray:
    """Return the mean F1 of the classes in each image [N]; NaN for an image without classes."""
    return mean_of_defined(card.arrays["f1"])


def sample(_card: ScoreCard, _metric: str) -> PairedSample | None:
    """Return None: no metric is a mean over images, which a paired test would need."""
    return None


COMPARISON = ComparisonSpec(
    offered=RULE.name,
    metrics=(*METRICS.values(), "micro_f1", "micro_precision", "micro_recall"),
    class_measures=("f1",),
    correct=correct,
    sample=sample,
    score_of_sums=lambda card: partial(score_of_sums, card.provenance["options"]["rules"]),
    categories=lambda card: categories_of_sums(card.provenance["options"]["rules"], len(card.per_class)),
    slice_measures={},
)


RULES_TABLE = """
Matching is done for each image and class. Each nucleus of the truth, in file order, is matched with an unmatched prediction of its class within 15 px (3.45 µm).
Of several predictions, the one with the highest confidence is matched, and with equal confidences the nearest. A matched pair is a true positive (TP).
F1 = 2 TP / (2 TP + FP + FN). The position of a nucleus is the mean of its vertices. In predicted GeoJSON, the last vertex of a ring repeats the first and is left out.

| rule | within | value of a class | mean over | best possible |
|---|---|---|---|---|
| `description`, the challenge's own text | ≤ 15 px | mean F1 of the images that contain the class, in truth or prediction | all ten classes | classes in the truth / 10 |
| `grand-challenge`, the official evaluator | < 15 px | sum of the images' F1 / number of **all** images | classes that occur | mean share of images that contain a class |
| `pooled`, counts summed first | ≤ 15 px | F1 from TP, FP and FN summed over all images | classes that occur | 1 |

Benchside always computes all three. On real data, the three values differ by a factor of two: always state the rule and the best possible value with a macro F1.
A missing case counts as an empty prediction: all its nuclei are missed.

Benchside reads predictions in the formats of QuPath, HoVer-Net, CellViT, StarDist, TIAToolbox, Ultralytics, YOLO, MMDetection, torchvision, SAHI,
Roboflow, COCO, Pascal VOC, ASAP, ImageScope (Aperio), HALO, CVAT, Label Studio, VIA, labelme, HistomicsTK, Darwin, FiftyOne, Supervisely and SuperAnnotate.
It also reads tables of points, boxes or outlines, such as those of OMERO, Cytomine (origin at the bottom left), geopandas, ilastik, napari, CellProfiler, ImageJ
and supervision. ImageJ regions can be one zip per image, or a folder per image with one zip per class.
"""
NUCLEI_ENDINGS = ("geojson", "json")


def _other_names(source: Source, name: str | None) -> Mapping[str, int]:
    """Return the class names that are none of the ten, and their nuclei."""
    counts = read_predictions(source, None, Context(name, {"unknown_classes": "ignore"})).names
    return {written: count for written, count in counts.items() if nucleus_classes.position(written) is None}


CHALLENGE = Challenge(
    id=ID,
    words=Words(
        title="PUMA, nuclei in ten classes",
        about=(
            "Detection of nuclei of ten classes in H&E regions of melanoma. Predicted nuclei match annotated "
            "nuclei within 15 pixels."
        ),
        formula=formula,
        rule=RULES_TABLE,
        citations=(
            Citation(
                "puma_challenge",
                "PUMA challenge, track 2, task 2: nuclei detection (10 classes)",
                year="2024",
                url="puma.grand-challenge.org/",
            ),
            Citation(
                "puma_data",
                "Melanoma Histopathology Dataset with Tissue and Nuclei Annotations",
                ("Schuiveling, Mark", "Blokx, Willeke", "Breimer, Gerben"),
                "2024",
                doi="10.5281/zenodo.14869398",
                note="Zenodo",
            ),
        ),
        official_source="as the Grand Challenge evaluator computes it",
    ),
    options=OPTIONS,
    inputs=Inputs(
        truth=InputKind(
            "GeoJSON or JSON of nuclei per case, as files, folder or zip; images beside them",
            (*NUCLEI_ENDINGS, "tif", "tiff", "png", "jpg", "jpeg"),
        ),
        submission=InputKind(
            "ONNX model, or zip or folder with a file of nuclei per case, or submission.csv and predictions",
            (*NUCLEI_ENDINGS, "onnx"),
            several=True,
        ),
        example=Lazy("scoring.challenges.puma.model:example"),
    ),
    readers=Readers(
        truth=read_truth,
        predictions=read_predictions,
        recognise=Lazy("scoring.challenges.puma.recognition:recognise"),
        other_names=OtherNames(
            CLASS_MAP.name,
            _other_names,
            {name: name.replace("_", " ") for name in nucleus_classes.CLASSES}
            | {nucleus_classes.IGNORE: "ignore: leave its nuclei out"},
            nucleus_classes.variant,
            ("nucleus", "nuclei"),
        ),
    ),
    scoring=Scoring(
        score=score,
        metrics=dict.fromkeys(("n_truth", "n_predicted"), COUNT),
        outputs=(
            OutputFile(
                "--matches", "FILE.csv", "write the result of every nucleus, one row each", match_table.to_csv
            ),
        ),
    ),
    comparison=COMPARISON,
    samples=(Sample("sample", "puma", "Sample: 8 generated tiles, 10 classes of nuclei"),),
    model=ModelSupport(
        Lazy("scoring.challenges.puma.model:read_images"),
        Lazy("scoring.challenges.puma.model:inspect"),
        Lazy("scoring.challenges.puma.model:predict"),
        Lazy("scoring.challenges.puma.model:table"),
        Lazy("scoring.challenges.puma.model:received"),
        "zip",
    ),
    display=Display(
        views=Lazy("scoring.challenges.puma.views:views"),
        thumbnails=Lazy("scoring.inference.thumbnails:thumbnails"),
        single_image=SingleImage("tile", tile=Lazy("scoring.challenges.puma.model:tile_support")),
    ),
)
