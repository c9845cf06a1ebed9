"""Counts of every replicate of a scorecard at every threshold, kept while somebody moves a threshold."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from scoring.challenges.melanoma.formula import THRESHOLD
from scoring.common.arrays import Bools, Floats, Ints
from scoring.core.scorecard import ScoreCard
from scoring.metrics import binary, curves
from scoring.metrics.binary import ThresholdCounts
from scoring.statistics import replicates
from scoring.statistics.options import StatisticsOptions
from scoring.statistics.replicates import Quantities, Replicates, leave_one_out_weights, replicate_weights

KEPT_BYTES, KEPT_CARDS = 64_000_000, 2
"""What is kept of a card, at most, and of how many: 40 MB for 10,000 cases and 1,000 replicates. What is
larger is counted anew each time."""
ROWS = 64
"""Replicates that are counted at a time: their sums stay in the processor's cache."""


@dataclass(frozen=True)
class ReplicateCounts:
    """What was counted on B replicates.

    Attributes:
        counts: Positives and negatives at or above every score [B, T].
        auc: Areas under the ROC curve [B].
    """

    counts: ThresholdCounts
    auc: Floats


@dataclass(frozen=True)
class _Cases:
    """What a card's counts depend on, as bytes: they are compared, whatever card they come from.

    Attributes:
        ranks: Scores as they rank, float64 [N].
        positive: Which cases are positive, bool [N].
        units: Unit number of each case, int64 [N].
    """

    ranks: bytes
    positive: bytes
    units: bytes

    def arrays(self) -> tuple[Floats, Bools, Ints]:
        return (
            np.frombuffer(self.ranks),
            np.frombuffer(self.positive, bool),
            np.frombuffer(self.units, np.int64),
        )


@dataclass(frozen=True)
class Ordered:
    """What a scorecard's scores give once they are sorted.

    Attributes:
        cuts: Every distinct decision "score > t", descending: 0.5 and the midpoints between successive
            scores, one above and one below all.
        positive: Scores of melanomas as they rank, ascending.
        negative: Those of the others.
    """

    cuts: Floats
    positive: Floats
    negative: Floats


def ranked(card: ScoreCard) -> tuple[Floats, Bools]:
    """Return scores as they rank, and which cases are melanomas, [N] each."""
    return card.arrays["rank_scores"], card.arrays["truth"] == 1


def ordered(card: ScoreCard) -> Ordered:
    """Return the scores in order, kept like the counts."""
    return _ordered(_cases(card))


def _cases(card: ScoreCard) -> _Cases:
    ranks, positive = ranked(card)
    units = card.arrays["units"].astype(np.int64)
    return _Cases(ranks.astype(float).tobytes(), positive.tobytes(), units.tobytes())


@lru_cache(maxsize=KEPT_CARDS)
def _ordered(cases: _Cases) -> Ordered:
    ranks, positive, _ = cases.arrays()
    finite = np.unique(ranks[np.isfinite(ranks)])[::-1]
    between = binary.cuts_between(np.r_[np.inf, finite], np.r_[finite, -np.inf])
    cuts = np.unique(np.r_[THRESHOLD, between])[::-1]
    found = cuts, np.sort(ranks[positive]), np.sort(ranks[~positive])
    for values in found:
        values.flags.writeable = False
    return Ordered(*found)


def replicated(
    card: ScoreCard, quantities: Callable[[ReplicateCounts], Quantities]
) -> tuple[Quantities, Replicates]:
    """Evaluate quantities on the test set itself, [1] each, and on the card's own replicates.

    Args:
        card: A scorecard of Melanoma.
        quantities: Function of what was counted on B replicates that gives each quantity [B].
    """
    units, source = card.arrays["units"], card.provenance
    options = StatisticsOptions(source["resamples"], source["seed"], interval=source["options"]["interval"])
    cases, auc = _cases(card), card.metrics["auc"]
    point = quantities(ReplicateCounts(_itself(cases), np.array([np.nan if auc is None else auc])))
    if not options.resamples:
        return point, Replicates({}, {}, ())
    n_units = int(units.max()) + 1
    values = replicates.evaluate(quantities, _drawn(card, cases, options))
    left_out: Quantities = {}
    if replicates.needs_left_out(n_units, options):
        left_out = replicates.evaluate(quantities, _without_each_unit(cases))
    return point, replicates.of_values(values, left_out, point, n_units, options)


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
    """Count all replicates. A threshold's counts lie side by side, so that one is looked up at a glance."""
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
