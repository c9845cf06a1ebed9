"""Nuclei as the simplified list of files holds them, and the evaluation of such lists once more in plain
loops.

The loops have the cost structure of the official evaluator: every truth nucleus looks at every prediction of
its class that is left, one by one, and makes arrays of both centroids for each distance.
"""

import json
from collections.abc import Mapping, Sequence

import numpy as np

import scoring
from scoring.core.scorecard import ScoreCard

CHALLENGE = scoring.load_challenge("puma")
CLASSES = (
    "tumor",
    "lymphocytes",
    "plasma_cells",
    "histiocytes",
    "melanophages",
    "neutrophils",
    "stromal_cells",
    "epithelium",
    "endothelium",
    "apoptotic_cells",
)
RULES = ("description", "grand-challenge", "pooled")
Nuclei = Sequence[Mapping]
"""Nuclei of one image: {"class", "centroid": [x, y]} and perhaps "score" or "probability"."""


def nucleus(name: str, x: float, y: float, **confidence: float) -> dict:
    return {"class": name, "centroid": [x, y], **confidence}


def files(cases: Mapping[str, Nuclei]) -> dict[str, bytes]:
    """A folder with a file per case."""
    return {f"{case}.json": json.dumps({"nuclei": list(nuclei)}).encode() for case, nuclei in cases.items()}


def card(truth: Mapping[str, Nuclei], predictions: Mapping[str, Nuclei], **options) -> ScoreCard:
    """The scorecard of a submission that lacks the cases that `predictions` lacks."""
    cases = CHALLENGE.read_truth(files(truth), name="truth")
    found = CHALLENGE.read_predictions(files(predictions), cases, name="submission")
    return CHALLENGE.score(cases, found, **({"resamples": 0} | options))


def numbered(images: Sequence[Nuclei]) -> dict[str, Nuclei]:
    """Images under case ids that sort as they stand."""
    return {f"roi_{i:03d}": nuclei for i, nuclei in enumerate(images)}


def confidence(entry: Mapping, rules: str) -> float:
    keys = ("score",) if rules == "grand-challenge" else ("score", "confidence", "probability")
    return next((entry[key] for key in keys if key in entry), 1.0)


def left(predictions: Nuclei, least: float | None) -> list[int]:
    """Positions of the predictions that a smallest confidence leaves; all of them where it is None."""
    return [
        j for j, entry in enumerate(predictions) if least is None or confidence(entry, "description") >= least
    ]


def matched(
    truth: Nuclei,
    predictions: Nuclei,
    rules: str = "description",
    radius: float = 15,
    least: float | None = None,
) -> list[tuple[int, int, float]]:
    """One image: (position in the truth, position in the predictions, distance) of every match, class by
    class."""
    pairs = []
    for name in CLASSES:
        unused = [j for j in left(predictions, least) if predictions[j]["class"] == name]
        for i in [i for i, entry in enumerate(truth) if entry["class"] == name]:
            candidates = []
            for order, j in enumerate(unused):
                distance = np.linalg.norm(
                    np.array(truth[i]["centroid"]) - np.array(predictions[j]["centroid"])
                )
                if distance < radius or (distance == radius and rules != "grand-challenge"):
                    candidates.append((-confidence(predictions[j], rules), distance, order, j))
            if not candidates:
                continue
            _, distance, _, taken = min(candidates)
            if rules == "grand-challenge":
                taken = next(
                    j
                    for j in unused
                    if np.array_equal(predictions[j]["centroid"], predictions[taken]["centroid"])
                )
            unused.remove(taken)
            pairs.append((i, taken, float(distance)))
    return pairs


def tallies(
    truth: Nuclei, predictions: Nuclei, rules: str, radius: float = 15, least: float | None = None
) -> dict[str, tuple[int, int, int]]:
    """One image: TP, truth and predictions of each class."""
    hits = [truth[i]["class"] for i, _, _ in matched(truth, predictions, rules, radius, least)]
    kept = [predictions[j]["class"] for j in left(predictions, least)]
    return {
        name: (hits.count(name), sum(e["class"] == name for e in truth), kept.count(name)) for name in CLASSES
    }


def f1(hits: int, support: int, predicted: int) -> float | None:
    return 2 * hits / (support + predicted) if support + predicted else None


def class_value(rules: str, images: Sequence[tuple[int, int, int]]) -> float | None:
    """The value of one class from its counts in every image; None where it occurs in none."""
    values = [f1(*counts) for counts in images]
    occurring = [value for value in values if value is not None]
    if not occurring:
        return None
    if rules == "pooled":
        return f1(*(sum(column) for column in zip(*images, strict=True)))
    return sum(occurring) / (len(occurring) if rules == "description" else len(images))


def macro_f1(
    rules: str, images: Sequence[Mapping[str, tuple[int, int, int]]], in_data: int | None = None
) -> float | None:
    """From the counts of all images. in_data: classes that the whole test set holds, where these images are
    drawn from it."""
    values = [class_value(rules, [image[name] for image in images]) for name in CLASSES]
    occurring = [value for value in values if value is not None]
    if not occurring:
        return None
    if rules != "description":
        return sum(occurring) / len(occurring)
    return sum(occurring) / len(occurring) * (len(occurring) if in_data is None else in_data) / len(CLASSES)


def score(
    truth: Sequence[Nuclei],
    predictions: Sequence[Nuclei],
    rules: str,
    radius: float = 15,
    least: float | None = None,
) -> float:
    return macro_f1(
        rules, [tallies(t, p, rules, radius, least) for t, p in zip(truth, predictions, strict=True)]
    )
