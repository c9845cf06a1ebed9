"""Computes further results of a scorecard: the score at other radii and confidences, tissue statistics, and
signs of mistakes in files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import scipy

from scoring.challenges.doubtful_results import consequence
from scoring.challenges.puma import nuclei_matching
from scoring.challenges.puma.formula import (
    MICROMETRES_PER_PIXEL,
    RADIUS,
    RADIUS_RANGE,
    Tallies,
    class_values,
    macro_f1,
    sums,
)
from scoring.challenges.puma.nuclei_matching import MatchingRule, PairedNuclei, of_card, reaching, rule_of
from scoring.challenges.puma.nucleus_classes import CLASSES
from scoring.challenges.puma.predictions import NucleiPredictions
from scoring.common.arrays import Floats
from scoring.common.findings import SMALL_CLASS, Finding, note, warning
from scoring.core.scorecard import ScoreCard
from scoring.metrics.classification import divide
from scoring.statistics.replicates import Replicates

TUMOR, LYMPHOCYTES = CLASSES.index("tumor"), CLASSES.index("lymphocytes")
NEAR_MICROMETRES = (20, 50)
NO_CLASS = -1


def til_share(counts: np.ndarray) -> np.ndarray:
    """Return lymphocytes as a share of all nuclei, from counts [..., 10]; NaN without nuclei."""
    return divide(counts[..., LYMPHOCYTES], counts.sum(-1))


def square_millimetres(sizes: np.ndarray) -> np.ndarray:
    """Return the area of images in mm² [N], from sizes [N, 2] in px."""
    area: Floats = sizes.astype(float).prod(-1) * MICROMETRES_PER_PIXEL**2 / 1e6
    return area


def tumor_to_lymphocyte(
    classes: np.ndarray, points: np.ndarray, first: np.ndarray, counting: np.ndarray
) -> np.ndarray:
    """Return the distance in um from every tumour nucleus to the nearest lymphocyte of its image [n].

    NaN for other nuclei and in images without lymphocytes.

    Args:
        points: Positions in px [n, 2].
        first: Index of the first nucleus of each image [N + 1].
        counting: Nuclei that count, bool [n].
    """
    away = np.full(len(classes), np.nan)
    for start, end in pairwise(first):
        here, positions = np.where(counting[start:end], classes[start:end], NO_CLASS), points[start:end]
        tumor, lymphocytes = np.flatnonzero(here == TUMOR), positions[here == LYMPHOCYTES]
        if len(tumor) and len(lymphocytes):
            nearest = (
                positions[tumor] - lymphocytes[scipy.spatial.cKDTree(lymphocytes).query(positions[tumor])[1]]
            )
            away[start + tumor] = np.sqrt(nearest[:, 0] ** 2 + nearest[:, 1] ** 2) * MICROMETRES_PER_PIXEL
    return away


def drawn_within(*distances: np.ndarray) -> np.ndarray:
    """Return 61 evenly spaced distances (um) at which cumulative shares are drawn. The largest is the 99th
    percentile of the given distances, rounded to a multiple of 60."""
    defined = np.concatenate([values[~np.isnan(values)] for values in distances])
    most = np.percentile(defined, 99, method="higher") if len(defined) else 0.0
    return np.linspace(0, 60 * max(1.0, np.ceil(most / 60)), 61)


def cumulative(distances: np.ndarray, within: np.ndarray) -> np.ndarray | None:
    """Return the cumulative share of distances (um) up to each of `within` [n]. Undefined distances are
    ignored; None if all are undefined."""
    defined = np.sort(distances[~np.isnan(distances)])
    return np.searchsorted(defined, within, side="right") / len(defined) if len(defined) else None


def summary(distances: np.ndarray) -> dict[str, float] | None:
    """Return the number and the median (um) of the defined distances, and the shares of them up to 20 and 50
    um; None if there are none."""
    distances = distances[~np.isnan(distances)]
    if not len(distances):
        return None
    return {
        "n": len(distances),
        "median": float(np.median(distances)),
        **{f"within_{reach}": float((distances <= reach).mean()) for reach in NEAR_MICROMETRES},
    }


def score_warnings(
    d: PairedNuclei,
    predictions: NucleiPredictions,
    rule: MatchingRule,
    counted: Tallies,
    metrics: Mapping[str, Any],
    replicates: Replicates,
) -> Iterator[Finding]:
    """Yield warnings and notes about the score. `counted` are the counts by the chosen rule."""
    changed = [f"radius {rule.radius:g} px"] * (rule.radius != RADIUS)
    if rule.min_confidence is not None:
        changed.append(f"only predictions of confidence {rule.min_confidence:g} and more")
    if changed:
        message = (
            f"{' and '.join(changed)}: not the challenge's rule ({RADIUS:g} px, every prediction). "
            "Do not compare this score with others."
        )
        yield warning("changed-rules", "score", message)
    yield from _classes(counted, len(d))
    if not metrics["n_predicted"]:
        message = (
            "no predicted nucleus is scored: precision and the predicted share of lymphocytes are "
            "undefined (null)."
        )
        yield warning("no-predictions", predictions.name, message)
    if rule.name == "grand-challenge":
        yield from _deviations(d, predictions)
    if replicates.values:
        yield from _few_images(counted, len(d), replicates.kind)


def _few_images(counted: Tallies, images: int, kind: str | None) -> Iterator[Finding]:
    if images < SMALL_CLASS:
        width = consequence("intervals of every F1", images, kind)
        yield warning("few-cases-in-class", "per_class", f"{images} image{'s' * (images > 1)}: {width}.")
        return
    held = zip(CLASSES, (counted.support > 0).sum(0).tolist(), strict=True)
    for name, n in ((name, n) for name, n in held if 0 < n < SMALL_CLASS):
        width = consequence("interval of F1", n, kind)
        holding = f"{n} image{'s contain' if n > 1 else ' contains'} this class"
        yield warning("few-cases-in-class", name, f"{holding}: {width}.")


def _classes(counted: Tallies, images: int) -> Iterator[Finding]:
    for name, support, predicted in zip(
        CLASSES, counted.support.sum(0).tolist(), counted.predicted.sum(0).tolist(), strict=True
    ):
        if not support:
            consequence = (
                f"it is predicted {predicted:,} time{'s' * (predicted > 1)}, always wrongly, so its F1 is 0"
                if predicted
                else "its F1 counts as 0 in the mean of ten classes (macro_f1)"
            )
            message = (
                f"the truth ({images} image{'s' * (images > 1)}) has no nucleus of this class; {consequence}."
            )
            yield warning("absent-class", name, message)
        elif not predicted:
            yield warning(
                "never-predicted",
                name,
                f"the truth has {support:,} {'nuclei' if support > 1 else 'nucleus'} of this "
                "class, but none is predicted: its F1 is 0.",
            )


def _deviations(d: PairedNuclei, predictions: NucleiPredictions) -> Iterator[Finding]:
    missing = int(d.missing.sum())
    if missing:
        message = (
            f"Benchside scores {missing} missing case{'s' * (missing > 1)} as empty; the official "
            "evaluator would stop instead."
        )
        yield note("differs-from-platform", predictions.name, message)
    if any(len(n) and not len(n.vertices) for n in predictions.nuclei):
        message = "Benchside scores centroids; the official evaluator reads only polygons."
        yield note("differs-from-platform", predictions.name, message)
    unread = int((d.confidence != d.score).sum())
    if unread:
        message = (
            f"{unread:,} nuclei have their confidence under another key than `score`. This rule "
            "ignores that key and matches these nuclei by distance alone."
        )
        yield note("confidence-not-read", predictions.name, message)


MOST_PAIRS = 2_000_000
"""Maximum number of pairs of nuclei from which a curve is computed."""


def widest(card: ScoreCard) -> PairedNuclei:
    """Return the nuclei of a scorecard with all pairs up to 30 px apart. If nuclei are crowded,
    there are only pairs within the scorecard's radius."""
    d = of_card(card)
    return reaching(d, RADIUS_RANGE[1], MOST_PAIRS) or d


