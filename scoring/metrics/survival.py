"""Quantities of prognosis under right censoring: concordance, Kaplan-Meier curves, the log-rank test.

time: days [N], >= 0, finite. event: bool [N], False = censored. risk [N]: the higher, the worse the
prognosis; NaN = no score.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from scoring.metrics.classification import divide

MISSING_RISK = ("non-concordant", "half", "exclude")
TERTILES = ("low", "middle", "high")


@dataclass(frozen=True)
class Pairs:
    """Weighted numbers of pairs, int64 [B] each. comparable holds concordant, tied, missing (one of the two
    has no score) and discordant ones."""

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
    """A Kaplan-Meier curve at the distinct times [K], ascending. survival: probability of no event up to and
    including the time, 0..1.

    at_risk, events, censored: patients under observation just before the time, and what happens to them at
    it.
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
    """Pairs (i, j) with an event of i before j's time, or at it where j is censored, for every row of weights
    [B, N] (whole numbers).

    A pair counts with the product of its two weights; copies of one patient are never comparable. Scores are
    compared exactly. O(N log N).
    """
    order = np.lexsort((~event, time))
    time, event, risk = time[order], event[order], risk[order]
    w = np.ascontiguousarray(weights[:, order].T, np.float32)
    # Sorted so, those comparable to an event are all that stand behind the events of its time.
    events = np.flatnonzero(event)
    first_later = np.searchsorted(time, time[events], side="right") - _censored_together(time, event)[events]
    scored = ~np.isnan(risk)
    ranks = np.unique(risk[scored], return_inverse=True)[1]
    kept, own = np.flatnonzero(scored), scored[events]
    # Among those with a score: the weights of events, the first place behind each, and the place of its own
    # score.
    w_scored, w_events = w[kept], w[events[own]]
    first = np.searchsorted(kept, first_later[own])
    asked = ranks[np.searchsorted(kept, events[own])]
    comparable, with_scores = (
        _products(w[events], _behind(w, first_later)),
        _products(w_events, _behind(w_scored, first)),
    )
    lower = _below(ranks, w_scored, first, asked)
    concordant = _products(w_events, lower)
    tied = np.zeros_like(concordant)
    if len(kept) and ranks.max() + 1 < len(kept):
        tied = _products(w_events, _below(ranks, w_scored, first, asked + 1) - lower)
    return Pairs(comparable, concordant, tied, comparable - with_scores)


def _censored_together(time: np.ndarray, event: np.ndarray) -> np.ndarray:
    """How many are censored at the time of each patient [N]."""
    _, place = np.unique(time, return_inverse=True)
    return np.bincount(place, ~event).astype(int)[place] if len(time) else np.zeros(0, int)


def _running(w: np.ndarray) -> np.ndarray:
    """Sums of the rows before each row, and of all: [N + 1, B]."""
    sums = np.zeros((len(w) + 1, w.shape[1]), np.float32)
    np.cumsum(w, axis=0, out=sums[1:])
    return sums


