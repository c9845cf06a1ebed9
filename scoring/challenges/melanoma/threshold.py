"""Results at thresholds other than 0.5, for the cases of a Melanoma scorecard. No number of the card
changes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from scoring.challenges.melanoma.formula import BETA, CLASSES, THRESHOLD, combined
from scoring.challenges.melanoma.measures import are_risks, basis_of_decisions
from scoring.common.arrays import Array, Bools, Floats, Ints
from scoring.core.scorecard import ScoreCard, plain
from scoring.metrics import binary, curves
from scoring.metrics.binary import Decisions, OperatingPoint, ThresholdCounts
from scoring.statistics import replicates
from scoring.statistics.interval_basis import Basis, QuantityName, beyond, counted
from scoring.statistics.interval_options import StatisticsOptions
from scoring.statistics.intervals import QUANTILES
from scoring.statistics.replicates import (
    Quantities,
    Replicates,
    curve_weights,
    leave_one_out_weights,
    replicate_weights,
)

KEPT_BYTES, KEPT_CARDS = 64_000_000, 2
"""Maximum bytes of counts that are cached for a card (40 MB for 10,000 cases and 1,000 replicates), and
maximum number of cached cards. Larger counts are computed again each time."""
ROWS = 64
"""Number of replicates that are counted at once. The sums of so few replicates fit into the processor's
cache."""
Interval = list[float] | None
"""A 95 % interval [low, high]; None if undefined."""
ValueWithInterval = tuple[float | None, Interval]


@dataclass(frozen=True)
class ReplicateCounts:
    """Counts on B bootstrap replicates.

    Attributes:
        counts: Positives and negatives at or above every score [B, T].
        auc: Areas under the ROC curve [B].
    """

    counts: ThresholdCounts
    auc: Floats


class _Cases(NamedTuple):
    """What a card's counts depend on, as bytes: they are compared, whatever card they come from. Scores as
    they rank, float64, which cases are positive, bool, and their unit numbers, int64, [N] each."""

    ranks: bytes
    positive: bytes
    units: bytes

    def arrays(self) -> tuple[Floats, Bools, Ints]:
        kinds = zip(self, (float, bool, np.int64), strict=True)
        ranks, positive, units = (np.frombuffer(values, kind) for values, kind in kinds)
        return ranks, positive, units


@dataclass(frozen=True)
class Ordered:
    """Sorted scores of a scorecard.

    Attributes:
        cuts: All thresholds that give different decisions "score > t", descending: 0.5, the midpoints of
            successive scores, one above all scores, and one below.
        positive: Scores of the melanomas, as used for ranking, ascending.
    """

    cuts: Floats
    positive: Floats
    negative: Floats


def ranked(card: ScoreCard) -> tuple[Floats, Bools]:
    """Return the scores that rank the cases [N], and which cases are melanomas [N]."""
    return card.arrays["rank_scores"], card.arrays["truth"] == 1


def ordered(card: ScoreCard) -> Ordered:
    """Return the sorted scores of a scorecard; the result is cached."""
    return _ordered(_cases(card))


def _cases(card: ScoreCard) -> _Cases:
    ranks, positive = ranked(card)
    return _Cases(ranks.astype(float).tobytes(), positive.tobytes(), _units(card).tobytes())


def _units(card: ScoreCard) -> Ints:
    return card.arrays["units"].astype(np.int64)


@lru_cache(maxsize=KEPT_CARDS)
def _ordered(cases: _Cases) -> Ordered:
    ranks, positive, _ = cases.arrays()
    finite = np.unique(ranks[np.isfinite(ranks)])[::-1]
    between = binary.cuts_between(np.r_[np.inf, finite], np.r_[finite, -np.inf])
    cuts = np.unique(np.r_[THRESHOLD, between])[::-1]
    arrays = cuts, np.sort(ranks[positive]), np.sort(ranks[~positive])
    for values in arrays:
        values.flags.writeable = False
    return Ordered(*arrays)


def _with_intervals(
    card: ScoreCard, quantities: Callable[[ReplicateCounts], Quantities], basis: Basis
) -> dict[str, ValueWithInterval]:
    """Return quantities of the test set itself with their intervals on the card's own replicates.

    Args:
        quantities: Function of what was counted on B replicates that gives each quantity [B].
    """
    source, cases = card.provenance, _cases(card)
    options = StatisticsOptions(source["resamples"], source["seed"], interval=source["options"]["interval"])
    point = quantities(ReplicateCounts(_itself(cases), np.array([_auc(card)])))
    drawn = Replicates({}, {}, ())
    if options.resamples:
        n_units = int(_units(card).max()) + 1
        values = replicates.evaluate(quantities, _drawn(card, cases, options))
        needed = _without_each_unit(cases) if replicates.needs_left_out(n_units, options) else None
        left_out = {} if needed is None else replicates.evaluate(quantities, needed)
        drawn = replicates.of_values(values, left_out, point, n_units, options, basis)
    return {
        name: (plain(float(value[0])), drawn.intervals.get(name))
        for name, value in point.items()
        if isinstance(name, str)
    }


def _auc(card: ScoreCard) -> float:
    auc = card.metrics["auc"]
    return np.nan if auc is None else auc


def _drawn(card: ScoreCard, cases: _Cases, options: StatisticsOptions) -> Iterator[ReplicateCounts]:
    """Yield what is counted on the replicates: at once where it is kept, else in parts."""
    areas, n = card.arrays["auc_replicates"], options.resamples
    ranks, positive, units = cases.arrays()
    if len(ranks) * n * _kind(units).itemsize * 2 <= KEPT_BYTES:
        yield ReplicateCounts(_kept(cases, n, options.seed), areas)
        return
    start = 0
    for counts in _counted(ranks, positive, replicate_weights(units, n, options.seed)):
        end = start + len(counts.true_positive)
        yield ReplicateCounts(counts, areas[start:end])
        start = end


def _without_each_unit(cases: _Cases) -> Iterator[ReplicateCounts]:
    ranks, positive, units = cases.arrays()
    for weights in leave_one_out_weights(units):
        areas = curves.resampled_auc(ranks, positive, weights)
        yield ReplicateCounts(binary.count_by_threshold(ranks, positive, weights), areas)


def _kind(units: Ints) -> np.dtype[Any]:
    """The smallest type that holds the cases of any replicate."""
    most = int(np.bincount(units).max()) * (int(units.max()) + 1)
    return np.dtype(np.uint16 if most < 2**16 else np.uint32)


@lru_cache(maxsize=KEPT_CARDS)
def _itself(cases: _Cases) -> ThresholdCounts:
    ranks, positive, _ = cases.arrays()
    return binary.count_by_threshold(ranks, positive, np.ones((1, len(ranks)), np.float32))


@lru_cache(maxsize=KEPT_CARDS)
def _kept(cases: _Cases, resamples: int, seed: int) -> ThresholdCounts:
    """Count all replicates. The counts of a threshold are contiguous in memory, so that a lookup is fast."""
    ranks, positive, units = cases.arrays()
    thresholds = np.unique(ranks)[::-1]
    hits, alarms = (np.empty((len(thresholds), resamples), _kind(units)) for _ in range(2))
    start = 0
    for counts in _counted(ranks, positive, replicate_weights(units, resamples, seed)):
        end = start + len(counts.true_positive)
        hits[:, start:end], alarms[:, start:end] = counts.true_positive.T, counts.false_positive.T
        start = end
    hits.flags.writeable = alarms.flags.writeable = False
    return ThresholdCounts(thresholds, hits.T, alarms.T)


def _counted(ranks: Floats, positive: Bools, blocks: Iterable[Floats]) -> Iterator[ThresholdCounts]:
    for weights in blocks:
        for start in range(0, len(weights), ROWS):
            yield binary.count_by_threshold(ranks, positive, weights[start : start + ROWS])


def at_threshold(card: ScoreCard, threshold: float) -> dict[str, ValueWithInterval]:
    """Return measures for the decision "score > threshold", each with its interval on the replicates of the
    scorecard.

    The measures are F2, accuracy, score, recall, specificity and precision. Official numbers do not change.
    Cases without a score count as wrong at every threshold.
    """

    def quantities(counted: ReplicateCounts) -> dict[QuantityName, Floats]:
        of_decisions = _reached(binary.decisions_at(counted.counts, threshold), counted.auc)
        return of_decisions | {"auc": counted.auc}

    ranks, positive = ranked(card)
    basis = basis_of_decisions(positive, ranks > threshold, _units(card))
    reached = _with_intervals(card, quantities, basis)
    del reached["auc"]  # the score's interval rests on it, the threshold does not move it
    return reached


def _reached(d: Decisions, auc: float | Floats) -> dict[Any, Floats]:
    """Return the results of decisions; the AUC does not depend on them."""
    return {
        "f2": binary.f_beta(d, BETA),
        "accuracy": binary.accuracy(d),
        "score": combined(d, auc),
        "recall": binary.recall(d),
        "specificity": binary.specificity(d),
        "precision": binary.precision(d),
    }


def counts_at(card: ScoreCard, threshold: float) -> list[list[int]]:
    """Return the confusion matrix [[TN, FP], [FN, TP]] for the decision "score > threshold"."""
    d = _decisions_at(card, np.array([threshold]))
    rows = (d.true_negative, d.false_positive), (d.false_negative, d.true_positive)
    return [[int(counts[0]) for counts in row] for row in rows]


def predictive_values(
    card: ScoreCard, threshold: float, prevalence: float | None = None
) -> dict[str, ValueWithInterval]:
    """Return the positive and negative predictive value at a given prevalence of melanoma, each with its
    interval.

    Sensitivity and specificity are those of the test set. The calculation assumes that they do not depend on
    prevalence.

    Args:
        prevalence: Share of people with a melanoma (0..1); None: as in the test set.

    Returns:
        "flagged": share of people who are predicted positive. "precision": share of these people who have a
        melanoma. "missed_among_cleared": share of all other people who have a melanoma.
    """
    ranks, positive = ranked(card)
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

    resting = dict.fromkeys(("recall", "missed_among_cleared"), positive)
    resting |= {"specificity": ~positive, "precision": ranks > threshold}
    return _with_intervals(card, quantities, Basis(counted(resting, _units(card))))


def at_sensitivity(card: ScoreCard, wanted: float) -> tuple[OperatingPoint | None, Interval]:
    """Return, of all thresholds that reach a sensitivity, the one with the highest specificity, and the
    interval of this specificity.

    Every replicate chooses its own threshold, as in the metric specificity_at_90_sensitivity. The operating
    point is None if the test set has only one class.
    """
    _, positive = ranked(card)
    return _wanted(card, wanted, binary.point_at_sensitivity, binary.specificity_at_sensitivity, ~positive)


def at_specificity(card: ScoreCard, wanted: float) -> tuple[OperatingPoint | None, Interval]:
    """Return, of all thresholds that reach a specificity, the one with the highest sensitivity, and the
    interval of this sensitivity; see `at_sensitivity`."""
    _, positive = ranked(card)
    return _wanted(card, wanted, binary.point_at_specificity, binary.sensitivity_at_specificity, positive)


def _wanted(
    card: ScoreCard,
    wanted: float,
    choose: Callable[[Floats, Bools, float], OperatingPoint | None],
    reached: Callable[[ThresholdCounts, float], Floats],
    side: Bools,
) -> tuple[OperatingPoint | None, Interval]:
    ranks, positive = ranked(card)
    of = counted({"reached": side, "chosen_by": ~side}, _units(card))
    rests_on = beyond(of["chosen_by"], wanted, of["reached"])
    basis = Basis({"reached": rests_on}, jumping=frozenset(("reached",)))
    estimates = _with_intervals(card, lambda drawn: {"reached": reached(drawn.counts, wanted)}, basis)
    return choose(ranks, positive, wanted), estimates["reached"][1]


def thresholds(card: ScoreCard, most: int | None = None, included: Sequence[float] = ()) -> dict[str, Array]:
    """Return F2, accuracy, score, recall, specificity and precision at every distinct threshold t of "score >
    t", from high to low.

    The thresholds, which are returned as "threshold", are 0.5, the midpoints of successive scores, one above
    all scores, and one below.

    Args:
        most: Maximum number of thresholds. If there are more, evenly spread ones are returned; the first, the
            last and 0.5 are always included.
        included: Additional thresholds.
    """
    candidates = ordered(card).cuts
    if most is not None and len(candidates) > most:
        spread = np.rint(np.linspace(0, len(candidates) - 1, most)).astype(int)
        candidates = candidates[np.unique(np.r_[spread, np.flatnonzero(candidates == THRESHOLD)])]
    candidates = np.unique(np.r_[candidates, included])[::-1]
    return {"threshold": candidates, **_reached(_decisions_at(card, candidates), _auc(card))}


def _decisions_at(card: ScoreCard, cuts: Floats) -> Decisions:
    """Return counts [T] of "score > t" at each of the cuts [T]."""
    scores = ordered(card)
    order = scores.positive, scores.negative
    hits, alarms = ((len(values) - np.searchsorted(values, cuts, "right")).astype(float) for values in order)
    return Decisions(hits, alarms, len(scores.positive) - hits, len(scores.negative) - alarms)


def best_threshold(card: ScoreCard) -> float | None:
    """Return the threshold with the highest score on these cases; if several have it, the one nearest to 0.5.
    None if the score is undefined."""
    curve = thresholds(card)
    if np.isnan(curve["score"]).all():
        return None
    best = np.flatnonzero(np.round(curve["score"], 12) == np.round(np.nanmax(curve["score"]), 12))
    return float(curve["threshold"][min(best, key=lambda i: abs(curve["threshold"][i] - THRESHOLD))])


def threshold_range(card: ScoreCard) -> tuple[float, float]:
    """Return the useful range of thresholds: 0 to 1 for risks, otherwise the integers around the scores and
    0.5."""
    finite = card.arrays["rank_scores"][np.isfinite(card.arrays["rank_scores"])]
    if not len(finite) or are_risks(finite):
        return 0.0, 1.0
    return float(np.floor(min(finite.min(), THRESHOLD))), float(np.ceil(max(finite.max(), THRESHOLD)))


def histogram(card: ScoreCard, bins: int = 40) -> dict[str, Array]:
    """Count the cases of each class in each bin of the score. A bin (low, high] does not include its lower
    end, except the first.

    The edges [bins + 1] cover `threshold_range`. For risks, 0.5 is an edge. Cases without a score are left
    out.
    """
    edges = np.linspace(*threshold_range(card), bins + 1)
    scores, counts = ordered(card), {}
    for name, members in zip(CLASSES, (scores.negative, scores.positive), strict=True):
        finite = members[np.isfinite(members)]
        up_to = np.searchsorted(finite, edges[1:-1], "right")
        counts[name] = np.diff(np.r_[0, up_to, len(finite)])
    return {"edges": edges, **counts}


def net_benefit(card: ScoreCard, grid: Sequence[float], prevalence: float | None = None) -> dict[str, Array]:
    """Return the net benefit (Vickers, Elkin 2006) at each threshold t of an ascending grid in [0, 1).

    The net benefit is computed for the decision "score > t" and for treating everybody. Treating nobody has
    the net benefit 0. The pointwise 95 % bounds "low" and "high" use up to 300 replicates; without replicates
    they are left out.

    Args:
        prevalence: Share of melanomas in the intended population, 0..1; None: as in the test set.
    """
    ranks, positive = ranked(card)
    cuts: Floats = np.asarray(grid, float)

    def benefit(d: Decisions) -> Floats:
        if prevalence is None:
            return binary.net_benefit(d, cuts)
        return binary.net_benefit_at_prevalence(d, cuts, prevalence)

    everybody = np.ones((len(cuts), 1)) * [positive.sum(), (~positive).sum(), 0, 0]
    curves: dict[str, Array] = {
        "threshold": cuts,
        "model": benefit(_decisions_at(card, cuts)),
        "everybody": benefit(Decisions(*everybody.T)),
        "nobody": np.zeros(len(cuts)),
    }
    if not card.provenance["resamples"]:
        return curves
    weights = curve_weights(card.arrays["units"], card.provenance)
    drawn = benefit(binary.decisions_along(ranks, positive, cuts, weights))
    undefined = np.isnan(drawn).all()
    low, high = np.full((2, len(cuts)), np.nan) if undefined else np.nanquantile(drawn, QUANTILES, axis=0)
    return curves | {"low": low, "high": high}