def along_radius(card: ScoreCard, steps: int = 30) -> dict[str, Floats]:
    """Return the score at matching radii from 1 to 30 px: "x" is the radius in px, "y" the score. Rule and
    smallest confidence are those of the scorecard. If nuclei are crowded, the curve ends at the radius of the
    scorecard."""
    rule, x, d = rule_of(card), np.linspace(*RADIUS_RANGE, steps), widest(card)
    x = x[x <= d.reach]
    return _along(d, x, [replace(rule, radius=float(radius)) for radius in x])


def along_confidence(card: ScoreCard, steps: int = 30) -> dict[str, Floats]:
    """Return the score if predictions below a confidence are left out: "x" is this confidence, "y" the score.

    Rule and radius are those of the scorecard. The values of "x" are spread evenly among the confidences; the
    first leaves out nothing.
    """
    rule, values = rule_of(card), np.unique(np.r_[card.arrays["confidence"], 0.0])
    x = values[np.unique(np.rint(np.linspace(0, len(values) - 1, steps)).astype(int))]
    return _along(of_card(card), x, [replace(rule, min_confidence=float(least)) for least in x])


def _along(d: PairedNuclei, x: Floats, rules: Sequence[MatchingRule]) -> dict[str, Floats]:
    return {"x": x, "y": np.array([_score(d, rule) for rule in rules])}


