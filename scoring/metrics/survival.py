"""Quantities of prognosis under right censoring: concordance, Kaplan-Meier curves, the log-rank test.

time: days [N], >= 0, finite. event: bool [N], False = censored. risk [N]: the higher, the worse the prognosis; NaN = no score.
"""

from dataclasses import dataclass

import numpy as np
import scipy.stats

from scoring.metrics.classification import divide

MISSING_RISK = ("non-concordant", "half", "exclude")
TERTILES = ("low", "middle", "high")


@dataclass(frozen=True)
class Pairs:
    """Weighted numbers of pairs, int64 [B] each. comparable holds concordant, tied, missing (one of the two has no score) and discordant ones."""

    comparable: np.ndarray
    concordant: np.ndarray
    tied: np.ndarray
    missing: np.ndarray

    @property
    def discordant(self) -> np.ndarray:
        """Pairs with two scores in the wrong order [B]."""
        return self.comparable - self.missing - self.concordant - self.tied


@dataclass(frozen=True)
class Curve:
    """A Kaplan-Meier curve at the distinct times [K], ascending. survival: probability of no event up to and including the time, 0..1.

    at_risk, events, censored: patients under observation just before the time, and what happens to them at it.
    """

    time: np.ndarray
    survival: np.ndarray
    at_risk: np.ndarray
    events: np.ndarray
    censored: np.ndarray


@dataclass(frozen=True)
class LogRank:
    """Chi-squared statistic (>= 0) and p-value (0..1) of a log-rank test."""

    chi2: float
    p: float


def pairs(time: np.ndarray, event: np.ndarray, risk: np.ndarray, weights: np.ndarray) -> Pairs:
    """Pairs (i, j) with an event of i before j's time, or at it where j is censored, for every row of weights [B, N] (whole numbers).

    A pair counts with the product of its two weights; copies of one patient are never comparable. Scores are compared exactly. The
    patients are walked through from the latest time to the earliest; a Fenwick tree over the ranks of the scores, each node a vector over the
    replicates, says how many of those passed have a lower one: O(B N log N).
    """
    w = np.ascontiguousarray(weights.T, np.int32)
    rank, levels = _ranks(risk)
    steps, exact = np.zeros((levels + 1, len(weights)), np.int32), np.zeros((levels + 1, len(weights)), np.int32)
    passed, passed_scored = np.zeros(len(weights), np.int64), np.zeros(len(weights), np.int64)
    comparable, concordant, tied, scored = (np.zeros(len(weights), np.int64) for _ in range(4))

    def passes(patients: np.ndarray) -> None:
        passed[:] += w[patients].sum(0)
        with_score = patients[rank[patients] > 0]
        passed_scored[:] += w[with_score].sum(0)
        for i in with_score:
            steps[_upwards(rank[i], levels)] += w[i]
            exact[rank[i]] += w[i]

    for together in _same_time(time):
        events = together[event[together]]
        passes(together[~event[together]])
        comparable += w[events].sum(0) * passed
        events_scored = events[rank[events] > 0]
        scored += w[events_scored].sum(0) * passed_scored
        for i in events_scored:
            concordant += w[i] * steps[_downwards(rank[i] - 1)].sum(0, dtype=np.int64)
            tied += w[i].astype(np.int64) * exact[rank[i]]
        passes(events)
    return Pairs(comparable, concordant, tied, comparable - scored)


def _ranks(risk: np.ndarray) -> tuple[np.ndarray, int]:
    """Rank of each score among the distinct ones, 1 = lowest, 0 = no score; and how many distinct ones there are."""
    has = ~np.isnan(risk)
    distinct, place = np.unique(risk[has], return_inverse=True)
    rank = np.zeros(len(risk), int)
    rank[has] = place + 1
    return rank, len(distinct)


def _same_time(time: np.ndarray) -> list[np.ndarray]:
    """Patients of each distinct time, latest first."""
    order = np.argsort(-time, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(time[order])) + 1) if len(order) else []


def _upwards(place: int, levels: int) -> list[int]:
    """The nodes of a Fenwick tree that hold a place in 1..levels."""
    found = []
    while place <= levels:
        found.append(place)
        place += place & -place
    return found


