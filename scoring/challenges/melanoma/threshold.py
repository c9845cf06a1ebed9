"""What another threshold than the official one would give on the cases of a scorecard. No number of the card
changes."""

from collections.abc import Callable, Sequence

import numpy as np

from scoring.challenges.melanoma.card import curve_weights
from scoring.challenges.melanoma.formula import BETA, CLASSES, THRESHOLD, combined
from scoring.challenges.melanoma.replicate_counts import ReplicateCounts, ordered, ranked, replicated
from scoring.challenges.melanoma.scores import are_risks
from scoring.common.arrays import Array, Bools, Floats
from scoring.core.scorecard import ScoreCard, plain
from scoring.metrics import binary
from scoring.metrics.binary import Decisions, OperatingPoint, ThresholdCounts
from scoring.statistics.intervals import QUANTILES
from scoring.statistics.replicates import Quantities, QuantityName

Interval = list[float] | None
"""A 95 % interval [low, high]; None where undefined."""
ValueWithInterval = tuple[float | None, Interval]


def at_threshold(card: ScoreCard, threshold: float) -> dict[str, ValueWithInterval]:
    """Return F2, accuracy, score, recall, specificity and precision when "score > threshold" decides: the
    number and its interval on the card's replicates.

    It changes no official number. Cases without a score stay wrong.
    """

    def quantities(counted: ReplicateCounts) -> dict[QuantityName, Floats]:
        d = binary.decisions_at(counted.counts, threshold)
        return {
            "f2": binary.f_beta(d, BETA),
            "accuracy": binary.accuracy(d),
            "score": combined(d, counted.auc),
            "recall": binary.recall(d),
            "specificity": binary.specificity(d),
            "precision": binary.precision(d),
        }

    return _with_intervals(card, quantities)


def _with_intervals(
    card: ScoreCard, quantities: Callable[[ReplicateCounts], Quantities]
) -> dict[str, ValueWithInterval]:
    point, found = replicated(card, quantities)
    return {
        name: (plain(float(values[0])), found.intervals.get(name))
        for name, values in point.items()
        if isinstance(name, str)
    }


def counts_at(card: ScoreCard, threshold: float) -> list[list[int]]:
    """Return the confusion matrix [[TN, FP], [FN, TP]] when "score > threshold" decides."""
    ranks, positive = ranked(card)
    return [
        [int((~positive & (ranks <= threshold)).sum()), int((~positive & (ranks > threshold)).sum())],
        [int((positive & (ranks <= threshold)).sum()), int((positive & (ranks > threshold)).sum())],
    ]


def predictive_values(
    card: ScoreCard, threshold: float, prevalence: float | None = None
) -> dict[str, ValueWithInterval]:
    """Return what a call is worth where `prevalence` of the people (0..1; default: that of these cases) have
    a melanoma, each with its interval.

    flagged: share of the people called positive. precision: share of the flagged with a melanoma.
    missed_among_cleared: share of the others with one. Sensitivity and specificity are those of these cases:
    a change of prevalence alone is assumed to leave them as they are.
    """
    _, positive = ranked(card)
    share = prevalence if prevalence is not None else float(positive.mean())

    def quantities(counted: ReplicateCounts) -> dict[QuantityName, Floats]:
        d = binary.decisions_at(counted.counts, threshold)
        sensitivity, specificity = binary.recall(d), binary.specificity(d)
        return {
            "recall": sensitivity,
            "specificity": specificity,
            "flagged": sensitivity * share + (1 - specificity) * (1 - share),
            "precision": binary.precision_at_prevalence(sensitivity, specificity, share),
            "missed_among_cleared": binary.precision_at_prevalence(1 - sensitivity, 1 - specificity, share),
        }

    return _with_intervals(card, quantities)


def at_sensitivity(card: ScoreCard, wanted: float) -> tuple[OperatingPoint | None, Interval]:
    """Return the threshold of the highest specificity with at least the wanted sensitivity, and the interval
    of that specificity.

    Every replicate chooses its own threshold, as in the metric specificity_at_90_sensitivity. None with one
    class only.
    """
    return _wanted(card, wanted, binary.point_at_sensitivity, binary.specificity_at_sensitivity)


def at_specificity(card: ScoreCard, wanted: float) -> tuple[OperatingPoint | None, Interval]:
    """Return the threshold of the highest sensitivity with at least the wanted specificity, and the interval
    of that sensitivity; see `at_sensitivity`."""
    return _wanted(card, wanted, binary.point_at_specificity, binary.sensitivity_at_specificity)


def _wanted(
    card: ScoreCard,
    wanted: float,
    choose: Callable[[Floats, Bools, float], OperatingPoint | None],
    reached: Callable[[ThresholdCounts, float], Floats],
) -> tuple[OperatingPoint | None, Interval]:
    ranks, positive = ranked(card)
    found = _with_intervals(card, lambda counted: {"reached": reached(counted.counts, wanted)})
    return choose(ranks, positive, wanted), found["reached"][1]