def _score(d: PairedNuclei, rule: MatchingRule) -> float:
    counted = nuclei_matching.tallies(d, nuclei_matching.match(d, rule))
    values = class_values(rule.name, sums(counted, np.ones((1, len(d)))))
    return float(macro_f1(rule.name, values, int(counted.occurs.any(0).sum()))[0])


SHIFT_PX = 5.0
TIMES = 2
LEAST_PAIRS, DENSER = 10, 3
"""Minimum number of pairs of nuclei with the same offset, and minimum ratio of this number to the number
expected by chance."""
AGREE_PX, SMOOTHING_PX = 5.0, 2.0


def shift(card: ScoreCard) -> np.ndarray:
    """Return how far the predictions are shifted from the truth in px, to the right and down [2].

    True nuclei are paired with predictions of the same class within 30 px. The result is the offset on which
    most pairs agree within 5 px; NaN if no offset is clear.
    """
    ways, _, reach = _ways(card)
    return _densest(ways, reach)


def shifts(card: ScoreCard) -> np.ndarray:
    """Return the shift of every image, as in `shift` [N, 2]."""
    ways, of_case, reach = _ways(card)
    return np.array([_densest(ways[of_case == case], reach) for case in range(len(card.cases))])


def _ways(card: ScoreCard) -> tuple[np.ndarray, np.ndarray, float]:
    """From truth nuclei to the kept predictions of their class nearby [P, 2], the image of each [P], and what
    is nearby, px."""
    d = widest(card)
    pairs = d.pairs[
        (d.truth.classes[d.pairs.truth] == d.predicted.classes[d.pairs.prediction])
        & _kept(card)[d.pairs.prediction]
    ]
    return (
        d.predicted.points[pairs.prediction] - d.truth.points[pairs.truth],
        d.truth.case[pairs.truth],
        float(d.reach),
    )


def _densest(ways: np.ndarray, reach: float) -> np.ndarray:
    edges = np.arange(-np.ceil(reach) - 0.5, np.ceil(reach) + 1)
    counts = scipy.ndimage.gaussian_filter(
        np.histogram2d(ways[:, 0], ways[:, 1], bins=[edges, edges])[0], SMOOTHING_PX, mode="constant"
    )
    peak = edges[list(np.unravel_index(counts.argmax(), counts.shape))] + 0.5
    agreeing = np.hypot(*(ways - peak).T) <= AGREE_PX
    by_chance = len(ways) * (AGREE_PX / reach) ** 2
    if agreeing.sum() >= max(LEAST_PAIRS, DENSER * by_chance):
        return np.asarray(ways[agreeing].mean(0))
    return np.full(2, np.nan)


def _kept(card: ScoreCard) -> np.ndarray:
    return rule_of(card).keeps(card.arrays["confidence"])


def suspicious_signs(card: ScoreCard) -> tuple[tuple[str, ...], ...]:
    """Return texts about signs of mistakes, for each case: a missing file, no predictions, all predictions in
    one class although the truth has at least three, a shift of at least 5 px, or more than twice or fewer
    than half as many nuclei as in the truth."""
    d, counting = of_card(card), _kept(card)
    occurring = np.zeros((2, len(d), len(CLASSES)), bool)
    occurring[0][d.truth.case, d.truth.classes] = True
    occurring[1][d.predicted.case[counting], d.predicted.classes[counting]] = True
    one_class = (occurring[0].sum(1) > 2) & (occurring[1].sum(1) == 1)
    away = np.hypot(*shifts(card).T)
    return tuple(tuple(_of_case(row, bool(one_class[i]), float(away[i]))) for i, row in enumerate(card.cases))


def _of_case(row: Mapping[str, Any], one_class: bool, away: float) -> Iterator[str]:
    true, predicted = row["n_truth"], row["n_predicted"]
    if row["missing"]:
        yield "missing"
    elif true and not predicted:
        yield "nothing predicted"
    elif predicted > TIMES * true:
        yield f"{predicted / true:.1f} × the true number" if true else "the truth has none"
    elif TIMES * predicted < true:
        yield f"{predicted / true:.0%} of the true number"
    if one_class:
        yield "one class only"
    if away >= SHIFT_PX:
        yield f"shifted {away:.0f} px"
