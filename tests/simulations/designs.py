"""Simulated teams on one test set, scored by the challenges' own functions of sums and weights.

All teams see the same cases, so that their errors agree: the latent skill of team t in case u is
sqrt(RHO) common[u] + sqrt(1 - RHO) own[u, t] + shift[t].
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace

import numpy as np
from scipy.special import ndtr, ndtri

from scoring.challenges.hecktor2026 import measures as hecktor2026
from scoring.challenges.isic import measures as isic
from scoring.challenges.melanoma import measures as melanoma
from scoring.challenges.melanoma.formula import combined
from scoring.challenges.puma import formula as puma
from scoring.challenges.tricorder3 import measures as tricorder3
from scoring.metrics import binary, curves
from scoring.statistics.permutation_test import Categories, Exchange
from scoring.statistics.replicates import leave_one_out_weights, replicate_weights
from scoring.version import __version__

RHO, RESAMPLES = 0.5, 1000
SEED = zlib.crc32(__version__.encode())
"""Of all simulations: every version draws its test sets anew, so that no method is fitted to a draw."""
ELEVEN = np.array([0.3, 0.2, 0.1, 0.1, 0.06, 0.06, 0.05, 0.04, 0.04, 0.03, 0.02])
SEVEN = np.array([0.5, 0.15, 0.1, 0.1, 0.05, 0.05, 0.05])
NUCLEI = np.array([0.35, 0.2, 0.12, 0.1, 0.08, 0.05, 0.04, 0.03, 0.02, 0.01])
STAGES = (np.array([0, 0.25, 0.3, 0.25, 0.2]), np.array([0.2, 0.25, 0.4, 0.15]))


@dataclass(frozen=True)
class Simulated:
    """Scores [A], their replicates [A, B], and what exchanging predictions needs."""

    scores: np.ndarray
    replicates: np.ndarray
    exchange: Exchange


@dataclass(frozen=True)
class Draws:
    """Weights of the cases [B, n] of the test set itself (first row) and of its replicates, and without each
    unit [n, n]."""

    drawn: np.ndarray
    left_out: np.ndarray

    @classmethod
    def of(cls, n: int, resamples: int, seed: int) -> "Draws":
        units = np.arange(n)
        replicates = list(replicate_weights(units, resamples, seed)) if resamples else []
        left_out = np.concatenate(list(leave_one_out_weights(units)))
        return cls(np.concatenate([np.ones((1, n), np.float32), *replicates]), left_out)

    @property
    def all(self) -> np.ndarray:
        return np.concatenate([self.drawn, self.left_out])


def latent(random: np.random.Generator, n: int, shifts: np.ndarray) -> np.ndarray:
    own = random.standard_normal((n, len(shifts)))
    return np.sqrt(RHO) * random.standard_normal((n, 1)) + np.sqrt(1 - RHO) * own + shifts


def labels(random: np.random.Generator, shares: np.ndarray, z: np.ndarray, skill: float = 0.75):
    """Truth [n] and labels [n, A]; wrong ones by prevalence."""
    truth = random.choice(len(shares), len(z), p=shares)
    others = shares * (1 - np.eye(len(shares)))
    steps = np.cumsum(others / others.sum(1, keepdims=True), 1)[truth]
    wrong = (random.random((*z.shape, 1)) > steps[:, None]).sum(2)
    return truth, np.where(z + ndtri(skill) > 0, truth[:, None], np.minimum(wrong, len(shares) - 1))


def of_sums(sums: list[np.ndarray], score: Callable, draws: Draws, categories: Categories) -> Simulated:
    """A score that is a function of sums on every weights."""
    found = np.stack(sums)
    values = np.stack([score((draws.drawn @ one.astype(np.float32)).astype(float)) for one in found])
    return Simulated(values[:, 0], values[:, 1:], Exchange(found, score, categories=categories))


def of_tricorder3(random, n: int, shifts: np.ndarray, draws: Draws) -> Simulated:
    truth, called = labels(random, ELEVEN, latent(random, n, shifts))
    sums = [tricorder3.unit_sums(truth, one, np.arange(n)) for one in called.T]
    return of_sums(sums, tricorder3.score_of_sums, draws, tricorder3.categories_of_sums())


def of_isic(random, n: int, shifts: np.ndarray, draws: Draws) -> Simulated:
    truth, called = labels(random, SEVEN, latent(random, n, shifts))
    metric, sums = "balanced_accuracy", []
    for one in called.T:
        answers = SimpleNamespace(categories=range(7), labels=truth, predicted=one)
        sums.append(isic.unit_sums(answers, np.arange(n), np.ones(n), metric, 0.0))
    score, categories = partial(isic.score_of_sums, metric), isic.categories_of_sums(metric, 7)
    return of_sums(sums, score, draws, categories)


def of_puma(random, n: int, shifts: np.ndarray, draws: Draws) -> Simulated:
    support = random.poisson(60 * NUCLEI * random.gamma(2, 0.5, (n, 10)))
    z = latent(random, n, shifts)
    sums, values = [], []
    for skill in z.T[:, :, None]:
        hits = random.binomial(support, ndtr(0.7 + 0.6 * skill))
        tallies = puma.Tallies(hits, support, hits + random.poisson(12 * NUCLEI * np.exp(-0.4 * skill)))
        sums.append(puma.unit_sums("description", tallies, np.arange(n)))
        in_data = int(tallies.occurs.any(0).sum())
        values.append(puma.score_of_sums("description", draws.drawn.astype(float) @ sums[-1], in_data))
    found = np.stack(values)
    score, categories = partial(puma.score_of_sums, "description"), puma.categories_of_sums("description", 10)
    return Simulated(found[:, 0], found[:, 1:], Exchange(np.stack(sums), score, categories=categories))


def of_melanoma(random, n: int, shifts: np.ndarray, draws: Draws) -> Simulated:
    positive = random.random(n) < 0.3
    positive[:2], positive[2:4] = True, False
    z, weights = latent(random, n, shifts), draws.all
    b, sums, values = len(draws.drawn), [], []
    for skill in z.T:
        margin = np.where(positive, 0.6, 1.0) + 0.9 * skill
        risk = ndtr(np.where(positive, margin, -margin))
        auc = curves.resampled_auc(risk, positive, weights)
        d = binary.decisions(positive, risk > 0.5, draws.drawn)
        values.append(combined(d, auc[:b]))
        sums.append(melanoma.unit_sums(positive, risk > 0.5, np.arange(n), float(auc[0]), auc[b:]))
    found = np.stack(values)
    exchange = Exchange(np.stack(sums), melanoma.score_of_sums, categories=melanoma.categories_of_sums())
    return Simulated(found[:, 0], found[:, 1:], exchange)


def c_index(time: np.ndarray, event: np.ndarray, weights: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Return what gives the C-index of a risk [n] on all weights [B, n]: `survival.c_index` for times and
    risks that differ, by one product of matrices, which takes a third of the time for so few patients."""
    earlier = (time[:, None] < time) & event[:, None]
    comparable = ((weights @ earlier.astype(np.float32)) * weights).sum(1, dtype=float)

    def of_risk(risk: np.ndarray) -> np.ndarray:
        concordant = (earlier & (risk[:, None] > risk)).astype(np.float32)
        found = ((weights @ concordant) * weights).sum(1, dtype=float)
        return np.divide(found, comparable, out=np.full(len(weights), np.nan), where=comparable > 0)

    return of_risk


