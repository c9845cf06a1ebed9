"""C-index, Kaplan-Meier curves and log-rank test with right censoring.

`scoring.presentation.figures.survival` draws the curve.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from scoring.common.arrays import Bools, Floats, Ints
from scoring.metrics.classification import divide

MISSING_RISK = ("non-concordant", "half", "exclude")
TERTILES = ("low", "middle", "high")
EVENTS_AT_ONCE = 512


@dataclass(frozen=True)
class ConcordancePairs:
    """Weighted numbers of pairs of patients, int64 [B] each.

    Attributes:
        comparable: Pairs in which one patient certainly had the event earlier; concordant, discordant and
            tied pairs together.
        concordant: Pairs in which the patient with the earlier event has the higher risk.
    """

    comparable: Ints
    concordant: Ints
    tied: Ints
    missing: Ints

    @property
    def discordant(self) -> Ints:
        """Pairs in which the patient with the earlier event has the lower risk [B]."""
        return self.comparable - self.missing - self.concordant - self.tied


@dataclass(frozen=True)
class SurvivalCurve:
    """A Kaplan-Meier curve at the K distinct times of the data.

    Attributes:
        time: The distinct times [K], ascending.
        survival: Probability of no event up to and including each time [K], 0..1.
        at_risk: Number of patients under observation just before each time [K].
        events: Number of patients who have the event at each time [K].
        censored: Number of patients who are censored at each time [K].
    """

    time: Floats
    survival: Floats
    at_risk: Ints
    events: Ints
    censored: Ints


@dataclass(frozen=True)
class LogRank:
    """Result of a log-rank test.

    Attributes:
        chi2: Chi-squared statistic, at least 0.
        p: p-value, 0..1.
    """

    chi2: float
    p: float


def pairs(time: Floats, event: Bools, risk: Floats, weights: Floats) -> ConcordancePairs:
    """Count pairs (i, j) in which i has an event before j's time, or at the same time if j is censored.

    A pair counts with the product of both weights; copies of the same patient are never comparable. Scores
    are compared without tolerance.

    Args:
        time: Days of observation of each patient [N], at least 0.
        event: Whether the patient had the event at that time [N]; otherwise the patient is censored.
        risk: Score of each patient [N]; a higher score means a worse prognosis; NaN = no score.
        weights: Weights of the patients [B, N], whole numbers.

    Returns:
        Numbers of pairs [B].

    Example:
        >>> time, event = np.array([1.0, 2.0, 3.0]), np.array([True, True, False])
        >>> found = pairs(time, event, np.array([0.9, 0.1, 0.5]), np.ones((1, 3)))
        >>> found.comparable.tolist(), c_index(found).round(3).tolist()
        ([3], [0.667])
    """
    return ConcordancePairs(*np.rint(_pair_sums(time, event, risk, weights)).astype(np.int64))


def _pair_sums(
    time: Floats, event: Bools, risk: Floats, weights: Floats, of_events: Floats | None = None
) -> Floats:
    """Return the sums [4, B] of the products of two patients' weights over pairs that are comparable,
    concordant, tied and missing; `of_events` [B, N] weighs the earlier one, if it is given."""
    order = np.lexsort((~event, time))
    time, event, risk = time[order], event[order], risk[order]
    w = np.ascontiguousarray(weights[:, order].T, np.float32)
    of_first = w if of_events is None else np.ascontiguousarray(of_events[:, order].T)
    # Sorted so, those comparable to an event are all from a place on: behind the events of its time.
    events, scored = np.flatnonzero(event), ~np.isnan(risk)
    first = np.searchsorted(time, time[events], side="right") - _censored_together(time, event)[events]
    has_ties = len(np.unique(risk[scored])) < np.count_nonzero(scored)
    counts = np.zeros((4, w.shape[1]))
    for start in range(0, len(events), EVENTS_AT_ONCE):
        own, begin = events[start : start + EVENTS_AT_ONCE], first[start]
        later = np.arange(begin, len(time)) >= first[start : start + EVENTS_AT_ONCE, None]
        of_event, of_other = risk[own, None], risk[begin:]
        kinds = (
            later,
            later & (of_other < of_event),
            later & (of_other == of_event) if has_ties else None,
            later & ~(scored[own, None] & scored[begin:]) if not scored.all() else None,
        )
        for row, kind in zip(counts, kinds, strict=True):
            if kind is not None:
                # Sums of counts are whole numbers below 2^24, exact in float32; their products need float64.
                with np.errstate(invalid="ignore"):  # some kernels of OpenBLAS set this flag without cause
                    others = kind.astype(np.float32) @ w[begin:]
                row += np.einsum("eb,eb->b", of_first[own], others, dtype=float)
    return counts


def _censored_together(time: Floats, event: Bools) -> Ints:
    """Return how many are censored at the time of each patient [N]."""
    _, moment = np.unique(time, return_inverse=True)
    return np.bincount(moment, ~event).astype(int)[moment] if len(time) else np.zeros(0, int)


def c_index(pairs: ConcordancePairs, missing: str = "non-concordant") -> Floats:
    """Return the C-index: the share of comparable pairs in which the patient with the earlier event has the
    higher risk. Ties count half.

    Args:
        pairs: Numbers of pairs [B].
        missing: How to count a pair with a patient without a score: as 0 ("non-concordant"), as 1/2 ("half")
            or not at all ("exclude").

    Returns:
        Values [B], 0..1; NaN without a pair.
    """
    return _share(pairs, pairs.concordant, missing)


def c_index_flipped(pairs: ConcordancePairs, missing: str = "non-concordant") -> Floats:
    """Return the C-index of the scores with reversed signs.

    Args:
        pairs: Numbers of pairs [B].
        missing: How to count a pair with a patient without a score, see `c_index`.

    Returns:
        Values [B], 0..1; NaN without a pair.
    """
    return _share(pairs, pairs.discordant, missing)


def _share(pairs: ConcordancePairs, right: Ints, missing: str) -> Floats:
    credit = 2 * right + pairs.tied
    if missing == "half":
        return divide(credit + pairs.missing, 2 * pairs.comparable)
    return divide(
        credit, 2 * (pairs.comparable - pairs.missing if missing == "exclude" else pairs.comparable)
    )


def uno_c_index(
    time: Floats, event: Bools, risk: Floats, weights: Floats, horizon: float | None = None
) -> Floats:
    """Return Uno's C-index (Uno et al. 2011). A pair has the weight 1 / G^2, with G at the earlier event;
    ties count half.

    G is the Kaplan-Meier estimate of remaining uncensored up to and including a time, from the same
    replicate. Pairs with G = 0 are left out.

    Args:
        time: Days of observation of each patient [N], at least 0.
        event: Whether the patient had the event at that time [N].
        risk: Score of each patient [N]; a higher score means a worse prognosis; a pair with NaN counts 0.
        weights: Weights of the patients [B, N], whole numbers.
        horizon: Only events before this time count; None: all events.

    Returns:
        Values [B], 0..1; NaN without a pair.
    """
    _, first, moment = np.unique(time, return_index=True, return_inverse=True)
    order, w = np.argsort(time, kind="stable"), weights.astype(float)
    first = np.searchsorted(time[order], time[first])
    struck, censored = (np.add.reduceat(w[:, order] * kind[order], first, axis=1) for kind in (event, ~event))
    leaving = np.cumsum((struck + censored)[:, ::-1], axis=1)[:, ::-1]
    free = np.cumprod(1 - divide(censored, leaving - struck, 0), axis=1)
    counted = event & (time < (np.inf if horizon is None else horizon))
    inverse = divide(1, free**2, 0)[:, moment]
    comparable, concordant, tied, _ = _pair_sums(time, event, risk, weights, w * counted * inverse)
    return divide(concordant + tied / 2, comparable)


def pairs_of_patients(time: Floats, event: Bools, risk: Floats) -> ConcordancePairs:
    """Count, for each patient, the comparable pairs that include this patient.

    Args:
        time: Days of observation of each patient [N], at least 0.
        event: Whether the patient had the event at that time [N].
        risk: Score of each patient [N]; a higher score means a worse prognosis; NaN = no score.

    Returns:
        Numbers of pairs of each patient, int64 [N] each.
    """
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
    return ConcordancePairs(*counts)


def tertiles(risk: Floats) -> Ints:
    """Divide scores into thirds: floor(3 L / N), where L is the number of strictly lower scores. Equal scores
    are in the same third.

    Args:
        risk: Scores [N] without NaN.

    Returns:
        Group of each score [N], 0 = low to 2 = high.
    """
    return 3 * np.searchsorted(np.sort(risk), risk, side="left") // max(1, len(risk))


def kaplan_meier(time: Floats, event: Bools) -> SurvivalCurve:
    """Estimate survival by the product-limit method (Kaplan and Meier 1958).

    Patients who are censored exactly at the time of an event still count as at risk at this time.

    Args:
        time: Days of observation of each patient [N], at least 0.
        event: Whether the patient had the event then [N].
    """
    distinct, moment = np.unique(time, return_inverse=True)
    events = np.bincount(moment, event, len(distinct)).astype(int)
    gone = np.bincount(moment, minlength=len(distinct))
    at_risk = (
        len(time) - np.concatenate([[0], np.cumsum(gone)[:-1]]).astype(int)
        if len(distinct)
        else np.zeros(0, int)
    )
    return SurvivalCurve(distinct, np.cumprod(1 - divide(events, at_risk)), at_risk, events, gone - events)


def at_risk(time: Floats, moments: Floats) -> Ints:
    """Count the patients at risk just before given times.

    Args:
        time: Days of observation of each patient [N].
        moments: The times, days [K].

    Returns:
        Numbers of patients [K].
    """
    return len(time) - np.searchsorted(np.sort(time), moments, side="left")


def log_rank(time: Floats, event: Bools, group: Ints) -> LogRank | None:
    """Test whether groups differ in survival, by the log-rank test for K samples.

    The test uses the hypergeometric variance and K - 1 degrees of freedom.

    Args:
        time: Days of observation of each patient [N], at least 0.
        event: Whether the patient had the event then [N].
        group: Group of each patient [N].

    Returns:
        The result; None for one group or without an event.
    """
    names, member = np.unique(group, return_inverse=True)
    if len(names) < 2 or not event.any():
        return None
    moments, moment = np.unique(time[event], return_inverse=True)
    struck = np.zeros((len(moments), len(names)))
    np.add.at(struck, (moment, member[event]), 1)
    exposed = np.stack([at_risk(time[member == k], moments) for k in range(len(names))], axis=1)
    n, d = exposed.sum(1), struck.sum(1)
    share = exposed / n[:, None]
    surplus = (struck - d[:, None] * share).sum(0)
    spread = divide(d * (n - d), n - 1, 0)
    variance = np.diag(spread @ share) - (spread[:, None] * share).T @ share
    # The surpluses sum to 0: one group says nothing that the others do not. A group that was never exposed
    # with another has no variance.
    independent = surplus[:-1]
    chi2 = max(0.0, float(independent @ np.linalg.pinv(variance[:-1, :-1], hermitian=True) @ independent))
    return LogRank(chi2, float(scipy.special.chdtrc(len(names) - 1, chi2)))
