"""Permutation test (swap test) of two teams: predictions are exchanged within randomly chosen units.

If two teams are equally good, the exchange changes nothing on average, so the differences after exchanges
show the effect of chance. The swap test makes fewer errors than the bootstrap; docs/statistics.md has the
error rates, and cases in which the test fails. The test applies to scores that are functions of sums over
units: means, and metrics that are computed from counts. AUC and C-index are tested through the mean of their
pseudo-values. In a category with few cases, teams of different skill often give the same answers. Therefore
the test adds variance to each pair in this category (`Categories`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scoring.common.arrays import Bools, Floats, Ints
from scoring.common.direction_and_range import Better, Quantity
from scoring.statistics.interval_options import DIGITS, UNITS_OF_COMPARISON
from scoring.statistics.paired_bootstrap import LEVEL, NO_SPREAD, PairTest

Score = Callable[[Floats], Floats]
"""Function from sums [..., K] to scores [...]."""
Signs = NDArray[np.int8]
BLOCK_CELLS = 400_000
SIGN_CELLS = 1_000_000
UNIT_SUMS = "unit_sums"
STREAM, LUCK = 1, 2
"""Numbers that are added to the seed, so that both kinds of random signs and the replicates use different
random numbers."""
PUBLISHED = 2e-6
"""Largest rounding error of the difference of two scores with six decimals."""


@dataclass(frozen=True)
class Categories:
    """Categories (such as classes) whose rates a score averages, so that each case of a rare category has
    much weight.

    The arrays state for each category [C] which of the K sums to use; several sums may be added.

    Attributes:
        hits: Positions of the sums of right answers, or of values.
        cases: Positions of the sums of cases. Empty for values that can fail (such as an overlap of 0),
            because then a few units decide the mean.
        unseen: Assumed variance of the difference of two teams that gave the same answers in a category. If
            `cases` is not empty, the variance of one case counts as 1; otherwise the square of the largest
            difference of two teams in any unit does. Chosen in simulations (docs/statistics.md).
    """

    hits: Ints
    cases: tuple[Ints, ...]
    gains: tuple[Ints, ...]
    losses: tuple[Ints, ...] = ()
    unseen: float = 1.0

    def added(self, sums: Floats) -> Floats:
        """Return the size, in cases, of the random difference that the test adds between two teams in each
        category [C, A, A]: the square root of twice the added variance.

        Two teams with the same answers to two cases need not know the category equally well, so the variance
        `unseen` is added. Each unit in which the teams differ reduces this variance by half a case.

        Args:
            sums: By team and unit [A, n, K].
        """
        hits = np.ascontiguousarray(np.moveaxis(sums[..., self.hits], -1, 0))
        categories, teams, _ = hits.shape
        if not self.cases:
            widest = np.ptp(hits, axis=1).max(1)[:, None, None]
            return np.broadcast_to(np.sqrt(2 * self.unseen) * widest, (categories, teams, teams))
        held = np.sum([sums[0][:, places] for places in self.cases], axis=0)
        size = held.sum(0) / np.maximum((held > 0).sum(0), 1)
        differ = (np.not_equal(hits, hits[:, a, None]).view(np.int8) for a in range(teams))
        seen = np.stack([units.sum(-1, dtype=np.int32) for units in differ], 1)
        cases: Floats = self.unseen - seen / 2
        cases = np.sqrt(np.multiply(2, np.maximum(cases, 0, out=cases), out=cases), out=cases)
        cases *= size[:, None, None]
        return cases

    def move(self, sums: Floats, answers: Floats) -> None:
        """Change the sums [K, ...] as if some wrong answers were right; `answers` is their number in each
        category [C, ...]."""
        for places in self.gains:
            for place, more in zip(places, answers, strict=True):
                sums[place] += more
        for places in self.losses:
            for place, more in zip(places, answers, strict=True):
                sums[place] -= more


@dataclass(frozen=True)
class Exchange:
    """Input of the permutation test (swap test), which exchanges the predictions of two teams.

    Attributes:
        sums: The parts of the score by team and unit [A, n, K].
        seed: Seed of the random exchanges, 0 or more.
        categories: The categories, if a rare one has as much weight in the score as a frequent one; None:
            there are none.
    """

    sums: Floats
    score: Score
    seed: int = 0
    categories: Categories | None = None


def applies(n_units: int) -> bool:
    """Return whether the permutation test can be used: from 20 units on. `n_units` is the number of units of
    the test set."""
    return n_units >= UNITS_OF_COMPARISON


def unit_sums(columns: Floats, units: Ints, case_weights: Floats | None = None) -> Floats:
    """Sum the columns over the cases of each unit.

    Args:
        columns: Values of the cases [N, K].
        units: Unit number of each case [N], from 0.
        case_weights: Weights of the cases [N].

    Returns:
        Sums [n, K].
    """
    sums = np.zeros((int(units.max()) + 1, columns.shape[1]))
    np.add.at(sums, units, columns if case_weights is None else columns * case_weights[:, None])
    return sums


def card_arrays(drawn: bool, units: Ints, sums: Callable[[], Floats]) -> dict[str, Floats]:
    """Return the arrays that a scorecard stores for the permutation test, by their name in `arrays`.

    Args:
        drawn: Whether replicates were drawn for the card.
        units: Unit number of each case [N], from 0.
        sums: Function that returns the parts of the score by unit [n, K], NaN if undefined.

    Returns:
        The sums as "unit_sums", read-only; empty if the test does not apply or a sum is undefined.
    """
    if not drawn or not applies(int(units.max()) + 1):
        return {}
    unit_totals = sums()
    unit_totals.flags.writeable = False
    return {UNIT_SUMS: unit_totals} if np.isfinite(unit_totals).all() else {}


def pseudo_values(point: float, left_out: Floats) -> Floats:
    """Return the jackknife pseudo-values of a quantity.

    Args:
        point: The quantity on the whole test set.
        left_out: The quantity with each unit left out in turn [n].

    Returns:
        point + (n - 1) (mean left_out - left_out) [n]; their mean is the point.
    """
    values: Floats = point + (len(left_out) - 1) * (left_out.mean() - left_out)
    return values


def signs(n_units: int, resamples: int, seed: int, stream: int = STREAM) -> Signs:
    """Draw at random which units are exchanged.

    Args:
        seed: Seed of the generator, 0 or more.

    Returns:
        1 (kept) and -1 (exchanged), one byte each [N, n]; the first row exchanges nothing.
    """
    exchanges = np.random.default_rng([seed, stream]).integers(0, 2, (resamples, n_units), dtype=np.int8)
    exchanges *= 2
    exchanges -= 1
    exchanges[0] = 1
    return exchanges


def _added(exchange: Exchange) -> Floats:
    """Return `Categories.added`, but 0 for two teams with identical submissions."""
    sums, known = exchange.sums, dict[bytes, int]()
    if exchange.categories is None:
        return np.zeros((0, len(sums), len(sums)))
    sent = np.array([known.setdefault(of_team.tobytes(), len(known)) for of_team in sums])
    cases: Floats = exchange.categories.added(sums) * (sent[:, None] != sent)
    return cases


def swap_test(
    scores: Floats, exchange: Exchange, resamples: int, better: Better = "higher"
) -> PairTest | None:
    """Test all pairs of teams by exchanging their predictions, and each team against the best of the others.

    In the second test, each team is compared with all others one-sidedly. The p-values are adjusted for these
    A - 1 pairs by the largest d* / root mean square, as in Hsu's multiple comparisons with the best (Ann.
    Stat. 1984;12:1136). The p-value of the truly best team is 5 % or less in at most 5 % of test sets.

    Args:
        scores: Official score of each team [A]. Parts of a score that are not sums (such as a model's size)
            count as constants.
        resamples: Number of exchanges, 2 or more.

    Returns:
        p-values, which count exchanges, adjusted by the largest |d*| / root mean square over all pairs, where
        d* is the difference after an exchange; and the simultaneous intervals of this test. None if a score
        after an exchange is undefined.
    """
    first, second = np.triu_indices(len(scores), 1)
    differences, sign = scores[first] - scores[second], Quantity(better).sign
    flips = signs(exchange.sums.shape[1], resamples, exchange.seed)
    root, own, beyond = np.zeros(len(first)), np.zeros(len(first)), np.zeros(len(first))
    top, ahead = np.zeros(resamples), _Ahead(sign * scores, resamples)
    for rows, moved in _moved(differences, exchange, flips):
        root[rows] = _root_mean_square(moved)
        if not np.isfinite(root[rows]).all():
            return None
        varying = np.where(root[rows] > 0, root[rows], np.inf)
        ratio = moved / (sign * varying)[:, None]
        np.maximum(top, ratio.max(0), out=top)
        np.maximum(top, ahead.add(int(first[rows.start]), second[rows], ratio, root[rows]), out=top)
        size = np.abs(moved, out=moved)
        reached = size >= (np.abs(differences[rows]) - PUBLISHED)[:, None]
        beyond[rows] = reached.view(np.int8).sum(1, dtype=np.int32) / resamples
        own[rows] = _limit(size) / varying
    result = _result(differences, root, own, beyond, np.sort(top), exchange.sums.shape[1])
    return replace(result, p_best=ahead.p_values())


def swap_errors(scores: Floats, exchange: Exchange, resamples: int, of: Bools) -> Floats | None:
    """Return only the standard errors of a swap test [P]; None if a score after an exchange is undefined.

    Args:
        scores: Official score of each team [A].
        resamples: Number of exchanges, 2 or more.
        of: Which teams to include [A]. Pairs with another team get the standard error 0.
    """
    first, second = np.triu_indices(len(scores), 1)
    differences, root = scores[first] - scores[second], np.zeros(len(first))
    flips = signs(exchange.sums.shape[1], resamples, exchange.seed)
    for rows, moved in _moved(differences, exchange, flips, of):
        root[rows] = _root_mean_square(moved)
    return _errors(differences, root, exchange.sums.shape[1]) if np.isfinite(root).all() else None


def _errors(differences: Floats, root: Floats, n: int) -> Floats:
    """Return standard errors [P] from the root mean squares [P] of the differences after exchanges."""
    spread = np.sqrt(np.maximum(n * root**2 - differences**2, 0) / (n - 1))
    return np.where(root > 0, spread, 0.0)


def _root_mean_square(moved: Floats) -> Floats:
    """Return the root mean square [P] of the differences of pairs after N exchanges [P, N]; 0 if it is below
    `NO_SPREAD`."""
    root: Floats = np.sqrt(np.mean(np.square(moved.T, order="C"), 0))
    return np.where(root < NO_SPREAD, 0.0, root)


class _Ahead:
    """By how much the best of the other teams leads each team, in root mean squares.

    Attributes:
        scores: Score of each team [A], larger is better.
        seen: The observed lead [A]; infinite if no exchange changes the difference of the pair.
        drawn: The lead after each exchange [A, N].
    """

    def __init__(self, scores: Floats, resamples: int) -> None:
        self.scores = scores
        self.seen = np.zeros(len(scores))
        self.drawn = np.zeros((len(scores), resamples))

    def add(self, team: int, others: Ints, ratio: Floats, root: Floats) -> Floats:
        """Add the pairs of a team with some others [P].

        Args:
            ratio: Exchanged differences divided by their root mean squares [P, N]; larger is better.
            root: The root mean squares [P].

        Returns:
            By how much the team is behind the best of the others in each exchange [N].
        """
        lead = np.round(self.scores[team] - self.scores[others], DIGITS)
        lead = np.sign(lead) * np.maximum(np.abs(lead) - PUBLISHED * (root > 0), 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            lead = np.where(lead == 0, 0.0, lead / root)
        self.seen[team] = max(self.seen[team], (-lead).max())
        self.seen[others] = np.maximum(self.seen[others], lead)
        these, furthest = self.drawn[others[0] : others[-1] + 1], -ratio.min(0)
        np.maximum(self.drawn[team], furthest, out=self.drawn[team])
        np.maximum(these, ratio, out=these)
        return np.asarray(furthest)

    def p_values(self) -> Floats:
        """Return for each team the probability that chance puts another team as far ahead of it [A]; 1 if
        none is ahead."""
        beyond: Floats = (self.drawn >= self.seen[:, None]).mean(1)
        return beyond


def _moved(
    differences: Floats, exchange: Exchange, flips: Signs, of: Bools | None = None
) -> Iterator[tuple[slice, Floats]]:
    """Yield positions of pairs, and the differences of these pairs after each exchange [pairs, N].

    With signs e, the sums of team a become (C_a + C_b) / 2 + (F_a - F_b) / 2. C are sums over units; F are
    sums over units multiplied by e.

    Args:
        of: Pairs in which neither team is marked [A] may be left out; None: all pairs are computed.
    """
    sums, categories = exchange.sums, exchange.categories
    teams, _, k = sums.shape
    total, added = sums.sum(1).T[..., None], _added(exchange) / 4
    luck = signs(teams * len(added), len(flips), exchange.seed, LUCK).reshape(len(flips), teams, -1)
    luck, halves = np.ascontiguousarray(luck.transpose(2, 1, 0)), _halves(sums, flips)
    shift, start = flips.mean(1), 0

    def scored(sums: Floats) -> Floats:
        return exchange.score(np.moveaxis(sums, 0, -1))

    width = max(1, BLOCK_CELLS // (len(flips) * k))
    for a in range(teams - 1):
        for b in range(a + 1, teams, width):
            others = slice(b, min(b + width, teams))
            rows = slice(start, start + others.stop - b)
            start = rows.stop
            if of is not None and not (of[a] and of[others].any()):
                continue
            middle = (total[:, a, None] + total[:, others]) / 2
            half = halves[:, a, None] - halves[:, others]
            if categories is not None and added[:, a, others].any():
                answers = luck[:, a, None] - luck[:, others]
                categories.move(half, answers * added[:, a, others, None])
            score = scored(middle + half)
            moved = np.round(score - scored(np.subtract(middle, half, out=half)), DIGITS)
            # What does not come from predictions, such as a model's size, counts as equal in all units. It
            # then adds no variance.
            constant = np.where(moved.any(1), np.round(differences[rows] - moved[:, 0], DIGITS), 0.0)
            if constant.any():
                moved = np.round(moved + shift * constant[:, None], DIGITS)
            yield rows, moved


def _halves(sums: Floats, flips: Signs) -> Floats:
    """Return half of the sums [A, n, K] after they are multiplied by signs [N, n] and added over units
    [K, A, N]."""
    teams, n, k = sums.shape
    columns, at_once = sums.transpose(1, 0, 2).reshape(n, teams * k), max(1, SIGN_CELLS // max(n, teams * k))
    halves = np.empty((k, teams, len(flips)))
    for i in range(0, len(flips), at_once):
        block = flips[i : i + at_once].astype(float) @ columns
        halves[..., i : i + at_once] = block.reshape(-1, teams, k).transpose(2, 1, 0) / 2
    return halves


def _limit(values: Floats) -> Floats:
    """Return the value [...] that at most 5 % of the values [..., N] exceed."""
    count = values.shape[-1]
    position = count - 1 - int(np.floor((1 - LEVEL) * count + 1e-9))
    return np.asarray(np.partition(values, position)[..., position])


def _result(differences: Floats, root: Floats, own: Floats, beyond: Floats, top: Floats, n: int) -> PairTest:
    """Return the results of the test of all pairs.

    Args:
        root: Root mean square of each pair's differences after exchanges [P].
        own: Ratio of difference to root mean square that at most 5 % of the exchanges of a pair exceed [P].
        beyond: Share of the exchanges with a difference at least as large as the observed one [P].
        top: Largest ratio over all pairs in each exchange [N], ascending.
        n: Number of units.
    """
    varies, apart = root > 0, np.round(np.abs(differences), DIGITS) > 0
    seen = np.divide(np.abs(differences) - PUBLISHED, root, out=np.zeros(len(root)), where=varies)
    adjusted = np.where(varies, (len(top) - np.searchsorted(top, seen)) / len(top), ~apart)
    errors = _errors(differences, root, n)
    critical = float(_quantiles(_limit(top), n)) if varies.any() else np.inf
    reach = np.where(varies, _times(critical, errors), 0.0)
    alone = np.where(varies, _times(_quantiles(own, n), errors), 0.0)
    ends = np.column_stack([differences - alone, differences + alone])
    return PairTest(
        errors,
        np.where(np.isfinite(ends).all(1)[:, None], ends, np.nan),
        np.where(varies, beyond, ~apart),
        adjusted,
        critical if np.isfinite(critical) else None,
        reach,
        adjusted <= 1 - LEVEL + 1e-9,
    )


def _quantiles(limits: Floats, n: int) -> Floats:
    """Return limits of |d| / root mean square in standard errors; infinite if no difference can exceed it."""
    squares = np.asarray(limits, float) ** 2
    inside = squares < n
    return np.where(inside, np.sqrt((n - 1) * squares / np.where(inside, n - squares, 1)), np.inf)


def _times(factor: Floats | float, errors: Floats) -> Floats:
    return np.where(errors > 0, factor * np.where(errors > 0, errors, 1), 0.0)