def of_hecktor2026(random, n: int, shifts: np.ndarray, draws: Draws) -> Simulated:
    hazard = random.standard_normal(n)
    died, censored = random.exponential(np.exp(-1.2 * hazard)), random.exponential(1.5, n)
    time, event = np.minimum(died, censored), died <= censored
    staged = [labels(random, shares, latent(random, n, shifts), 0.6) for shares in STAGES]
    overlaps = [latent(random, n, shifts) for _ in range(2)]
    noise = latent(random, n, np.zeros(len(shifts)))
    b, concordance, sums, values = len(draws.drawn), c_index(time, event, draws.all), [], []
    for t, shift in enumerate(shifts):
        dices = [np.where(z[:, t] < -1.5, 0.0, ndtr(0.8 + 0.8 * z[:, t])) for z in overlaps]
        of_team = concordance(hazard * (1 + shift) + noise[:, t])
        codes = [(truth, called[:, t]) for truth, called in staged]
        sums.append(hecktor2026.unit_sums(dices, codes, np.arange(n), float(of_team[0]), of_team[b:]))
        # All but the C-index is a function of sums; that is taken on the weights themselves.
        added = draws.drawn.astype(float) @ sums[-1]
        added[:, -1] = of_team[:b]
        values.append(hecktor2026.score_of_sums(added))
    found = np.stack(values)
    categories = hecktor2026.categories_of_sums()
    exchange = Exchange(np.stack(sums), hecktor2026.score_of_sums, categories=categories)
    return Simulated(found[:, 0], found[:, 1:], exchange)


CHALLENGES = {
    "tricorder3": of_tricorder3,
    "melanoma": of_melanoma,
    "isic": of_isic,
    "puma": of_puma,
    "hecktor2026": of_hecktor2026,
}
"""Makers of simulated teams: (random, units, shift of each team, weights)."""


def own_error(challenge: str, n: int) -> float:
    """The shift of the latent skill that is worth about one standard error of a team's own errors."""
    widths = {"tricorder3": 1.65, "melanoma": 2.0, "isic": 2.1, "puma": 1.3, "hecktor2026": 0.95}
    return widths[challenge] * np.sqrt((1 - RHO) / n)