def _behind(w: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Weight of all from row `first` [E] on: [E, B]."""
    sums = _running(w)
    return sums[-1] - sums[first]


def _below(ranks: np.ndarray, w: np.ndarray, first: np.ndarray, limit: np.ndarray) -> np.ndarray:
    """Weight of those from row `first` [E] on whose rank is below `limit` [E]: [E, B].

    A wavelet matrix (Claude, Navarro and Ordonez 2015): for each binary digit of the ranks, from the highest,
    the rows are parted by it. What has a 0 where the limit has a 1 is below; the others with the limit's
    digits so far are looked at further. Places depend on no weight.
    """
    found = np.zeros((len(first), w.shape[1]), np.float32)
    begin, end = first, np.full(len(first), len(ranks))
    for digit in reversed(range(int(max(ranks.max(initial=0), limit.max(initial=0))).bit_length())):
        one = (ranks >> digit) & 1 == 1
        zeros = np.concatenate([[0], np.cumsum(~one)])
        parted = np.argsort(one, kind="stable")
        ranks, w = ranks[parted], w[parted]
        sums, high = _running(w[: zeros[-1]]), (limit >> digit) & 1 == 1
        found[high] += sums[zeros[end[high]]] - sums[zeros[begin[high]]]
        begin, end = (
            np.where(high, zeros[-1] + place - zeros[place], zeros[place]) for place in (begin, end)
        )
    return found


def _products(own: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Column sums of products [E, B]. Sums of counts are whole numbers below 2^24, which float32 holds
    exactly; their products need float64."""
    return np.rint(np.einsum("eb,eb->b", own, others, dtype=float)).astype(np.int64)


def c_index(found: Pairs, missing: str = "non-concordant") -> np.ndarray:
    """Share of comparable pairs in which the earlier event has the higher risk, ties half [B], 0..1; NaN
    where there is no pair.

    missing: pairs that touch a patient without a score count 0 ("non-concordant"), 1/2 ("half") or not at all
    ("exclude").
    """
    return _share(found, found.concordant, missing)


def c_index_flipped(found: Pairs, missing: str = "non-concordant") -> np.ndarray:
    """The C-index of the scores with their signs reversed [B]."""
    return _share(found, found.discordant, missing)


def _share(found: Pairs, right: np.ndarray, missing: str) -> np.ndarray:
    credit = 2 * right + found.tied
    if missing == "half":
        return divide(credit + found.missing, 2 * found.comparable)
    return divide(
        credit, 2 * (found.comparable - found.missing if missing == "exclude" else found.comparable)
    )


def pairs_of_patients(time: np.ndarray, event: np.ndarray, risk: np.ndarray) -> Pairs:
    """The same pairs counted at both of their patients: int64 [N] each."""
    counts = np.zeros((4, len(time)), np.int64)
    for i in np.flatnonzero(event):
        later = (time > time[i]) | ((time == time[i]) & ~event)
        kinds = (
            later,
            later & (risk[i] > risk),
            later & (risk[i] == risk),
            later & (np.isnan(risk) | np.isnan(risk[i])),
        )
        for row, kind in zip(counts, kinds, strict=True):
            row += kind
            row[i] += np.count_nonzero(kind)
    return Pairs(*counts)


def tertiles(risk: np.ndarray) -> np.ndarray:
    """Group of each score [N], 0 = low to 2 = high: floor(3 L / N) with L = number of strictly lower scores,
    so that ties stay together."""
    return 3 * np.searchsorted(np.sort(risk), risk, side="left") // max(1, len(risk))


def kaplan_meier(time: np.ndarray, event: np.ndarray) -> Curve:
    """Product-limit estimate (Kaplan and Meier 1958); censored at the time of an event count as under
    observation then."""
    distinct, place = np.unique(time, return_inverse=True)
    events, gone = (
        np.bincount(place, event, len(distinct)).astype(int),
        np.bincount(place, minlength=len(distinct)),
    )
    at_risk = (
        len(time) - np.concatenate([[0], np.cumsum(gone)[:-1]]).astype(int)
        if len(distinct)
        else np.zeros(0, int)
    )
    return Curve(distinct, np.cumprod(1 - divide(events, at_risk)), at_risk, events, gone - events)


def at_risk(time: np.ndarray, moments: np.ndarray) -> np.ndarray:
    """Patients still under observation just before each moment [K]."""
    return len(time) - np.searchsorted(np.sort(time), moments, side="left")


def log_rank(time: np.ndarray, event: np.ndarray, group: np.ndarray) -> LogRank | None:
    """K-sample log-rank test over the groups that occur, hypergeometric variance, K - 1 degrees of freedom;
    None for one group or no event."""
    names, member = np.unique(group, return_inverse=True)
    if len(names) < 2 or not event.any():
        return None
    moments, place = np.unique(time[event], return_inverse=True)
    struck = np.zeros((len(moments), len(names)))
    np.add.at(struck, (place, member[event]), 1)
    exposed = np.stack([at_risk(time[member == k], moments) for k in range(len(names))], axis=1)
    n, d = exposed.sum(1), struck.sum(1)
    share = exposed / n[:, None]
    surplus = (struck - d[:, None] * share).sum(0)
    spread = divide(d * (n - d), n - 1, 0)
    variance = np.diag(spread @ share) - (spread[:, None] * share).T @ share
    # The surpluses sum to 0: one group says nothing that the others do not. A group that was never exposed
    # with another has no variance.
    kept = surplus[:-1]
    chi2 = max(0.0, float(kept @ np.linalg.pinv(variance[:-1, :-1], hermitian=True) @ kept))
    return LogRank(chi2, float(scipy.special.chdtrc(len(names) - 1, chi2)))