def _downwards(place: int) -> list[int]:
    """The nodes of a Fenwick tree that together hold 1..place."""
    found = []
    while place > 0:
        found.append(place)
        place -= place & -place
    return found


def c_index(found: Pairs, missing: str = "non-concordant") -> np.ndarray:
    """Share of comparable pairs in which the earlier event has the higher risk, ties half [B], 0..1; NaN where there is no pair.

    missing: pairs that touch a patient without a score count 0 ("non-concordant"), 1/2 ("half") or not at all ("exclude").
    """
    return _share(found, found.concordant, missing)


def c_index_flipped(found: Pairs, missing: str = "non-concordant") -> np.ndarray:
    """The C-index of the scores with their signs reversed [B]."""
    return _share(found, found.discordant, missing)


def _share(found: Pairs, right: np.ndarray, missing: str) -> np.ndarray:
    credit = 2 * right + found.tied
    if missing == "half":
        return divide(credit + found.missing, 2 * found.comparable)
    return divide(credit, 2 * (found.comparable - found.missing if missing == "exclude" else found.comparable))


def pairs_of_patients(time: np.ndarray, event: np.ndarray, risk: np.ndarray) -> Pairs:
    """The same pairs counted at both of their patients: int64 [N] each."""
    counts = np.zeros((4, len(time)), np.int64)
    for i in np.flatnonzero(event):
        later = (time > time[i]) | ((time == time[i]) & ~event)
        kinds = later, later & (risk[i] > risk), later & (risk[i] == risk), later & (np.isnan(risk) | np.isnan(risk[i]))
        for row, kind in zip(counts, kinds, strict=True):
            row += kind
            row[i] += np.count_nonzero(kind)
    return Pairs(*counts)


def tertiles(risk: np.ndarray) -> np.ndarray:
    """Group of each score [N], 0 = low to 2 = high: floor(3 L / N) with L = number of strictly lower scores, so that ties stay together."""
    return 3 * np.searchsorted(np.sort(risk), risk, side="left") // max(1, len(risk))


def kaplan_meier(time: np.ndarray, event: np.ndarray) -> Curve:
    """Product-limit estimate (Kaplan and Meier 1958); censored at the time of an event count as under observation then."""
    distinct, place = np.unique(time, return_inverse=True)
    events, gone = np.bincount(place, event, len(distinct)).astype(int), np.bincount(place, minlength=len(distinct))
    at_risk = len(time) - np.concatenate([[0], np.cumsum(gone)[:-1]]).astype(int) if len(distinct) else np.zeros(0, int)
    return Curve(distinct, np.cumprod(1 - divide(events, at_risk)), at_risk, events, gone - events)


def at_risk(time: np.ndarray, moments: np.ndarray) -> np.ndarray:
    """Patients still under observation just before each moment [K]."""
    return len(time) - np.searchsorted(np.sort(time), moments, side="left")


def log_rank(time: np.ndarray, event: np.ndarray, group: np.ndarray) -> LogRank | None:
    """K-sample log-rank test over the groups that occur, hypergeometric variance, K - 1 degrees of freedom; None for one group or no event."""
    names, member = np.unique(group, return_inverse=True)
    if len(names) < 2 or not event.any():
        return None
    surplus, variance = np.zeros(len(names)), np.zeros((len(names), len(names)))
    for moment in np.unique(time[event]):
        exposed = np.bincount(member[time >= moment], minlength=len(names))
        struck = np.bincount(member[event & (time == moment)], minlength=len(names))
        n, d = exposed.sum(), struck.sum()
        share = exposed / n
        surplus += struck - d * share
        if n > 1:
            variance += d * (n - d) / (n - 1) * (np.diag(share) - np.outer(share, share))
    # The surpluses sum to 0: one group says nothing that the others do not. A group that was never exposed with another has no variance.
    kept = surplus[:-1]
    chi2 = max(0.0, float(kept @ np.linalg.pinv(variance[:-1, :-1], hermitian=True) @ kept))
    return LogRank(chi2, float(scipy.stats.chi2.sf(chi2, len(names) - 1)))