def thresholds(card: ScoreCard, most: int | None = None, included: Sequence[float] = ()) -> dict[str, Array]:
    """Return F2, accuracy, score, recall, specificity and precision at every distinct decision "score > t",
    from high to low t; "threshold" holds t.

    The candidates are 0.5 and the midpoints between successive scores, one above and one below all. most:
    keep that many of them, evenly spread, the first, the last and 0.5 among them. included: more thresholds
    to stand among them.
    """
    candidates = ordered(card).cuts
    if most is not None and len(candidates) > most:
        spread = np.rint(np.linspace(0, len(candidates) - 1, most)).astype(int)
        candidates = candidates[np.unique(np.r_[spread, np.flatnonzero(candidates == THRESHOLD)])]
    candidates = np.unique(np.r_[candidates, included])[::-1]
    d = _decisions_at(card, candidates)
    auc = np.nan if card.metrics["auc"] is None else card.metrics["auc"]
    return {
        "threshold": candidates,
        "f2": binary.f_beta(d, BETA),
        "accuracy": binary.accuracy(d),
        "score": combined(d, auc),
        "recall": binary.recall(d),
        "specificity": binary.specificity(d),
        "precision": binary.precision(d),
    }


def _decisions_at(card: ScoreCard, cuts: Floats) -> Decisions:
    """Return counts [T] of "score > t" at each of the cuts [T]."""
    scores = ordered(card)
    order = scores.positive, scores.negative
    hits, alarms = ((len(values) - np.searchsorted(values, cuts, "right")).astype(float) for values in order)
    return Decisions(hits, alarms, len(scores.positive) - hits, len(scores.negative) - alarms)


def best_threshold(card: ScoreCard) -> float | None:
    """Return the threshold with the highest score on these very cases, nearest to 0.5 among equals; None
    where the score is undefined."""
    found = thresholds(card)
    if np.isnan(found["score"]).all():
        return None
    best = np.flatnonzero(np.round(found["score"], 12) == np.round(np.nanmax(found["score"]), 12))
    return float(found["threshold"][min(best, key=lambda i: abs(found["threshold"][i] - THRESHOLD))])


def threshold_range(card: ScoreCard) -> tuple[float, float]:
    """Return where thresholds are worth trying: 0 to 1 for risks, else the whole numbers around the scores
    and 0.5."""
    finite = card.arrays["rank_scores"][np.isfinite(card.arrays["rank_scores"])]
    if not len(finite) or are_risks(finite):
        return 0.0, 1.0
    return float(np.floor(min(finite.min(), THRESHOLD))), float(np.ceil(max(finite.max(), THRESHOLD)))


def histogram(card: ScoreCard, bins: int = 40) -> dict[str, Array]:
    """Count the cases of each class with a score in each bin (low, high], the first with its low end: edges
    [bins + 1] over `threshold_range`.

    For risks 0.5 is an edge, so that each bin lies on one side of the official threshold. Cases without a
    score are left out.
    """
    edges = np.linspace(*threshold_range(card), bins + 1)
    scores, counts = ordered(card), {}
    for name, members in zip(CLASSES, (scores.negative, scores.positive), strict=True):
        finite = members[np.isfinite(members)]
        up_to = np.searchsorted(finite, edges[1:-1], "right")
        counts[name] = np.diff(np.r_[0, up_to, len(finite)])
    return {"edges": edges, **counts}


def net_benefit(card: ScoreCard, grid: Sequence[float], prevalence: float | None = None) -> dict[str, Array]:
    """Return the net benefit of deciding by "score > t" at each t of an ascending grid in [0, 1), of calling
    everybody, and of calling nobody (0).

    prevalence: 0..1, the share of melanomas where the model would be used; default: that of these cases. low,
    high: pointwise 95 % bounds of the model's, on up to 300 of the card's replicates; absent without any.
    Vickers, Elkin 2006.
    """
    ranks, positive = ranked(card)
    cuts: Floats = np.asarray(grid, float)

    def benefit(d: Decisions) -> np.ndarray:
        return (
            binary.net_benefit(d, cuts)
            if prevalence is None
            else binary.net_benefit_at_prevalence(d, cuts, prevalence)
        )

    everybody = np.ones((len(cuts), 1)) * [positive.sum(), (~positive).sum(), 0, 0]
    found: dict[str, Array] = {
        "threshold": cuts,
        "model": benefit(_decisions_at(card, cuts)),
        "everybody": benefit(Decisions(*everybody.T)),
        "nobody": np.zeros(len(cuts)),
    }
    if not card.provenance["resamples"]:
        return found
    drawn = benefit(
        binary.decisions_along(ranks, positive, cuts, curve_weights(card.arrays["units"], card.provenance))
    )
    low, high = (
        np.nanquantile(drawn, QUANTILES, axis=0)
        if not np.isnan(drawn).all()
        else np.full((2, len(cuts)), np.nan)
    )
    return found | {"low": low, "high": high}
