"""A third generator of simulated teams: every team has learnt some kinds of cases by heart.

A class holds a dozen kinds of cases, unequally frequent. A team answers a kind always right or always wrong
(one kind it knows in part), so that its recall of a class is what it knows of it; teams learn the kinds in
the same order, or each in its own. What a team knows of rare classes is given, as recall; what it knows of
the others is found by bisection so that all teams have the same mean score over test sets with these classes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from scoring.challenges.isic import measures as isic
from scoring.challenges.melanoma import measures as melanoma
from scoring.challenges.tricorder3 import measures as tricorder3
from scoring.statistics.permutation_test import Categories

KINDS, DRAWS, HALVINGS = 12, 1500, 11


@dataclass(frozen=True)
class Design:
    """A cell. rare: classes of `size` cases each. profiles: recalls of these, "specialists" (by turns known
    and unknown) or "ladder" (from one end to the other). together: whether teams learn in the same order."""

    score: str
    units: int
    teams: int
    rare: int
    size: int
    profiles: str
    together: bool


@dataclass(frozen=True)
class Scored:
    """A score of hits, calls and cases of each class [..., C], as sums [..., K]."""

    classes: int
    sums: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    score: Callable[[np.ndarray], np.ndarray]
    categories: Categories


def _of_melanoma(hits: np.ndarray, called: np.ndarray, cases: np.ndarray) -> np.ndarray:
    """The four counts of decisions, the first class being positive, and no AUC."""
    found, left = hits[..., 0], hits[..., 1]
    cells = [found, called[..., 0] - found, cases[..., 0] - found, left, np.zeros_like(found)]
    return np.stack(cells, axis=-1)


SCORES = {
    "balanced accuracy": Scored(
        7,
        lambda hits, _, cases: np.concatenate([hits, cases], -1),
        partial(isic.score_of_sums, "balanced_accuracy"),
        isic.categories_of_sums("balanced_accuracy", 7),
    ),
    "macro F1": Scored(
        7,
        lambda hits, called, cases: np.concatenate([hits, called - hits, cases - hits], -1),
        partial(isic.score_of_sums, "dice"),
        isic.categories_of_sums("dice", 7),
    ),
    "weighted F1": Scored(
        11,
        lambda hits, called, cases: np.concatenate([hits, called, cases], -1),
        tricorder3.score_of_sums,
        tricorder3.categories_of_sums(),
    ),
    "F2": Scored(2, _of_melanoma, melanoma.score_of_sums, melanoma.categories_of_sums()),
}


@dataclass(frozen=True)
class Population:
    """Cases of each class [C], share of its kinds [C, KINDS], which each team knows [A, C, KINDS], and the
    classes that wrong answers name [C, C]."""

    counts: np.ndarray
    shares: np.ndarray
    known: np.ndarray
    wrong: np.ndarray


def population(random: np.random.Generator, design: Design) -> Population:
    classes = SCORES[design.score].classes
    counts = np.full(classes, design.size)
    counts[design.rare :] = (design.units - design.rare * design.size) // (classes - design.rare)
    counts[-1] += design.units - counts.sum()
    wrong = counts * (1 - np.eye(classes))
    wrong /= wrong.sum(1, keepdims=True)
    recalls = np.full((design.teams, classes), 0.7)
    ends = np.linspace(0.2, 0.95, design.teams)
    recalls[:, : design.rare] = (
        ends if design.profiles == "ladder" else np.resize((0.95, 0.35), design.teams)
    )[:, None]
    recalls = _levelled(random, design, counts, wrong, recalls)
    shares = random.dirichlet(np.full(KINDS, 2), classes)
    known = np.zeros((len(recalls), classes, KINDS))
    for name, share in enumerate(shares):
        of_all = random.permutation(KINDS)
        for team, recall in enumerate(recalls[:, name]):
            order = of_all if design.together else random.permutation(KINDS)
            before = np.cumsum(share[order]) - share[order]
            known[team, name, order] = np.clip((recall - before) / share[order], 0, 1)
    return Population(counts, shares, known, wrong)


def _levelled(
    random, design: Design, counts: np.ndarray, wrong: np.ndarray, recalls: np.ndarray
) -> np.ndarray:
    """Recalls of the teams that reach the mean of all teams' mean scores by the classes that are not rare."""
    seed = int(random.integers(2**32))
    target = np.mean([_mean(design, counts, wrong, recall, seed) for recall in recalls])
    levelled = []
    for recall in recalls:
        low, high = -6.0, 6.0
        for _ in range(HALVINGS):
            moved = _moved(recall, design.rare, (low + high) / 2)
            reached = _mean(design, counts, wrong, moved, seed)
            low, high = ((low + high) / 2, high) if reached < target else (low, (low + high) / 2)
        if abs(reached - target) < 0.002:
            levelled.append(moved)
    return np.array(levelled)


def _moved(recall: np.ndarray, rare: int, step: float) -> np.ndarray:
    odds = np.log(recall / (1 - recall))
    odds[rare:] += step
    return 1 / (1 + np.exp(-odds))


def _mean(design: Design, counts: np.ndarray, wrong: np.ndarray, recall: np.ndarray, seed: int) -> float:
    random, scored = np.random.default_rng(seed), SCORES[design.score]
    hits = random.binomial(counts, recall, (DRAWS, len(counts)))
    named = [random.multinomial(counts[k] - hits[:, k], share) for k, share in enumerate(wrong)]
    sums = scored.sums(
        hits.astype(float), (hits + sum(named)).astype(float), np.tile(counts, (DRAWS, 1)) * 1.0
    )
    return float(scored.score(sums).mean())


def cases_of(random: np.random.Generator, of: Population, scored: Scored) -> np.ndarray:
    """Draw a test set: sums [A, n, K] of teams and cases."""
    truth = np.repeat(np.arange(len(of.counts)), of.counts)
    kinds = (random.random((len(truth), 1)) > np.cumsum(of.shares, 1)[truth, :-1]).sum(1)
    right = random.random((len(of.known), len(truth))) < of.known[:, truth, kinds]
    steps = np.cumsum(of.wrong, 1)[truth]
    other = (random.random((*right.shape, 1)) > steps).sum(2)
    called = np.where(right, truth, np.minimum(other, len(of.counts) - 1))
    one_hot = np.eye(len(of.counts))
    cases, calls = np.broadcast_to(one_hot[truth], (*right.shape, len(of.counts))), one_hot[called]
    return scored.sums(cases * calls, calls, cases)
