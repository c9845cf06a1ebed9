"""Quality of outlines: panoptic quality by class, IoU and Dice of matched nuclei. It is never part of the
score."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.challenges.puma.formula import image_sums
from scoring.challenges.puma.nuclei_matching import K, Matching, PairedNuclei
from scoring.challenges.puma.nucleus_classes import CLASSES
from scoring.common.arrays import Array, Bools, Floats, Ints
from scoring.common.findings import Finding, note, warning
from scoring.inputs.nuclei.reader import Nuclei
from scoring.metrics import dice_and_panoptic_quality
from scoring.metrics import polygon_overlap as geometry
from scoring.metrics.classification import divide, f_score, mean_of_defined
from scoring.metrics.dice_and_panoptic_quality import LEAST_IOU, panoptic_quality, segmentation_quality
from scoring.metrics.greedy_matching import match_by_overlap
from scoring.metrics.polygon_overlap import Outlines
from scoring.statistics.interval_basis import QuantityName, counted
from scoring.statistics.replicates import Quantities, Replicates

METRICS = ("pq", "sq", "rq", "matched_iou", "matched_dice")
"""Panoptic quality and its parts, as means over the classes; IoU and Dice of the matched nuclei."""


@dataclass(frozen=True)
class OutlineTallies:
    """Sums of outline measures by image and class [N, K]; 0 in images that are left out.

    Attributes:
        support, predicted: Number of true and of predicted nuclei.
        true_positive: Nuclei whose outlines match (IoU above 0.5).
        matched_iou, matched_dice: Sums of the IoU and Dice of their outlines.
    """

    support: Floats
    predicted: Floats
    true_positive: Floats
    iou: Floats
    matched: Floats
    matched_iou: Floats
    matched_dice: Floats


@dataclass(frozen=True)
class MeasuredOutlines:
    """Measured outlines of all images.

    Attributes:
        tallies: Sums per image and class.
        iou: IoU of each true nucleus that the score matches with a prediction [n]; NaN for others and in
            images that are left out.
        left_out: Which images are left out, because truth or prediction lists positions without outlines,
            bool [N].
        repaired: Which outlines of truth and predictions crossed or touched themselves and were repaired,
            bool [n] and [m].
    """

    tallies: OutlineTallies
    iou: Floats
    left_out: Bools
    repaired: tuple[Bools, Bools]


def measure(
    truth: Sequence[Nuclei], predicted: Sequence[Nuclei], d: PairedNuclei, m: Matching
) -> MeasuredOutlines:
    """Measure the outlines of all images.

    Args:
        truth: Nuclei of each image [N].
        predicted: Predicted nuclei of each image [N].
        d: The same nuclei of all images, in one list for the truth and one for the predictions.
    """
    true, predicted_outlines = _outlines(truth), _outlines(predicted)
    case, case_found = d.truth.case, d.predicted.case
    without = np.bincount(case[~true.drawn], minlength=len(d)) + np.bincount(
        case_found[~predicted_outlines.drawn & m.confident], minlength=len(d)
    )
    left_out = without > 0
    rows = np.flatnonzero((m.prediction >= 0) & ~left_out[case])
    pairs = _pairs(true, predicted_outlines, d, m, left_out)
    keys = _keys(pairs, len(predicted_outlines))
    matched = _keys((rows, m.prediction[rows]), len(predicted_outlines))
    every, pair_index = np.unique(np.concatenate([keys, matched]), return_inverse=True)
    both = np.divmod(every, max(len(predicted_outlines), 1))
    common = geometry.intersections(true, predicted_outlines, both)
    areas = true.areas[both[0]], predicted_outlines.areas[both[1]]
    iou, dice = geometry.iou(common, *areas), dice_and_panoptic_quality.dice(common, *areas, empty="zero")
    of_pairs, of_matched = pair_index[: len(keys)], pair_index[len(keys) :]
    chosen = np.sort(match_by_overlap(*pairs, iou[of_pairs], LEAST_IOU))
    cells = case * K + d.truth.classes
    counted = ~left_out[case]
    of_found = (case_found * K + d.predicted.classes)[m.confident & ~left_out[case_found]]

    def summed(where: Ints, values: Floats | None = None) -> Floats:
        return np.bincount(where, values, len(d) * K).reshape(len(d), K).astype(float)

    hits = cells[pairs[0][chosen]]
    tallies = OutlineTallies(
        summed(cells[counted]),
        summed(of_found),
        summed(hits),
        summed(hits, iou[of_pairs][chosen]),
        summed(cells[rows]),
        summed(cells[rows], iou[of_matched]),
        summed(cells[rows], dice[of_matched]),
    )
    of_truth = np.full(len(true), np.nan)
    of_truth[rows] = iou[of_matched]
    return MeasuredOutlines(tallies, of_truth, left_out, (true.repaired, predicted_outlines.repaired))


def matched_iou(truth: Nuclei, predicted: Nuclei, pairs: tuple[Ints, Ints]) -> Floats:
    """Return the IoU of pairs of nuclei in one image [p]; NaN if one has no outline. `pairs` are the
    positions of truth and prediction [p]."""
    true, predicted_outlines = _outlines([truth]), _outlines([predicted])
    common = geometry.intersections(true, predicted_outlines, pairs)
    values = geometry.iou(common, true.areas[pairs[0]], predicted_outlines.areas[pairs[1]])
    return np.where(true.drawn[pairs[0]] & predicted_outlines.drawn[pairs[1]], values, np.nan)


def _outlines(nuclei: Sequence[Nuclei]) -> Outlines:
    """Return the outlines of several images in one list."""
    lengths = np.concatenate([np.diff(n.starts.astype(int)) for n in nuclei])
    vertices = np.concatenate([n.vertices for n in nuclei])
    return geometry.outlines(vertices, np.concatenate([[0], np.cumsum(lengths)]))


def _pairs(
    true: Outlines, predicted: Outlines, d: PairedNuclei, m: Matching, left_out: Bools
) -> tuple[Ints, Ints]:
    """Return all pairs of an image and class whose outlines may match, positions of truth and prediction."""
    parts: list[tuple[Ints, Ints]] = [(np.empty(0, int), np.empty(0, int))]
    for i in np.flatnonzero(~left_out).tolist():
        (t, t_end), (p, p_end) = d.truth.first[i : i + 2], d.predicted.first[i : i + 2]
        true_part, predicted_part = _part(true, t, t_end), _part(predicted, p, p_end)
        pairs = geometry.possible(true_part, predicted_part, LEAST_IOU)
        parts.append((pairs[0] + t, pairs[1] + p))
    rows, columns = (np.concatenate([part[side] for part in parts]) for side in (0, 1))
    same = (d.truth.classes[rows] == d.predicted.classes[columns]) & m.confident[columns]
    return rows[same], columns[same]


def _part(of: Outlines, start: int, end: int) -> Outlines:
    return Outlines(of.shapes[start:end], of.areas[start:end], of.repaired[start:end], of.drawn[start:end])


def _keys(pairs: tuple[Ints, Ints], predictions: int) -> Ints:
    """Return a number of each pair, by which both positions are found again."""
    keys: Ints = pairs[0].astype(np.int64) * max(predictions, 1) + pairs[1]
    return keys


def quantities(t: OutlineTallies, weights: Floats) -> dict[QuantityName, Floats]:
    """Return every quantity as arrays [B] by name, for weights [B, N]. Quantities of a class have the key
    (name, class).

    The panoptic quality of a class is computed from sums over images. The mean is over classes that occur.
    """
    s = OutlineTallies(*image_sums([getattr(t, name) for name in OutlineTallies.__annotations__], weights))
    by_class = {
        "pq": panoptic_quality(s.iou, s.support, s.predicted),
        "sq": segmentation_quality(s.iou, s.true_positive),
        "rq": f_score(s.true_positive, s.support, s.predicted),
        "matched_iou": divide(s.matched_iou, s.matched),
        "matched_dice": divide(s.matched_dice, s.matched),
    }
    values: dict[QuantityName, Floats] = {
        name: mean_of_defined(by_class[name]) for name in ("pq", "sq", "rq")
    }
    values["matched_iou"] = divide(s.matched_iou.sum(1), s.matched.sum(1))
    values["matched_dice"] = divide(s.matched_dice.sum(1), s.matched.sum(1))
    return values | {
        (name, class_name): of_class[:, k]
        for name, of_class in by_class.items()
        for k, class_name in enumerate(CLASSES)
    }


def basis(t: OutlineTallies, units: Ints) -> dict[Any, int]:
    """Return how many units the quality of each class depends on: those with a nucleus of the class or, for
    some measures, with a match."""
    members = {
        **dict.fromkeys(("pq", "rq"), t.support + t.predicted),
        "sq": t.true_positive,
        **dict.fromkeys(("matched_iou", "matched_dice"), t.matched),
    }
    cells = {(name, c): of[:, k] > 0 for name, of in members.items() for k, c in enumerate(CLASSES)}
    return counted(cells, units)


def per_class(point: Quantities, replicates: Replicates) -> dict[str, dict[str, Any]]:
    """Return the columns that outlines add to the row of each class."""
    return {
        name: {
            **{measure: point[measure, name][0] for measure in METRICS},
            **{
                f"{measure}_interval": replicates.intervals[measure, name]
                for measure in METRICS
                if replicates.values
            },
        }
        for name in CLASSES
    }


def cases(measured: MeasuredOutlines) -> list[dict[str, Any]]:
    """Return the columns that outlines add to the row of each image; NaN if undefined."""
    values = quantities(measured.tallies, np.eye(len(measured.left_out)))
    return [
        {name: np.nan if left_out else values[name][i] for name in METRICS}
        for i, left_out in enumerate(measured.left_out.tolist())
    ]


def findings(
    measured: MeasuredOutlines, ids: Sequence[str], d: PairedNuclei, names: tuple[str, str]
) -> Iterator[Finding]:
    """Yield findings about outlines that were repaired or left out. `names` are the names of truth and
    predictions in messages."""
    sides = (d.truth, d.predicted)
    for side, repaired, where in zip(sides, measured.repaired, names, strict=True):
        rows = np.flatnonzero(repaired)
        if len(rows):
            first = f"nucleus {side.numbers[rows[0]]} of {ids[side.case[rows[0]]]}"
            message = (
                f"{len(rows):,} outline{'s' * (len(rows) > 1)} cross or touch themselves (first: {first}): "
                "repaired to measure outlines; the score uses only the centres of nuclei."
            )
            yield note("mended-outlines", where, message)
    left_out = np.flatnonzero(measured.left_out)
    if len(left_out):
        message = (
            f"{len(left_out):,} of {len(ids):,} tiles have nuclei without outlines, in the truth or in the "
            f"predictions (first: {ids[left_out[0]]}): the outlines of these tiles are not measured."
        )
        yield warning("no-outlines", names[1], message)


def summary(measured: MeasuredOutlines) -> dict[str, Any]:
    """Return the entry `outlines` of a scorecard, which says what was measured."""
    t = measured.tallies
    return {
        "n_tiles": int((~measured.left_out).sum()),
        "n_truth": int(t.support.sum()),
        "n_predicted": int(t.predicted.sum()),
        "n_found": int(t.true_positive.sum()),
        "n_matched": int(t.matched.sum()),
        "mended_truth": int(measured.repaired[0].sum()),
        "mended_predictions": int(measured.repaired[1].sum()),
    }


def arrays(measured: MeasuredOutlines) -> dict[str, Array]:
    """Return the read-only arrays of outlines for a scorecard. matched_iou is the IoU of each true nucleus
    [n]."""
    measured.iou.setflags(write=False)
    return {"matched_iou": measured.iou}
