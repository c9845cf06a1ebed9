"""Test sets whose true quantities are known, for the coverage of intervals. A third generator, which shares
nothing with `designs` and `second_generator`.

A quantity is a function of sums over units, restated here. Its parts are the recall or F1 of classes.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.special import ndtr

from scoring.statistics.interval_basis import Basis
from scoring.statistics.intervals import SHARE, Range

MANY = 400_000
ELEVEN = np.array([0.3, 0.2, 0.1, 0.1, 0.06, 0.06, 0.05, 0.04, 0.04, 0.03, 0.02])
SEVEN = np.array([0.5, 0.15, 0.1, 0.1, 0.05, 0.05, 0.05])
RISKS = ((3, slice(0, 4)), (2, slice(4, 7)), (1, slice(7, 11)))
Sums = np.ndarray
Values = dict[object, np.ndarray]


@dataclass(frozen=True)
class Design:
    """A quantity and how its test sets are drawn.

    Attributes:
        drawn: (random, n) -> sums by unit [n, K].
        values: Sums [B, K] -> the quantity [B] as "score", and its parts.
        basis: Sums of the test set [K] -> what the quantity rests on.
        true: Its value where it is not that of very many units.
        range: Its limits.
        pairs: Whether `drawn` gives pairs that count and those in the right order [2, n, n], and the quantity
            is their ratio; then `basis` takes what the pairs [n, n] are that count.
    """

    drawn: Callable[[np.random.Generator, int], Sums]
    values: Callable[[Sums], Values]
    basis: Callable[[Sums], Basis] = field(default=lambda _sums: Basis())
    true: float | Callable[[], float] | None = None
    range: Range = SHARE
    pairs: bool = False

    def made(self, random: np.random.Generator, n: int) -> tuple[Callable[[np.ndarray], Values], Basis]:
        """Draw a test set: its values for weights [B, n], and what they rest on."""
        drawn = self.drawn(random, n)
        if self.pairs:
            return lambda weights: of_pairs(*drawn, weights), self.basis(drawn[0])
        return lambda weights: self.values(weights @ drawn), self.basis(drawn.sum(0))

    @cached_property
    def truth(self) -> float:
        if self.true is not None:
            return self.true() if callable(self.true) else self.true
        random = np.random.default_rng(7)
        total = sum(self.drawn(random, MANY // 8).sum(0) for _ in range(8))
        return float(self.values(total[None])["score"][0])


def ratio(above: np.ndarray, below: np.ndarray, nothing: float = np.nan) -> np.ndarray:
    return np.divide(above, below, out=np.full(np.broadcast(above, below).shape, nothing), where=below > 0)


def of_pairs(counted: np.ndarray, right: np.ndarray, weights: np.ndarray) -> Values:
    return {"score": ratio(*(((weights @ kind) * weights).sum(1) for kind in (right, counted)))}


def labelled(shares: np.ndarray, recalls: np.ndarray, fixed: int = 0):
    """Hits, calls and cases of each class by unit; wrong calls by prevalence. fixed: that many classes have
    exactly two cases each, the others even parts."""
    k = len(shares)
    others = shares * (1 - np.eye(k))
    steps = np.cumsum(others / others.sum(1, keepdims=True), 1)

    def drawn(random: np.random.Generator, n: int) -> Sums:
        if fixed and n <= 1000:
            truth = np.r_[np.repeat(np.arange(fixed), 2), np.resize(np.arange(fixed, k), n - 2 * fixed)]
        else:
            truth = random.choice(k, n, p=shares)
        wrong = np.minimum((random.random((n, 1)) > steps[truth]).sum(1), k - 1)
        called = np.where(random.random(n) < recalls[truth], truth, wrong)
        is_true, is_called = truth[:, None] == np.arange(k), called[:, None] == np.arange(k)
        return np.hstack([is_true & is_called, is_called, is_true]).astype(float)

    return drawn


def split(sums: Sums) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    k = sums.shape[1] // 3
    return sums[:, :k], sums[:, k : 2 * k], sums[:, 2 * k :]


def parts_of(values: np.ndarray) -> Values:
    return {("part", k): column for k, column in enumerate(values.T)}


def balanced_accuracy(sums: Sums) -> Values:
    hits, _, cases = split(sums)
    recalls = ratio(hits, cases)
    return {"score": np.nanmean(recalls, 1), **parts_of(recalls)}


def macro_f1(sums: Sums) -> Values:
    hits, called, cases = split(sums)
    f1 = ratio(2 * hits, called + cases, 0.0)
    return {"score": f1.mean(1), **parts_of(f1)}


def accuracy_and_f1(sums: Sums) -> Values:
    hits, _, cases = split(sums)
    parts = macro_f1(sums)
    f1 = np.column_stack([parts["part", k] for k in range(11)])
    by_risk = sum(weight * f1[:, group].mean(1) for weight, group in RISKS) / 6
    return {**parts, "score": (hits.sum(1) / cases.sum(1) + by_risk) / 2}


def weights_of(score: Callable) -> Callable[[Sums], Basis]:
    """What the quantity rests on: classes by their cases."""

    def basis(sums: Sums) -> Basis:
        cases = split(sums[None])[2][0]
        units = {("part", k): int(n) for k, n in enumerate(cases)}
        if score is accuracy_and_f1:
            worth = np.zeros(11)
            for weight, group in RISKS:
                worth[group] = weight / 12 / len(worth[group])
        elif score is macro_f1:
            worth = np.full(len(cases), 1 / len(cases))
        else:
            worth = (cases > 0) / (cases > 0).sum()
        return Basis(units, {"score": {("part", k): w for k, w in enumerate(worth) if w}})

    return basis


def of_labels(shares, recalls, score, fixed: int = 0) -> Design:
    recalls = np.broadcast_to(recalls, len(shares))
    true = float(recalls.mean()) if score is balanced_accuracy else None
    return Design(labelled(shares, recalls, fixed), score, weights_of(score), true)


def one(sums: Sums) -> Values:
    return {"score": ratio(sums[:, 0], sums[:, 1])}


def of_some(sums: Sums) -> Basis:
    return Basis({"score": int(sums[1])})


def mean_of(values: Callable[[np.random.Generator, int], np.ndarray], limits: Range = SHARE) -> Design:
    def drawn(random: np.random.Generator, n: int) -> Sums:
        return np.column_stack([values(random, n), np.ones(n)])

    return Design(drawn, one, range=limits)


def share(p: float, members: float = 1.0) -> Design:
    """Share of right ones among the members of a class or subgroup."""

    def drawn(random: np.random.Generator, n: int) -> Sums:
        inside = random.random(n) < members
        return np.column_stack([inside & (random.random(n) < p), inside]).astype(float)

    return Design(drawn, one, of_some, p)


def failing_dice(random: np.random.Generator, n: int) -> np.ndarray:
    z = random.standard_normal(n)
    return np.where(z < -1.5, 0, ndtr(0.8 + 0.8 * z))


def in_class(values: Callable, members: float) -> Design:
    """Mean of a value over the members of a class."""

    def drawn(random: np.random.Generator, n: int) -> Sums:
        inside = random.random(n) < members
        return np.column_stack([values(random, n) * inside, inside])

    return Design(drawn, one, of_some)


def image_f1(random: np.random.Generator, n: int) -> Sums:
    means = np.array([0.35, 0.2, 0.12, 0.1, 0.08, 0.05, 0.04, 0.03, 0.02, 0.01])
    held = random.poisson(60 * means * random.gamma(2, 0.5, (n, 10)))
    skill = random.standard_normal((n, 1))
    hits = random.binomial(held, ndtr(0.7 + 0.6 * skill))
    false = random.poisson(12 * means * np.exp(-0.4 * skill))
    return np.hstack([ratio(2 * hits, held + hits + false, 0.0) * (held > 0), held > 0])


def mean_image_f1(sums: Sums) -> Values:
    return {"score": np.nanmean(ratio(sums[:, :10], sums[:, 10:]), 1)}


def decisions(prevalence: float) -> Design:
    def drawn(random: np.random.Generator, n: int) -> Sums:
        positive = random.random(n) < prevalence
        right = np.where(positive, 0.6, 1.0) + 0.9 * random.standard_normal(n) > 0
        called = positive == right
        return np.column_stack([called & positive, called, positive, right, np.ones(n)]).astype(float)

    def values(sums: Sums) -> Values:
        hits, called, positive, right, n = sums.T
        f2 = ratio(5 * hits, 4 * positive + called, 0.0)
        score = np.where(positive > 0, (2 * f2 + right / n) / 3, np.nan)  # as without an AUC
        return {"score": score, "f2": f2}

    return Design(drawn, values, lambda sums: Basis({"f2": int(sums[2])}, {"score": {"f2": 2 / 3}}))


def kappa(sums: Sums) -> Values:
    hits, called, cases = split(sums)
    n = cases.sum(1)
    by_chance = (called * cases).sum(1) / n**2
    return {"score": ratio(hits.sum(1) / n - by_chance, 1 - by_chance)}


def absolute_error(random: np.random.Generator, n: int) -> np.ndarray:
    return np.abs(random.standard_normal(n) * np.exp(0.5 * random.standard_normal(n)))


def log_loss(random: np.random.Generator, n: int) -> np.ndarray:
    return -np.log(ndtr(0.8 + random.standard_normal(n)))


def area(prevalence: float, separation: float) -> Design:
    """AUC of normal scores."""

    def drawn(random: np.random.Generator, n: int) -> Sums:
        positive = random.random(n) < prevalence
        score = random.standard_normal(n) + separation * positive
        counted = np.outer(positive, ~positive).astype(float)
        return np.stack([counted, counted * (score[:, None] > score)])

    def basis(counted: np.ndarray) -> Basis:
        smaller = int(min(counted.any(1).sum(), counted.any(0).sum()))
        return Basis({"score": smaller}, worst={"score": 0.5})

    return Design(drawn, one, basis, float(ndtr(separation / np.sqrt(2))), pairs=True)


def concordance() -> Design:
    """C-index of a risk: the hazard and noise."""

    def drawn(random: np.random.Generator, n: int) -> Sums:
        hazard = random.standard_normal(n)
        died, censored = random.exponential(np.exp(-1.2 * hazard)), random.exponential(1.5, n)
        time, risk = np.minimum(died, censored), hazard + 0.7 * random.standard_normal(n)
        counted = ((time[:, None] < time) & (died <= censored)[:, None]).astype(float)
        return np.stack([counted, counted * (risk[:, None] > risk)])

    def true() -> float:
        random = np.random.default_rng(3)
        counted, right = sum(drawn(random, 1500).sum((1, 2)) for _ in range(60))
        return right / counted

    return Design(drawn, one, lambda counted: Basis({"score": int(counted.any(1).sum())}), true, pairs=True)


HETEROGENEOUS = np.array([0.97, 0.9, 0.8, 0.8, 0.6, 0.6, 0.5])
DESIGNS: dict[str, Design] = {
    "TRICORDER-3": of_labels(ELEVEN, 0.75, accuracy_and_f1),
    "TRICORDER-3, equal classes": of_labels(np.full(11, 1 / 11), 0.75, accuracy_and_f1),
    "TRICORDER-3, nearly all right": of_labels(ELEVEN, 0.93, accuracy_and_f1),
    "balanced accuracy": of_labels(SEVEN, 0.75, balanced_accuracy),
    "balanced accuracy, rare classes worse": of_labels(SEVEN, HETEROGENEOUS, balanced_accuracy),
    "balanced accuracy, nearly all right": of_labels(SEVEN, 0.93, balanced_accuracy),
    "balanced accuracy, three classes of two cases": of_labels(SEVEN, 0.8, balanced_accuracy, fixed=3),
    "macro F1": of_labels(SEVEN, 0.75, macro_f1),
    "macro F1, rare classes worse": of_labels(SEVEN, HETEROGENEOUS, macro_f1),
    "Melanoma": decisions(0.3),
    "Melanoma, a tenth positive": decisions(0.1),
    "PUMA": Design(image_f1, mean_image_f1),
    "mean Dice, some fail": mean_of(failing_dice),
    "mean Dice, high": mean_of(lambda random, n: random.beta(12, 1.5, n)),
    "accuracy 0.9": share(0.9),
    "accuracy 0.98": share(0.98),
    "recall of a tenth": share(0.8, 0.1),
    "Dice of a tenth": in_class(lambda random, n: random.beta(6, 2, n), 0.1),
    "AUC": area(0.3, 1.0),
    "AUC, a tenth positive": area(0.1, 1.5),
    "AUC, nearly all right": area(0.3, 3.0),
    "C-index": concordance(),
    "kappa": Design(
        labelled(np.array([0.6, 0.3, 0.1]), np.array([0.85, 0.7, 0.6])), kappa, range=(-1.0, 1.0)
    ),
    "mean absolute error": mean_of(absolute_error, (0.0, np.inf)),
    "log loss": mean_of(log_loss, (0.0, np.inf)),
}


@dataclass(frozen=True)
class TwoTeams:
    """Two teams on one truth whose difference is known: (random, n, copying) -> sums of either by unit.
    copying: probability that the second has the luck of the first."""

    drawn: Callable[[np.random.Generator, int, float], tuple[Sums, Sums]]
    values: Callable[[Sums], Values]

    @cached_property
    def truth(self) -> float:
        random = np.random.default_rng(7)
        sums = [self.drawn(random, MANY // 8, 0.0) for _ in range(8)]
        totals = [sum(one[team].sum(0) for one in sums)[None] for team in (0, 1)]
        first, second = (float(self.values(total)["score"][0]) for total in totals)
        return first - second


def labelled_by_two(shares: np.ndarray, recalls: tuple[object, object], score: Callable) -> TwoTeams:
    k = len(shares)
    profiles = [np.broadcast_to(of, k) for of in recalls]
    others = shares * (1 - np.eye(k))
    steps = np.cumsum(others / others.sum(1, keepdims=True), 1)

    def drawn(random: np.random.Generator, n: int, copying: float) -> tuple[Sums, Sums]:
        truth, copied = random.choice(k, n, p=shares), random.random(n) < copying
        luck, turns = random.random((2, n)), random.random((2, n))
        luck[1], turns[1] = (np.where(copied, *values) for values in (luck, turns))
        teams = []
        for recall, right, turn in zip(profiles, luck, turns, strict=True):
            wrong = np.minimum((turn[:, None] > steps[truth]).sum(1), k - 1)
            called = np.where(right < recall[truth], truth, wrong)
            is_true, is_called = truth[:, None] == np.arange(k), called[:, None] == np.arange(k)
            teams.append(np.hstack([is_true & is_called, is_called, is_true]).astype(float))
        return teams[0], teams[1]

    return TwoTeams(drawn, score)


def values_of_two(values: Callable[[np.ndarray, float], np.ndarray]) -> TwoTeams:
    def drawn(random: np.random.Generator, n: int, copying: float) -> tuple[Sums, Sums]:
        common, own = random.standard_normal((n, 1)), random.standard_normal((n, 2))
        skill = np.sqrt(copying) * common + np.sqrt(1 - copying) * own
        first, second = (
            np.column_stack([values(skill[:, team], shift), np.ones(n)])
            for team, shift in ((0, 0.1), (1, 0.0))
        )
        return first, second

    return TwoTeams(drawn, one)


def accuracy(sums: Sums) -> Values:
    hits, _, cases = split(sums)
    return {"score": hits.sum(1) / cases.sum(1)}


PAIRS: dict[str, TwoTeams] = {
    "TRICORDER-3": labelled_by_two(ELEVEN, (0.8, 0.7), accuracy_and_f1),
    "balanced accuracy": labelled_by_two(SEVEN, (0.8, 0.7), balanced_accuracy),
    "balanced accuracy, rare classes worse": labelled_by_two(SEVEN, (HETEROGENEOUS, 0.7), balanced_accuracy),
    "macro F1": labelled_by_two(SEVEN, (0.8, 0.7), macro_f1),
    "accuracy": labelled_by_two(np.array([0.5, 0.5]), (0.88, 0.8), accuracy),
    "mean Dice": values_of_two(lambda z, shift: np.where(z < -1.5, 0, ndtr(0.8 + 0.8 * (z + shift)))),
}
